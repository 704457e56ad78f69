//! STS024: a pod is terminating on a node that is not responding.

use jiff::SignedDuration;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::duration::span;
use crate::plan::{Plan, pods_of};

pub(super) const RULE: Rule = Rule {
    id: RuleId::DeadNode,
    name: "terminating-on-dead-node",
    title: "a pod is terminating on a node that is not responding or is gone",
    why: "A terminating pod is removed when its kubelet confirms that it has stopped. A node that is down confirms nothing, \
          so the set waits. It never creates a second pod of a name that may still be running, because both could write \
          to one volume.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "In this order:\n  1. If the node can be restored: restore it; its kubelet terminates the pod.\n  2. If the \
             node is shut down for good: kubectl taint node NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute \
             (1.26 and later), which removes its pods and detaches their volumes.\n  3. If the node is gone for good: \
             kubectl delete node NODE.\n  4. If no container of the pod can still be running: kubectl delete pod POD \
             --grace-period=0 --force. If one is, two pods of that name write to the same data.",
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
            Some(late) => format!("{name} should have terminated {} ago", span(late)),
            None => format!("{name} is terminating"),
        };
        let message = match (node_name, node_name.and_then(|node| around.node(node))) {
            (Some(node), None) if around.has_nodes() => {
                format!("{since}, but its node {node} is not in the input")
            }
            (Some(node), Some(known)) if known.is_down() => {
                let status = known.ready.as_ref();
                let reason = status.map_or("", |ready| &ready.reason);
                let taint = if known.is_out_of_service() {
                    ", has the out-of-service taint"
                } else {
                    ""
                };
                format!("{since}, but its node {node} is not ready{taint} ({reason})")
            }
            (Some(node), Some(_)) if late.is_some() => {
                let why = match pod.finalizers().as_slice() {
                    [] => "a process does not exit".to_owned(),
                    names => format!("held by finalizers {}", names.join(", ")),
                };
                format!("{since} although its node {node} is ready: {why}")
            }
            _ => continue,
        };
        found.push(Found::on_pod(Severity::Warning, name, message));
    }
    found
}
