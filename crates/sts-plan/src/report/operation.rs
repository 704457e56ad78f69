//! Operations: what a reader sees happen to a pod, of as many steps as it takes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The events of a pod that belong together: a deletion, its end, the new pod and its readiness are one replacement to a
/// reader, and several steps to the simulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Whole seconds from the beginning to its first event.
    pub at: i64,
    /// Index of the step that begins it; absent when it was under way before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Index of the write of that step that begins it; absent when an event does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<usize>,
    /// True if whatever else begins with that step happens at the same time; absent when it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// The pod; absent when it is about claims alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Arc<str>>,
    /// The kind of operation.
    pub operation: OperationKind,
    /// The reason for it.
    pub reason: OperationReason,
    /// The revision of the pod before; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Arc<str>>,
    /// The revision of the pod that is created; absent when none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Arc<str>>,
    /// The waits, in order; absent when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<OperationWait>,
    /// The milestone that it waits for without end; absent when it comes to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<Milestone>,
    /// The pod's claims; absent when it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<OperationClaim>,
}

/// A kind of operation on a pod, or on claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum OperationKind {
    /// The pod is created.
    Create,
    /// The pod is deleted.
    Delete,
    /// The pod is deleted, and another takes its place.
    Replace,
    /// Nothing is done to the pod, but something happens to it.
    Wait,
    /// The pod's identity, volumes or claims are brought in line.
    Update,
    /// The pod becomes the set's.
    Adopt,
    /// The pod is the set's no more.
    Release,
    /// A claim is created or goes, though no pod does.
    Claim,
}

/// The reason for an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum OperationReason {
    /// The set does not want the pod's ordinal.
    ScaledDown,
    /// The pod is not of the update revision.
    Outdated,
    /// The pod has ended in phase `Failed`.
    Failed,
    /// The pod has ended in phase `Succeeded`.
    Succeeded,
    /// The pod was being deleted before the plan began.
    Terminating,
    /// The pod has to be created again for another reason.
    Recreated,
    /// The user deletes the pod.
    DeletedByUser,
    /// The pod's set is deleted.
    SetDeleted,
    /// The pod's set is deleted, and leaves it behind.
    SetDeletedOrphan,
    /// The set wants the pod, and it is not there.
    Missing,
    /// The pod is not ready.
    NotReady,
    /// The pod differs in its identity, volumes or claims.
    Differs,
    /// The pod has no owner, and the set's selector matches it.
    Unowned,
    /// The set's selector does not match the pod any more.
    NotSelected,
    /// The claim's last owner is gone.
    LastOwnerGone,
    /// A pod needs the claim.
    Needed,
}

/// A wait for a milestone in a pod's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OperationWait {
    /// The milestone that comes at its end.
    #[serde(rename = "for")]
    pub milestone: Milestone,
    /// Its length in seconds.
    pub seconds: i64,
}

/// A milestone in a pod's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Milestone {
    /// The pod is gone.
    Gone,
    /// The pod is ready.
    Ready,
    /// The pod has ended in phase `Failed`.
    Failed,
    /// The pod has been ready for `minReadySeconds`.
    Available,
}

/// One of a pod's claims in an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OperationClaim {
    /// Its name.
    pub name: String,
    /// Its fate.
    pub fate: ClaimFate,
}

/// The fate of a claim in an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ClaimFate {
    /// It stays.
    Keep,
    /// It goes, and its data with it.
    Lose,
    /// It is created.
    Create,
}

impl Operation {
    /// Reports whether a claim goes.
    #[must_use]
    pub fn loses_data(&self) -> bool {
        self.lost_claims().next().is_some()
    }

    /// The names of the claims that go.
    pub fn lost_claims(&self) -> impl Iterator<Item = &str> {
        let lost = self
            .claims
            .iter()
            .filter(|claim| claim.fate == ClaimFate::Lose);
        lost.map(|claim| claim.name.as_str())
    }

    /// Returns the revision that it leads from, where it leads to another one, and the one that matters.
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
