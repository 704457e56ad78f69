//! Objects around the sets that no sync reads, but that show the impact of a rollout: other users of the pods,
//! placement of pods and volumes, and recorded events.
//!
//! All sets of an input share one collection.

mod admission;
mod attachment;
mod autoscaler;
mod budget;
mod bystander;
mod collection;
mod csi_node;
mod event;
mod lease;
mod node;
mod quota;
mod service;
mod storage_class;
mod volume;

pub use admission::{AdmissionPolicy, AdmissionPolicyBinding, Webhook, WebhookConfiguration};
pub use attachment::Attachment;
pub use autoscaler::Autoscaler;
pub use budget::Budget;
pub use bystander::{Bystander, Condition};
pub use collection::{RelatedObjects, SetLabels};
pub use csi_node::CsiNode;
pub use event::Event;
pub use lease::{Lease, NODE_LEASES};
pub use node::{Node, NodeReady, Taint};
pub use quota::{Limit, LimitRange, Quantities, Quota, QuotaScope};
pub use service::Service;
pub use storage_class::StorageClass;
pub use volume::{PersistentVolume, Term};

use super::field::FieldError;
use super::meta::Meta;
use serde_json::Value;
use strum::IntoEnumIterator as _;

/// An object around the sets.
#[derive(Debug, Clone, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(RelatedKind),
    doc = "The kinds of [`Related`].",
    derive(strum::EnumIter, strum::IntoStaticStr)
)]
pub enum Related {
    /// A PodDisruptionBudget.
    #[strum_discriminants(strum(serialize = "PodDisruptionBudget"))]
    Budget(Budget),
    /// A Service.
    Service(Service),
    /// A HorizontalPodAutoscaler.
    #[strum_discriminants(strum(serialize = "HorizontalPodAutoscaler"))]
    Autoscaler(Autoscaler),
    /// An Event.
    Event(Event),
    /// A Node.
    Node(Node),
    /// A PersistentVolume.
    #[strum_discriminants(strum(serialize = "PersistentVolume"))]
    Volume(PersistentVolume),
    /// A StorageClass.
    StorageClass(StorageClass),
    /// A ResourceQuota.
    #[strum_discriminants(strum(serialize = "ResourceQuota"))]
    Quota(Quota),
    /// A LimitRange.
    LimitRange(LimitRange),
    /// A VolumeAttachment.
    #[strum_discriminants(strum(serialize = "VolumeAttachment"))]
    Attachment(Attachment),
    /// A CSINode.
    #[strum_discriminants(strum(serialize = "CSINode"))]
    CsiNode(CsiNode),
    /// A Lease.
    Lease(Lease),
    /// A ValidatingWebhookConfiguration.
    #[strum_discriminants(strum(serialize = "ValidatingWebhookConfiguration"))]
    ValidatingWebhooks(WebhookConfiguration),
    /// A MutatingWebhookConfiguration.
    #[strum_discriminants(strum(serialize = "MutatingWebhookConfiguration"))]
    MutatingWebhooks(WebhookConfiguration),
    /// A ValidatingAdmissionPolicy.
    #[strum_discriminants(strum(serialize = "ValidatingAdmissionPolicy"))]
    Policy(AdmissionPolicy),
    /// A ValidatingAdmissionPolicyBinding.
    #[strum_discriminants(strum(serialize = "ValidatingAdmissionPolicyBinding"))]
    PolicyBinding(AdmissionPolicyBinding),
}

impl Related {
    /// Returns the metadata.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        match self {
            Related::Budget(budget) => &budget.meta,
            Related::Service(service) => &service.meta,
            Related::Autoscaler(autoscaler) => &autoscaler.meta,
            Related::Event(event) => &event.meta,
            Related::Node(node) => &node.meta,
            Related::Volume(volume) => &volume.meta,
            Related::StorageClass(class) => &class.meta,
            Related::Quota(quota) => &quota.meta,
            Related::LimitRange(range) => &range.meta,
            Related::Attachment(attachment) => &attachment.meta,
            Related::CsiNode(node) => &node.meta,
            Related::Lease(lease) => &lease.meta,
            Related::ValidatingWebhooks(hooks) => &hooks.meta,
            Related::MutatingWebhooks(hooks) => &hooks.meta,
            Related::Policy(policy) => &policy.meta,
            Related::PolicyBinding(binding) => &binding.meta,
        }
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> RelatedKind {
        self.into()
    }
}

impl RelatedKind {
    /// Returns the kind of that name in that API version, if it is one of these. Versions of one group are read alike,
    /// except for the meaning of a budget's empty selector.
    #[must_use]
    pub fn of(kind: &str, api_version: &str) -> Option<Self> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let is_it = |known: &RelatedKind| known.name() == kind && known.groups().contains(&group);
        RelatedKind::iter().find(is_it)
    }

    /// Returns the API groups that serve the kind.
    fn groups(self) -> &'static [&'static str] {
        match self {
            RelatedKind::Budget => &["policy"],
            RelatedKind::Autoscaler => &["autoscaling"],
            RelatedKind::Event => &["", "events.k8s.io"],
            RelatedKind::StorageClass | RelatedKind::Attachment | RelatedKind::CsiNode => {
                &["storage.k8s.io"]
            }
            RelatedKind::Lease => &["coordination.k8s.io"],
            RelatedKind::ValidatingWebhooks
            | RelatedKind::MutatingWebhooks
            | RelatedKind::Policy
            | RelatedKind::PolicyBinding => &["admissionregistration.k8s.io"],
            RelatedKind::Service
            | RelatedKind::Node
            | RelatedKind::Volume
            | RelatedKind::Quota
            | RelatedKind::LimitRange => &[""],
        }
    }

    /// Reports whether objects of the kind are namespaced.
    #[must_use]
    pub fn is_namespaced(self) -> bool {
        !matches!(
            self,
            RelatedKind::Node
                | RelatedKind::Volume
                | RelatedKind::StorageClass
                | RelatedKind::Attachment
                | RelatedKind::CsiNode
                | RelatedKind::ValidatingWebhooks
                | RelatedKind::MutatingWebhooks
                | RelatedKind::Policy
                | RelatedKind::PolicyBinding
        )
    }

    /// Reads an object of the kind from its JSON form.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
    pub fn read(self, object: &Value) -> Result<Related, FieldError> {
        Ok(match self {
            RelatedKind::Budget => Related::Budget(Budget::from_json(object)?),
            RelatedKind::Service => Related::Service(Service::from_json(object)?),
            RelatedKind::Autoscaler => Related::Autoscaler(Autoscaler::from_json(object)?),
            RelatedKind::Event => Related::Event(Event::from_json(object)?),
            RelatedKind::Node => Related::Node(Node::from_json(object)?),
            RelatedKind::Volume => Related::Volume(PersistentVolume::from_json(object)?),
            RelatedKind::StorageClass => Related::StorageClass(StorageClass::from_json(object)?),
            RelatedKind::Quota => Related::Quota(Quota::from_json(object)?),
            RelatedKind::LimitRange => Related::LimitRange(LimitRange::from_json(object)?),
            RelatedKind::Attachment => Related::Attachment(Attachment::from_json(object)?),
            RelatedKind::CsiNode => Related::CsiNode(CsiNode::from_json(object)?),
            RelatedKind::Lease => Related::Lease(Lease::from_json(object)?),
            RelatedKind::ValidatingWebhooks => {
                Related::ValidatingWebhooks(WebhookConfiguration::from_json(object, false)?)
            }
            RelatedKind::MutatingWebhooks => {
                Related::MutatingWebhooks(WebhookConfiguration::from_json(object, true)?)
            }
            RelatedKind::Policy => Related::Policy(AdmissionPolicy::from_json(object)?),
            RelatedKind::PolicyBinding => {
                Related::PolicyBinding(AdmissionPolicyBinding::from_json(object)?)
            }
        })
    }
}
