//! STS048: a majority of the pods runs on one node.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity, list};
use crate::plan::{Plan, owns, pods_of};
use crate::requirement::majority;

pub(super) const RULE: Rule = Rule {
    id: RuleId::MembersTogether,
    name: "members-on-one-node",
    title: "a majority of the pods runs on one node",
    why: "The loss of that node loses the majority, and a drain evicts the members one after the other. By default, the \
          scheduler only prefers to spread the pods of a set, and it never moves a running pod.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Spread the pods with a topologySpreadConstraint over kubernetes.io/hostname and whenUnsatisfiable: \
             DoNotSchedule, or with required anti-affinity. Then move the pods: kubectl cordon NODE, delete one pod, wait \
             until it is ready, and kubectl uncordon NODE.",
    links: &[
        "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let replicas = plan.snapshot.set.replicas;
    // Without another known node, there may be none to spread over.
    if replicas < 2 || plan.related.nodes().nth(1).is_none() || plan.deletion().is_some() {
        return Vec::new();
    }
    let mut by_node: BTreeMap<&Arc<str>, Vec<&str>> = BTreeMap::new();
    let members = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    for pod in members.filter(|pod| !pod.is_terminating()) {
        if let Some(node) = &pod.node {
            by_node.entry(node).or_default().push(&pod.meta.name);
        }
    }
    let replicas = usize::try_from(replicas).unwrap_or(0);
    let needed = usize::try_from(majority(i64::from(plan.snapshot.set.replicas))).unwrap_or(0);
    // Without these pods, the rest is not a majority.
    let takes_quorum = |pods: &usize| replicas.saturating_sub(*pods) < needed;
    let most = by_node.into_iter().max_by_key(|(_, pods)| pods.len());
    let Some((node, pods)) = most.filter(|(_, pods)| pods.len() >= 2 && takes_quorum(&pods.len()))
    else {
        return Vec::new();
    };
    let (severity, message) = match pods.len() >= replicas {
        true => (
            Severity::Warning,
            format!("all members run on node {node}: losing it takes down the set"),
        ),
        false => (
            Severity::Info,
            format!(
                "{} of {replicas} members run on node {node} ({}): losing it loses quorum",
                pods.len(),
                list(pods.iter().copied())
            ),
        ),
    };
    vec![Found::on_set(severity, plan, message)]
}
