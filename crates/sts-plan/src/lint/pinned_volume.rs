//! STS025: no node that can attach a pod's volume is available.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::cause::nodes_without_key;
use crate::plan::Plan;
use sts_controller::controller::{claim_of_pod, pod_name};
use sts_controller::object::Node;

pub(super) const RULE: Rule = Rule {
    id: RuleId::PinnedVolume,
    name: "pinned-volume",
    title: "a pod's volume can only be used on nodes that are missing, not ready or cordoned",
    why: "A zonal or local volume ties its pod to that zone or node. If no node there can run the recreated pod, it stays \
          Pending, and an ordered rollout is stuck.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Add or uncordon a node in the volume's zone before the pod is deleted. To move the data, restore a snapshot of \
             the volume in another zone and bind it to a claim of the same name.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/97386",
        "https://github.com/kubernetes/kubernetes/issues/49906",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let around = &plan.related;
    if !around.has_nodes() {
        return Vec::new();
    }
    let set = &plan.snapshot.set;
    let end = plan.predicted().objects();
    let mut found = Vec::new();
    for ordinal in plan.conditions.behaviour.ordinals(set) {
        let pod = pod_name(set, ordinal);
        let before = plan.snapshot.pods.get(pod.as_str());
        let after = end.pods.get(pod.as_str());
        // A scheduled pod that is not replaced needs no other node.
        let stays = before
            .zip(after)
            .is_some_and(|(before, after)| before.meta.uid == after.meta.uid);
        if stays && before.is_some_and(|before| before.scheduled) {
            continue;
        }
        for template in set.claim_templates.iter() {
            let claim_name = claim_of_pod(&template.name, &pod);
            let claim = plan.snapshot.claims.get(claim_name.as_str());
            let Some(volume) = claim.and_then(|claim| plan.volume_of(claim)) else {
                continue;
            };
            let usable =
                |node: &Node| volume.admits(node) && !node.is_down() && !node.unschedulable;
            if around.nodes().any(|node| usable(node)) {
                continue;
            }
            let zones = volume.zones();
            let hosts = volume.hosts();
            let (place, without_nodes) = match (hosts.len(), zones.is_empty()) {
                (1, _) => (format!("node {}", list(hosts)), "which does not exist"),
                (2.., true) => (
                    format!("one of the nodes {}", list(hosts)),
                    "none of which exists",
                ),
                (_, true) => (
                    "the nodes of its node affinity".to_owned(),
                    "which has no node",
                ),
                (_, false) => (format!("zone {}", list(zones)), "which has no node"),
            };
            let keyless = nodes_without_key(plan, volume).map(|(key, nodes)| {
                let names = nodes.iter().map(|node| &*node.meta.name);
                format!(
                    "whose nodes lack the label {key} that the volume asks for ({})",
                    list(names)
                )
            });
            let there = around.nodes().filter(|node| volume.admits(node));
            let there: Vec<&str> = there.map(|node| &*node.meta.name).collect();
            let nodes = if there.is_empty() {
                keyless.unwrap_or_else(|| without_nodes.to_owned())
            } else {
                format!(
                    "which has no available node ({} not ready or cordoned)",
                    list(there)
                )
            };
            let message = format!(
                "{pod} can only run in {place}, {nodes}: its volume {} ({claim_name}) is there",
                volume.meta.name
            );
            found.push(Found::on_pod(Severity::Warning, &pod, message));
        }
    }
    found
}
