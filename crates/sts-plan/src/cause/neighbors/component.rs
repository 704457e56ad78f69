//! The component of the cluster that has to work again, and whose pods do not.

use std::sync::Arc;

use super::needed::is_scaled_away;
use super::trouble;
use crate::catalogue::{
    ComponentEntry, Recognized, component, component_behind, failed_container, is_of_drivers,
};
use crate::plan::Plan;
use sts_controller::object::Pod;

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
        (!pods.iter().any(|it| it.is_ready())).then(|| BrokenComponent::at(broken))
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

    /// Finds a pod of a component that fails, on any node: one that only waits for others is not the first.
    pub(super) fn failing(plan: &Plan, id: &str) -> Option<Self> {
        let entry = component(id)?;
        let mut all = plan.related.all_pods();
        let found = all
            .find(|it| !it.is_ready() && entry.is_of(it, &[]) && failed_container(it).is_some())?;
        Some(BrokenComponent::at(found))
    }

    /// Finds a Deployment of a component that is scaled to zero, unless each driver has its own.
    fn scaled_away(plan: &Plan, entry: &ComponentEntry) -> Option<Self> {
        if entry.of_driver || entry.on_node {
            return None;
        }
        let mut all = plan.related.all_bystanders();
        let found = all.find(|it| is_scaled_away(it) && entry.has_owner(&it.meta.name))?;
        Some(BrokenComponent {
            namespace: Arc::clone(&found.meta.namespace),
            pod: Arc::clone(&found.meta.name),
            trouble: "scaled to zero".to_owned(),
            kind: Some(Arc::clone(&found.kind)),
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

/// Returns the pods of a component that serve a pod.
fn pods<'p>(plan: &'p Plan, pod: &Pod, entry: &ComponentEntry, message: &str) -> Vec<&'p Arc<Pod>> {
    let drivers = match entry.of_driver {
        true => drivers(plan, pod, message),
        false => Vec::new(),
    };
    let all = plan.related.all_pods();
    all.filter(|it| !entry.on_node || it.node() == pod.node())
        .filter(|it| !it.is_terminating() && !it.phase.has_ended())
        .filter(|it| entry.is_of(it, &drivers))
        .collect()
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
