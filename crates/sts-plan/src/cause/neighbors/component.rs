//! The component of the cluster that has to work again, and whose pods do not.

use std::sync::Arc;

use super::trouble;
use crate::catalogue::{ComponentEntry, Recognized, component};
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
}

impl BrokenComponent {
    /// Finds the pod of the component that a recognized cause names: the one on the node of the failing pod, or one of a
    /// component none of whose pods is ready.
    pub(super) fn of(plan: &Plan, pod: &Pod, recognized: Option<&Recognized>) -> Option<Self> {
        let found = recognized?;
        let entry = component(&found.entry.served_by)?;
        let pods = pods(plan, pod, entry, &found.message);
        let broken = pods.first()?;
        (!pods.iter().any(|it| it.is_ready())).then(|| BrokenComponent {
            namespace: Arc::clone(&broken.meta.namespace),
            pod: Arc::clone(&broken.meta.name),
            trouble: trouble(broken).unwrap_or_else(|| "not ready".to_owned()),
        })
    }

    /// `kube-system/ebs-csi-node-x2x2x`.
    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.namespace, self.pod)
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

/// Returns the drivers of the volumes of a pod, and those that the message names.
fn drivers(plan: &Plan, pod: &Pod, message: &str) -> Vec<Arc<str>> {
    let claims = pod.claims().filter_map(|it| plan.snapshot.claims.get(it));
    let of_volumes = claims.filter_map(|claim| plan.volume_of(claim)?.driver.clone());
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    let words = message.split(|c| !is_part(c));
    let named = words.filter(|word| word.contains('.') && word.contains("csi"));
    of_volumes.chain(named.map(Arc::from)).collect()
}
