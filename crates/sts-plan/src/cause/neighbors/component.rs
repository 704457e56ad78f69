//! The component of the cluster that has to work again, and whose pods do not.

use std::sync::Arc;

use super::needed::is_scaled_away;
use super::trouble;
use crate::catalogue::{
    ComponentEntry, Place, Recognized, component, component_behind, failed_container, is_of_drivers,
};
use crate::plan::Plan;
use sts_controller::object::{Bystander, Pod};

/// A pod of a component that is not ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenComponent {
    /// Namespace of the pod.
    pub namespace: Arc<str>,
    /// Name of the pod.
    pub pod: Arc<str>,
    /// Its reason and the last words of its process, if it has any.
    pub trouble: String,
    /// The kind of the object that is scaled to zero, if there is no pod.
    pub kind: Option<Arc<str>>,
}

impl BrokenComponent {
    /// Finds the pod of the component that a recognized cause names: the one on the node of the failing pod, or one of a
    /// component none of whose pods is ready.
    pub(super) fn of(plan: &Plan, pod: &Pod, recognized: Option<&Recognized>) -> Option<Self> {
        let found = recognized?;
        let entry = component(&found.entry.served_by)?;
        Self::of_entry(plan, pod, entry, &found.message)
    }

    /// Finds the pod of the component that the node lacks for which a pod waits, by what the node reports.
    pub(super) fn of_node(plan: &Plan, pod: &Pod) -> Option<Self> {
        let node = plan.related.node(waited_for(plan, pod)?)?;
        let ready = node.ready.as_ref()?;
        let catalogue = plan.conditions.catalogue;
        let found = catalogue.classify(Place::Node, &ready.reason, &ready.message)?;
        Self::of(plan, pod, Some(&found))
    }

    /// Finds the pod of the component behind a container that is not ready.
    pub(super) fn behind(plan: &Plan, pod: &Pod, containers: &[String]) -> Option<Self> {
        let mut entries = containers.iter().filter_map(|it| component_behind(it));
        entries.find_map(|entry| Self::of_entry(plan, pod, entry, ""))
    }

    fn of_entry(plan: &Plan, pod: &Pod, entry: &ComponentEntry, message: &str) -> Option<Self> {
        let pods = pods(plan, pod, entry, message);
        let Some(broken) = pods.first() else {
            return Self::scaled_away(plan, entry);
        };
        if pods.iter().any(|it| it.is_ready()) {
            return None;
        }
        let mut found = BrokenComponent::at(broken);
        // The pod itself may only show that it lacks another one on its node.
        if let Some(base) = component(&entry.after)
            && let Some(base) = plan.related.all_pods().find(|it| {
                it.node() == broken.node() && base.is_of(it, &[]) && failed_container(it).is_some()
            })
        {
            let base = BrokenComponent::at(base);
            found.trouble = format!(
                "{}), nor does {} ({}",
                found.trouble,
                base.path(),
                base.trouble
            );
        }
        Some(found)
    }

    /// Finds a pod of the storage of a pod's volumes that is not ready on its node. A controller serves all nodes.
    pub(super) fn of_storage(plan: &Plan, pod: &Pod, report: &str) -> Option<Self> {
        pod.node()?;
        let drivers = drivers(plan, pod, report);
        let all = plan.related.all_pods();
        let on_node = all.filter(|it| it.node() == pod.node() && !it.is_ready());
        let controller = component("csi-controller");
        let mut broken = on_node.filter(|it| {
            !it.is_terminating()
                && !it.phase.has_ended()
                && is_of_drivers(it, &drivers)
                && !controller.is_some_and(|entry| entry.is_of(it, &drivers))
        });
        broken.next().map(|broken| BrokenComponent::at(broken))
    }

    /// Finds a pod or a Deployment of a component of which none works.
    pub(super) fn down(plan: &Plan, id: &str) -> Option<Self> {
        let entry = component(id)?;
        Self::none_of(plan, entry, |pod| entry.is_of(pod, &[]))
    }

    /// Finds the first of these pods of a component if none works, or else its Deployment that is scaled to zero.
    fn none_of(
        plan: &Plan,
        entry: &ComponentEntry,
        is_of_it: impl Fn(&Pod) -> bool,
    ) -> Option<Self> {
        let all = plan.related.all_pods();
        let mut pods = all.filter(|it| !it.phase.has_ended() && is_of_it(it));
        let Some(first) = pods.next() else {
            return Self::scaled_away(plan, entry);
        };
        let is_down = !first.is_ready() && !pods.any(|it| it.is_ready());
        is_down.then(|| BrokenComponent::at(first))
    }

    /// Finds a pod or a Deployment of a scheduler of this name, if none works: `volcano` is that of `volcano-scheduler`.
    pub(super) fn of_scheduler(plan: &Plan, scheduler: &str) -> Option<Self> {
        let entry = ComponentEntry {
            owners: vec![scheduler.to_owned()],
            ..ComponentEntry::default()
        };
        let is_scheduler = |name: &str| name.contains("scheduler");
        let found = Self::none_of(plan, &entry, |pod| {
            let owner = pod.meta.controller().map_or("", |owner| &*owner.name);
            is_scheduler(owner) && entry.has_owner(owner)
        });
        found.filter(|it| match it.kind {
            Some(_) => is_scheduler(&it.pod),
            None => !scheduler.is_empty(),
        })
    }

    /// Finds a pod of a component that fails, on any node: one that only waits for others is not the first.
    pub(super) fn failing(plan: &Plan, id: &str) -> Option<Self> {
        let entry = component(id)?;
        let mut all = plan.related.all_pods();
        let found = all
            .find(|it| !it.is_ready() && entry.is_of(it, &[]) && failed_container(it).is_some())?;
        Some(BrokenComponent::at(found))
    }

    /// Finds a Deployment of a component without a pod that works, unless each driver has its own.
    fn scaled_away(plan: &Plan, entry: &ComponentEntry) -> Option<Self> {
        if entry.of_driver || entry.on_node {
            return None;
        }
        let mut all = plan.related.all_bystanders();
        all.find_map(|it| {
            let trouble = idle(it).filter(|_| entry.has_owner(&it.meta.name))?;
            Some(BrokenComponent {
                namespace: Arc::clone(&it.meta.namespace),
                pod: Arc::clone(&it.meta.name),
                trouble,
                kind: Some(Arc::clone(&it.kind)),
            })
        })
    }

    fn at(broken: &Pod) -> Self {
        BrokenComponent {
            namespace: Arc::clone(&broken.meta.namespace),
            pod: Arc::clone(&broken.meta.name),
            trouble: trouble(broken).unwrap_or_else(|| "not ready".to_owned()),
            kind: None,
        }
    }

    /// `kube-system/ebs-csi-node-x2x2x`.
    pub(super) fn path(&self) -> String {
        let kind = self
            .kind
            .as_ref()
            .map_or_else(String::new, |it| format!("{it} "));
        format!("{kind}{}/{}", self.namespace, self.pod)
    }
}

/// Tells why a Deployment has no pod that works; `None` if it has one.
fn idle(object: &Bystander) -> Option<String> {
    if is_scaled_away(object) {
        return Some("scaled to zero".to_owned());
    }
    let number = |field: &str| object.status[field].as_i64().unwrap_or_default();
    let (wanted, available) = (number("replicas"), number("availableReplicas"));
    let is_idle = &*object.kind == "Deployment" && wanted > 0 && available == 0;
    is_idle.then(|| format!("none of its {wanted} pods is available"))
}

/// Returns the pods of a component that serve a pod.
fn pods<'p>(plan: &'p Plan, pod: &Pod, entry: &ComponentEntry, message: &str) -> Vec<&'p Arc<Pod>> {
    let drivers = match entry.of_driver {
        true => drivers(plan, pod, message),
        false => Vec::new(),
    };
    let node = pod.node().or_else(|| waited_for(plan, pod));
    let all = plan.related.all_pods();
    all.filter(|it| !entry.on_node || (it.node() == node && node.is_some()))
        .filter(|it| !it.is_terminating() && !it.phase.has_ended())
        .filter(|it| entry.is_of(it, &drivers))
        .collect()
}

/// Returns the node that a pod waits for: the only one that is not ready and has its volumes.
fn waited_for<'p>(plan: &'p Plan, pod: &Pod) -> Option<&'p str> {
    let reaches = plan.reaches(pod);
    let mut down = plan
        .related
        .nodes()
        .filter(|node| node.is_down() && reaches.iter().all(|reach| reach.admits(node)));
    let first = down.next()?;
    down.next().is_none().then_some(&*first.meta.name)
}

/// Returns the drivers of the volumes of a pod, those that its new volumes are to have, and those that the message names.
pub(super) fn drivers(plan: &Plan, pod: &Pod, message: &str) -> Vec<Arc<str>> {
    let claims = pod.claims().filter_map(|it| plan.snapshot.claims.get(it));
    let of_volumes = claims.filter_map(|claim| match plan.volume_of(claim) {
        Some(volume) => volume.driver.clone(),
        None => {
            let given = claim.given()?;
            let class = given["spec"]["storageClassName"].as_str()?;
            Some(Arc::clone(&plan.related.storage_class(class)?.provisioner))
        }
    });
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    let words = message.split(|c| !is_part(c));
    let named = words.filter(|word| word.contains('.') && word.contains("csi"));
    of_volumes.chain(named.map(Arc::from)).collect()
}
