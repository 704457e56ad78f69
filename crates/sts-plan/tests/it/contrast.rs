//! A failing pod differs from the ready ones of its revision: its node, or its claim.

use serde_json::{Value, json};
use test_kit::kv::{DAY, LONG_AGO, crashes, of, plan, status};

/// Long before the pods, which are of this month.
const OLD: &str = "2026-08-01T00:00:00Z";
const GROUP: &str = "eks.amazonaws.com/nodegroup";

/// kv-2 crash-loops with this message, on a node of its own; all nodes and claims are old.
fn crashing(message: &str) -> Vec<Value> {
    let mut objects = status(crashes(message));
    objects.retain(|it| it["kind"] != "Node");
    for ordinal in 0..3 {
        of(&mut objects, "Pod", &format!("kv-{ordinal}"))["spec"]["nodeName"] =
            format!("n-{ordinal}").into();
        let claim = of(
            &mut objects,
            "PersistentVolumeClaim",
            &format!("data-kv-{ordinal}"),
        );
        claim["metadata"]["creationTimestamp"] = json!(OLD);
        objects.push(json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": format!("n-{ordinal}"), "creationTimestamp": OLD,
                "labels": {GROUP: "data", "topology.kubernetes.io/zone": format!("z-{ordinal}")}},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}}));
    }
    of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    objects
}

fn only_here(objects: &[Value]) -> Value {
    plan(objects)["outcome"]["blockedBy"][0]["onlyHere"].clone()
}

const UNKNOWN: &str = "fatal: the frobnicator has no dalek";

#[test]
fn pods_alike_differ_in_nothing() {
    assert_eq!(only_here(&crashing(UNKNOWN)), Value::Null);
}

#[test]
fn a_new_node_and_its_group_are_named() {
    let mut objects = crashing(UNKNOWN);
    let node = of(&mut objects, "Node", "n-2");
    node["metadata"]["creationTimestamp"] = json!("2026-11-21T11:00:00Z");
    node["metadata"]["labels"][GROUP] = json!("spot");
    let told = json!([format!(
        "node n-2 joined 1h0m ago and has {GROUP}=spot (ready pods: data)"
    )]);
    assert_eq!(only_here(&objects), told);
    // A group that the ready pods do not share tells nothing.
    of(&mut objects, "Node", "n-1")["metadata"]["labels"][GROUP] = json!("web");
    assert_eq!(only_here(&objects), json!(["node n-2 joined 1h0m ago"]));
    // The nodes of the ready pods joined lately too.
    of(&mut objects, "Node", "n-1")["metadata"]["creationTimestamp"] =
        json!("2026-11-21T10:00:00Z");
    assert_eq!(only_here(&objects), Value::Null);
}

#[test]
fn a_new_claim_is_named() {
    let mut objects = crashing(UNKNOWN);
    let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
    claim["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    let told = json!(["claim data-kv-2 is new (40m; the others 112d12h)"]);
    assert_eq!(only_here(&objects), told);
}

#[test]
fn pods_of_other_revisions_are_not_compared() {
    let mut objects = crashing(UNKNOWN);
    let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
    claim["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    for name in ["kv-0", "kv-1"] {
        of(&mut objects, "Pod", name)["metadata"]["labels"]["controller-revision-hash"] =
            json!("kv-0ld");
    }
    assert_eq!(only_here(&objects), Value::Null);
}

#[test]
fn a_cause_that_no_node_can_have_names_none() {
    let mut objects = crashing("FATAL: no space left on device");
    let node = of(&mut objects, "Node", "n-2");
    node["metadata"]["creationTimestamp"] = json!(DAY);
    assert_eq!(only_here(&objects), Value::Null);
}
