//! Behavior of a Kubernetes version: its controller and its API server. Versions are compared in this folder and
//! nowhere else; each decision has a name.

use std::ops::Range;

use super::difference::differences;
use super::{
    ClaimOwners, Completion, Defaulting, FinishedPods, Gate, Gates, MaxUnavailable, OwnedBy,
    PassStyle, Recreate, Requeue, RevisionEquality, StatusOnError, UpdateDelete, UpdateWaitsFor,
    Validation, Version,
};
use crate::object::{IntOrPercent, PodManagement, Retention, RetentionPolicy, Set, Strategy};

const CONTROL: &str = "pkg/controller/statefulset/stateful_set_control.go";
const UTILS: &str = "pkg/controller/statefulset/stateful_set_utils.go";
const PODS: &str = "pkg/controller/statefulset/stateful_pod_control.go";
const SETS: &str = "pkg/controller/statefulset/stateful_set.go";
const HISTORY: &str = "pkg/controller/history/controller_history.go";
const META_TYPES: &str = "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go";
const GO_JSON: &str = "src/encoding/json/encode.go of Go 1.22";

differences! {
    /// Behavior of one control plane: each difference between controllers, with the versions that have it, and between
    /// API servers.
    Behaviour(asked: Version, version: Version, gates: &Gates) in |it| it;

    /// The requested version. If it is newer than the newest known one, it behaves like that.
    version: Version = asked;
    /// Traversal of the pods in a pass.
    pass: PassStyle = if version.has_change(&[(28, 0), (27, 4), (26, 7), (25, 12)]) {
        PassStyle::Batched
    } else {
        PassStyle::Sequential
    }
        => Controller in CONTROL: "pods are processed in batches under Parallel, and the counters are recomputed"
            if |it| it.pass == PassStyle::Batched, of is_parallel;
    /// Status update after a failed pass.
    status_on_error: StatusOnError = if version.has_change(&[(26, 0), (25, 6), (24, 10), (23, 16)]) {
        StatusOnError::WrittenAfter
    } else if version.is_from(25) {
        StatusOnError::WrittenInside
    } else {
        StatusOnError::NotWritten
    }
        => Controller in CONTROL: "a failed sync writes the status, from inside the pass"
            if |it| it.status_on_error == StatusOnError::WrittenInside
        => Controller in CONTROL: "a failed sync writes the status afterwards"
            if |it| it.status_on_error == StatusOnError::WrittenAfter;
    /// Handling of pods in phase `Failed` or `Succeeded`.
    finished_pods: FinishedPods = if version.has_change(&[(31, 0), (30, 2), (29, 6), (28, 11)]) {
        FinishedPods::BothDeleted
    } else if version.has_change(&[(29, 0), (28, 5), (27, 9)]) {
        FinishedPods::BothRecreated
    } else {
        FinishedPods::FailedRecreated
    }
        => Controller in CONTROL: "Succeeded pods are deleted and recreated, like Failed pods"
            if |it| it.finished_pods != FinishedPods::FailedRecreated
        => Controller in CONTROL: "finished pods are recreated by a later sync than their deletion"
            if |it| it.finished_pods == FinishedPods::BothDeleted;
    /// Comparison that decides whether a rollout is complete.
    completion: Completion = if version.is_from(37) {
        Completion::WhateverStrategy
    } else if version.has_change(&[(29, 0), (28, 4), (27, 8)]) {
        Completion::AgainstSpec
    } else {
        Completion::AgainstStatus
    }
        => Controller in UTILS: "a rollout is complete when its counters equal spec.replicas"
            if |it| it.completion != Completion::AgainstStatus
        => Controller in UTILS: "a rollout completes under every update strategy"
            if |it| it.completion == Completion::WhateverStrategy,
            of |set| !matches!(set.strategy, Strategy::RollingUpdate(_));
    terminating_claim_blocks: bool = version.is_from(20)
        => Controller in PODS: "a terminating PersistentVolumeClaim blocks the creation of its pod", of has_claims;
    min_ready_seconds: bool = gates.is_on(Gate::StatefulSetMinReadySeconds)
        => Controller in CONTROL: "minReadySeconds delays a rollout", of waits_for_availability;
    /// With the gate of `minReadySeconds` off, it equals `readyReplicas`. That a change of it alone causes a write in
    /// 1.22 already is inferred: pods become available without any other change, and the feature's end-to-end test of
    /// 1.22 waits for the status to show it.
    available_replicas: bool = version.is_from(22)
        => Controller in CONTROL: "the status has availableReplicas";
    zero_availability_is_written: bool = version.is_from(23)
        => Controller in CONTROL: "the status has availableReplicas even if it is zero";
    /// Owner references of claims under the retention policy; `None` while the gate is off.
    claim_owners: Option<ClaimOwners> = if !gates.is_on(Gate::StatefulSetAutoDeletePVC) {
        None
    } else if version.has_change(&[(31, 0), (30, 4), (29, 8), (28, 13)]) {
        Some(ClaimOwners::Controlling)
    } else {
        Some(ClaimOwners::Plain)
    }
        => Controller in UTILS: "the controller sets the owners of claims according to the retention policy"
            if |it| it.claim_owners.is_some(), of deletes_claims
        => Controller in UTILS: "the controller owns claims through controller references, and respects other \
           controllers"
            if |it| it.claim_owners == Some(ClaimOwners::Controlling), of deletes_claims;
    /// Owners are written into the cached claim before they are sent, so that the rest of the sync sees them.
    edits_cached_claims: bool = !version.is_from(27);
    /// A set without any retention policy makes the controller manager panic, if the gate is on.
    missing_retention_panics: bool = !version.is_from(26);
    /// Before, only pods above the last one count.
    scaled_down_is_two_sided: bool = version.is_from(26)
        => Controller in UTILS: "a pod below the first ordinal counts as scaled down", of starts_above_zero;
    claims_for_pending_pods: bool = version.is_from(27)
        => Controller in CONTROL: "missing claims of pending pods are recreated on every sync", of has_claims;
    start_ordinal: bool = gates.is_on(Gate::StatefulSetStartOrdinal)
        => Controller in UTILS: "spec.ordinals.start takes effect", of starts_above_zero;
    pod_index_label: bool = gates.is_on(Gate::PodIndexLabel)
        => Controller in UTILS: "pods have the label apps.kubernetes.io/pod-index";
    /// Pod state that the update phase waits for before it continues with the next pod.
    update_waits_for: UpdateWaitsFor = if version.is_from(34) {
        UpdateWaitsFor::Availability
    } else {
        UpdateWaitsFor::Readiness
    }
        => Controller in CONTROL: "a rolling update waits until a pod is available, not only ready"
            if |it| it.update_waits_for == UpdateWaitsFor::Availability, of waits_for_availability;
    /// The `maxUnavailable` path; `None` while the gate is off.
    max_unavailable: Option<MaxUnavailable> = if !gates.is_on(Gate::MaxUnavailableStatefulSet) {
        None
    } else if version.is_from(37) {
        Some(MaxUnavailable::UnavailableFirst)
    } else if version.is_from(25) {
        Some(MaxUnavailable::AtLeastOne)
    } else {
        Some(MaxUnavailable::MayBeZero)
    }
        => Controller in CONTROL: "maxUnavailable takes effect"
            if |it| it.max_unavailable.is_some(), of has_max_unavailable
        => Controller in CONTROL: "maxUnavailable is at least 1"
            if |it| it.max_unavailable.is_some_and(|how| how != MaxUnavailable::MayBeZero), of has_max_unavailable
        => Controller in CONTROL: "under Parallel, unavailable outdated pods are deleted at once, even beyond \
           maxUnavailable"
            if |it| it.max_unavailable == Some(MaxUnavailable::UnavailableFirst),
            of |set| is_parallel(set) && max_unavailable(set).is_some();
    /// Handling of a set with the strategy `Recreate`.
    recreate: Recreate = if !version.is_from(37) {
        Recreate::Unknown
    } else if gates.is_on(Gate::StatefulSetRecreateStrategy) {
        Recreate::Done
    } else {
        Recreate::Refused
    }
        => Controller in CONTROL: "the update strategy Recreate is supported"
            if |it| it.recreate != Recreate::Unknown, of |set| matches!(set.strategy, Strategy::Recreate(_));
    /// Before, they drop them.
    keeps_conditions: bool = version.is_from(37)
        => Controller in CONTROL: "status updates keep the stored conditions";
    /// A metric reads it.
    max_unavailable_is_measured: bool = version.is_from(35)
        => Controller in CONTROL: "an unreadable maxUnavailable prevents status updates",
            of has_unreadable_max_unavailable;
    /// Status after a failed delete in the update phase.
    update_delete: UpdateDelete = if version.is_from(27) {
        UpdateDelete::GoneIsFine
    } else {
        UpdateDelete::CountedAnyway
    }
        => Controller in CONTROL: "a failed delete in an update leaves the counters unchanged"
            if |it| it.update_delete == UpdateDelete::GoneIsFine;
    delete_tolerates_not_found: bool = version.is_from(36)
        => Controller in PODS: "deleting a pod that is already gone succeeds";
    capital_verbs: bool = version.is_from(35)
        => Controller in PODS: "event messages begin with a capital letter";
    null_creation_timestamp: bool = !version.is_from(34)
        => Controller in META_TYPES: "revisions contain creationTimestamp: null, which affects their names";
    /// As in Go 1.22, which is assumed from Kubernetes 1.30. Older versions use `\u0008` and `\u000c`.
    short_escapes: bool = version.is_from(30)
        => Controller in GO_JSON: "revisions encode backspace and form feed in the short form";
    /// Condition under which two revisions count as equal.
    revision_equality: RevisionEquality = if !version.has_change(&[(35, 0), (34, 2)]) {
        RevisionEquality::BytesAndNumericLabels
    } else if gates.is_on(Gate::StatefulSetSemanticRevisionComparison) {
        RevisionEquality::BytesOrDefaulted
    } else {
        RevisionEquality::Bytes
    }
        => Controller in HISTORY: "revisions with equal bytes are equal, whatever their hash labels"
            if |it| it.revision_equality != RevisionEquality::BytesAndNumericLabels
        => Controller in CONTROL: "revisions that differ only in defaults are equal, so an upgrade starts no rollout"
            if |it| it.revision_equality == RevisionEquality::BytesOrDefaulted;
    negative_history_limit_keeps_all: bool = version.has_change(&[(33, 0), (32, 1), (31, 5), (30, 9), (29, 13)])
        => Controller in CONTROL: "a negative revisionHistoryLimit keeps all revisions; before, the controller \
           manager panics", of |set| set.revision_history_limit < 0;
    /// Time at which the controller requeues a set, if at all.
    requeue: Requeue = if version.has_change(&[(36, 0), (35, 1)]) {
        Requeue::WhenNextAvailable
    } else if gates.is_on(Gate::StatefulSetMinReadySeconds) {
        Requeue::AfterMinReadySeconds
    } else {
        Requeue::Never
    }
        => Controller in SETS: "a set is requeued after minReadySeconds while pods are not available"
            if |it| it.requeue != Requeue::Never, of waits_for_availability
        => Controller in SETS: "a set is requeued when its next pod becomes available"
            if |it| it.requeue == Requeue::WhenNextAvailable, of waits_for_availability;
    /// Pods that belong to the set.
    owned_by: OwnedBy = if version.has_change(&[(35, 0), (34, 2)]) {
        OwnedBy::KindNameAndUid
    } else {
        OwnedBy::Uid
    }
        => Controller in SETS: "pods belong to a set by the kind, name and uid in their owner reference, not by \
           uid alone" if |it| it.owned_by == OwnedBy::KindNameAndUid;
    /// Revisions that belong to the set.
    revisions_owned_by: OwnedBy = if version.is_from(36) {
        OwnedBy::KindNameAndUid
    } else {
        OwnedBy::Uid
    }
        => Controller in HISTORY: "revisions belong to a set by the kind, name and uid in their owner \
           reference, not by uid alone" if |it| it.revisions_owned_by == OwnedBy::KindNameAndUid;
    /// In 1.22 by inference (quirk Q20).
    panics_on_unavailable_condemned: bool = version.is_from(22) && !version.is_from(24)
        => Controller in CONTROL: "a scale-down that waits for a pod to become available crashes the controller \
           manager", of waits_for_availability;
    /// Defaulting by the API server, which the semantic comparison of revisions needs too.
    defaulting: Defaulting = Defaulting::new(version, gates);
    /// Validation by the API server.
    validation: Validation = Validation::new(version, gates);
}

impl Behaviour {
    /// Returns the behavior of a version with these gates. An unknown newer version is assumed to behave like the newest
    /// known one.
    #[must_use]
    pub fn new(asked: Version, gates: &Gates) -> Self {
        Behaviour::with(asked, asked.or_newest(), gates)
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

fn is_parallel(set: &Set) -> bool {
    set.pod_management == PodManagement::Parallel
}

fn has_claims(set: &Set) -> bool {
    !set.claim_templates.is_empty()
}

fn waits_for_availability(set: &Set) -> bool {
    set.min_ready_seconds > 0
}

fn starts_above_zero(set: &Set) -> bool {
    set.start_ordinal > 0
}

fn max_unavailable(set: &Set) -> Option<&IntOrPercent> {
    set.strategy.rolling_update()?.max_unavailable.as_ref()
}

fn has_max_unavailable(set: &Set) -> bool {
    max_unavailable(set).is_some_and(|most| *most != IntOrPercent::Int(1))
}

fn has_unreadable_max_unavailable(set: &Set) -> bool {
    match max_unavailable(set) {
        Some(IntOrPercent::Text(text)) => !text.ends_with('%'),
        _ => false,
    }
}

fn deletes_claims(set: &Set) -> bool {
    let deletes = |policy: RetentionPolicy| {
        [policy.when_deleted, policy.when_scaled].contains(&Retention::Delete)
    };
    has_claims(set) && set.retention.is_some_and(deletes)
}
