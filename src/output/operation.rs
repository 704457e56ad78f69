//! Operations in words.

use super::style::escape;
use super::words::{self, elapsed};
use sts_plan::report::{Milestone, Operation, OperationKind, OperationReason, PlanResult, Report};

/// Reports whether the plan is nothing but a wait without end, of which its verdict tells.
pub(super) fn repeats_verdict(report: &Report) -> bool {
    let [only] = report.operations.as_slice() else {
        return false;
    };
    let is_wait = match only.operation {
        OperationKind::Wait => true,
        // A deletion that was there before the plan.
        OperationKind::Delete => only.step.is_none(),
        _ => false,
    };
    is_wait && only.never.is_some() && report.outcome.result == PlanResult::Blocked
}

/// Returns an operation in a word.
pub(super) fn word(kind: OperationKind) -> &'static str {
    match kind {
        OperationKind::Create => "create",
        OperationKind::Delete => "delete",
        OperationKind::Replace => "replace",
        OperationKind::Wait => "wait",
        OperationKind::Update => "update",
        OperationKind::Adopt => "adopt",
        OperationKind::Release => "release",
        OperationKind::Claim => "claim",
    }
}

/// Lists the waits, each with its duration: `gone 5s, ready 22s`.
pub(super) fn waits(operation: &Operation) -> String {
    let waits = operation.waits.iter();
    let mut waits: Vec<String> = waits
        .map(|wait| format!("{} {}", milestone(wait.milestone), elapsed(wait.seconds)))
        .collect();
    waits.extend(
        operation
            .never
            .map(|never| format!("never {}", milestone(never))),
    );
    waits.join(", ")
}

fn milestone(milestone: Milestone) -> &'static str {
    match milestone {
        Milestone::Gone => "gone",
        Milestone::Ready => "ready",
        Milestone::Failed => "fails",
        Milestone::Available => "available",
    }
}

/// Returns the reason for an operation, in a few words.
pub(super) fn why(operation: &Operation, report: &Report) -> String {
    let text = match operation.reason {
        OperationReason::ScaledDown => {
            let replicas = usize::try_from(report.set.replicas).unwrap_or(0);
            return format!("scaled away: {} wanted", words::count(replicas, "replica"));
        }
        OperationReason::NotReady => {
            let mut pods = report.set.pods.iter();
            let pod = pods.find(|pod| operation.pod.as_ref() == Some(&pod.name));
            return match pod.and_then(|pod| pod.waiting.as_deref()) {
                Some(reason) => escape(reason).into_owned(),
                None => "it is not ready".to_owned(),
            };
        }
        OperationReason::Outdated => "its revision is outdated",
        OperationReason::Failed => "it has ended in phase Failed",
        OperationReason::Succeeded => "it has ended in phase Succeeded",
        OperationReason::Terminating => "it is being deleted",
        OperationReason::Recreated => "it has to be recreated",
        OperationReason::DeletedByUser => "the user deletes it",
        OperationReason::SetDeleted => "its set is deleted",
        OperationReason::SetDeletedOrphan => "its set is deleted, and it stays",
        OperationReason::Missing => "it is wanted and not there",
        OperationReason::Differs => "identity, volumes or claims are brought in line",
        OperationReason::Unowned => "it has no owner, and the selector matches",
        OperationReason::NotSelected => "the selector does not match it any more",
        OperationReason::LastOwnerGone => "its last owner is gone",
        OperationReason::Needed => "a pod needs it",
    };
    text.to_owned()
}
