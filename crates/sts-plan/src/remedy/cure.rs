//! One thing that somebody may do, and what it does to a world.

use std::sync::Arc;

use serde_json::{Value, json};

use sts_controller::object::{
    IntOrPercent, OwnerReference, Retention, RetentionPolicy, RollingUpdate, Set, Snapshot,
    Strategy,
};
use sts_controller::simulate::{Deed, World};

/// One thing that somebody may do about an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub enum Cure {
    /// Whatever keeps the pod from becoming ready is mended, so that it does.
    Mend(Arc<str>),
    /// The pod is deleted.
    DeletePod(Arc<str>),
    /// The pod is taken out of the API without waiting for its containers.
    ForceDeletePod(Arc<str>),
    /// The node with this name is said to be out of service, so that this pod of its goes.
    OutOfService(Arc<str>, Arc<str>),
    /// The node with this name is taken out of the cluster, so that this pod of its goes.
    DeleteNode(Arc<str>, Arc<str>),
    /// The node with this name takes pods again, so that this pod finds one.
    Uncordon(Arc<str>, Arc<str>),
    /// What refuses the creation of this pod lets it pass: the quota with this name, or something else.
    AllowCreation(Arc<str>, Option<String>),
    /// A container of the template may use more memory than its limit, which is this.
    RaiseMemory {
        /// Its name.
        container: String,
        /// The present limit.
        present: Option<String>,
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
    /// The set is made anew around its pods with this `revisionHistoryLimit`, which may not be changed.
    HistoryLimit(i32),
    /// `persistentVolumeClaimRetentionPolicy` says that claims stay.
    RetainClaims,
    /// The revision is deleted.
    DeleteRevision(Arc<str>),
    /// The set is deleted, and made anew under a name of at most so many characters.
    Anew(usize),
    /// The claim is deleted, and nothing keeps it.
    DeleteClaim(Arc<str>),
    /// The claim loses the owner reference at this place.
    ReleaseClaim(Arc<str>, usize),
    /// The set loses the finalizers that keep it.
    DropSetFinalizers,
}

impl Cure {
    /// Does to the objects what is no request to delete a pod.
    pub(crate) fn edit(&self, snapshot: &mut Snapshot) {
        match self {
            Cure::ToRevision(name, _) => {
                let revision = snapshot.revisions.get(name);
                if let Some(template) = revision.and_then(|revision| revision.template().cloned()) {
                    set(snapshot, |set| set.template = template);
                }
            }
            Cure::NewTemplate | Cure::RaiseMemory { .. } => {
                let mut template = (*snapshot.set.template).clone();
                let mark = ["metadata", "annotations", "sts-plan/stand-in"];
                let place = mark.iter().fold(&mut template, |at, name| member(at, name));
                *place = json!("works");
                set(snapshot, |set| set.template = Arc::new(template));
            }
            Cure::Partition(partition) => rolling(snapshot, |block| {
                block.partition = Some(*partition);
            }),
            Cure::MaxUnavailable(pods) => rolling(snapshot, |block| {
                block.max_unavailable = Some(IntOrPercent::Int(i64::from(*pods)));
            }),
            Cure::HistoryLimit(limit) => set(snapshot, |set| set.revision_history_limit = *limit),
            Cure::RetainClaims => set(snapshot, |set| {
                set.retention = Some(RetentionPolicy {
                    when_deleted: Retention::Retain,
                    when_scaled: Retention::Retain,
                });
            }),
            Cure::DeleteRevision(name) => {
                snapshot.revisions.remove(name);
            }
            Cure::Anew(longest) => {
                let name: String = snapshot.set.meta.name.chars().take(*longest).collect();
                set(snapshot, |set| set.meta.name = Arc::from(name));
                snapshot.revisions.clear();
                snapshot.status = Arc::default();
            }
            Cure::LabelPod(name, labels) => {
                if let Some(pod) = snapshot.pods.get_mut(name) {
                    let pod = Arc::make_mut(pod);
                    Arc::make_mut(&mut pod.meta.labels).extend(labels.iter().cloned());
                }
            }
            Cure::DeleteClaim(name) => {
                snapshot.claims.remove(name);
            }
            Cure::ReleaseClaim(name, at) => {
                if let Some(claim) = snapshot.claims.get(name) {
                    let owners: Vec<OwnerReference> = claim
                        .meta
                        .owner_references
                        .iter()
                        .enumerate()
                        .filter(|(index, _)| index != at)
                        .map(|(_, owner)| owner.clone())
                        .collect();
                    let claim = Arc::new(claim.with_owners(owners));
                    snapshot.claims.insert(Arc::clone(name), claim);
                }
            }
            Cure::Mend(_)
            | Cure::DropSetFinalizers
            | Cure::DeletePod(_)
            | Cure::ForceDeletePod(_)
            | Cure::OutOfService(..)
            | Cure::DeleteNode(..)
            | Cure::Uncordon(..)
            | Cure::AllowCreation(..)
            | Cure::DropPodFinalizers(_) => {}
        }
    }

    /// Deletes the pod that is to be deleted, or lets go of the set.
    pub(super) fn perform(&self, world: &mut World) {
        let deed = match self {
            Cure::DeletePod(name) => Deed::DeletePod(Arc::clone(name)),
            Cure::ForceDeletePod(name)
            | Cure::OutOfService(_, name)
            | Cure::DeleteNode(_, name) => Deed::ForceDeletePod(Arc::clone(name)),
            Cure::DropPodFinalizers(name) => Deed::DropPodFinalizers(Arc::clone(name)),
            Cure::DropSetFinalizers => Deed::DropFinalizers,
            _ => return,
        };
        world.perform(&deed);
    }

    /// The pod that is deleted, and made again if the set wants it.
    pub(super) fn deleted_pod(&self) -> Option<&Arc<str>> {
        match self {
            Cure::DeletePod(name) => Some(name),
            _ => None,
        }
    }
}

/// Changes the specification, which the server counts.
fn set(snapshot: &mut Snapshot, change: impl FnOnce(&mut Set)) {
    let set = Arc::make_mut(&mut snapshot.set);
    change(set);
    set.generation = set.generation.saturating_add(1);
}

/// A member of what is made an object if it is none: what a file says may be anything.
fn member<'v>(value: &'v mut Value, name: &str) -> &'v mut Value {
    if !value.is_object() {
        *value = json!({});
    }
    &mut value[name]
}

fn rolling(snapshot: &mut Snapshot, change: impl FnOnce(&mut RollingUpdate)) {
    set(snapshot, |set| {
        if let Strategy::RollingUpdate(block) = &mut set.strategy {
            change(block.get_or_insert_default());
        }
    });
}
