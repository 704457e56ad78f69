//! STS024: a pod is terminating on a node that does not answer.

use jiff::SignedDuration;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::duration::span;
use crate::plan::{Plan, pods_of};

pub(super) const RULE: Rule = Rule {
    id: RuleId::DeadNode,
    name: "terminating-on-dead-node",
    title: "a pod is terminating on a node that does not answer or is gone",
    why: "A pod is gone when its kubelet says so. A node that is down says nothing, and the set waits: it never \
          creates a second pod of a name that may still be running, since both could write to one volume.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "In this order:\n  1. bring the node back, if possible; its kubelet ends the pod.\n  2. the node is \
             shut down for good: kubectl taint node NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute \
             (1.26 and later): pods and volumes are detached.\n  3. the node will not come back: kubectl delete node \
             NODE.\n  4. only when nothing of the pod can still be running: kubectl delete pod POD --grace-period=0 \
             --force. If it still runs, two pods of one name write to the same data.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/72226",
        "https://github.com/kubernetes/kubernetes/issues/54368",
        "https://github.com/kubernetes/kubernetes/issues/74689",
        "https://kubernetes.io/docs/tasks/run-application/force-delete-stateful-set-pod/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let now = plan.conditions.now;
    let around = &plan.related;
    let mut found = Vec::new();
    for pod in pods_of(&plan.snapshot).filter(|pod| pod.is_terminating()) {
        let name = &pod.meta.name;
        let node_name = pod.node();
        let late = pod.meta.deleted.map(|at| now.duration_since(at));
        let late = late.filter(|late| *late > SignedDuration::ZERO);
        let since = match late {
            Some(late) => format!("{name} should have been gone {} ago", span(late)),
            None => format!("{name} is terminating"),
        };
        let message = match (node_name, node_name.and_then(|node| around.node(node))) {
            (Some(node), None) if around.has_nodes() => {
                format!("{since}, and its node {node} is not among the nodes given")
            }
            (Some(node), Some(known)) if known.is_down() => {
                let status = known.ready.as_ref();
                let reason = status.map_or("", |ready| &ready.reason);
                let taint = if known.is_out_of_service() {
                    ", is marked out of service"
                } else {
                    ""
                };
                format!("{since}, and its node {node} is not ready{taint} ({reason})")
            }
            (Some(node), Some(_)) if late.is_some() => {
                let why = match pod.finalizers().as_slice() {
                    [] => "a process does not end".to_owned(),
                    names => format!("finalizers keep it: {}", names.join(", ")),
                };
                format!("{since} though its node {node} is ready: {why}")
            }
            _ => continue,
        };
        found.push(Found::on_pod(Severity::Warning, name, message));
    }
    found
}
