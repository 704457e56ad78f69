//! Many sets in one run: their order, their groups, their numbers by state, and the gates that fail.

mod fail_on;
mod findings;
mod gates;
mod groups;
mod list;
mod rules;
mod tally;
mod urgency;

pub use fail_on::{FailOn, fail_on_words};
pub use findings::{Findings, PlanFindings, ignored_findings};
pub use gates::{FailedGate, Gate, GateFailure, judge};
pub use groups::{FleetGroup, FleetRow, SetName};
pub use list::ReportList;
pub use rules::{FleetFinding, FleetIgnored};
pub use tally::Tally;
pub use urgency::{Urgency, urgency};
