//! The objects around the sets that no sync reads, but that tell what a rollout means: who else counts on the
//! pods, where they and their volumes may be, and what was said of them.
//!
//! One collection serves all sets of an input, so it is shared, not copied.

mod admission;
mod attachment;
mod autoscaler;
mod budget;
mod event;
mod lease;
mod node;
mod quota;
mod service;
mod storage_class;
mod volume;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use admission::{AdmissionPolicy, AdmissionPolicyBinding, Webhook, WebhookConfiguration};
pub use attachment::Attachment;
pub use autoscaler::Autoscaler;
pub use budget::Budget;
pub use event::Event;
pub use lease::{Lease, NODE_LEASES};
pub use node::{Node, NodeReady, Taint};
pub use quota::{Limit, LimitRange, Quantities, Quota};
pub use service::Service;
pub use storage_class::StorageClass;
pub use volume::{PersistentVolume, Term};

use super::field::FieldError;
use super::labels::Labels;
use super::meta::Meta;
use serde_json::Value;

/// An object that is around the sets.
#[derive(Debug, Clone)]
pub enum Related {
    /// A PodDisruptionBudget.
    Budget(Budget),
    /// A Service.
    Service(Service),
    /// A HorizontalPodAutoscaler.
    Autoscaler(Autoscaler),
    /// An Event.
    Event(Event),
    /// A Node.
    Node(Node),
    /// A PersistentVolume.
    Volume(PersistentVolume),
    /// A StorageClass.
    StorageClass(StorageClass),
    /// A ResourceQuota.
    Quota(Quota),
    /// A LimitRange.
    LimitRange(LimitRange),
    /// A VolumeAttachment.
    Attachment(Attachment),
    /// A Lease.
    Lease(Lease),
    /// A ValidatingWebhookConfiguration.
    ValidatingWebhooks(WebhookConfiguration),
    /// A MutatingWebhookConfiguration.
    MutatingWebhooks(WebhookConfiguration),
    /// A ValidatingAdmissionPolicy.
    Policy(AdmissionPolicy),
    /// A ValidatingAdmissionPolicyBinding.
    PolicyBinding(AdmissionPolicyBinding),
}

impl Related {
    /// Its metadata.
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
            Related::Lease(lease) => &lease.meta,
            Related::ValidatingWebhooks(hooks) => &hooks.meta,
            Related::MutatingWebhooks(hooks) => &hooks.meta,
            Related::Policy(policy) => &policy.meta,
            Related::PolicyBinding(binding) => &binding.meta,
        }
    }
}

impl Related {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> RelatedKind {
        match self {
            Related::Budget(_) => RelatedKind::Budget,
            Related::Service(_) => RelatedKind::Service,
            Related::Autoscaler(_) => RelatedKind::Autoscaler,
            Related::Event(_) => RelatedKind::Event,
            Related::Node(_) => RelatedKind::Node,
            Related::Volume(_) => RelatedKind::Volume,
            Related::StorageClass(_) => RelatedKind::StorageClass,
            Related::Quota(_) => RelatedKind::Quota,
            Related::LimitRange(_) => RelatedKind::LimitRange,
            Related::Attachment(_) => RelatedKind::Attachment,
            Related::Lease(_) => RelatedKind::Lease,
            Related::ValidatingWebhooks(_) => RelatedKind::ValidatingWebhooks,
            Related::MutatingWebhooks(_) => RelatedKind::MutatingWebhooks,
            Related::Policy(_) => RelatedKind::Policy,
            Related::PolicyBinding(_) => RelatedKind::PolicyBinding,
        }
    }
}

/// The kinds of [`Related`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelatedKind {
    /// PodDisruptionBudget.
    Budget,
    /// Service.
    Service,
    /// HorizontalPodAutoscaler.
    Autoscaler,
    /// Event.
    Event,
    /// Node.
    Node,
    /// PersistentVolume.
    Volume,
    /// StorageClass.
    StorageClass,
    /// ResourceQuota.
    Quota,
    /// LimitRange.
    LimitRange,
    /// VolumeAttachment.
    Attachment,
    /// Lease.
    Lease,
    /// ValidatingWebhookConfiguration.
    ValidatingWebhooks,
    /// MutatingWebhookConfiguration.
    MutatingWebhooks,
    /// ValidatingAdmissionPolicy.
    Policy,
    /// ValidatingAdmissionPolicyBinding.
    PolicyBinding,
}

impl RelatedKind {
    /// The kind of that name in that API version, if it is one of these. Versions of one group differ in nothing
    /// that is read here but what an empty selector of a budget means.
    #[must_use]
    pub fn of(kind: &str, api_version: &str) -> Option<Self> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        match (group, kind) {
            ("policy", "PodDisruptionBudget") => Some(RelatedKind::Budget),
            ("", "Service") => Some(RelatedKind::Service),
            ("autoscaling", "HorizontalPodAutoscaler") => Some(RelatedKind::Autoscaler),
            ("" | "events.k8s.io", "Event") => Some(RelatedKind::Event),
            ("", "Node") => Some(RelatedKind::Node),
            ("", "PersistentVolume") => Some(RelatedKind::Volume),
            ("storage.k8s.io", "StorageClass") => Some(RelatedKind::StorageClass),
            ("", "ResourceQuota") => Some(RelatedKind::Quota),
            ("", "LimitRange") => Some(RelatedKind::LimitRange),
            ("storage.k8s.io", "VolumeAttachment") => Some(RelatedKind::Attachment),
            ("coordination.k8s.io", "Lease") => Some(RelatedKind::Lease),
            ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration") => {
                Some(RelatedKind::ValidatingWebhooks)
            }
            ("admissionregistration.k8s.io", "MutatingWebhookConfiguration") => {
                Some(RelatedKind::MutatingWebhooks)
            }
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => {
                Some(RelatedKind::Policy)
            }
            ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding") => {
                Some(RelatedKind::PolicyBinding)
            }
            _ => None,
        }
    }

    /// The kind's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RelatedKind::Budget => "PodDisruptionBudget",
            RelatedKind::Service => "Service",
            RelatedKind::Autoscaler => "HorizontalPodAutoscaler",
            RelatedKind::Event => "Event",
            RelatedKind::Node => "Node",
            RelatedKind::Volume => "PersistentVolume",
            RelatedKind::StorageClass => "StorageClass",
            RelatedKind::Quota => "ResourceQuota",
            RelatedKind::LimitRange => "LimitRange",
            RelatedKind::Attachment => "VolumeAttachment",
            RelatedKind::Lease => "Lease",
            RelatedKind::ValidatingWebhooks => "ValidatingWebhookConfiguration",
            RelatedKind::MutatingWebhooks => "MutatingWebhookConfiguration",
            RelatedKind::Policy => "ValidatingAdmissionPolicy",
            RelatedKind::PolicyBinding => "ValidatingAdmissionPolicyBinding",
        }
    }

    /// Reports whether objects of the kind live in a namespace.
    #[must_use]
    pub fn is_namespaced(self) -> bool {
        !matches!(
            self,
            RelatedKind::Node
                | RelatedKind::Volume
                | RelatedKind::StorageClass
                | RelatedKind::Attachment
                | RelatedKind::ValidatingWebhooks
                | RelatedKind::MutatingWebhooks
                | RelatedKind::Policy
                | RelatedKind::PolicyBinding
        )
    }

    /// Reads an object of the kind from its JSON form.
    ///
    /// # Errors
    /// When a field that is read has a value of another type than the API gives it.
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

/// The objects of one namespace.
#[derive(Debug, Clone, Default)]
struct Surrounding {
    sets: Vec<SetLabels>,
    budgets: BTreeMap<Arc<str>, Arc<Budget>>,
    services: BTreeMap<Arc<str>, Arc<Service>>,
    autoscalers: BTreeMap<Arc<str>, Arc<Autoscaler>>,
    quotas: BTreeMap<Arc<str>, Arc<Quota>>,
    limit_ranges: BTreeMap<Arc<str>, Arc<LimitRange>>,
    leases: BTreeMap<Arc<str>, Arc<Lease>>,
    /// The oldest first; those of one time by what they say.
    events: BTreeMap<About, Vec<Arc<Event>>>,
}

/// A set's name and the labels of its pods, which tell it apart from other sets.
#[derive(Debug, Clone)]
pub struct SetLabels {
    /// The set's name.
    pub name: Arc<str>,
    /// The labels of its pod template.
    pub pod_labels: Arc<Labels>,
}

/// The kind and name of the object that an event is about.
type About = (Arc<str>, Arc<str>);

/// Objects around the sets of an input.
#[derive(Debug, Clone, Default)]
pub struct RelatedObjects {
    namespaces: BTreeMap<Arc<str>, Surrounding>,
    nodes: BTreeMap<Arc<str>, Arc<Node>>,
    volumes: BTreeMap<Arc<str>, Arc<PersistentVolume>>,
    storage_classes: BTreeMap<Arc<str>, Arc<StorageClass>>,
    attachments: BTreeMap<Arc<str>, Arc<Attachment>>,
    /// By whether they are mutating, and by name.
    webhooks: BTreeMap<(bool, Arc<str>), Arc<WebhookConfiguration>>,
    policies: BTreeMap<Arc<str>, Arc<AdmissionPolicy>>,
    policy_bindings: BTreeMap<Arc<str>, Arc<AdmissionPolicyBinding>>,
}

impl RelatedObjects {
    /// Takes an object in, in the place of one of its kind and name.
    pub fn insert(&mut self, object: Related) {
        match object {
            Related::Budget(budget) => {
                let room = self.namespace(&budget.meta.namespace);
                let name = Arc::clone(&budget.meta.name);
                room.budgets.insert(name, Arc::new(budget));
            }
            Related::Service(service) => {
                let room = self.namespace(&service.meta.namespace);
                let name = Arc::clone(&service.meta.name);
                room.services.insert(name, Arc::new(service));
            }
            Related::Autoscaler(autoscaler) => {
                let room = self.namespace(&autoscaler.meta.namespace);
                let name = Arc::clone(&autoscaler.meta.name);
                room.autoscalers.insert(name, Arc::new(autoscaler));
            }
            Related::Event(event) => {
                let room = self.namespace(&event.meta.namespace);
                let about = (Arc::clone(&event.kind), Arc::clone(&event.name));
                // Events of one time are told in one order, whatever order they were read in.
                let order = |event: &Event| {
                    let text = (Arc::clone(&event.reason), Arc::clone(&event.message));
                    (event.last, text, event.count, Arc::clone(&event.meta.name))
                };
                let events = room.events.entry(about).or_default();
                let at = events.partition_point(|other| order(other) <= order(&event));
                events.insert(at, Arc::new(event));
            }
            Related::Node(node) => {
                self.nodes
                    .insert(Arc::clone(&node.meta.name), Arc::new(node));
            }
            Related::Volume(volume) => {
                let name = Arc::clone(&volume.meta.name);
                self.volumes.insert(name, Arc::new(volume));
            }
            Related::StorageClass(class) => {
                let name = Arc::clone(&class.meta.name);
                self.storage_classes.insert(name, Arc::new(class));
            }
            Related::Quota(quota) => {
                let room = self.namespace(&quota.meta.namespace);
                room.quotas
                    .insert(Arc::clone(&quota.meta.name), Arc::new(quota));
            }
            Related::LimitRange(range) => {
                let room = self.namespace(&range.meta.namespace);
                room.limit_ranges
                    .insert(Arc::clone(&range.meta.name), Arc::new(range));
            }
            Related::Lease(lease) => {
                let room = self.namespace(&lease.meta.namespace);
                room.leases
                    .insert(Arc::clone(&lease.meta.name), Arc::new(lease));
            }
            Related::Attachment(attachment) => {
                let name = Arc::clone(&attachment.meta.name);
                self.attachments.insert(name, Arc::new(attachment));
            }
            Related::ValidatingWebhooks(hooks) | Related::MutatingWebhooks(hooks) => {
                let name = (hooks.is_mutating, Arc::clone(&hooks.meta.name));
                self.webhooks.insert(name, Arc::new(hooks));
            }
            Related::Policy(policy) => {
                let name = Arc::clone(&policy.meta.name);
                self.policies.insert(name, Arc::new(policy));
            }
            Related::PolicyBinding(binding) => {
                let name = Arc::clone(&binding.meta.name);
                self.policy_bindings.insert(name, Arc::new(binding));
            }
        }
    }

    /// Takes note of a stored set.
    pub fn insert_set(&mut self, set: &Meta, pod_labels: Arc<Labels>) {
        let room = self.namespace(&set.namespace);
        room.sets.push(SetLabels {
            name: Arc::clone(&set.name),
            pod_labels,
        });
    }

    /// Puts the objects of the change over those of the input: budgets, services and the like, by name. Sets of
    /// the other are left out, since what comes of those is for a plan to say.
    pub fn overlay(&mut self, other: &RelatedObjects) {
        for (name, above) in &other.namespaces {
            let room = self.namespace(name);
            room.budgets.extend(above.budgets.clone());
            room.services.extend(above.services.clone());
            room.autoscalers.extend(above.autoscalers.clone());
            room.quotas.extend(above.quotas.clone());
            room.limit_ranges.extend(above.limit_ranges.clone());
            room.leases.extend(above.leases.clone());
        }
        self.nodes.extend(other.nodes.clone());
        self.volumes.extend(other.volumes.clone());
        self.storage_classes.extend(other.storage_classes.clone());
        self.attachments.extend(other.attachments.clone());
        self.webhooks.extend(other.webhooks.clone());
        self.policies.extend(other.policies.clone());
        self.policy_bindings.extend(other.policy_bindings.clone());
    }

    fn namespace(&mut self, name: &Arc<str>) -> &mut Surrounding {
        self.namespaces.entry(Arc::clone(name)).or_default()
    }

    /// The stored sets of a namespace.
    pub fn sets(&self, namespace: &str) -> impl Iterator<Item = &SetLabels> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| &room.sets)
    }

    /// The PodDisruptionBudgets of a namespace, by name.
    pub fn budgets(&self, namespace: &str) -> impl Iterator<Item = &Arc<Budget>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.budgets.values())
    }

    /// The Services of a namespace, by name.
    pub fn services(&self, namespace: &str) -> impl Iterator<Item = &Arc<Service>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.services.values())
    }

    /// The HorizontalPodAutoscalers of a namespace, by name.
    pub fn autoscalers(&self, namespace: &str) -> impl Iterator<Item = &Arc<Autoscaler>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.autoscalers.values())
    }

    /// A ResourceQuota.
    #[must_use]
    pub fn quota(&self, namespace: &str, name: &str) -> Option<&Arc<Quota>> {
        self.namespaces.get(namespace)?.quotas.get(name)
    }

    /// The LimitRanges of a namespace, by name.
    pub fn limit_ranges(&self, namespace: &str) -> impl Iterator<Item = &Arc<LimitRange>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.limit_ranges.values())
    }

    /// The lease of a node.
    #[must_use]
    pub fn node_lease(&self, node: &str) -> Option<&Arc<Lease>> {
        self.namespaces.get(NODE_LEASES)?.leases.get(node)
    }

    /// All VolumeAttachments, by name.
    pub fn attachments(&self) -> impl Iterator<Item = &Arc<Attachment>> {
        self.attachments.values()
    }

    /// The webhook of this name, with its configuration.
    #[must_use]
    pub fn webhook(&self, name: &str) -> Option<(&Arc<WebhookConfiguration>, &Webhook)> {
        self.webhooks.values().find_map(|hooks| {
            let found = hooks.webhooks.iter().find(|hook| *hook.name == *name)?;
            Some((hooks, found))
        })
    }

    /// A ValidatingAdmissionPolicy, with its bindings.
    #[must_use]
    pub fn policy(
        &self,
        name: &str,
    ) -> Option<(&Arc<AdmissionPolicy>, Vec<&Arc<AdmissionPolicyBinding>>)> {
        let policy = self.policies.get(name)?;
        let bindings = self.policy_bindings.values();
        Some((policy, bindings.filter(|it| *it.policy == *name).collect()))
    }

    /// The events on an object, the oldest first: `events("prod", "Pod", "web-1")`.
    #[must_use]
    pub fn events(&self, namespace: &str, kind: &str, name: &str) -> &[Arc<Event>] {
        let about = (Arc::from(kind), Arc::from(name));
        let room = self.namespaces.get(namespace);
        room.and_then(|room| room.events.get(&about))
            .map_or(&[], Vec::as_slice)
    }

    /// Reports whether any event was given.
    #[must_use]
    pub fn has_events(&self) -> bool {
        self.namespaces.values().any(|room| !room.events.is_empty())
    }

    /// A node; `None` when it is not among the objects given, or does not exist: see [`RelatedObjects::has_nodes`].
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Arc<Node>> {
        self.nodes.get(name)
    }

    /// Reports whether any node was given. A dump without nodes says nothing about whether one exists.
    #[must_use]
    pub fn has_nodes(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// All nodes, by name.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.values()
    }

    /// A PersistentVolume.
    #[must_use]
    pub fn volume(&self, name: &str) -> Option<&Arc<PersistentVolume>> {
        self.volumes.get(name)
    }

    /// All PersistentVolumes, by name.
    pub fn volumes(&self) -> impl Iterator<Item = &Arc<PersistentVolume>> {
        self.volumes.values()
    }

    /// Reports whether any StorageClass was given. A dump without one says nothing about whether one exists.
    #[must_use]
    pub fn has_storage_classes(&self) -> bool {
        !self.storage_classes.is_empty()
    }

    /// A StorageClass.
    #[must_use]
    pub fn storage_class(&self, name: &str) -> Option<&Arc<StorageClass>> {
        self.storage_classes.get(name)
    }

    /// The StorageClass of claims that name none, where one is marked so.
    #[must_use]
    pub fn default_storage_class(&self) -> Option<&Arc<StorageClass>> {
        let mut classes = self.storage_classes.values();
        classes.find(|class| class.is_default)
    }
}
