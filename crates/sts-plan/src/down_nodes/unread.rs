//! Nodes of pods that the input does not have, by what it reports of them.

use std::sync::Arc;

use jiff::Timestamp;

use super::is_gone;
use crate::catalogue::{events_of_node, events_of_pod};
use crate::conditions::Conditions;
use sts_controller::object::{Event, Pod};

/// Status reason of a pod whose node does not respond.
const NODE_LOST: &str = "NodeLost";
/// Reason of condition `DisruptionTarget` if a node's taints cause it.
const BY_TAINTS: &str = "DeletionByTaintManager";
/// Event of the node controller on each pod of a node that is not ready.
const NOT_READY: &str = "NodeNotReady";
/// Events of a node whose kubelet responds.
const RESPONDS: [&str; 3] = ["NodeReady", "Starting", "Rebooted"];
/// Events of controllers and the scheduler on a pod, which tell nothing of the kubelet of its node.
const NOT_OF_KUBELET: [&str; 9] = [
    NOT_READY,
    "TaintManagerEviction",
    "FailedAttachVolume",
    "SuccessfulAttachVolume",
    "FailedScheduling",
    "Scheduled",
    "Evicted",
    "Preempted",
    "NotTriggerScaleUp",
];

/// Reports whether the node of a pod is not in the input, which does not show that it is gone.
pub(crate) fn is_unread(pod: &Pod, conditions: &Conditions) -> bool {
    let node = pod.node().map(|name| conditions.related.node(name));
    node.is_some_and(|node| node.is_none()) && !is_gone(pod, conditions)
}

/// Reports whether the status of a pod, its events or those of its node report that its node does not respond, and no later
/// event is of its kubelet.
pub(crate) fn is_reported_down(pod: &Pod, conditions: &Conditions) -> bool {
    if !is_unread(pod, conditions) || pod.is_running_and_ready() && !pod.is_terminating() {
        return false;
    }
    let related = &conditions.related;
    let of_pod = || events_of_pod(pod, related);
    let of_node = || events_of_node(pod.node().unwrap_or_default(), related);
    let is_not_ready = |event: &&Arc<Event>| &*event.reason == NOT_READY;
    let silent = last(of_pod().filter(is_not_ready)).max(last(of_node().filter(is_not_ready)));
    let of_kubelet = of_pod().filter(|event| !NOT_OF_KUBELET.contains(&&*event.reason));
    let responds = of_node().filter(|event| RESPONDS.contains(&&*event.reason));
    let responded = last(of_kubelet).max(last(responds));
    let is_tainted = || {
        let target = pod.condition("DisruptionTarget");
        target.is_some_and(|it| it.status == "True" && it.reason == BY_TAINTS)
    };
    match silent {
        Some(silent) => responded.is_none_or(|responded| responded < silent),
        None => pod.status_reason().0 == NODE_LOST || responded.is_none() && is_tainted(),
    }
}

/// Returns the time of the last of some events.
fn last<'e>(events: impl Iterator<Item = &'e Arc<Event>>) -> Option<Timestamp> {
    events.filter_map(|event| event.last).max()
}
