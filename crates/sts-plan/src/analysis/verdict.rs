//! State of a set in one word, and its start.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::plan::{Outcome, Plan};
use sts_controller::controller::Resource;
use sts_controller::simulate::StepAction;

/// State of a set: contract section 6, `analysis.verdict`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The input is inconsistent, so predictions are unreliable.
    IncompleteInput,
    /// The API server rejects the change.
    Rejected,
    /// The set never reaches its specified state.
    Stuck,
    /// The rollout never settles.
    Livelock,
    /// The user must act next.
    WaitingForUser,
    /// The controller waits for an event that is expected to happen.
    Waiting,
    /// The controller has work to do.
    Progressing,
    /// The set matches its specification.
    NothingToDo,
}

sts_controller::named!(Verdict);

impl Verdict {
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

/// Reports whether the next sync or the user changes a pod.
fn acts_now(plan: &Plan) -> bool {
    let writes = plan.next.writes.iter();
    let mut of_pods = writes.filter(|write| write.resource == Resource::Pods);
    let by_user =
        |step: &sts_controller::simulate::Step| matches!(step.action, StepAction::Object(..));
    of_pods.any(|write| write.refused.is_none()) || plan.progression.steps.iter().any(by_user)
}

/// Returns since when a set has been stuck or waiting.
pub(super) fn since<'c>(
    verdict: Verdict,
    mut causes: impl Iterator<Item = &'c Cause>,
) -> Option<Timestamp> {
    match verdict {
        // If the first is unknown, the others cannot replace it.
        Verdict::Stuck | Verdict::Waiting => {
            let first = causes.next()?.since?;
            Some(causes.filter_map(|cause| cause.since).fold(first, Ord::min))
        }
        _ => None,
    }
}
