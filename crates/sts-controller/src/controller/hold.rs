//! Reasons that a sync stops or skips. Each hold is made on the line that waits, with the facts that explain it.

use std::sync::Arc;

use jiff::Timestamp;

use crate::object::{OwnerReference, Phase, Pod};

/// A place in the controller where a sync stops or skips. Only this crate creates holds.
#[derive(Debug, Clone, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(HoldReason),
    doc = "The reason of a hold.",
    derive(PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr)
)]
pub enum Hold {
    /// The set is being deleted: its pods and claims are left alone.
    #[non_exhaustive]
    SetBeingDeleted,
    /// The pod finished and was deleted. Its replacement waits until it is gone.
    #[non_exhaustive]
    PodFailed {
        /// The pod.
        pod: Arc<Pod>,
    },
    /// A claim of the pod is still owned by a predecessor of that pod.
    #[non_exhaustive]
    StaleClaim {
        /// The pod that is not created.
        pod: Arc<Pod>,
        /// The claim.
        claim: Arc<str>,
        /// The reference to the predecessor.
        owner: OwnerReference,
    },
    /// A claim of the pod is being deleted.
    #[non_exhaustive]
    ClaimBeingDeleted {
        /// The pod that is not created.
        pod: Arc<Pod>,
        /// The claim.
        claim: Arc<str>,
    },
    /// An object that does not belong to this set has the pod's name.
    #[non_exhaustive]
    NameTaken {
        /// The pod that cannot be created.
        pod: Arc<Pod>,
    },
    /// The next pod in order waits until this one is gone.
    #[non_exhaustive]
    WaitingForPodTermination {
        /// The terminating pod.
        pod: Arc<Pod>,
    },
    /// The next pod in order waits until this one is running and ready.
    #[non_exhaustive]
    WaitingForPodReady {
        /// The pod.
        pod: Arc<Pod>,
    },
    /// The next pod in order waits until this one has been ready for `minReadySeconds`.
    #[non_exhaustive]
    WaitingForPodAvailable {
        /// The pod.
        pod: Arc<Pod>,
        /// When the pod becomes available, if known.
        at: Option<Timestamp>,
    },
    /// The API server refuses the update that the set requires of the pod.
    #[non_exhaustive]
    PodUpdateRefused {
        /// The pod.
        pod: Arc<Pod>,
        /// The server's message.
        error: String,
    },
    /// The scale-down deletes the next pod once this one is gone.
    #[non_exhaustive]
    ScaleDownWaitingForTermination {
        /// The terminating pod.
        pod: Arc<Pod>,
    },
    /// The scale-down deletes the pod once it is ready, or once every pod below it is healthy.
    #[non_exhaustive]
    ScaleDownWaitingForReady {
        /// The pod to be deleted.
        pod: Arc<Pod>,
        /// The first unhealthy pod, which is the only exception.
        first_unhealthy: Option<Arc<str>>,
    },
    /// The scale-down deletes the pod once it is available.
    #[non_exhaustive]
    ScaleDownWaitingForAvailable {
        /// The pod to be deleted.
        pod: Arc<Pod>,
        /// When the pod becomes available, if known.
        at: Option<Timestamp>,
        /// The first unhealthy pod, which is the only exception.
        first_unhealthy: Option<Arc<str>>,
    },
    /// The strategy is `Recreate`: nothing is created until this outdated pod is gone.
    #[non_exhaustive]
    RecreateWaitingForTermination {
        /// The terminating pod.
        pod: Arc<Pod>,
    },
    /// The update continues once this pod is healthy.
    #[non_exhaustive]
    UpdateWaitingForPod {
        /// The pod.
        pod: Arc<Pod>,
        /// When the pod becomes available, if only time is missing.
        at: Option<Timestamp>,
    },
    /// `maxUnavailable` is reached: the update deletes no more pods.
    #[non_exhaustive]
    UnavailableBudgetSpent {
        /// Number of unavailable pods.
        unavailable: i64,
        /// Maximum number of unavailable pods.
        max_unavailable: i64,
        /// The first unavailable pod, by ordinal; none if the maximum is 0.
        pod: Option<Arc<Pod>>,
    },
    /// The pod is outdated and below the partition, so it is not updated.
    #[non_exhaustive]
    HeldByPartition {
        /// The pod.
        pod: Arc<Pod>,
        /// The partition.
        partition: i32,
    },
    /// The pod is outdated and stays so until a user deletes it.
    #[non_exhaustive]
    OnDelete {
        /// The pod.
        pod: Arc<Pod>,
    },
}

/// Identity of a wait: its reason, and the objects it is about. A name or uid that does not apply is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HoldKey {
    /// The reason.
    pub reason: HoldReason,
    /// The pod's name.
    pub pod: Arc<str>,
    /// The pod's uid.
    pub uid: Arc<str>,
    /// The claim's name.
    pub claim: Arc<str>,
    /// The uid of the claim's owner.
    pub owner: Arc<str>,
}

impl Hold {
    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> HoldReason {
        self.into()
    }

    /// Returns the pod that the hold is about.
    #[must_use]
    pub fn pod(&self) -> Option<&Arc<Pod>> {
        match self {
            Hold::SetBeingDeleted => None,
            Hold::UnavailableBudgetSpent { pod, .. } => pod.as_ref(),
            Hold::PodFailed { pod }
            | Hold::StaleClaim { pod, .. }
            | Hold::ClaimBeingDeleted { pod, .. }
            | Hold::NameTaken { pod }
            | Hold::WaitingForPodTermination { pod }
            | Hold::WaitingForPodReady { pod }
            | Hold::WaitingForPodAvailable { pod, .. }
            | Hold::PodUpdateRefused { pod, .. }
            | Hold::ScaleDownWaitingForTermination { pod }
            | Hold::ScaleDownWaitingForReady { pod, .. }
            | Hold::ScaleDownWaitingForAvailable { pod, .. }
            | Hold::RecreateWaitingForTermination { pod }
            | Hold::UpdateWaitingForPod { pod, .. }
            | Hold::HeldByPartition { pod, .. }
            | Hold::OnDelete { pod } => Some(pod),
        }
    }

    /// Returns the identity of the wait: holds of two syncs with the same key are one ongoing wait.
    #[must_use]
    pub fn key(&self) -> HoldKey {
        let none = || Arc::from("");
        let meta = self.pod().map(|pod| &pod.meta);
        let (claim, owner) = match self {
            Hold::StaleClaim { claim, owner, .. } => (Arc::clone(claim), Arc::clone(&owner.uid)),
            Hold::ClaimBeingDeleted { claim, .. } => (Arc::clone(claim), none()),
            _ => (none(), none()),
        };
        HoldKey {
            reason: self.reason(),
            pod: meta.map_or_else(none, |meta| Arc::clone(&meta.name)),
            uid: meta.map_or_else(none, |meta| Arc::clone(&meta.uid)),
            claim,
            owner,
        }
    }

    /// Reports whether the set's own spec asks for the hold, so that it does not count as stuck.
    #[must_use]
    pub fn is_intended(&self) -> bool {
        matches!(self, Hold::HeldByPartition { .. } | Hold::OnDelete { .. })
    }

    /// Reports whether a pod in this phase has finished.
    pub(super) fn is_finished(phase: Phase) -> bool {
        phase.has_ended()
    }
}
