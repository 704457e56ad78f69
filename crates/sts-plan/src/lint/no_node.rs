//! STS037: a pod cannot be scheduled, even on empty nodes.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::Foreseen;
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NoNode,
    name: "no-node-fits",
    title: "a pod cannot be scheduled: selector, affinity, taints, requests, or no node is ready",
    why: "The pod stays Pending, and an ordered rollout is stuck with one pod missing. Other pods on the nodes are not \
          counted: even if all nodes in the input were empty, none would fit the pod.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Fix nodeSelector, affinity, tolerations or requests in the template before the rollout begins. Or label, \
             untaint, uncordon or add a node. If an autoscaler will add the node, plan with --assume POD=recovers.",
    links: &["https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    // STS025 reports cases of the volume alone. If nodes are full, the template is not at fault.
    foreseen::found(
        plan,
        |found| matches!(found, Foreseen::NoNode(nodes) if !nodes.is_for_volume_alone() && !nodes.is_for_room()),
    )
}
