//! The kinds of causes, and the verdict on the template.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ContainerFailure, VolumeHolder};
use crate::foresight::Foreseen;
use sts_controller::object::PersistentVolume;

/// The kind of trouble that a pod is in.
#[derive(Debug, Clone, PartialEq)]
pub enum CauseKind {
    /// A container ends again and again.
    CrashLoop(ContainerFailure),
    /// A container needs more memory than its limit.
    OutOfMemory(ContainerFailure),
    /// The image of a container cannot be pulled.
    ImagePull(ContainerFailure),
    /// A container cannot be created: a Secret, a ConfigMap or a mount is wrong.
    ContainerConfig(ContainerFailure),
    /// No node takes the pod.
    Unschedulable {
        /// The scheduler's message.
        message: String,
        /// The nodes that are cordoned, where nodes are among the objects.
        cordoned: Vec<Arc<str>>,
        /// The zones that a volume of the pod is bound to.
        zones: Vec<String>,
        /// Its claims that are not there or have no volume.
        claims: Vec<Arc<str>>,
        /// Another pod that uses a claim of it.
        holder: Option<VolumeHolder>,
    },
    /// A volume does not attach or mount.
    Volume {
        /// The message of the last warning.
        message: String,
        /// The pod that has the volume, and its node, where that is known.
        holder: Option<VolumeHolder>,
    },
    /// The pod's node does not answer, or is not there any more.
    NodeLost {
        /// The node.
        node: Arc<str>,
        /// True if it is not there any more.
        is_gone: bool,
        /// True if the pod is being deleted.
        is_terminating: bool,
        /// The claims of the pod whose volumes no other node can have.
        local_claims: Vec<Arc<str>>,
        /// The zones of its volumes, where no other node there takes it.
        zones: Vec<String>,
        /// The claims of which nothing tells which nodes can have their volumes.
        unknown_claims: Vec<Arc<str>>,
    },
    /// The pod is held by its finalizers.
    Finalizers(Vec<String>),
    /// The pod is past its grace period, and nothing tells why.
    Terminating,
    /// A quota does not leave room for the pod.
    Quota {
        /// The quota's name.
        name: String,
        /// The amounts that are requested, used and limited, in the server's words.
        amounts: String,
        /// The server's words.
        message: String,
    },
    /// Something else refuses the pod: admission, a policy, an invalid object.
    Refused {
        /// The server's words.
        message: String,
    },
    /// The API server refuses the deletion of the pod.
    DeletionRefused {
        /// The server's words.
        message: String,
    },
    /// The kubelet rejects or evicts the pod again and again.
    Rejected {
        /// Such as `OutOfmemory`.
        reason: String,
        /// The kubelet's message.
        message: String,
        /// Number of times that the pod was created.
        count: i64,
    },
    /// A claim of the pod is being deleted.
    ClaimDeleted {
        /// The claim.
        claim: Arc<str>,
        /// The finalizers that keep it, other than the one that protects it while a pod uses it.
        finalizers: Vec<String>,
        /// Its volume, where the input has it.
        volume: Option<Arc<PersistentVolume>>,
    },
    /// Nobody has taken up the pod: no scheduler, or not the kubelet of its node.
    NotTakenUp {
        /// The node that it is on; `None` before a scheduler chose one.
        node: Option<Arc<str>>,
        /// The scheduler that it asks for.
        scheduler: String,
    },
    /// The pod does not start: a container or an init container is not done.
    Starting {
        /// The container that holds it up.
        waits_in: WaitsIn,
    },
    /// Trouble of the pod that the nodes, classes and volumes of the input, or another pod, show.
    Foreseen(Foreseen),
    /// The pod runs, and its readiness probe does not pass.
    NotReady {
        /// The containers that are not ready.
        containers: Vec<String>,
    },
}

/// The container that a pod waits in before it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitsIn {
    /// The init container of this name runs.
    InitContainer(String),
    /// A container waits.
    Container {
        /// Its name.
        name: String,
        /// The reason, such as `ContainerCreating`.
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

/// The verdict on whether the pod's template is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    /// The pod is of the update revision, and none but pods of other revisions are ready.
    Template,
    /// Siblings of the same revision are ready.
    Pod,
    /// No sibling tells.
    Unknown,
}

impl CauseKind {
    /// The cause in one word with dashes, for machines.
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
