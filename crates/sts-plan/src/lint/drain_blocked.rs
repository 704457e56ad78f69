//! STS049: a PodDisruptionBudget blocks the drain of a cordoned node.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::cause::is_going;
use crate::duration::spell;
use crate::nodes::{Course, Extent, NodeActions};
use crate::plan::{Plan, owns, pods_of};

pub(super) const RULE: Rule = Rule {
    id: RuleId::DrainBlocked,
    name: "drain-blocked",
    title: "a PodDisruptionBudget blocks the drain of a cordoned node",
    why: "A drain cordons a node and evicts its pods. The eviction API refuses evictions that a budget does not allow. \
          kubectl drain retries every 5 seconds forever; cluster upgrades and autoscalers wait too. Often the budget \
          requires all pods of the set, or another pod is not ready.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "To see what the drain is waiting for: kubectl sts-plan -A --drain NODE. Repair pods that are not ready, or let \
             the budget allow one disruption (maxUnavailable: 1). If the set can run without the pod: delete the pod, which \
             no budget prevents. If the node is not being drained: kubectl uncordon NODE.",
    links: &[
        "https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/",
        "https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let asked = !plan.conditions.outage.leaving.is_empty();
    if asked || plan.deletion().is_some() {
        return Vec::new();
    }
    let kind = |node: &str| match plan.related.node(node) {
        Some(node) if node.unschedulable => "cordoned node",
        _ => "node",
    };
    let cordoned = |node: &&Arc<str>| {
        let node = plan.related.node(node);
        node.is_some_and(|node| (node.unschedulable || is_going(node)) && !node.is_down())
    };
    let pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    let nodes: BTreeSet<&Arc<str>> = pods
        .filter_map(|pod| pod.node.as_ref())
        .filter(cordoned)
        .collect();
    if nodes.is_empty() {
        return Vec::new();
    }
    let actions = NodeActions {
        drain: nodes.iter().map(ToString::to_string).collect(),
        ..NodeActions::default()
    };
    let course = Course::of(
        std::slice::from_ref(plan),
        &actions,
        &plan.related,
        Extent::Outcome,
    );
    let answer = course.of_set(0, plan);
    let kept = answer.stranded.iter().map(|stranded| {
        let message = format!(
            "a drain of {} {} hangs on {}: {}",
            kind(&stranded.node),
            stranded.node,
            stranded.pod,
            stranded.message
        );
        Found::on_pod(Severity::Warning, &stranded.pod, message)
    });
    let late = answer
        .evictions
        .iter()
        .filter(|leaving| leaving.refused > 0);
    let late = late.map(|leaving| {
        let message = format!(
            "a drain of {} {} has to wait for a budget; it can evict {} after {}",
            kind(&leaving.node),
            leaving.node,
            leaving.pod,
            spell(SignedDuration::from_secs(leaving.at))
        );
        Found::on_pod(Severity::Info, &leaving.pod, message)
    });
    kept.chain(late).collect()
}
