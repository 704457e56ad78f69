//! Descriptions of a plan: headline, causes, evidence, advice and outcome. They read holds and never repeat the algorithm.

mod around;
mod around_cause;
mod cause;
mod caution;
mod change_commands;
mod command;
mod conflict;
mod deletion;
mod eta;
mod evidence;
mod foresight;
mod headline;
mod hold;
mod next;
mod next_writes;
mod nodes;
mod obstacle;
mod options;
mod pod_counts;
mod refusal;
mod remedy;
mod remedy_commands;
mod restore_commands;
mod stages;
mod summary;
mod upgrade;
mod user_turn;
mod workaround;

pub use around::event_line;
pub use around_cause::cause_facts;
pub use cause::{cause, shared_cause};
pub use caution::{cautions, unknown_events};
pub use change_commands::{change_commands, copy_command, delete_pods, grown_set_commands};
pub(crate) use command::kubectl;
pub use command::quoted;
pub use conflict::ConflictChoice;
pub use eta::eta;
pub use evidence::{assumed, evidence, set_events, with_message};
pub use headline::{Headline, HeadlineTopic, headline, stuck_state};
pub use hold::hold;
pub use next::{next_command, next_text};
pub use nodes::{nodes_headline, waits_for};
pub use obstacle::{look_into, obstacle};
pub(crate) use options::report_option;
pub use refusal::{refusal, refusal_facts, refusal_has_detail, workaround_commands};
pub use remedy::remedy_text;
pub use restore_commands::restore_commands;
pub use stages::{check_claims_command, check_commands, set_gone_commands, stages_summary};
pub use summary::summary;
pub use upgrade::{upgrade_advice, upgrade_summary};
pub use workaround::workaround;

/// Formats a count: `1 pod is`, `3 pods are`.
fn plural(number: usize, one: &str, several: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {several}"),
    }
}
