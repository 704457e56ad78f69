//! Texts in objects: the order of events, and messages without credentials.

use serde_json::{Value, json};
use sts_controller::object::{Pod, Related, RelatedKind, RelatedObjects};

fn event(reason: &str, message: &str, name: &str) -> Related {
    let event = json!({"metadata": {"name": name, "namespace": "prod"}, "type": "Warning", "reason": reason,
        "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "prod"}, "message": message,
        "lastTimestamp": "2026-01-01T00:00:00Z"});
    RelatedKind::Event.read(&event).unwrap()
}

/// Events of one time are sorted by content, whatever order they are read in: the last one is reported.
#[test]
fn simultaneous_events_are_sorted_by_content() {
    let all = [
        ("BackOff", "again", "d"),
        ("Failed", "no", "a"),
        ("Failed", "no", "b"),
        ("Failed", "yes", "a"),
    ];
    for first in 0..all.len() {
        for step in [1, all.len() - 1] {
            let mut related = RelatedObjects::default();
            for turn in 0..all.len() {
                let (reason, message, name) = all[(first + turn * step) % all.len()];
                related.insert(event(reason, message, name));
            }
            let events = related.events("prod", "Pod", "web-0").iter();
            let order: Vec<_> = events
                .map(|event| (&*event.reason, &*event.message, &*event.meta.name))
                .collect();
            assert_eq!(order, all);
        }
    }
}

/// No message contains its credentials, wherever it is read.
#[test]
fn messages_contain_no_credentials() {
    let message = "exec: \"/app --token=hunter2\": no";
    let shown = "exec: \"/app --token=(hidden)\": no";
    let status = |state: Value| json!([{"name": "main", "state": state}]);
    let pod = |status: Value| {
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0", "namespace": "prod"},
            "spec": {"containers": [{"name": "main"}]}, "status": status});
        Pod::from_json(pod).unwrap()
    };
    let waiting = pod(json!({"message": message, "containerStatuses":
        status(json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}}))}));
    assert_eq!(waiting.trouble.as_ref().unwrap().message, shown);
    assert_eq!(waiting.containers()[0].waiting.as_ref().unwrap().1, shown);
    assert_eq!(waiting.status_reason().1, shown);
    let ended = pod(json!({"containerStatuses":
        status(json!({"terminated": {"exitCode": 1, "message": message}}))}));
    assert_eq!(ended.containers()[0].ended.as_ref().unwrap().message, shown);
    let unplaced = pod(json!({"conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}));
    assert_eq!(unplaced.trouble.as_ref().unwrap().message, shown);
    let condition = unplaced.condition("PodScheduled").unwrap();
    assert_eq!(condition.message, shown);
    let node = json!({"metadata": {"name": "n"}, "status": {"conditions": [
        {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": message}]}});
    let Related::Node(node) = RelatedKind::Node.read(&node).unwrap() else {
        panic!("a node");
    };
    assert_eq!(&*node.ready.unwrap().message, shown);
    let Related::Event(event) = event("Failed", message, "e") else {
        panic!("an event");
    };
    assert_eq!(&*event.message, shown);
}
