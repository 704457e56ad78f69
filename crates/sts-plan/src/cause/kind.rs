//! Kinds of causes, and the verdict on the template.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ContainerFailure, VolumeHolder};
use crate::foresight::Foreseen;
use sts_controller::object::PersistentVolume;

/// The kind of failure of a pod.
#[derive(Debug, Clone, PartialEq)]
pub enum CauseKind {
    /// A container exits repeatedly.
    CrashLoop(ContainerFailure),
    /// A container needs more memory than its limit.
    OutOfMemory(ContainerFailure),
    /// The image of a container cannot be pulled.
    ImagePull(ContainerFailure),
    /// A container cannot be created because of a Secret, a ConfigMap or a mount.
    ContainerConfig(ContainerFailure),
    /// The pod cannot be scheduled.
    Unschedulable {
        /// The scheduler's message.
        message: String,
        /// The cordoned nodes, if the input has nodes.
        cordoned: Vec<Arc<str>>,
        /// The zones that a volume of the pod is bound to.
        zones: Vec<String>,
        /// Its claims that are missing or have no volume.
        claims: Vec<Arc<str>>,
        /// Another pod that uses one of its claims.
        holder: Option<VolumeHolder>,
    },
    /// A volume cannot be attached or mounted.
    Volume {
        /// The message of the last warning.
        message: String,
        /// The pod that uses the volume, with its node, if known.
        holder: Option<VolumeHolder>,
    },
    /// The pod's node is not responding or no longer exists.
    NodeLost {
        /// The node.
        node: Arc<str>,
        /// True if the node no longer exists.
        is_gone: bool,
        /// True if the pod is being deleted.
        is_terminating: bool,
        /// The claims whose volumes no other node can attach.
        local_claims: Vec<Arc<str>>,
        /// The zones of its volumes, if no other node there can run it.
        zones: Vec<String>,
        /// The claims whose volumes may be attachable elsewhere: the input does not show it.
        unknown_claims: Vec<Arc<str>>,
    },
    /// The kubelet of the pod's node responds, and reports the node as not ready.
    NodeNotReady {
        /// The node.
        node: Arc<str>,
        /// The kubelet's reason, such as `KubeletNotReady`.
        reason: String,
        /// The kubelet's message.
        message: String,
        /// True if the pod is being deleted.
        is_terminating: bool,
    },
    /// The pod is held by its finalizers.
    Finalizers(Vec<String>),
    /// The pod is past its grace period for an unknown reason.
    Terminating,
    /// A quota has no room for the pod.
    Quota {
        /// The quota's name.
        name: String,
        /// The requested, used and limited amounts, as the server prints them.
        amounts: String,
        /// The server's words.
        message: String,
    },
    /// Admission, a policy or validation refuses the pod.
    Refused {
        /// The server's words.
        message: String,
    },
    /// The API server refuses the deletion of the pod.
    DeletionRefused {
        /// The server's words.
        message: String,
    },
    /// The kubelet keeps rejecting or evicting the pod.
    Rejected {
        /// Reason, such as `OutOfmemory`.
        reason: String,
        /// The kubelet's message.
        message: String,
        /// Number of attempts to create the pod.
        count: i64,
    },
    /// A claim of the pod is being deleted.
    ClaimDeleted {
        /// The claim.
        claim: Arc<str>,
        /// Its finalizers, without the one that protects it while a pod uses it.
        finalizers: Vec<String>,
        /// Its volume, if the input has it.
        volume: Option<Arc<PersistentVolume>>,
    },
    /// The pod was not picked up: by no scheduler, or not by the kubelet on its node.
    NotTakenUp {
        /// Its node; `None` before it is scheduled.
        node: Option<Arc<str>>,
        /// Its scheduler.
        scheduler: String,
    },
    /// A container or init container keeps the pod from starting.
    Starting {
        /// The container that it is waiting for.
        waits_in: WaitsIn,
    },
    /// A failure that nodes, classes, volumes or another pod of the input predict.
    Foreseen(Foreseen),
    /// The pod is running but not ready.
    NotReady {
        /// The containers that are not ready.
        containers: Vec<String>,
    },
}

/// The container that a pod is waiting for before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitsIn {
    /// The init container of this name is running.
    InitContainer(String),
    /// A container is waiting.
    Container {
        /// Name of the container.
        name: String,
        /// Reason, such as `ContainerCreating`.
        reason: String,
    },
}

impl fmt::Display for WaitsIn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitsIn::InitContainer(name) => write!(out, "init container {name}"),
            WaitsIn::Container { name, reason } => write!(out, "{name}: {reason}"),
        }
    }
}

/// The verdict on the pod's template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    /// The pod is on the update revision, and only pods on other revisions are ready.
    Template,
    /// Other pods on the same revision are ready.
    Pod,
    /// No other pod gives evidence.
    Unknown,
}

impl CauseKind {
    /// Returns the container whose process has run and failed, if the failure is of one.
    pub(super) fn ran(&self) -> Option<&String> {
        match self {
            CauseKind::CrashLoop(failure) | CauseKind::OutOfMemory(failure) => {
                (!failure.is_unstarted).then_some(&failure.container)
            }
            CauseKind::NotReady { containers } => containers.first(),
            _ => None,
        }
    }

    /// Returns the machine-readable name of the kind.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            CauseKind::CrashLoop(_) => "crash-loop",
            CauseKind::OutOfMemory(_) => "out-of-memory",
            CauseKind::ImagePull(_) => "image-pull",
            CauseKind::ContainerConfig(_) => "container-config",
            CauseKind::Unschedulable { .. } => "unschedulable",
            CauseKind::Volume { .. } => "volume-not-attached",
            CauseKind::NodeLost { .. } => "node-lost",
            CauseKind::NodeNotReady { .. } => "node-not-ready",
            CauseKind::Finalizers(_) => "finalizers",
            CauseKind::Terminating => "terminating",
            CauseKind::Quota { .. } => "quota",
            CauseKind::Refused { .. } => "refused",
            CauseKind::DeletionRefused { .. } => "deletion-refused",
            CauseKind::Rejected { .. } => "kubelet-rejects",
            CauseKind::ClaimDeleted { .. } => "claim-deleted",
            CauseKind::NotTakenUp { node: None, .. } => "scheduler-silent",
            CauseKind::NotTakenUp { node: Some(_), .. } => "kubelet-silent",
            CauseKind::Starting { .. } => "not-starting",
            CauseKind::Foreseen(found) => match found {
                Foreseen::Claim { .. } => "claim-pending",
                Foreseen::NoNode(_) => "unschedulable",
                Foreseen::TooFewPlaces { .. } => "too-few-nodes",
                Foreseen::MissingConfig { .. } => "missing-config",
            },
            CauseKind::NotReady { .. } => "not-ready",
        }
    }
}
