//! Recognition of why a pod is not scheduled, by the words of the scheduler and the state of the nodes and volumes.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::neighbors::{apart, other_nodes};
use super::volume::{has_just_joined, is_going};
use super::{CauseEntry, CauseTrait, Rank};
use crate::catalogue::{
    Place, Recognized, Situation, about_nodes, has_taint, names_taint, with_report,
};
use crate::down_nodes::UNREACHABLE;
use crate::foresight::{NodeMismatch, excluded};
use crate::plan::Plan;
use sts_controller::object::{Event, Node, Pod, Taint};

/// Recognizes why a pod is not scheduled.
pub(super) fn scheduling(plan: &Plan, pod: &Pod, message: &str) -> Option<Recognized> {
    let now = plan.conditions.now;
    let catalogue = plan.conditions.catalogue;
    let found = catalogue.placing(
        pod,
        &plan.related,
        now,
        message,
        plan.has_node_for_volumes(pod),
    )?;
    Some(by_state(plan, pod, &found).unwrap_or(found))
}

/// Returns the cause that the nodes and volumes show behind the words of a scheduler: it names neither the state of a
/// node nor the node that a volume is local to.
fn by_state(plan: &Plan, pod: &Pod, found: &Recognized) -> Option<Recognized> {
    let catalogue = plan.conditions.catalogue;
    let known = |situation: Situation, message: String| {
        let entry = catalogue.of_situation(situation)?;
        Some(Recognized { entry, message })
    };
    if let Some((situation, message)) = old_taint(plan, pod, found) {
        return known(situation, message);
    }
    match found.entry.situation {
        Some(Situation::NodesCordoned | Situation::NodesLeaving) => {
            let reaches = plan.reaches(pod);
            let fits = |node: &&Arc<Node>| reaches.iter().all(|reach| reach.admits(node));
            let fitting = plan.related.nodes().filter(fits);
            let (going, others): (Vec<_>, Vec<_>) = fitting.partition(|node| is_going(node));
            let is_left = others.iter().any(|node| node.unschedulable);
            if going.is_empty() || is_left {
                return None;
            }
            let message = format!("being removed: {}", names(&going));
            known(Situation::NodesLeaving, message)
        }
        Some(Situation::VolumeElsewhere) => {
            if apart(plan, pod).is_some() {
                return known(Situation::VolumesApart, found.message.clone());
            }
            let (_, node) = plan.local_claims(pod).next()?;
            known(Situation::VolumeNodeGone, format!("local to node {node}"))
        }
        Some(Situation::RoomLacking) => {
            let situation = without_room(plan, pod, found.entry)?;
            known(situation, found.message.clone())
        }
        _ if found.entry.has(CauseTrait::WordsAreTaints) => {
            let (situation, message) = by_taints(plan, pod, found.entry)?;
            known(situation, message)
        }
        _ if found.entry.has(CauseTrait::ExcludesNode)
            && !found.entry.has(CauseTrait::NamesNoTaint) =>
        {
            only_tainted(plan, pod)
        }
        _ => None,
    }
}

/// Returns the taint that keeps a pod off a node which it selects, although the scheduler names as many nodes that it does not
/// select. The scheduler looks at the taints of a node first.
fn only_tainted(plan: &Plan, pod: &Pod) -> Option<Recognized> {
    let trouble = pod.trouble.as_ref()?;
    if !about_nodes(&trouble.message).contains(" taint") {
        return None;
    }
    let nodes = excluded(pod, Some(&plan.snapshot), &plan.conditions)?;
    let (selected, others): (Vec<_>, Vec<_>) = nodes
        .iter()
        .partition(|it| !it.reasons.contains(&NodeMismatch::Selector));
    let taint = selected.iter().map(|it| match it.reasons.as_slice() {
        [NodeMismatch::Taint(taint)] => Some(taint),
        _ => None,
    });
    // A selected node that is ruled out for another reason is not for want of a toleration.
    let taint = taint.collect::<Option<Vec<_>>>()?.into_iter().next()?;
    if others.is_empty() {
        return None;
    }
    let reason = format!("untolerated taint {{{taint}}}");
    let catalogue = plan.conditions.catalogue;
    let found = catalogue.classify(Place::Scheduler, "Unschedulable", &reason)?;
    let message = trouble.message.clone();
    Some(Recognized { message, ..found })
}

/// Returns the situation of a pod that lacks room, if more nodes like those that there are do not help.
fn without_room(plan: &Plan, pod: &Pod, entry: &CauseEntry) -> Option<Situation> {
    if let Some((_, node)) = plan.local_claims(pod).next() {
        let is_open = |node: &&Arc<Node>| !node.unschedulable && !node.is_down();
        plan.related.node(&node).filter(is_open)?;
        return Some(Situation::LocalNodeFull);
    }
    let message = &pod.trouble.as_ref()?.message;
    let nodes = other_nodes(plan, pod, message, entry);
    let is_too_large = !nodes.too_large.is_empty() && nodes.away.is_empty();
    is_too_large.then_some(Situation::RequestTooLarge)
}

/// Lists the names of nodes.
fn names(nodes: &[&Arc<Node>]) -> String {
    let names = nodes.iter().map(|node| node.meta.name.to_string());
    names.collect::<Vec<String>>().join(", ")
}

/// Returns the situation behind a taint that the words of a cause name: its node has just joined, or is well again.
fn by_taints(plan: &Plan, pod: &Pod, entry: &CauseEntry) -> Option<(Situation, String)> {
    let named = |taint: &&Taint| names_taint(entry, taint);
    let nodes = plan.related.nodes();
    let nodes: Vec<&Arc<Node>> = nodes.filter(|it| has_taint(it, entry)).collect();
    let reaches = plan.reaches(pod);
    let joins = |node: &&&Arc<Node>| {
        has_just_joined(node, plan) && reaches.iter().all(|reach| reach.admits(node))
    };
    if let Some(node) = nodes.iter().find(joins) {
        let message = format!("taint on {}", with_report(node));
        return Some((Situation::NodeJoining, message));
    }
    let are_left = |node: &&Arc<Node>| {
        let mut taints = node.taints.iter().filter(named);
        taints.all(|taint| is_left(node, taint, plan.conditions.now))
    };
    if nodes.is_empty() || !nodes.iter().all(are_left) {
        return None;
    }
    let mut keys = nodes
        .iter()
        .flat_map(|node| node.taints.iter().filter(named));
    let key = &keys.next()?.key;
    let message = format!("taint {key} left on {}", names(&nodes));
    Some((Situation::TaintLeft, message))
}

/// Taint of a node that the cluster autoscaler removes. Its value is the time in seconds.
const TO_BE_DELETED: &str = "ToBeDeletedByClusterAutoscaler";

/// Time within which the cluster autoscaler removes a node that it has marked.
const REMOVED: SignedDuration = SignedDuration::from_hours(1);

/// Returns the situation of a node that only a taint keeps from the pod, and that ran it before or should be gone: other
/// nodes never fitted, or are full, so that this taint is what changed.
fn old_taint(plan: &Plan, pod: &Pod, found: &Recognized) -> Option<(Situation, String)> {
    let is_other_cause = found.entry.situation == Some(Situation::NodesCordoned)
        || found.entry.rank == Rank::Decisive;
    let trouble = pod.trouble.as_ref()?;
    let groups = about_nodes(&trouble.message);
    if is_other_cause || !groups.contains("nodes are available: ") || !groups.contains(" taint") {
        return None;
    }
    // Since Kubernetes 1.36 the scheduler no longer names the taint.
    let is_meant = |taint: &Taint| {
        let is_named = groups.contains("taint {") || groups.contains("taints {");
        !is_named || groups.contains(&*taint.key)
    };
    let reaches = plan.reaches(pod);
    let fits = |node: &&Arc<Node>| reaches.iter().all(|reach| reach.admits(node));
    let now = plan.conditions.now;
    let is_late = |taint: &Taint| {
        let seconds = taint.value.parse().ok();
        let marked = seconds.and_then(|it| Timestamp::from_second(it).ok());
        marked.is_some_and(|marked| now.duration_since(marked) > REMOVED)
    };
    let meta = &pod.meta;
    let mut events = plan
        .related
        .events(&meta.namespace, "Pod", &meta.name)
        .iter();
    let evicted = events.rfind(|event| {
        &*event.reason == "TaintManagerEviction" && event.message.starts_with("Marking")
    });
    let evicts = |taint: &Taint| {
        let is_before = |event: &Arc<Event>| taint.added > event.last;
        &*taint.effect == "NoExecute" && evicted.is_some_and(|event| !is_before(event))
    };
    let mut nodes = plan.related.nodes().filter(fits).filter(|it| !it.is_down());
    nodes.find_map(|node| {
        let [taint] = node.taints.as_slice() else {
            return None;
        };
        let is_system = taint.key.contains("kubernetes.io/") || is_going(node);
        let situation = match &*taint.key {
            TO_BE_DELETED if is_late(taint) => Situation::ScaleDownLeft,
            _ if evicts(taint) && !is_system => Situation::TaintSet,
            _ => return None,
        };
        let message = format!("taint {} on node {}", taint.key, node.meta.name);
        is_meant(taint).then_some((situation, message))
    })
}

/// The taints of the node lifecycle controller, each with the condition of the node that it stands for.
const TAINTS_OF_CONDITIONS: [(&str, &str); 6] = [
    ("node.kubernetes.io/memory-pressure", "MemoryPressure"),
    ("node.kubernetes.io/disk-pressure", "DiskPressure"),
    ("node.kubernetes.io/pid-pressure", "PIDPressure"),
    (
        "node.kubernetes.io/network-unavailable",
        "NetworkUnavailable",
    ),
    ("node.kubernetes.io/not-ready", "Ready"),
    (UNREACHABLE, "Ready"),
];

/// Time within which the node lifecycle controller removes a taint.
const UNTAINTED: SignedDuration = SignedDuration::from_mins(2);

/// Reports whether a taint has outlived the condition of its node.
fn is_left(node: &Node, taint: &Taint, now: Timestamp) -> bool {
    let mut known = TAINTS_OF_CONDITIONS.iter();
    let Some((_, condition)) = known.find(|(key, _)| *key == &*taint.key) else {
        return false;
    };
    let is_over = match *condition {
        "Ready" => node
            .ready
            .as_ref()
            .is_some_and(|ready| &*ready.status == "True"),
        condition => node.settled.iter().any(|it| &**it == condition),
    };
    let began = node.ready.as_ref().and_then(|ready| ready.since);
    let since = taint.added.into_iter().chain(began).max();
    is_over && since.is_none_or(|since| now.duration_since(since) > UNTAINTED)
}
