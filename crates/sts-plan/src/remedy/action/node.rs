//! Actions on the node of a pod.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;

use super::entry::{Assumed, RemedyEffect, RemedyEntry, Scene};
use crate::command::named;
use crate::down_nodes::{OUT_OF_SERVICE, shut_down};
use crate::duration::spell;
use crate::plan::{VersionSource, pods_of};
use sts_controller::object::Pod;
use sts_controller::simulate::Action;

/// Interval between the checks of pod garbage collection (`gcCheckPeriod` in `pkg/controller/podgc/gc_controller.go`).
pub(crate) const GC_PERIOD: SignedDuration = SignedDuration::from_secs(20);
/// Time for which it waits for a node that is missing (`quarantineTime`).
const GC_QUARANTINE: SignedDuration = SignedDuration::from_secs(40);

/// Tainting a node as out of service, which removes its pods.
pub(super) fn out_of_service(node: &Arc<str>, pod: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    let requirement = match scene.plan.conditions.version_source {
        VersionSource::Default => " (requires Kubernetes 1.26 or newer)",
        _ => "",
    };
    let reported = scene.plan.related.node(node).and_then(|it| shut_down(it));
    let state = match reported {
        Some(_) => "stays shut down",
        None => "is shut down",
    };
    RemedyEntry {
        request: Some(Action::ForceDeletePod(Arc::clone(pod))),
        emptied_node: Some(Arc::clone(node)),
        emptied_after: GC_PERIOD,
        commands: vec![format!(
            "kubectl taint nodes {} {OUT_OF_SERVICE}=nodeshutdown:NoExecute",
            named(node)
        )],
        condition: Some(format!("if node {node} {state}{requirement}")),
        risk: Some(format!(
            "force-deletes every pod on {node}; if the node is still running, data may be corrupted. Remove the taint once the \
             node is back: kubectl taint nodes {} {OUT_OF_SERVICE}-",
            named(node)
        )),
        ..RemedyEntry::default()
    }
}

/// Time for which the attach-detach controller waits for a volume to be unmounted on a node that is not healthy
/// (`maxWaitForUnmountDuration` in `pkg/controller/volume/attachdetach`). The out-of-service taint ends it at once.
pub(crate) const FORCED_DETACH: SignedDuration = SignedDuration::from_mins(6);

/// Returns the wait of the pods of a node for their attached volumes, once they are removed without their kubelet.
pub(super) fn forced_detach(
    node: &str,
    pods: &[&Arc<Pod>],
    scene: Scene<'_>,
) -> BTreeMap<Arc<str>, SignedDuration> {
    let related = &scene.plan.related;
    let is_attached = |pod: &&&Arc<Pod>| {
        pod.claims().any(|claim| {
            let claim = scene.snapshot.claims.get(claim).and_then(|it| it.given());
            let Some(claim) = claim else { return false };
            let volume = claim["spec"]["volumeName"].as_str().unwrap_or_default();
            let modes = claim["spec"]["accessModes"].as_array();
            // Such a volume can be attached to another node as well.
            let is_shared = modes
                .into_iter()
                .flatten()
                .any(|mode| matches!(mode.as_str(), Some("ReadWriteMany" | "ReadOnlyMany")));
            let mut attachments = related.attachments();
            !is_shared
                && attachments
                    .any(|it| it.is_attached && *it.node == *node && *it.volume == *volume)
        })
    };
    let waiting = pods.iter().filter(is_attached);
    waiting
        .map(|pod| (Arc::clone(&pod.meta.name), FORCED_DETACH))
        .collect()
}

/// Describes the wait of pods for their attached volumes; empty if none waits.
pub(super) fn detach_risk(waits: &BTreeMap<Arc<str>, SignedDuration>) -> String {
    match waits.is_empty() {
        true => String::new(),
        false => format!(
            "; attached volumes are detached only after {} (the out-of-service taint detaches them at once)",
            spell(FORCED_DETACH)
        ),
    }
}

/// Deleting a node, which removes its pods.
pub(super) fn delete(node: &Arc<str>, pod: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    let of_node = pods_of(scene.end()).filter(|pod| pod.node.as_ref() == Some(node));
    let detached_after = forced_detach(node, &of_node.collect::<Vec<_>>(), scene);
    RemedyEntry {
        request: Some(Action::ForceDeletePod(Arc::clone(pod))),
        emptied_node: Some(Arc::clone(node)),
        emptied_after: GC_QUARANTINE,
        commands: vec![format!("kubectl delete node {}", named(node))],
        condition: Some(format!("if node {node} is gone for good")),
        risk: Some(format!(
            "force-deletes every pod on {node}; if the machine is still running, data may be corrupted{}",
            detach_risk(&detached_after)
        )),
        detached_after,
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

/// Letting a node accept pods again, for one that waits for it or will be created.
pub(super) fn uncordon(node: &Arc<str>, pod: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    let there = scene.end().pods.get(pod);
    let waits = there.is_none_or(|pod| pod.node.is_none());
    RemedyEntry {
        assumed: waits.then(|| Assumed::PodFixed(Arc::clone(pod))),
        uncordoned: Some(Arc::clone(node)),
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
