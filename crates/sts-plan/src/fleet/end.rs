//! End of a plan, and violations of its requirements.

use super::gates::against_evidence;
use crate::analysis::Analysis;
use crate::plan::Outcome;
use crate::report::{ExplorationVerdict, Report};

/// End of a plan, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanEnd {
    /// There is nothing to do.
    NothingToDo,
    /// The plan has work to do, and completes or is continued by the next stage.
    Works,
    /// The plan is blocked, or never settles.
    Blocked,
    /// The API server rejects the change.
    Rejected,
}

impl PlanEnd {
    /// Returns the end of an analyzed plan.
    #[must_use]
    pub fn of(analysis: &Analysis<'_>) -> Self {
        match &analysis.plan.outcome {
            Outcome::Rejected(_) => PlanEnd::Rejected,
            Outcome::Blocked(_) | Outcome::Livelock => PlanEnd::Blocked,
            Outcome::Complete if analysis.plan.has_work() => PlanEnd::Works,
            Outcome::Complete => PlanEnd::NothingToDo,
        }
    }
}

/// Violation of what was asked about a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation<'r> {
    /// A requirement breaks.
    Requirement(&'r str),
    /// A requirement holds only on an assumption that the evidence speaks against.
    AgainstEvidence(&'r str),
    /// The exploration found a violation or did not finish.
    Unverified,
}

impl<'r> Violation<'r> {
    /// Returns the first violation of a report; `None` if everything holds.
    #[must_use]
    pub fn of(report: &'r Report) -> Option<Self> {
        let mut requirements = report.requirements.iter();
        if let Some(broken) = requirements.find(|checked| !checked.holds) {
            return Some(Violation::Requirement(&broken.text));
        }
        // The requirement was checked on a course that the evidence speaks against.
        if let Some(first) = report.requirements.first()
            && against_evidence(report).is_some()
        {
            return Some(Violation::AgainstEvidence(&first.text));
        }
        let verdict = report.exploration.as_ref().map(|found| found.verdict);
        let is_open = matches!(
            verdict,
            Some(ExplorationVerdict::Broken | ExplorationVerdict::Unknown)
        );
        is_open.then_some(Violation::Unverified)
    }
}
