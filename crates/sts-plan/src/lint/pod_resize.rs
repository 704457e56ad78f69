//! STS052: the resize of a running pod is pending.

use std::sync::Arc;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Plan, owns, pods_of};
use sts_controller::object::Pod;

pub(super) const RULE: Rule = Rule {
    id: RuleId::PodResize,
    name: "pod-resize",
    title: "the resize of a running pod is deferred, infeasible or fails",
    why: "The resources of a running pod can be changed in place, through its subresource resize. If its node has no room, \
          the kubelet defers the change, and makes it once there is room. If the node can never have the room, the change \
          is infeasible. The pod runs on with its old resources; the StatefulSet controller does not wait for it, and a \
          recreated pod has the resources of the template.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Deferred: nothing is urgent; make room on the node, or let the pod move to another node when it is recreated. \
             Infeasible: request less, or change the template, so that the pod is recreated on a larger node.",
    links: &[
        "https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    pods.filter_map(found).collect()
}

fn found(pod: &Arc<Pod>) -> Option<Found> {
    let on = |kind: &str| pod.condition(kind).filter(|it| it.status == "True");
    let name = &pod.meta.name;
    let (severity, state, condition) = match (on("PodResizePending"), on("PodResizeInProgress")) {
        (Some(pending), _) if pending.reason == "Infeasible" => {
            (Severity::Warning, "is infeasible", pending)
        }
        (Some(pending), _) => (Severity::Info, "is deferred", pending),
        (None, Some(running)) if running.reason == "Error" => (Severity::Warning, "fails", running),
        _ => return None,
    };
    let why = match condition.message.as_str() {
        "" => String::new(),
        message => format!(": {message}"),
    };
    let message = format!("the resize of {name} {state}{why}; it runs on with its old resources");
    Some(Found::on_pod(severity, name, message))
}
