//! Operations: related steps of one pod, grouped for readers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Related events of one pod: a deletion, its end, the new pod and its readiness are one replacement to a reader,
/// but several steps to the simulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Number of the step of the rollout, from 1, as every format prints it. Operations that run at the same time share one.
    #[serde(default)]
    pub number: usize,
    /// Whole seconds from the start to the first event.
    pub at: i64,
    /// Index of the first step; absent when the operation was in progress before the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Index of the write that starts it within that step; absent when an event starts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<usize>,
    /// True if it runs concurrently with other operations of that step; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// Pod; absent when only claims are concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Arc<str>>,
    /// Kind of operation.
    pub operation: OperationKind,
    /// Reason for the operation.
    pub reason: OperationReason,
    /// Revision of the old pod; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Arc<str>>,
    /// Revision of the new pod; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Arc<str>>,
    /// Waits, in order; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<OperationWait>,
    /// Milestone that is never reached; absent when the operation completes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<Milestone>,
    /// Claims of the pod; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<OperationClaim>,
}

/// Kind of operation on a pod or on claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OperationKind {
    /// The pod is created.
    Create,
    /// The pod is deleted.
    Delete,
    /// The pod is deleted and replaced.
    Replace,
    /// The pod changes without a request.
    Wait,
    /// The pod's identity, volumes or claims are updated in place.
    Update,
    /// The set adopts the pod.
    Adopt,
    /// The set releases the pod.
    Release,
    /// A claim is created or deleted without a pod.
    Claim,
}

/// Reason for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum OperationReason {
    /// The pod's ordinal is outside the desired range.
    ScaledDown,
    /// The pod is not on the update revision.
    Outdated,
    /// The pod is in phase `Failed`.
    Failed,
    /// The pod is in phase `Succeeded`.
    Succeeded,
    /// The pod was terminating before the plan began.
    Terminating,
    /// The pod is recreated for another reason.
    Recreated,
    /// The user deletes the pod.
    DeletedByUser,
    /// The pod is evicted from its node.
    Evicted,
    /// The pod does not tolerate the taint of its node.
    NodeTainted,
    /// The set is deleted.
    SetDeleted,
    /// The set is deleted and orphans the pod.
    SetDeletedOrphan,
    /// The pod is desired but does not exist.
    Missing,
    /// The pod is not ready.
    NotReady,
    /// The pod differs in its identity, volumes or claims.
    Differs,
    /// The pod has no owner, and the set's selector matches it.
    Unowned,
    /// The set's selector no longer matches the pod.
    NotSelected,
    /// The claim's last owner is gone.
    LastOwnerGone,
    /// A pod needs the claim.
    Needed,
}

/// Wait for a milestone of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OperationWait {
    /// Milestone that ends the wait.
    #[serde(rename = "for")]
    pub milestone: Milestone,
    /// Duration in seconds.
    pub seconds: i64,
    /// True if the pod has already taken much longer than the usual time, so that the duration is no estimate; absent
    /// otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overdue: bool,
}

/// Milestone of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Milestone {
    /// The pod is gone.
    Gone,
    /// The pod is ready.
    Ready,
    /// The pod is in phase `Failed`.
    Failed,
    /// The pod has been ready for `minReadySeconds`.
    Available,
}

/// Claim of a pod in an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OperationClaim {
    /// Claim name.
    pub name: String,
    /// Fate of the claim.
    pub fate: ClaimFate,
}

/// Fate of a claim in an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ClaimFate {
    /// It is kept.
    Keep,
    /// It is deleted together with its data.
    Lose,
    /// It is created.
    Create,
}

impl Operation {
    /// Reports whether a claim is deleted.
    #[must_use]
    pub fn loses_data(&self) -> bool {
        self.lost_claims().next().is_some()
    }

    /// Returns the names of the deleted claims.
    pub fn lost_claims(&self) -> impl Iterator<Item = &str> {
        let lost = self
            .claims
            .iter()
            .filter(|claim| claim.fate == ClaimFate::Lose);
        lost.map(|claim| claim.name.as_str())
    }

    /// Returns the old revision, if it differs from the new one, and the relevant revision.
    #[must_use]
    pub fn revisions(&self) -> [Option<&str>; 2] {
        let (from, to) = (self.from.as_deref(), self.to.as_deref());
        match (self.operation, from, to) {
            (OperationKind::Replace, Some(old), Some(new)) if old != new => [Some(old), Some(new)],
            (OperationKind::Replace | OperationKind::Create, _, Some(new)) => [None, Some(new)],
            _ => [None, from],
        }
    }
}
