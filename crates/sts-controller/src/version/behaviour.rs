//! Behavior of a Kubernetes version: its controller and its API server. Versions are compared in this folder and
//! nowhere else; each decision has a name.

use std::ops::Range;

use super::{
    ClaimOwners, Completion, Defaulting, FinishedPods, Gate, Gates, MaxUnavailable, OwnedBy,
    PassStyle, Recreate, Requeue, RevisionEquality, StatusOnError, UpdateDelete, UpdateWaitsFor,
    Validation, Version,
};
use crate::object::Set;

/// Behavior of one control plane: each difference between controllers, with the versions that have it, and between API
/// servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// The requested version. If it is newer than the newest known one, it behaves like that.
    pub version: Version,
    /// Traversal of the pods in a pass.
    pub pass: PassStyle,
    /// Status update after a failed pass.
    pub status_on_error: StatusOnError,
    /// Handling of pods in phase `Failed` or `Succeeded`.
    pub finished_pods: FinishedPods,
    /// Comparison that decides whether a rollout is complete.
    pub completion: Completion,
    /// A terminating claim blocks the creation of its pod: from 1.20.
    pub terminating_claim_blocks: bool,
    /// `minReadySeconds` takes effect: gate StatefulSetMinReadySeconds (1.22 off, 1.23 on), always from 1.25.
    pub min_ready_seconds: bool,
    /// The status has `availableReplicas`: from 1.22. With the gate off it equals `readyReplicas`. That a change of it
    /// alone causes a write in 1.22 already is inferred: pods become available without any other change, and the
    /// feature's end-to-end test of 1.22 waits for the status to show it.
    pub available_replicas: bool,
    /// A written status has `availableReplicas` even if it is zero: from 1.23.
    pub zero_availability_is_written: bool,
    /// Owner references of claims under the retention policy; `None` while gate StatefulSetAutoDeletePVC is off. The
    /// gate exists from 1.23 and is on by default from 1.27.
    pub claim_owners: Option<ClaimOwners>,
    /// Owners are written into the cached claim before they are sent, so that the rest of the sync sees them: until
    /// 1.26.
    pub edits_cached_claims: bool,
    /// A set without any retention policy makes the controller manager panic: 1.23 to 1.25, if the gate is on.
    pub missing_retention_panics: bool,
    /// A pod below the first ordinal counts as scaled down too: from 1.26. Before, only pods above the last one count.
    pub scaled_down_is_two_sided: bool,
    /// Missing claims of pending pods are recreated on every sync: from 1.27.
    pub claims_for_pending_pods: bool,
    /// `spec.ordinals.start` takes effect: gate StatefulSetStartOrdinal (1.26 off, 1.27 on), always from 1.31.
    pub start_ordinal: bool,
    /// Pods carry the label `apps.kubernetes.io/pod-index`: gate PodIndexLabel, on from 1.28.
    pub pod_index_label: bool,
    /// Pod state that the update phase waits for before it continues with the next pod.
    pub update_waits_for: UpdateWaitsFor,
    /// The `maxUnavailable` path; `None` while gate MaxUnavailableStatefulSet is off.
    pub max_unavailable: Option<MaxUnavailable>,
    /// Handling of a set with the strategy `Recreate`.
    pub recreate: Recreate,
    /// A written status keeps the stored conditions: from 1.37. Before, it drops them.
    pub keeps_conditions: bool,
    /// An unreadable `maxUnavailable` prevents the status from being written, because of a metric: from 1.35.
    pub max_unavailable_is_measured: bool,
    /// Status after a failed delete in the update phase.
    pub update_delete: UpdateDelete,
    /// Deleting a pod that is already gone counts as success: from 1.36.
    pub delete_tolerates_not_found: bool,
    /// Event messages begin with a capitalized verb: from 1.35.
    pub capital_verbs: bool,
    /// Encoded metadata carries `creationTimestamp: null`: until 1.33.
    pub null_creation_timestamp: bool,
    /// Backspace and form feed are encoded as `\b` and `\f`, as in Go 1.22: assumed from Kubernetes 1.30. Older
    /// versions use `\u0008` and `\u000c`.
    pub short_escapes: bool,
    /// Condition under which two revisions count as equal.
    pub revision_equality: RevisionEquality,
    /// A negative `revisionHistoryLimit` keeps everything: from 1.29.13, 1.30.9, 1.31.5 and 1.32.1. Before, it makes
    /// the controller manager panic.
    pub negative_history_limit_keeps_all: bool,
    /// Time at which the controller requeues a set, if at all.
    pub requeue: Requeue,
    /// Pods that belong to the set: by uid until 1.34.1, by the whole reference from 1.34.2.
    pub owned_by: OwnedBy,
    /// Revisions that belong to the set: by uid until 1.35, by the whole reference from 1.36.
    pub revisions_owned_by: OwnedBy,
    /// The controller panics while it waits for a scale-down target that is ready but not yet available: 1.23, and 1.22
    /// by inference (quirk Q20).
    pub panics_on_unavailable_condemned: bool,
    /// Defaulting by the API server, which the semantic comparison of revisions needs too.
    pub defaulting: Defaulting,
    /// Validation by the API server.
    pub validation: Validation,
}

impl Behaviour {
    /// Returns the behavior of a version with these gates.
    #[must_use]
    pub fn new(asked: Version, gates: &Gates) -> Self {
        // An unknown newer version is assumed to behave like the newest known one.
        let version = asked.or_newest();
        let from = |minor| version.is_at_least(minor, 0);
        // True for a change that was backported: `patches` lists the first patch with it for each minor, newest first.
        // Every minor above the newest has it; every other minor below does not.
        let since = |patches: &[(u32, u32)]| {
            patches
                .iter()
                .find(|(minor, _)| *minor == version.minor)
                .map_or(
                    patches
                        .first()
                        .is_some_and(|(newest, _)| version.minor > *newest),
                    |at| version.is_at_least(at.0, at.1),
                )
        };
        let on = |gate| gates.is_on(gate);
        let min_ready_seconds = on(Gate::StatefulSetMinReadySeconds);
        Behaviour {
            version: asked,
            pass: if since(&[(28, 0), (27, 4), (26, 7), (25, 12)]) {
                PassStyle::Batched
            } else {
                PassStyle::Sequential
            },
            status_on_error: if since(&[(26, 0), (25, 6), (24, 10), (23, 16)]) {
                StatusOnError::WrittenAfter
            } else if from(25) {
                StatusOnError::WrittenInside
            } else {
                StatusOnError::NotWritten
            },
            finished_pods: if since(&[(31, 0), (30, 2), (29, 6), (28, 11)]) {
                FinishedPods::BothDeleted
            } else if since(&[(29, 0), (28, 5), (27, 9)]) {
                FinishedPods::BothRecreated
            } else {
                FinishedPods::FailedRecreated
            },
            completion: if from(37) {
                Completion::WhateverStrategy
            } else if since(&[(29, 0), (28, 4), (27, 8)]) {
                Completion::AgainstSpec
            } else {
                Completion::AgainstStatus
            },
            terminating_claim_blocks: from(20),
            min_ready_seconds,
            available_replicas: from(22),
            zero_availability_is_written: from(23),
            claim_owners: if !on(Gate::StatefulSetAutoDeletePVC) {
                None
            } else if since(&[(31, 0), (30, 4), (29, 8), (28, 13)]) {
                Some(ClaimOwners::Controlling)
            } else {
                Some(ClaimOwners::Plain)
            },
            edits_cached_claims: !from(27),
            missing_retention_panics: !from(26),
            scaled_down_is_two_sided: from(26),
            claims_for_pending_pods: from(27),
            start_ordinal: on(Gate::StatefulSetStartOrdinal),
            pod_index_label: on(Gate::PodIndexLabel),
            update_waits_for: if from(34) {
                UpdateWaitsFor::Availability
            } else {
                UpdateWaitsFor::Readiness
            },
            max_unavailable: if !on(Gate::MaxUnavailableStatefulSet) {
                None
            } else if from(37) {
                Some(MaxUnavailable::UnavailableFirst)
            } else if from(25) {
                Some(MaxUnavailable::AtLeastOne)
            } else {
                Some(MaxUnavailable::MayBeZero)
            },
            recreate: if !from(37) {
                Recreate::Unknown
            } else if on(Gate::StatefulSetRecreateStrategy) {
                Recreate::Done
            } else {
                Recreate::Refused
            },
            keeps_conditions: from(37),
            max_unavailable_is_measured: from(35),
            update_delete: if from(27) {
                UpdateDelete::GoneIsFine
            } else {
                UpdateDelete::CountedAnyway
            },
            delete_tolerates_not_found: from(36),
            capital_verbs: from(35),
            null_creation_timestamp: !from(34),
            short_escapes: from(30),
            revision_equality: if !since(&[(35, 0), (34, 2)]) {
                RevisionEquality::BytesAndNumericLabels
            } else if on(Gate::StatefulSetSemanticRevisionComparison) {
                RevisionEquality::BytesOrDefaulted
            } else {
                RevisionEquality::Bytes
            },
            negative_history_limit_keeps_all: since(&[
                (33, 0),
                (32, 1),
                (31, 5),
                (30, 9),
                (29, 13),
            ]),
            requeue: if since(&[(36, 0), (35, 1)]) {
                Requeue::WhenNextAvailable
            } else if min_ready_seconds {
                Requeue::AfterMinReadySeconds
            } else {
                Requeue::Never
            },
            owned_by: if since(&[(35, 0), (34, 2)]) {
                OwnedBy::KindNameAndUid
            } else {
                OwnedBy::Uid
            },
            revisions_owned_by: if from(36) {
                OwnedBy::KindNameAndUid
            } else {
                OwnedBy::Uid
            },
            panics_on_unavailable_condemned: from(22) && !from(24),
            defaulting: Defaulting::new(version, gates),
            validation: Validation::new(version, gates),
        }
    }

    /// Reports whether the other behavior is the same, apart from the version.
    #[must_use]
    pub fn behaves_as(&self, other: &Behaviour) -> bool {
        let of_another_version = Behaviour {
            version: other.version,
            validation: other.validation,
            ..self.clone()
        };
        of_another_version == *other
    }

    /// Returns the ordinals for which the set has pods.
    #[must_use]
    pub fn ordinals(&self, set: &Set) -> Range<i64> {
        let start = if self.start_ordinal {
            i64::from(set.start_ordinal)
        } else {
            0
        };
        start..start + i64::from(set.replicas.max(0))
    }

    /// Returns the slot of an ordinal: the number of desired ordinals below it. Returns `None` for one below the first.
    ///
    /// The partition counts slots, not ordinals (quirk Q3).
    #[must_use]
    pub fn slot(&self, set: &Set, ordinal: i64) -> Option<usize> {
        usize::try_from(ordinal.checked_sub(self.ordinals(set).start)?).ok()
    }

    /// Returns the effective `minReadySeconds`.
    #[must_use]
    pub fn min_ready_seconds(&self, set: &Set) -> i32 {
        if self.min_ready_seconds {
            set.min_ready_seconds
        } else {
            0
        }
    }
}
