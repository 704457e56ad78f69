//! Descriptions of operations.

use super::style::escape;
use super::words::{self, elapsed};
use sts_plan::report::{Milestone, Operation, OperationKind, OperationReason, PlanResult, Report};

/// Reports whether the plan is a single wait without end, which the verdict already states.
pub(super) fn repeats_verdict(report: &Report) -> bool {
    let [only] = report.operations.as_slice() else {
        return false;
    };
    let is_wait = match only.operation {
        OperationKind::Wait => true,
        // A deletion that was already in progress.
        OperationKind::Delete => only.step.is_none(),
        _ => false,
    };
    is_wait && only.never.is_some() && report.outcome.result == PlanResult::Blocked
}

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

/// Lists the waits, each with its duration: `gone 5s, ready 22s`. A time that a pod has already exceeded is not repeated.
pub(super) fn waits(operation: &Operation) -> String {
    let waits = operation.waits.iter();
    let mut waits: Vec<String> = waits
        .map(|wait| match wait.overdue {
            true => format!("{} (overdue)", milestone(wait.milestone)),
            false => format!("{} {}", milestone(wait.milestone), elapsed(wait.seconds)),
        })
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

/// Describes the reason for an operation.
pub(super) fn why(operation: &Operation, report: &Report) -> String {
    let text = match operation.reason {
        OperationReason::ScaledDown => {
            let replicas = usize::try_from(report.set.replicas).unwrap_or(0);
            return format!("scale down to {}", words::spaced(replicas));
        }
        OperationReason::NotReady => {
            let mut pods = report.set.pods.iter();
            let pod = pods.find(|pod| operation.pod.as_ref() == Some(&pod.name));
            return match pod.and_then(|pod| pod.waiting.as_deref()) {
                Some(reason) => escape(reason).into_owned(),
                None => "not ready".to_owned(),
            };
        }
        OperationReason::Outdated => "outdated revision",
        OperationReason::Failed => "phase Failed",
        OperationReason::Succeeded => "phase Succeeded",
        OperationReason::Terminating => "terminating",
        OperationReason::Recreated => "must be recreated",
        OperationReason::DeletedByUser => "deleted by the user",
        OperationReason::Evicted => "evicted",
        OperationReason::NodeTainted => "node is not responding",
        OperationReason::SetDeleted => "StatefulSet deleted",
        OperationReason::SetDeletedOrphan => "StatefulSet deleted, pod orphaned",
        OperationReason::Missing => "missing",
        OperationReason::Differs => "identity, volumes or claims differ",
        OperationReason::Unowned => "orphan that matches the selector",
        OperationReason::NotSelected => "no longer matches the selector",
        OperationReason::LastOwnerGone => "last owner is gone",
        OperationReason::Needed => "required by a pod",
    };
    text.to_owned()
}
