//! Objects that the controller reads: one StatefulSet and its related objects, as plain ordered data.
//!
//! Only the fields that the algorithm reads are typed. Everything that is copied into a sent object (pod template,
//! claim templates, revision data) stays raw JSON. Unknown members survive, and revisions can be compared as bytes.

mod claim;
mod dedup;
mod field;
mod labels;
mod message;
mod meta;
mod packed;
mod phase;
mod pod;
mod pod_status;
mod pool;
mod related;
mod revision;
mod selector;
mod set;
mod trouble;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use claim::Claim;
pub(crate) use dedup::keep_last;
pub use field::{FieldError, time};
pub(crate) use labels::decoded_labels;
pub use labels::{Labels, labels_of};
pub use message::without_credentials;
pub use meta::{Meta, OwnerReference, controller_of};
pub use packed::{Original, Packed};
pub use phase::Phase;
pub(crate) use pod::REVISION_LABEL;
pub use pod::{Pod, PodBlueprint, Ready, Volume};
pub use pod_status::{ContainerStatus, PodCondition, Termination};
pub use pool::Pool;
pub use related::{
    AdmissionPolicy, AdmissionPolicyBinding, Attachment, Autoscaler, Budget, Bystander, Condition,
    Event, Lease, Limit, LimitRange, NODE_LEASES, Node, NodeReady, PersistentVolume, Quantities,
    Quota, QuotaScope, Related, RelatedKind, RelatedObjects, Service, SetLabels, StorageClass,
    Taint, Term, Webhook, WebhookConfiguration,
};
pub use revision::Revision;
pub use selector::{Requirement, Selector, SelectorError, is_dns_subdomain};
pub use set::{
    ClaimTemplate, IntOrPercent, PodManagement, Retention, RetentionPolicy, RollingUpdate, Set,
    Status, Strategy,
};
pub use trouble::{Trouble, is_lasting};

/// One StatefulSet and all objects of its namespace that its controller may see.
///
/// Objects are shared: cloning a snapshot copies no template, pod or claim.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The StatefulSet.
    pub set: Arc<Set>,
    /// The set's stored status, the only part of it that the controller writes.
    pub status: Arc<Status>,
    /// Pods by name: those that the set owns, orphans, and any other pod under a name that the set needs.
    pub pods: BTreeMap<Arc<str>, Arc<Pod>>,
    /// PersistentVolumeClaims by name.
    pub claims: BTreeMap<Arc<str>, Arc<Claim>>,
    /// ControllerRevisions by name.
    pub revisions: BTreeMap<Arc<str>, Arc<Revision>>,
}

impl Snapshot {
    /// Returns a snapshot of a set without pods, claims and revisions.
    #[must_use]
    pub fn of_set(set: Set, status: Status) -> Self {
        Snapshot {
            set: Arc::new(set),
            status: Arc::new(status),
            pods: BTreeMap::new(),
            claims: BTreeMap::new(),
            revisions: BTreeMap::new(),
        }
    }

    /// Returns the missing claims of the set's templates that a pod mounts.
    #[must_use]
    pub fn missing_claims(&self, pod: &Pod) -> Vec<Arc<str>> {
        let of_set = |volume: &&Volume| {
            let mut templates = self.set.claim_templates.iter();
            templates.any(|template| template.name == volume.name)
        };
        let volumes = pod.volumes.iter().filter(of_set);
        let claims = volumes.filter_map(|volume| volume.claim.as_ref());
        let missing = claims.filter(|claim| !self.claims.contains_key(*claim));
        missing.map(Arc::clone).collect()
    }

    /// Returns the claims that a pod mounts and that have no volume yet, or have lost it.
    #[must_use]
    pub fn unbound_claims(&self, pod: &Pod) -> Vec<&Arc<Claim>> {
        let claims = pod.claims().filter_map(|claim| self.claims.get(claim));
        claims
            .filter(|claim| !matches!(claim.phase().as_str(), "" | "Bound"))
            .collect()
    }
}
