//! Many sets in one run: their order, their groups and their numbers by state.

mod fail_on;
mod groups;
mod list;
mod tally;
mod urgency;

pub use fail_on::{FailOn, fail_on_words};
pub use groups::{FleetGroup, FleetRow, SetName};
pub use list::ReportList;
pub use tally::Tally;
pub use urgency::{Urgency, urgency};
