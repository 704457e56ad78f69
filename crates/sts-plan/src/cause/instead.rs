//! Causes that other reports on a pod or its node tell, instead of the one that its own report tells.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Facts, Recognized};
use crate::catalogue::{Instead, component, events_of_node, events_of_pod};
use crate::plan::Plan;
use sts_controller::object::{Event, Pod};

/// Maximum time between the end of a process and a single event that explains it.
const TOGETHER: SignedDuration = SignedDuration::from_mins(1);
/// Maximum time between the last of several events and what they explain.
const RECENT: SignedDuration = SignedDuration::from_mins(30);

/// Returns the cause that the pod or its node shows behind a report, or else that of the report.
pub(super) fn instead(plan: &Plan, pod: &Pod, facts: &Facts, found: Recognized) -> Recognized {
    let catalogue = plan.conditions.catalogue;
    let mut others = found.entry.instead.iter();
    let other = others.find_map(|other| {
        let message = shown(plan, pod, facts, other)?;
        let entry = catalogue.of_state(&other.cause)?.entry;
        Some(Recognized { entry, message })
    });
    other.unwrap_or(found)
}

/// Returns the report of the pod or its node that shows another cause; empty for a condition.
fn shown(plan: &Plan, pod: &Pod, facts: &Facts, other: &Instead) -> Option<String> {
    let related = &plan.related;
    let name = pod.node().unwrap_or_default();
    let is_meant = |it: &str| other.shown.iter().any(|shown| shown == it);
    let node = related.node(name);
    if node.is_some_and(|node| node.faults.iter().any(|it| is_meant(it))) {
        return Some(String::new());
    }
    let ended = facts.failure.as_ref().and_then(|it| it.ended_at);
    let shown_at = ended.unwrap_or_else(|| plan.observed().at());
    let longest = match other.times {
        1 if other.words.is_empty() => TOGETHER,
        _ => RECENT,
    };
    let is_near = |at: Timestamp| at.duration_since(shown_at).abs() <= longest;
    let counts = |event: &&Arc<Event>| {
        is_meant(&event.reason) && event.count >= other.times && event.last.is_some_and(is_near)
    };
    let says = |event: &Event| {
        let message = event.message.to_ascii_lowercase();
        let is_said = |group: &Vec<String>| group.iter().all(|word| message.contains(word));
        other.words.iter().any(is_said) && event.last.is_some_and(is_near)
    };
    let of_node = || events_of_node(name, related).filter(|_| !name.is_empty());
    let of_component = events_of_component(plan, name, &other.of_component);
    if let Some(event) = of_node().chain(of_component).find(|event| says(event)) {
        return Some(event.message.to_string());
    }
    let mut events = events_of_pod(pod, related).chain(of_node()).filter(counts);
    events.next().map(|event| event.message.to_string())
}

/// Returns the events of the pods of a component on a node; none without an id of a component.
fn events_of_component<'p>(plan: &'p Plan, node: &str, id: &str) -> Vec<&'p Arc<Event>> {
    let Some(entry) = component(id).filter(|_| !node.is_empty()) else {
        return Vec::new();
    };
    let all = plan.related.all_pods();
    let on_node = all.filter(|it| it.node() == Some(node) && entry.is_of(it, &[]));
    let events = on_node.flat_map(|it| events_of_pod(it, &plan.related));
    events.collect()
}
