//! Causes of several pods of a set together: data that are gone come first, and what a lost majority explains waits for it.

use serde_json::{Value, json};
use test_kit::kv::{
    DAY, crashes, event, node, of, plan, pod, put, running, set, starting, unplaced,
};

/// Three pods on a node each, of which these are down: kv-1 on a node that does not respond since a time.
fn with_lost_node(since: &str) -> Vec<Value> {
    let mut objects = set(3, "Parallel", "kv-old");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, &format!("n-{ordinal}")));
        objects.push(node(&format!("n-{ordinal}"), "a", true));
    }
    lose(&mut objects, 1, since);
    objects
}

fn lose(objects: &mut [Value], ordinal: usize, since: &str) {
    let name = format!("n-{ordinal}");
    let mut lost = node(&name, "a", false);
    lost["status"]["conditions"][0]["lastTransitionTime"] = json!(since);
    *of(objects, "Node", &name) = lost;
    let mut status = running();
    status["conditions"][0]["lastTransitionTime"] = json!(since);
    put(objects, ordinal, status);
}

fn obstacle<'r>(report: &'r Value, pod: &str) -> &'r Value {
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    obstacles.iter().find(|it| it["pod"] == pod).unwrap()
}

#[test]
fn a_pod_that_fails_after_the_majority_is_lost_waits_for_it() {
    let early = "2026-11-21T11:00:00Z";
    let fails_at = |at: &str| {
        let mut objects = with_lost_node(early);
        lose(&mut objects, 2, early);
        let mut status = running();
        status["conditions"][0]["lastTransitionTime"] = json!(at);
        put(&mut objects, 0, status);
        let words = "Readiness probe failed: not currently serving requests";
        objects.push(event("Pod", "kv-0", "Unhealthy", words));
        let report = plan(&objects);
        obstacle(&report, "kv-0")["fix"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let said = "bring back nodes n-1, n-2 first: if the set needs a majority of its 3 pods, kv-0 only waits for it";
    assert_eq!(fails_at("2026-11-21T11:00:30Z"), said);
    assert_ne!(fails_at("2026-11-21T09:00:00Z"), said);
}

#[test]
fn data_are_not_changed_before_the_majority_is_back() {
    let early = "2026-11-21T11:00:00Z";
    let mut objects = with_lost_node(early);
    let words = "load closed segment: entries batch 12: data checksum mismatch";
    put(&mut objects, 2, crashes(words));
    let report = plan(&objects);
    let cautions = obstacle(&report, "kv-2")["cautions"].to_string();
    let said =
        "1 of 3 pods is ready, no majority: bring back node n-1 before you change the data of kv-2";
    assert!(cautions.contains(said), "{cautions}");
    // Two ready pods are a majority.
    let mut objects = with_lost_node(early);
    put(&mut objects, 1, crashes(words));
    *of(&mut objects, "Node", "n-1") = node("n-1", "a", true);
    let report = plan(&objects);
    let cautions = obstacle(&report, "kv-1")["cautions"].to_string();
    assert!(!cautions.contains("majority"), "{cautions}");
}

#[test]
fn data_that_are_gone_come_before_a_pod_that_waits_for_a_node() {
    let mut objects = with_lost_node("2026-11-21T11:00:00Z");
    *of(&mut objects, "Node", "n-1") = node("n-1", "a", true);
    put(&mut objects, 1, starting());
    let words = "AttachVolume.Attach failed for volume \"pv-1\" : rpc error: code = NotFound desc = Could not find disk pv-1";
    objects.push(event("Pod", "kv-1", "FailedAttachVolume", words));
    let message = "0/3 nodes are available: 3 Insufficient cpu.";
    put(&mut objects, 2, unplaced("Unschedulable", message));
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
    let report = plan(&objects);
    let causes = report["outcome"]["blockedBy"].as_array().unwrap().iter();
    let causes: Vec<&str> = causes.map(|it| it["cause"].as_str().unwrap()).collect();
    assert_eq!(causes, ["volume-gone", "insufficient-resources"]);
    assert_eq!(report["analysis"]["cause"]["id"], "volume-gone");
}
