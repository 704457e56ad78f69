//! The collection of related objects of an input.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    AdmissionPolicy, AdmissionPolicyBinding, Attachment, Autoscaler, Budget, Bystander, CsiNode,
    Event, Lease, LimitRange, NODE_LEASES, Node, PersistentVolume, Quota, Related, Service,
    StorageClass, Webhook, WebhookConfiguration,
};
use crate::object::labels::Labels;
use crate::object::meta::Meta;
use crate::object::pod::Pod;

/// The objects of one namespace.
#[derive(Debug, Clone, Default)]
struct Surrounding {
    sets: Vec<SetLabels>,
    pods: BTreeMap<Arc<str>, Arc<Pod>>,
    bystanders: Vec<Arc<Bystander>>,
    budgets: BTreeMap<Arc<str>, Arc<Budget>>,
    services: BTreeMap<Arc<str>, Arc<Service>>,
    autoscalers: BTreeMap<Arc<str>, Arc<Autoscaler>>,
    quotas: BTreeMap<Arc<str>, Arc<Quota>>,
    limit_ranges: BTreeMap<Arc<str>, Arc<LimitRange>>,
    leases: BTreeMap<Arc<str>, Arc<Lease>>,
    /// Oldest first; events of one time are sorted by content.
    events: BTreeMap<About, Vec<Arc<Event>>>,
}

/// A set's name, its size, and the labels of its pods, which distinguish it from other sets.
#[derive(Debug, Clone)]
pub struct SetLabels {
    /// The set's name.
    pub name: Arc<str>,
    /// The labels of its pod template.
    pub pod_labels: Arc<Labels>,
    /// `spec.replicas`.
    pub replicas: i32,
}

/// Kind and name of the object that an event is about.
type About = (Arc<str>, Arc<str>);

/// Related objects of the sets of an input.
#[derive(Debug, Clone, Default)]
pub struct RelatedObjects {
    /// Shared, since a change of nodes leaves them as they are.
    namespaces: BTreeMap<Arc<str>, Arc<Surrounding>>,
    nodes: BTreeMap<Arc<str>, Arc<Node>>,
    volumes: BTreeMap<Arc<str>, Arc<PersistentVolume>>,
    storage_classes: BTreeMap<Arc<str>, Arc<StorageClass>>,
    attachments: BTreeMap<Arc<str>, Arc<Attachment>>,
    csi_nodes: BTreeMap<Arc<str>, Arc<CsiNode>>,
    /// By type (mutating or not) and name.
    webhooks: BTreeMap<(bool, Arc<str>), Arc<WebhookConfiguration>>,
    policies: BTreeMap<Arc<str>, Arc<AdmissionPolicy>>,
    policy_bindings: BTreeMap<Arc<str>, Arc<AdmissionPolicyBinding>>,
}

impl RelatedObjects {
    /// Adds an object, and replaces one of its kind and name.
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
                // Events of one time have a fixed order, whatever order they were read in.
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
            Related::CsiNode(node) => {
                let name = Arc::clone(&node.meta.name);
                self.csi_nodes.insert(name, Arc::new(node));
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

    /// Adds a stored set.
    pub fn insert_set(&mut self, set: &Meta, pod_labels: Arc<Labels>, replicas: i32) {
        let room = self.namespace(&set.namespace);
        room.sets.push(SetLabels {
            name: Arc::clone(&set.name),
            pod_labels,
            replicas,
        });
    }

    /// Adds a stored pod of any owner.
    pub fn insert_pod(&mut self, pod: Arc<Pod>) {
        let room = self.namespace(&pod.meta.namespace);
        room.pods.insert(Arc::clone(&pod.meta.name), pod);
    }

    /// Adds an object of another kind. Objects of the whole cluster have no namespace.
    pub fn insert_bystander(&mut self, object: Bystander) {
        let room = self.namespace(&object.meta.namespace);
        room.bystanders.push(Arc::new(object));
    }

    /// Adds the objects of a change, and replaces those of the same name. Skips sets and pods, since the plan covers them,
    /// events and bystanders.
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
        self.csi_nodes.extend(other.csi_nodes.clone());
        self.webhooks.extend(other.webhooks.clone());
        self.policies.extend(other.policies.clone());
        self.policy_bindings.extend(other.policy_bindings.clone());
    }

    fn namespace(&mut self, name: &Arc<str>) -> &mut Surrounding {
        Arc::make_mut(self.namespaces.entry(Arc::clone(name)).or_default())
    }

    /// Returns the stored sets of a namespace.
    pub fn sets(&self, namespace: &str) -> impl Iterator<Item = &SetLabels> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| &room.sets)
    }

    /// Returns the pods of a namespace, of all owners, by name.
    pub fn pods(&self, namespace: &str) -> impl Iterator<Item = &Arc<Pod>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.pods.values())
    }

    /// Returns the pods of all namespaces, by namespace and name.
    pub fn all_pods(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.namespaces.values().flat_map(|room| room.pods.values())
    }

    /// Returns the objects of other kinds in a namespace, and those of the whole cluster.
    pub fn bystanders(&self, namespace: &str) -> impl Iterator<Item = &Arc<Bystander>> {
        let of_cluster = Some("").filter(|_| !namespace.is_empty());
        let namespaces = [Some(namespace), of_cluster].into_iter().flatten();
        let rooms = namespaces.filter_map(|name| self.namespaces.get(name));
        rooms.flat_map(|room| &room.bystanders)
    }

    /// Returns the objects of other kinds in all namespaces, and those of the whole cluster.
    pub fn all_bystanders(&self) -> impl Iterator<Item = &Arc<Bystander>> {
        let rooms = self.namespaces.values();
        rooms.flat_map(|room| &room.bystanders)
    }

    /// Returns the PodDisruptionBudgets of a namespace, by name.
    pub fn budgets(&self, namespace: &str) -> impl Iterator<Item = &Arc<Budget>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.budgets.values())
    }

    /// Returns the Services of a namespace, by name.
    pub fn services(&self, namespace: &str) -> impl Iterator<Item = &Arc<Service>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.services.values())
    }

    /// Returns a Service.
    #[must_use]
    pub fn service(&self, namespace: &str, name: &str) -> Option<&Arc<Service>> {
        self.namespaces.get(namespace)?.services.get(name)
    }

    /// Returns the Service with this cluster IP, in any namespace.
    #[must_use]
    pub fn service_at(&self, cluster_ip: &str) -> Option<&Arc<Service>> {
        let mut services = self.namespaces.values().flat_map(|it| it.services.values());
        services.find(|it| !cluster_ip.is_empty() && *it.cluster_ip == *cluster_ip)
    }

    /// Returns the HorizontalPodAutoscalers of a namespace, by name.
    pub fn autoscalers(&self, namespace: &str) -> impl Iterator<Item = &Arc<Autoscaler>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.autoscalers.values())
    }

    /// Returns a ResourceQuota.
    #[must_use]
    pub fn quota(&self, namespace: &str, name: &str) -> Option<&Arc<Quota>> {
        self.namespaces.get(namespace)?.quotas.get(name)
    }

    /// Returns the ResourceQuotas of a namespace, by name.
    pub fn quotas(&self, namespace: &str) -> impl Iterator<Item = &Arc<Quota>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.quotas.values())
    }

    /// Returns the CSINode of a node.
    #[must_use]
    pub fn csi_node(&self, node: &str) -> Option<&Arc<CsiNode>> {
        self.csi_nodes.get(node)
    }

    /// Returns the LimitRanges of a namespace, by name.
    pub fn limit_ranges(&self, namespace: &str) -> impl Iterator<Item = &Arc<LimitRange>> {
        let room = self.namespaces.get(namespace).into_iter();
        room.flat_map(|room| room.limit_ranges.values())
    }

    /// Returns the lease of a node.
    #[must_use]
    pub fn node_lease(&self, node: &str) -> Option<&Arc<Lease>> {
        self.lease(NODE_LEASES, node)
    }

    /// Returns a lease.
    #[must_use]
    pub fn lease(&self, namespace: &str, name: &str) -> Option<&Arc<Lease>> {
        self.namespaces.get(namespace)?.leases.get(name)
    }

    /// Returns all VolumeAttachments, by name.
    pub fn attachments(&self) -> impl Iterator<Item = &Arc<Attachment>> {
        self.attachments.values()
    }

    /// Returns the webhook of this name, with its configuration.
    #[must_use]
    pub fn webhook(&self, name: &str) -> Option<(&Arc<WebhookConfiguration>, &Webhook)> {
        self.webhooks.values().find_map(|hooks| {
            let found = hooks.webhooks.iter().find(|hook| *hook.name == *name)?;
            Some((hooks, found))
        })
    }

    /// Returns a ValidatingAdmissionPolicy, with its bindings.
    #[must_use]
    pub fn policy(
        &self,
        name: &str,
    ) -> Option<(&Arc<AdmissionPolicy>, Vec<&Arc<AdmissionPolicyBinding>>)> {
        let policy = self.policies.get(name)?;
        let bindings = self.policy_bindings.values();
        Some((policy, bindings.filter(|it| *it.policy == *name).collect()))
    }

    /// Returns the events of an object, oldest first: `events("prod", "Pod", "web-1")`.
    #[must_use]
    pub fn events(&self, namespace: &str, kind: &str, name: &str) -> &[Arc<Event>] {
        let about = (Arc::from(kind), Arc::from(name));
        let room = self.namespaces.get(namespace);
        room.and_then(|room| room.events.get(&about))
            .map_or(&[], Vec::as_slice)
    }

    /// Reports whether the input has any event.
    #[must_use]
    pub fn has_events(&self) -> bool {
        self.namespaces.values().any(|room| !room.events.is_empty())
    }

    /// Returns a node; `None` if it is not in the input or does not exist: see [`RelatedObjects::has_nodes`].
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Arc<Node>> {
        self.nodes.get(name)
    }

    /// Reports whether the input has any node. A dump without nodes does not show whether a node exists.
    #[must_use]
    pub fn has_nodes(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Returns all nodes, by name.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.values()
    }

    /// Returns a PersistentVolume.
    #[must_use]
    pub fn volume(&self, name: &str) -> Option<&Arc<PersistentVolume>> {
        self.volumes.get(name)
    }

    /// Returns all PersistentVolumes, by name.
    pub fn volumes(&self) -> impl Iterator<Item = &Arc<PersistentVolume>> {
        self.volumes.values()
    }

    /// Reports whether the input has any StorageClass. A dump without one does not show whether a class exists.
    #[must_use]
    pub fn has_storage_classes(&self) -> bool {
        !self.storage_classes.is_empty()
    }

    /// Returns a StorageClass.
    #[must_use]
    pub fn storage_class(&self, name: &str) -> Option<&Arc<StorageClass>> {
        self.storage_classes.get(name)
    }

    /// Returns the default StorageClass, if one is marked as default.
    #[must_use]
    pub fn default_storage_class(&self) -> Option<&Arc<StorageClass>> {
        let mut classes = self.storage_classes.values();
        classes.find(|class| class.is_default)
    }
}
