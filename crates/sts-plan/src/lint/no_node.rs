//! STS037: a pod cannot be scheduled, whatever else runs there.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::Foreseen;
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NoNode,
    name: "no-node-fits",
    title: "a pod cannot be scheduled: selector, affinity, taints, requests, or no node is ready",
    why: "The scheduler leaves the pod Pending, and an ordered rollout stops there with one pod fewer. What other pods \
          use of the nodes is not counted: even if all nodes were empty, none in the input would take the pod.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Fix nodeSelector, affinity, tolerations or requests in the template before the rollout begins; or label, \
             untaint, uncordon or add a node. Where an autoscaler will add the node, plan with --assume POD=recovers.",
    links: &["https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    // STS025 tells of the cases that the volume alone decides; where nodes are full, it is not the template that is wrong.
    foreseen::found(
        plan,
        |found| matches!(found, Foreseen::NoNode(nodes) if !nodes.is_for_volume_alone() && !nodes.is_for_room()),
    )
}
