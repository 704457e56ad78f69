//! STS025: the volume of a pod is where no node can take the pod.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;
use sts_controller::object::Node;

pub(super) const RULE: Rule = Rule {
    id: RuleId::PinnedVolume,
    name: "pinned-volume",
    title: "a pod's volume can only be used on nodes that are missing, not ready or cordoned",
    why: "A volume in a zone, or on a node's own disk, ties its pod to that place. If no node there takes the \
          recreated pod, it stays Pending, and an ordered rollout stops there.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Add or uncordon a node in the volume's zone before the pod goes. To move the data, restore a snapshot of the \
             volume in another zone and bind it to a claim of the same name.",
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
    let end = plan.progression.world.snapshot();
    let mut found = Vec::new();
    for ordinal in plan.conditions.behaviour.ordinals(set) {
        let pod = format!("{}-{ordinal}", set.meta.name);
        let before = plan.snapshot.pods.get(pod.as_str());
        let after = end.pods.get(pod.as_str());
        // One that stays where it is needs no node, unless it never had one.
        let stays = before
            .zip(after)
            .is_some_and(|(before, after)| before.meta.uid == after.meta.uid);
        if stays && before.is_some_and(|before| before.scheduled) {
            continue;
        }
        for template in set.claim_templates.iter() {
            let claim_name = format!("{}-{pod}", template.name);
            let claim = plan.snapshot.claims.get(claim_name.as_str());
            let given = claim.and_then(|claim| claim.given());
            let name = given
                .as_ref()
                .and_then(|given| given["spec"]["volumeName"].as_str());
            let Some(volume) = name.and_then(|name| around.volume(name)) else {
                continue;
            };
            let usable =
                |node: &Node| volume.admits(node) && !node.is_down() && !node.unschedulable;
            if around.nodes().any(|node| usable(node)) {
                continue;
            }
            let zones = volume.zones();
            let place = if zones.is_empty() {
                "the nodes that its node affinity names".to_owned()
            } else {
                format!("zone {}", list(zones))
            };
            let there = around.nodes().filter(|node| volume.admits(node));
            let there: Vec<&str> = there.map(|node| &*node.meta.name).collect();
            let nodes = if there.is_empty() {
                "where no node is".to_owned()
            } else {
                format!(
                    "where no node accepts pods ({} not ready or cordoned)",
                    list(there)
                )
            };
            let message = format!(
                "{pod} can only run in {place}, {nodes}: volume {} of {claim_name} is there",
                volume.meta.name
            );
            found.push(Found::on_pod(Severity::Warning, &pod, message));
        }
    }
    found
}
