//! Values of the differences between versions that have more than two.

use crate::object::{OwnerReference, Set};

/// Traversal of the pods in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassStyle {
    /// One at a time, with counters adjusted by hand.
    Sequential,
    /// In batches under `Parallel`, with counters recomputed.
    Batched,
}

/// Status update after a failed pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusOnError {
    /// None.
    NotWritten,
    /// From inside the pass.
    WrittenInside,
    /// After the pass.
    WrittenAfter,
}

/// Handling of pods in phase `Failed` or `Succeeded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishedPods {
    /// `Failed` pods are deleted and recreated in the same sync; `Succeeded` pods are ignored.
    FailedRecreated,
    /// Both are deleted and recreated in the same sync.
    BothRecreated,
    /// Both are deleted, and recreated by a later sync.
    BothDeleted,
}

/// Comparison that decides whether a rollout is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// Compares the computed counters with each other.
    AgainstStatus,
    /// Compares the computed counters with `spec.replicas`.
    AgainstSpec,
    /// Like `AgainstSpec`, for every strategy. Before, only a `RollingUpdate` ever completes.
    WhateverStrategy,
}

/// Owner references of claims under the retention policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimOwners {
    /// Plain owner references, distinguished by uid.
    Plain,
    /// Controller references that respect other controllers.
    Controlling,
}

/// Pod state that the update phase waits for before it continues with the next pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateWaitsFor {
    /// Running, ready and not terminating.
    Readiness,
    /// Available and not terminating.
    Availability,
}

/// Computation of `maxUnavailable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxUnavailable {
    /// Rounded down, and possibly to zero.
    MayBeZero,
    /// Rounded down, and at least one.
    AtLeastOne,
    /// The same number, but under `Parallel`, unavailable outdated pods are deleted at once, whatever the budget.
    UnavailableFirst,
}

/// Handling of the strategy `Recreate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recreate {
    /// An unknown type, which is a rolling update that never completes.
    Unknown,
    /// Every sync fails: the gate is off.
    Refused,
    /// All outdated pods are deleted, then new ones are created: the gate is on.
    Done,
}

/// Status after a failed delete in the update phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateDelete {
    /// The pod is subtracted whatever the response.
    CountedAnyway,
    /// A pod that was already gone is not an error. After any other error the counters stay.
    GoneIsFine,
}

/// Condition under which two revisions count as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisionEquality {
    /// Equal bytes, unless both have hash labels that parse as different numbers.
    BytesAndNumericLabels,
    /// Equal bytes.
    Bytes,
    /// Equal bytes, possibly after the API's defaults are filled into the latest revision.
    BytesOrDefaulted,
}

/// Time at which the controller requeues a set, if at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requeue {
    /// Never.
    Never,
    /// After `minReadySeconds` while not all replicas are available.
    AfterMinReadySeconds,
    /// When the next pod becomes available.
    WhenNextAvailable,
}

/// Objects that belong to the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnedBy {
    /// Objects whose controller has the set's uid, whatever kind and name the reference has.
    Uid,
    /// Objects whose controller has the set's kind, name and uid.
    KindNameAndUid,
}

impl OwnedBy {
    /// Reports whether the owner is this set.
    pub(crate) fn is_set(self, owner: &OwnerReference, set: &Set) -> bool {
        owner.uid == set.meta.uid
            && (self == OwnedBy::Uid
                || (&*owner.kind == "StatefulSet" && owner.name == set.meta.name))
    }
}
