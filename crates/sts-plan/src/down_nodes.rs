//! Pods on nodes that are not ready: what the node lifecycle controller does with them. docs/semantics.md, "Lost nodes".

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::conditions::Conditions;
use crate::members::{owns, pods_of};
use sts_controller::object::{Node, Pod, Snapshot};
use sts_controller::simulate::{Action, Fault, ScheduledAction};

/// The taint of a node whose kubelet does not respond.
pub(crate) const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// The taint of a node that reports that it is not ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// Returns the events of a set's pods on nodes that are down in the input: each is not ready from now on, and is deleted
/// when its toleration ends. An assumption about a pod takes precedence, and nodes of an outage have their own events.
pub(crate) fn agenda(snapshot: &Snapshot, conditions: &Conditions) -> Vec<ScheduledAction> {
    let now = conditions.now;
    let mut agenda = collected(snapshot, conditions);
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod) && !pod.is_terminating());
    for pod in pods {
        let Some(node) = node_down(pod, conditions) else {
            continue;
        };
        let name = &pod.meta.name;
        if pod.is_ready() && is_unmarked(node, now) {
            agenda.push(ScheduledAction {
                at: now,
                action: Action::LosePod(Arc::clone(name)),
            });
        }
        let taint = match node.is_lost() {
            true => UNREACHABLE,
            false => NOT_READY,
        };
        let since = node.ready.as_ref().and_then(|ready| ready.since);
        let due = since
            .zip(tolerated(pod, taint))
            .and_then(|(since, time)| since.checked_add(time).ok());
        // A deletion that is overdue was stopped by something that the input does not show.
        agenda.extend(due.filter(|at| *at >= now).map(|at| ScheduledAction {
            at,
            action: Action::TaintEvictPod(Arc::clone(name)),
        }));
    }
    agenda
}

/// Interval between the checks of pod garbage collection.
const GC_PERIOD: SignedDuration = SignedDuration::from_secs(20);
/// The taint of a node that is shut down for good.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// Returns the removals of pods by pod garbage collection. The taint deletes the other pods of the node, and the next check
/// removes them.
fn collected(snapshot: &Snapshot, conditions: &Conditions) -> Vec<ScheduledAction> {
    let now = conditions.now;
    let mut agenda = Vec::new();
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    for pod in pods.filter(|pod| is_out_of_service(pod, conditions)) {
        let name = &pod.meta.name;
        if !pod.is_terminating() {
            if tolerated(pod, OUT_OF_SERVICE) != Some(SignedDuration::ZERO) {
                continue;
            }
            agenda.push(ScheduledAction {
                at: now,
                action: Action::TaintEvictPod(Arc::clone(name)),
            });
        }
        agenda.extend(now.checked_add(GC_PERIOD).ok().map(|at| ScheduledAction {
            at,
            action: Action::Fault(Fault::Vanishes, Arc::clone(name)),
        }));
    }
    agenda
}

/// Reports whether pod garbage collection removes a pod once it is terminating: its node is down and has the out-of-service
/// taint. Upstream: `gcTerminating` in `pkg/controller/podgc/gc_controller.go`.
pub(crate) fn is_out_of_service(pod: &Pod, conditions: &Conditions) -> bool {
    let version = conditions.behaviour.version;
    node_down(pod, conditions)
        .is_some_and(|node| node.is_out_of_service() && version.honours_out_of_service())
}

/// Time in which the node lifecycle controller marks the pods of a node that is down as not ready.
const MARKED_WITHIN: SignedDuration = SignedDuration::from_mins(1);

/// Reports whether a node went down so recently that its pods may still have the status of before. Later on, their own
/// status counts.
pub(crate) fn is_unmarked(node: &Node, now: Timestamp) -> bool {
    let since = node.ready.as_ref().and_then(|ready| ready.since);
    since.is_none_or(|since| now.duration_since(since) < MARKED_WITHIN)
}

/// Returns the node of a pod if it is down in the input, unless an assumption is about the pod or the node.
pub(crate) fn node_down<'c>(pod: &Pod, conditions: &'c Conditions) -> Option<&'c Arc<Node>> {
    let name = pod.node.as_ref().filter(|_| !pod.phase.has_ended())?;
    if conditions.outage.lost.contains(name) || conditions.assumptions.contains_key(&*pod.meta.name)
    {
        return None;
    }
    conditions.related.node(name).filter(|node| node.is_down())
}

/// Returns the time for which a pod tolerates a taint of its node; `None` for forever. Without a toleration the time is
/// zero, but admission adds a toleration of five minutes (`DefaultTolerationSeconds`): upstream
/// `plugin/pkg/admission/defaulttolerationseconds/admission.go` and `getMinTolerationTime` in
/// `pkg/controller/tainteviction/taint_eviction.go`.
pub(crate) fn tolerated(pod: &Pod, taint: &str) -> Option<SignedDuration> {
    const USUAL: SignedDuration = SignedDuration::from_secs(300);
    let object = pod.given()?;
    let Some(tolerations) = object["spec"]["tolerations"].as_array() else {
        return Some(USUAL);
    };
    let matching = tolerations.iter().filter(|toleration| {
        let text = |name: &str| toleration[name].as_str().unwrap_or_default();
        let has_key = match (text("key"), text("operator")) {
            ("", "Exists") => true,
            (key, "Exists") => key == taint,
            (key, "" | "Equal") => key == taint && text("value").is_empty(),
            _ => false,
        };
        has_key && matches!(text("effect"), "" | "NoExecute")
    });
    let mut least: Option<Option<SignedDuration>> = None;
    for toleration in matching {
        let seconds = toleration["tolerationSeconds"].as_i64();
        let time = seconds.map(|seconds| SignedDuration::from_secs(seconds.max(0)));
        least = Some(match (least.flatten(), time) {
            (Some(least), Some(time)) => Some(least.min(time)),
            (least, time) => least.or(time),
        });
    }
    match least {
        Some(time) => time,
        None => Some(SignedDuration::ZERO),
    }
}
