//! Many sets in one run: their plans, their order, their groups, their numbers by state, and the gates that fail.
//!
//! A [`FleetRun`] takes sets ([`FleetSet`]) part by part and plans them, with actions on nodes or an upgrade over all of
//! them. It returns a [`Fleet`], whose [`ReportList`] is the document of the run. Threads belong to the caller, which
//! hands in a [`FleetDriver`].

mod driver;
mod end;
mod fail_on;
mod findings;
mod gates;
mod groups;
mod list;
mod nodes;
mod places;
mod planned;
mod questions;
mod rules;
mod run;
mod set;
mod tally;
mod upgrade;
mod urgency;

pub use driver::{FleetDriver, SequentialFleetDriver};
pub use end::{PlanEnd, violation};
pub use fail_on::{FailOn, fail_on_words};
pub use findings::{Findings, PlanFindings, ignored_findings};
pub use gates::{FailedGate, Gate, GateFailure, JudgeOverSets, OtherGates, judge};
pub use groups::{FleetGroup, FleetRow, SetName};
pub use list::ReportList;
pub use nodes::{after_nodes, nodes_answer, with_pods};
pub use places::SetPlaces;
pub use questions::FleetQuestions;
pub use rules::{FleetFinding, FleetIgnored};
pub use run::{Fleet, FleetError, FleetRequest, FleetRun};
pub use set::{FleetSet, SetCourse};
pub use tally::Tally;
pub use upgrade::UpgradeRunError;
pub use urgency::{Urgency, urgency};
