//! The verdict on a set: its state in one word, and since when.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::plan::{Outcome, Plan};
use sts_controller::controller::Resource;
use sts_controller::simulate::StepAction;

/// The state of a set: contract section 6, `analysis.verdict`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The input contradicts itself: nothing that follows can be relied on.
    IncompleteInput,
    /// The API server refuses the change.
    Rejected,
    /// It never reaches the state its specification asks for.
    Stuck,
    /// It goes round in circles.
    Livelock,
    /// The next step is the user's.
    WaitingForUser,
    /// The controller waits for something that is expected to happen.
    Waiting,
    /// The controller has something to do.
    Progressing,
    /// It matches its specification.
    NothingToDo,
}

impl Verdict {
    /// The verdict's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::IncompleteInput => "incomplete-input",
            Verdict::Rejected => "rejected",
            Verdict::Stuck => "stuck",
            Verdict::Livelock => "livelock",
            Verdict::WaitingForUser => "waiting-for-user",
            Verdict::Waiting => "waiting",
            Verdict::Progressing => "progressing",
            Verdict::NothingToDo => "nothing-to-do",
        }
    }

    /// The verdict on a plan whose input does not contradict itself.
    #[must_use]
    pub(super) fn of(plan: &Plan) -> Self {
        match &plan.outcome {
            Outcome::Rejected(_) => Verdict::Rejected,
            Outcome::Livelock => Verdict::Livelock,
            Outcome::Blocked(_) => Verdict::Stuck,
            Outcome::Complete if acts_now(plan) => Verdict::Progressing,
            Outcome::Complete if plan.next.holds.iter().any(|hold| !hold.is_intended()) => {
                Verdict::Waiting
            }
            Outcome::Complete if plan.has_work() => Verdict::Progressing,
            Outcome::Complete if plan.tally().on_delete > 0 => Verdict::WaitingForUser,
            Outcome::Complete => Verdict::NothingToDo,
        }
    }
}

/// Reports whether the very next sync does something to a pod, or the user does.
fn acts_now(plan: &Plan) -> bool {
    let writes = plan.next.writes.iter();
    let mut of_pods = writes.filter(|write| write.resource == Resource::Pods);
    let by_user =
        |step: &sts_controller::simulate::Step| matches!(step.action, StepAction::Object(..));
    of_pods.any(|write| write.refused.is_none()) || plan.progression.steps.iter().any(by_user)
}

/// Since when a stuck set is stuck.
pub(super) fn since<'c>(
    verdict: Verdict,
    mut causes: impl Iterator<Item = &'c Cause>,
) -> Option<Timestamp> {
    match verdict {
        // If nothing is known of the first, the others do not stand for it.
        Verdict::Stuck | Verdict::Waiting => {
            let first = causes.next()?.since?;
            Some(causes.filter_map(|cause| cause.since).fold(first, Ord::min))
        }
        _ => None,
    }
}
