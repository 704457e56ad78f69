//! Actions on the node of a pod.

use std::sync::Arc;

use jiff::SignedDuration;

use super::entry::{Assumed, RemedyEffect, RemedyEntry, Scene};
use crate::command::named;
use crate::plan::VersionSource;
use sts_controller::simulate::Action;

/// Interval between the checks of pod garbage collection (`gcCheckPeriod` in `pkg/controller/podgc/gc_controller.go`).
pub(crate) const GC_PERIOD: SignedDuration = SignedDuration::from_secs(20);
/// Time for which it waits for a node that is missing (`quarantineTime`).
const GC_QUARANTINE: SignedDuration = SignedDuration::from_secs(40);

/// Tainting a node as out of service, which removes its pods.
pub(super) fn out_of_service(node: &Arc<str>, pod: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    let requirement = match scene.plan.conditions.version_source {
        VersionSource::Default => " (requires Kubernetes 1.26 or newer)",
        VersionSource::Flag | VersionSource::Server { .. } => "",
    };
    RemedyEntry {
        request: Some(Action::ForceDeletePod(Arc::clone(pod))),
        emptied_node: Some(Arc::clone(node)),
        emptied_after: GC_PERIOD,
        commands: vec![format!(
            "kubectl taint nodes {} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
            named(node)
        )],
        condition: Some(format!("if node {node} is shut down{requirement}")),
        risk: Some(format!(
            "force-deletes every pod on {node}; if the node is still running, data may be corrupted"
        )),
        ..RemedyEntry::default()
    }
}

/// Deleting a node, which removes its pods.
pub(super) fn delete(node: &Arc<str>, pod: &Arc<str>) -> RemedyEntry {
    RemedyEntry {
        request: Some(Action::ForceDeletePod(Arc::clone(pod))),
        emptied_node: Some(Arc::clone(node)),
        emptied_after: GC_QUARANTINE,
        commands: vec![format!("kubectl delete node {}", named(node))],
        condition: Some(format!("if node {node} is gone for good")),
        risk: Some(format!(
            "force-deletes every pod on {node}; if the machine is still running, data may be corrupted"
        )),
        ..RemedyEntry::default()
    }
}

/// Restoring a node, so that its pods terminate or become ready again.
pub(super) fn restore(node: &str) -> RemedyEntry {
    RemedyEntry {
        effect: RemedyEffect::Looks,
        assumed: Some(Assumed::NodesAdded),
        commands: vec![format!("kubectl describe node {}", named(node))],
        condition: Some(format!("once node {node} is back")),
        ..RemedyEntry::default()
    }
}

/// Adding a node in one of these zones.
pub(super) fn add(zones: &[String]) -> RemedyEntry {
    RemedyEntry {
        assumed: Some(Assumed::NodesAdded),
        condition: Some(format!("add a node in {} first", in_zones(zones))),
        ..RemedyEntry::default()
    }
}

pub(super) fn uncordon(node: &str, pod: &Arc<str>) -> RemedyEntry {
    RemedyEntry {
        assumed: Some(Assumed::PodFixed(Arc::clone(pod))),
        commands: vec![format!("kubectl uncordon {}", named(node))],
        condition: Some(format!("if node {node} can take pods again and has room")),
        ..RemedyEntry::default()
    }
}

/// Formats zones: `zone eu-west-1a`, `one of the zones a, b`.
fn in_zones(zones: &[String]) -> String {
    match zones {
        [zone] => format!("zone {zone}"),
        zones => format!("one of the zones {}", zones.join(", ")),
    }
}
