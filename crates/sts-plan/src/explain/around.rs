//! The facts behind a hold that stand around the set: nodes, and what was said in events.

use jiff::Timestamp;

use super::evidence::{age, with_message};
use sts_controller::object::{Event, Pod, RelatedObjects};

/// Tells the facts about the node that a pod is on, where they explain anything.
pub(super) fn node_facts(pod: &Pod, related: &RelatedObjects, now: Timestamp) -> Vec<String> {
    let Some(name) = pod
        .node()
        .filter(|_| pod.is_terminating() || !pod.is_ready())
    else {
        return Vec::new();
    };
    let Some(node) = related.node(name) else {
        return match related.has_nodes() {
            true => vec![format!("its node {name} no longer exists")],
            false => vec![format!("it is on node {name}")],
        };
    };
    let mut facts = Vec::new();
    match &node.ready {
        Some(ready) if node.is_down() => {
            let since = ready.since.filter(|since| *since <= now);
            let since = since.map(|since| format!(" for {}", age(now, since)));
            let why = with_message(&ready.reason, &ready.message);
            facts.push(format!(
                "its node {name} is not ready{}: {why}",
                since.unwrap_or_default()
            ));
        }
        Some(_) => facts.push(format!("its node {name} is ready")),
        None => facts.push(format!("its node {name} has no condition Ready")),
    }
    if node.is_out_of_service() {
        facts.push(format!("node {name} is marked as out of service"));
    }
    facts
}

/// The latest warning on an object.
pub(super) fn event_facts(
    related: &RelatedObjects,
    namespace: &str,
    kind: &str,
    name: &str,
    uid: &str,
    now: Timestamp,
) -> Option<String> {
    let events = related.events(namespace, kind, name).iter();
    // An event may be of a predecessor of the same name.
    let of_this = events.filter(|event| event.uid.is_empty() || *event.uid == *uid);
    let warnings = of_this.filter(|event| event.is_warning);
    warnings
        .max_by_key(|event| event.last)
        .map(|last| said(last, now))
}

/// An event in a line: `event FailedCreate (12 times, 2m0s ago): exceeded quota`.
#[must_use]
pub fn said(last: &Event, now: Timestamp) -> String {
    let when = match last.last.filter(|at| *at <= now) {
        Some(at) => format!(", {} ago", age(now, at)),
        None => String::new(),
    };
    let often = match last.count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    };
    let (reason, message) = (&last.reason, &last.message);
    format!("event {reason} ({often}{when}): {message}")
}
