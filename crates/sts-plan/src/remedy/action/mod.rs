//! User actions against an obstacle, one function each: the request to the API server or the assumption, the commands,
//! the condition and the risk.

mod claim;
mod entry;
mod missing_object;
mod node;
mod pod;
mod set;
mod template;

use std::sync::Arc;

use serde_json::Value;

use crate::cause::Cause;
use crate::plan::Plan;
use sts_controller::apiserver::apply::{Edit, Path};
use sts_controller::object::Snapshot;

use entry::Scene;

pub(super) use entry::Assumed;
pub(crate) use entry::{RemedyEffect, RemedyEntry};
pub use missing_object::MissingObject;
pub(crate) use node::FORCED_DETACH;
pub(crate) use set::UNTIL_RECREATED;

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
    /// Keep the volume of this claim, which is being deleted.
    KeepVolume(Arc<str>),
    /// Delete the claim with its data.
    DeleteClaim(Arc<str>),
    /// Remove the claim's owner reference at this index.
    ReleaseClaim(Arc<str>, usize),
    /// Remove the finalizers of the set.
    DropSetFinalizers,
}

impl RemedyAction {
    /// Returns everything about this action on these objects of the plan, given the causes of its obstacles.
    pub(crate) fn entry(
        &self,
        plan: &Plan,
        snapshot: &Snapshot,
        causes: &[Option<Cause>],
    ) -> RemedyEntry {
        let scene = Scene {
            plan,
            snapshot,
            causes,
        };
        match self {
            RemedyAction::FixPod(name) => pod::fix(name, scene),
            RemedyAction::DeletePod(name) => pod::delete(name, scene),
            RemedyAction::ForceDeletePod(name) => pod::force_delete(name, scene),
            RemedyAction::OutOfService(node, pod) => node::out_of_service(node, pod, scene),
            RemedyAction::DeleteNode(node, pod) => node::delete(node, pod, scene),
            RemedyAction::RestoreNode(node, _) => node::restore(node),
            RemedyAction::AddNode(zones, _) => node::add(zones),
            RemedyAction::Uncordon(node, pod) => node::uncordon(node, pod, scene),
            RemedyAction::Provide(pod, object) => missing_object::provide(pod, object, scene),
            RemedyAction::AllowCreation(name, quota) => pod::admit(name, quota.as_deref(), scene),
            RemedyAction::RaiseMemory {
                container,
                is_init,
                present,
                proposed,
            } => template::raise_memory(container, *is_init, present, proposed, scene),
            RemedyAction::DropPodFinalizers(name) => pod::drop_finalizers(name, scene),
            RemedyAction::LabelPod(name, labels) => pod::label(name, labels, scene),
            RemedyAction::ToRevision(name, number) => template::to_revision(name, *number, scene),
            RemedyAction::NewTemplate => template::new(scene),
            RemedyAction::Partition(partition) => set::partition(*partition, scene),
            RemedyAction::MaxUnavailable(pods) => set::max_unavailable(*pods, scene),
            RemedyAction::HistoryLimit(limit) => set::history_limit(*limit, scene),
            RemedyAction::Parallel => set::parallel(scene),
            RemedyAction::RetainClaims => set::retain_claims(scene),
            RemedyAction::DeleteRevision(name) => set::delete_revision(name, scene),
            RemedyAction::RecreateRenamed(longest) => set::rename(*longest, scene),
            RemedyAction::KeepVolume(claim) => claim::keep_volume(claim, scene),
            RemedyAction::DeleteClaim(name) => claim::delete(name, scene),
            RemedyAction::ReleaseClaim(name, at) => claim::release(name, *at, scene),
            RemedyAction::DropSetFinalizers => set::drop_finalizers(scene),
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
