//! End of a plan, and the violation of what was asked about it.

use super::gates::against_evidence;
use crate::answer::{Check, CheckResult};
use crate::plan::{Outcome, Plan};
use crate::report::Report;

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
    /// Returns the end of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        match &plan.outcome {
            Outcome::Rejected(_) => PlanEnd::Rejected,
            Outcome::Blocked(_) | Outcome::Livelock => PlanEnd::Blocked,
            Outcome::Complete if plan.has_work() => PlanEnd::Works,
            Outcome::Complete => PlanEnd::NothingToDo,
        }
    }
}

/// Returns the reason why what was asked about a plan does not hold, as a predicate; `None` if everything holds.
#[must_use]
pub fn violation(report: &Report) -> Option<String> {
    let checks = report.checks();
    let is_open = |check: &&Check| check.result != CheckResult::Holds;
    let (on_course, others): (Vec<&Check>, Vec<&Check>) = checks
        .iter()
        .partition(|it| it.reason_on_assumption.is_some());
    if let Some(open) = on_course.iter().copied().find(is_open) {
        return Some(open.reason.clone());
    }
    // They were checked on a course that the evidence speaks against.
    if let Some(first) = on_course.first()
        && against_evidence(report).is_some()
    {
        return first.reason_on_assumption.clone();
    }
    let open = others.into_iter().find(is_open)?;
    Some(open.reason.clone())
}
