//! Evidence from the objects around a set: nodes and events.

use jiff::Timestamp;

use super::evidence::{age, with_message};
use sts_controller::object::{Event, Pod, RelatedObjects};

/// Returns evidence about the node of a pod that is terminating or not ready.
pub(super) fn node_facts(pod: &Pod, related: &RelatedObjects, now: Timestamp) -> Vec<String> {
    let Some(name) = pod
        .node()
        .filter(|_| pod.is_terminating() || !pod.is_ready())
    else {
        return Vec::new();
    };
    let Some(node) = related.node(name) else {
        return match related.has_nodes() {
            true => vec![format!("node {name} no longer exists")],
            false => vec![format!("scheduled on node {name}")],
        };
    };
    let mut facts = Vec::new();
    match &node.ready {
        Some(ready) if node.is_down() => {
            let since = ready.since.filter(|since| *since <= now);
            let since = since.map(|since| format!(" for {}", age(now, since)));
            let why = with_message(&ready.reason, &ready.message);
            facts.push(format!(
                "node {name} is not ready{}: {why}",
                since.unwrap_or_default()
            ));
        }
        Some(_) => facts.push(format!("node {name} is ready")),
        None => facts.push(format!("node {name} has no Ready condition")),
    }
    if node.is_out_of_service() {
        facts.push(format!("node {name} has the out-of-service taint"));
    }
    facts
}

/// Returns the latest warning event of an object.
pub(super) fn event_facts(
    related: &RelatedObjects,
    namespace: &str,
    kind: &str,
    name: &str,
    uid: &str,
    now: Timestamp,
) -> Option<String> {
    let events = related.events(namespace, kind, name).iter();
    let own = events.filter(|event| event.is_about(uid));
    let warnings = own.filter(|event| event.is_warning);
    warnings
        .max_by_key(|event| event.last)
        .map(|last| event_line(last, now))
}

/// Formats an event as one line: `event FailedCreate (12 times, 2m0s ago): exceeded quota`.
#[must_use]
pub fn event_line(event: &Event, now: Timestamp) -> String {
    let when = match event.last.filter(|at| *at <= now) {
        Some(at) => format!(", {} ago", age(now, at)),
        None => String::new(),
    };
    let often = match event.count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    let (reason, message) = (&event.reason, &event.message);
    format!("event {reason} ({often}{when}): {message}")
}
