//! Descriptions of a plan: headline, causes, evidence, advice and outcome. They read holds and never repeat the algorithm.

mod cause;
mod caution;
mod change_commands;
mod conflict;
mod contrast;
mod eta;
mod evidence;
mod fact;
mod hold;
mod last_words;
mod obstacle;
mod own_words;
mod refusal;
mod related_objects;
mod related_to_cause;
mod remedy;
mod restore_commands;
mod shared_cause;
mod unrecognized;

pub use crate::command::{named, quoted};
pub use cause::{CauseClause, cause};
pub use caution::{cautions, fix, fix_of, unknown_events};
pub use change_commands::{change_commands, copy_command, delete_pods, grown_set_commands};
pub use related_objects::event_line;
pub use related_to_cause::cause_facts;

pub use conflict::ConflictChoice;
pub use contrast::contrast;
pub use eta::eta;
pub use evidence::{assumed, evidence, set_events, with_message};
pub use hold::hold;
pub use obstacle::{look_into, obstacle};
pub use refusal::{refusal, refusal_facts, refusal_has_detail, workaround_commands};
pub use remedy::remedy_text;

pub use restore_commands::restore_commands;
pub use shared_cause::shared_cause;

use crate::words::uncapitalized;
