//! Version differences with more than two values.

use crate::object::{OwnerReference, Set};

/// Traversal of the pods in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassStyle {
    /// One at a time, with counters adjusted by hand: until 1.25.11, 1.26.6 and 1.27.3.
    Sequential,
    /// In batches under `Parallel`, with counters recomputed: from 1.25.12, 1.26.7 and 1.27.4.
    Batched,
}

/// Status update after a failed pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusOnError {
    /// None: until 1.23.15 and 1.24.9.
    NotWritten,
    /// From inside the pass: 1.25.0 to 1.25.5.
    WrittenInside,
    /// After the pass: from 1.23.16, 1.24.10, 1.25.6 and 1.26.
    WrittenAfter,
}

/// Handling of pods in phase `Failed` or `Succeeded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishedPods {
    /// `Failed` pods are deleted and recreated in the same sync; `Succeeded` pods are ignored.
    FailedRecreated,
    /// Both are deleted and recreated in the same sync: from 1.27.9, 1.28.5 and 1.29.
    BothRecreated,
    /// Both are deleted, and recreated by a later sync: from 1.28.11, 1.29.6, 1.30.2 and 1.31.
    BothDeleted,
}

/// Comparison that decides whether a rollout is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// Compares the computed counters with each other.
    AgainstStatus,
    /// Compares the computed counters with `spec.replicas`: 1.27.8, 1.28.4 and from 1.29.
    AgainstSpec,
    /// Like `AgainstSpec`, for every strategy: from 1.37. Before, only a `RollingUpdate` ever completes.
    WhateverStrategy,
}

/// Owner references of claims under the retention policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimOwners {
    /// Plain owner references, distinguished by uid.
    Plain,
    /// Controller references that respect other controllers: from 1.28.13, 1.29.8, 1.30.4 and 1.31.
    Controlling,
}

/// Pod state that the update phase waits for before it continues with the next pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateWaitsFor {
    /// Running, ready and not terminating: until 1.33.
    Readiness,
    /// Available and not terminating: from 1.34.
    Availability,
}

/// Computation of `maxUnavailable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxUnavailable {
    /// Rounded down, and possibly to zero: 1.24.
    MayBeZero,
    /// Rounded down, and at least one: from 1.25.
    AtLeastOne,
    /// The same number, but under `Parallel`, unavailable outdated pods are deleted at once, whatever the budget: from
    /// 1.37.
    UnavailableFirst,
}

/// Handling of the strategy `Recreate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recreate {
    /// An unknown type, which is a rolling update that never completes: until 1.36.
    Unknown,
    /// Every sync fails: from 1.37, with gate StatefulSetRecreateStrategy off.
    Refused,
    /// All outdated pods are deleted, then new ones are created: from 1.37, with the gate on.
    Done,
}

/// Status after a failed delete in the update phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateDelete {
    /// The pod is subtracted whatever the response: until 1.26.
    CountedAnyway,
    /// A pod that was already gone is not an error. After any other error the counters stay: from 1.27.
    GoneIsFine,
}

/// Condition under which two revisions count as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevisionEquality {
    /// Equal bytes, unless both have hash labels that parse as different numbers: until 1.34.1.
    BytesAndNumericLabels,
    /// Equal bytes: from 1.34.2, with gate StatefulSetSemanticRevisionComparison off.
    Bytes,
    /// Equal bytes, possibly after the API's defaults are filled into the latest revision: from 1.34.2.
    BytesOrDefaulted,
}

/// Time at which the controller requeues a set, if at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requeue {
    /// Never.
    Never,
    /// After `minReadySeconds` while not all replicas are available: until 1.35.0.
    AfterMinReadySeconds,
    /// When the next pod becomes available: from 1.35.1.
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
