//! One thing that a user may do about an obstacle, as a request to the API server or an assumption.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::cause::container_list;
use crate::plan::refusal_depends_on_template;
use sts_controller::apiserver::apply::{Edit, Path};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Action, Kubelet};

/// One thing that a user may do about an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub enum RemedyAction {
    /// Whatever keeps the pod from becoming ready is mended, so that it does.
    FixPod(Arc<str>),
    /// The pod is deleted.
    DeletePod(Arc<str>),
    /// The pod is taken out of the API without waiting for its containers.
    ForceDeletePod(Arc<str>),
    /// The node with this name is said to be out of service, so that this pod of its goes.
    OutOfService(Arc<str>, Arc<str>),
    /// The node with this name is taken out of the cluster, so that this pod of its goes.
    DeleteNode(Arc<str>, Arc<str>),
    /// The node with this name comes back, so that this pod of its goes, or becomes ready again.
    RestoreNode(Arc<str>, Arc<str>),
    /// A further node joins in one of these zones, so that this pod finds one that can have its volumes.
    AddNode(Vec<String>, Arc<str>),
    /// The node with this name takes pods again, so that this pod finds one.
    Uncordon(Arc<str>, Arc<str>),
    /// An object that this pod lacks is made or completed, so that the pod is created or starts.
    Provide(Arc<str>, MissingObject),
    /// The quota with this name, or something else that refuses the creation of this pod, lets it pass.
    AllowCreation(Arc<str>, Option<String>),
    /// A container of the template gets a higher memory limit.
    RaiseMemory {
        /// Its name.
        container: String,
        /// True if it is an init container.
        is_init: bool,
        /// The present limit.
        present: String,
        /// The limit that is proposed.
        proposed: String,
    },
    /// The pod loses the finalizers that keep it.
    DropPodFinalizers(Arc<str>),
    /// The pod gets labels that the set's selector matches.
    LabelPod(Arc<str>, Vec<(Arc<str>, Arc<str>)>),
    /// The template becomes that of the revision with this name and number.
    ToRevision(Arc<str>, i64),
    /// The template becomes another one, of which nothing is known but that its pods become ready.
    NewTemplate,
    /// The partition becomes this.
    Partition(i32),
    /// `maxUnavailable` becomes this.
    MaxUnavailable(i32),
    /// The set is recreated around its pods with this `revisionHistoryLimit`, which may not be changed.
    HistoryLimit(i32),
    /// The set is recreated around its pods with `podManagementPolicy: Parallel`, which may not be changed.
    Parallel,
    /// `persistentVolumeClaimRetentionPolicy` says that claims stay.
    RetainClaims,
    /// The revision is deleted.
    DeleteRevision(Arc<str>),
    /// The set is deleted, and recreated under a name of at most so many characters.
    RecreateRenamed(usize),
    /// The claim is deleted, and nothing keeps it.
    DeleteClaim(Arc<str>),
    /// The claim loses the owner reference at this place.
    ReleaseClaim(Arc<str>, usize),
    /// The set loses the finalizers that keep it.
    DropSetFinalizers,
}

/// An object that a pod lacks, or that lacks something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingObject {
    /// A ServiceAccount that does not exist.
    ServiceAccount(String),
    /// A StorageClass that does not exist.
    StorageClass(String),
    /// A Secret or ConfigMap that lacks a key.
    Key {
        /// `Secret` or `ConfigMap`.
        kind: &'static str,
        /// The object.
        name: String,
        /// The key.
        key: String,
    },
}

impl MissingObject {
    /// The object that a cause of the catalogue names in a message; `None` where it names none.
    pub(super) fn of(id: &str, message: &str) -> Option<Self> {
        let quoted = |after: &str| {
            let (_, rest) = message.split_once(after)?;
            let name: String = rest
                .trim_start_matches('"')
                .chars()
                .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '.'))
                .collect();
            (!name.is_empty()).then_some(name)
        };
        match id {
            "serviceaccount-missing" => {
                quoted("serviceaccount \"").map(MissingObject::ServiceAccount)
            }
            "token-missing" => quoted("serviceaccounts \"")
                .or_else(|| quoted("serviceaccount \""))
                .map(MissingObject::ServiceAccount),
            "class-missing" => quoted("storageclass.storage.k8s.io \"")
                .or_else(|| quoted("storageclass "))
                .map(MissingObject::StorageClass),
            "secret-key-missing" | "config-key-missing" => {
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
            _ => None,
        }
    }
}

impl RemedyAction {
    /// The request that it makes to the API server; `None` where it is not a request about the set or what the set owns.
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
            // Any template that works stands for the one that is to be applied.
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
                // The cut may leave a character that no name ends in.
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

    /// Assumes the changes outside the API: the pod that recovers, and the quota or policy that lets a pod pass.
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
            // A pod that is leaving is ended by its kubelet.
            assumed.stays = None;
            // The trouble that keeps this pod from its place keeps the others from theirs.
            kubelet.foreseen.clear();
        }
    }

    /// The pod that is deleted, and recreated if the set wants it.
    pub(super) fn deleted_pod(&self) -> Option<&Arc<str>> {
        match self {
            RemedyAction::DeletePod(name) => Some(name),
            _ => None,
        }
    }
}

/// The change of a field.
fn field(path: &str, value: Value) -> Option<Edit> {
    let path: Path = path.parse().ok()?;
    Some(Edit::Set { path, value })
}
