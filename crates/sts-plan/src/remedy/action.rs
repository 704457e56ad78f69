//! User actions against an obstacle, as requests to the API server or assumptions.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::cause::{NamedObject, container_list};
use crate::plan::refusal_depends_on_template;
use sts_controller::apiserver::apply::{Edit, Path};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Action, Kubelet};

/// An action of the user against an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub enum RemedyAction {
    /// Fix the reason that the pod is not ready.
    FixPod(Arc<str>),
    /// Delete the pod.
    DeletePod(Arc<str>),
    /// Delete the pod without waiting for its containers.
    ForceDeletePod(Arc<str>),
    /// Taint this node as out of service, which removes this pod.
    OutOfService(Arc<str>, Arc<str>),
    /// Delete this node, which removes this pod.
    DeleteNode(Arc<str>, Arc<str>),
    /// Restore this node, so that this pod terminates or becomes ready again.
    RestoreNode(Arc<str>, Arc<str>),
    /// Add a node in one of these zones, where this pod can use its volumes.
    AddNode(Vec<String>, Arc<str>),
    /// Uncordon this node for this pod.
    Uncordon(Arc<str>, Arc<str>),
    /// Create or complete an object that this pod needs.
    Provide(Arc<str>, MissingObject),
    /// Let this quota, or another admission check, admit this pod.
    AllowCreation(Arc<str>, Option<String>),
    /// Raise the memory limit of a container in the template.
    RaiseMemory {
        /// Name of the container.
        container: String,
        /// True if it is an init container.
        is_init: bool,
        /// The present limit.
        present: String,
        /// The proposed limit.
        proposed: String,
    },
    /// Remove the finalizers of the pod.
    DropPodFinalizers(Arc<str>),
    /// Add labels to the pod that the set's selector matches.
    LabelPod(Arc<str>, Vec<(Arc<str>, Arc<str>)>),
    /// Roll back to the revision with this name and number.
    ToRevision(Arc<str>, i64),
    /// Apply another template, whose pods become ready.
    NewTemplate,
    /// Set the partition.
    Partition(i32),
    /// Set `maxUnavailable`.
    MaxUnavailable(i32),
    /// Recreate the set around its pods with this `revisionHistoryLimit`, an immutable field.
    HistoryLimit(i32),
    /// Recreate the set around its pods with `podManagementPolicy: Parallel`, an immutable field.
    Parallel,
    /// Set `persistentVolumeClaimRetentionPolicy` to retain claims.
    RetainClaims,
    /// Delete the revision.
    DeleteRevision(Arc<str>),
    /// Recreate the set under a name of at most this many characters.
    RecreateRenamed(usize),
    /// Delete the claim with its data.
    DeleteClaim(Arc<str>),
    /// Remove the claim's owner reference at this index.
    ReleaseClaim(Arc<str>, usize),
    /// Remove the finalizers of the set.
    DropSetFinalizers,
}

/// An object that a pod needs and that is missing or incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingObject {
    /// A missing ServiceAccount.
    ServiceAccount(String),
    /// A missing StorageClass.
    StorageClass(String),
    /// A missing key of a Secret or ConfigMap.
    Key {
        /// `Secret` or `ConfigMap`.
        kind: &'static str,
        /// Name of the object.
        name: String,
        /// The key.
        key: String,
    },
}

impl MissingObject {
    /// Returns the missing object that the message of a cause names, if any.
    pub(super) fn of(kind: NamedObject, message: &str) -> Option<Self> {
        let quoted = |after: &str| {
            let (_, rest) = message.split_once(after)?;
            let name: String = rest
                .trim_start_matches('"')
                .chars()
                .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '.'))
                .collect();
            (!name.is_empty()).then_some(name)
        };
        match kind {
            NamedObject::ServiceAccount => quoted("serviceaccounts \"")
                .or_else(|| quoted("serviceaccount \""))
                .map(MissingObject::ServiceAccount),
            NamedObject::StorageClass => quoted("storageclass.storage.k8s.io \"")
                .or_else(|| quoted("storageclass "))
                .map(MissingObject::StorageClass),
            NamedObject::Key => {
                let (_, rest) = message.split_once("find key ")?;
                let (key, rest) = rest.split_once(" in ")?;
                let mut words = rest.split_whitespace();
                let kind = match words.next()? {
                    "Secret" => "Secret",
                    _ => "ConfigMap",
                };
                let name = words.next()?.rsplit('/').next()?.to_owned();
                Some(MissingObject::Key {
                    kind,
                    name,
                    key: key.to_owned(),
                })
            }
        }
    }
}

impl RemedyAction {
    /// Returns the request to the API server; `None` if it does not concern the set or its dependents.
    pub(crate) fn action(&self, snapshot: &Snapshot) -> Option<Action> {
        Some(match self {
            RemedyAction::DeletePod(name) => Action::DeletePod(Arc::clone(name)),
            RemedyAction::ForceDeletePod(name)
            | RemedyAction::OutOfService(_, name)
            | RemedyAction::DeleteNode(_, name) => Action::ForceDeletePod(Arc::clone(name)),
            RemedyAction::DropPodFinalizers(name) => Action::DropPodFinalizers(Arc::clone(name)),
            RemedyAction::LabelPod(name, labels) => {
                Action::LabelPod(Arc::clone(name), labels.clone())
            }
            RemedyAction::DropSetFinalizers => Action::DropFinalizers,
            RemedyAction::ToRevision(name, _) => {
                let template = snapshot.revisions.get(name)?.template()?;
                Action::EditSet(Edit::ToRevision((**template).clone()))
            }
            // A placeholder for the template that the user applies.
            RemedyAction::NewTemplate => Action::EditSet(field(
                "spec.template.metadata.annotations[\"sts-plan/stand-in\"]",
                json!("works"),
            )?),
            RemedyAction::RaiseMemory {
                container,
                is_init,
                proposed,
                ..
            } => {
                let list = container_list(*is_init);
                Action::EditSet(field(
                    &format!("spec.template.spec.{list}[name={container}].resources.limits.memory"),
                    json!(proposed),
                )?)
            }
            RemedyAction::Partition(partition) => Action::EditSet(Edit::Partition(*partition)),
            RemedyAction::MaxUnavailable(pods) => {
                Action::EditSet(Edit::MaxUnavailable(pods.to_string()))
            }
            RemedyAction::RetainClaims => Action::EditSet(field(
                "spec.persistentVolumeClaimRetentionPolicy",
                json!({"whenDeleted": "Retain", "whenScaled": "Retain"}),
            )?),
            RemedyAction::HistoryLimit(limit) => {
                Action::RecreateSet(field("spec.revisionHistoryLimit", json!(limit))?)
            }
            RemedyAction::Parallel => {
                Action::RecreateSet(field("spec.podManagementPolicy", json!("Parallel"))?)
            }
            RemedyAction::RecreateRenamed(longest) => {
                let name: String = snapshot.set.meta.name.chars().take(*longest).collect();
                // A name cannot end in these characters.
                let name = name.trim_end_matches(['-', '.']);
                Action::RecreateSet(field("metadata.name", json!(name))?)
            }
            RemedyAction::DeleteRevision(name) => Action::DeleteRevision(Arc::clone(name)),
            RemedyAction::DeleteClaim(name) => Action::DeleteClaim(Arc::clone(name)),
            RemedyAction::ReleaseClaim(name, at) => Action::DropClaimOwner(Arc::clone(name), *at),
            RemedyAction::FixPod(_)
            | RemedyAction::RestoreNode(..)
            | RemedyAction::AddNode(..)
            | RemedyAction::Provide(..)
            | RemedyAction::Uncordon(..)
            | RemedyAction::AllowCreation(..) => return None,
        })
    }

    /// Assumes the effects outside the simulation: a pod that recovers, or a quota or policy that admits a pod.
    pub(super) fn assume(&self, kubelet: &mut Kubelet) {
        if let RemedyAction::AllowCreation(name, _) | RemedyAction::Provide(name, _) = self {
            kubelet.forbidden.remove(name);
        }
        if let RemedyAction::ToRevision(..) | RemedyAction::NewTemplate = self {
            kubelet
                .forbidden
                .retain(|_, words| !refusal_depends_on_template(words));
        }
        if let RemedyAction::RestoreNode(..) | RemedyAction::AddNode(..) = self {
            kubelet.foreseen.clear();
        }
        if let RemedyAction::FixPod(name)
        | RemedyAction::Provide(name, _)
        | RemedyAction::Uncordon(_, name) = self
        {
            let assumed = kubelet.assumptions.entry(name.to_string()).or_default();
            assumed.broken_on = None;
            // The kubelet finishes a termination.
            assumed.stays = None;
            // The other predicted failures have the same reason.
            kubelet.foreseen.clear();
        }
    }

    /// Returns the pod that the action deletes.
    pub(super) fn deleted_pod(&self) -> Option<&Arc<str>> {
        match self {
            RemedyAction::DeletePod(name) => Some(name),
            _ => None,
        }
    }
}

/// Returns the edit of a field.
fn field(path: &str, value: Value) -> Option<Edit> {
    let path: Path = path.parse().ok()?;
    Some(Edit::Set { path, value })
}
