//! The budget of a question: past it, the answer says how far it got, and the same on any machine.

use serde_json::{Value, json};

use crate::program;

const NOW: [&str; 2] = ["--now", "2026-11-21T12:00:00Z"];

/// A set of many pods that was never planned before.
pub fn many(policy: &str, replicas: usize) -> String {
    let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "w", "namespace": "p", "uid": "u", "generation": 1},
        "spec": {"replicas": replicas, "serviceName": "w", "podManagementPolicy": policy,
            "selector": {"matchLabels": {"a": "w"}}, "updateStrategy": {"type": "RollingUpdate"},
            "template": {"metadata": {"labels": {"a": "w"}}, "spec": {"containers": [{"name": "c", "image": "x:2"}]}}},
        "status": {"replicas": 0, "observedGeneration": 1}});
    set.to_string()
}

fn run(policy: &str, args: &[&str]) -> (i32, String) {
    let (code, out, error) = program::feed(
        &[&["-f", "-"], &NOW[..], args].concat(),
        &many(policy, 2000),
    );
    assert!(!out.is_empty(), "{args:?}: {error}");
    (code, out)
}

fn json(policy: &str, args: &[&str]) -> (i32, Value) {
    plan_of(&many(policy, 2000), args)
}

#[test]
fn failing_pods_that_were_not_tried_are_counted() {
    let tried = |budget: &str| {
        let (_, plan) = json("OrderedReady", &["--what-if-fails", "--budget", budget]);
        let found = &plan["branches"];
        let items = found["items"].as_array().unwrap().len();
        (items, found["leftOut"].as_u64().unwrap())
    };
    let (few, not) = tried("1");
    let (more, less) = tried("100");
    assert!(few < more, "{few} of {more}");
    assert_eq!(few as u64 + not, more as u64 + less);
    assert_eq!(few as u64 + not, 2000);
}

#[test]
fn a_search_stops_and_is_not_verified() {
    for policy in ["OrderedReady", "Parallel"] {
        let args = [
            "--explore",
            "--faults",
            "1",
            "--require",
            "ready>=0",
            "--budget",
            "1",
        ];
        let (code, out) = run(policy, &args);
        assert_eq!(code, 5, "{out}");
        assert!(
            out.contains("not verified: ") && out.contains("budget spent (--budget)"),
            "{out}"
        );
    }
}

#[test]
fn a_requirement_of_a_stage_that_was_not_tried_to_the_end_does_not_hold() {
    let stages = [
        "--image", "x:3", "--then", "--image", "x:4", "--then", "--image", "x:5",
    ];
    let (code, plan) = json(
        "OrderedReady",
        &[&stages[..], &["--require", "ready>=0", "--budget", "1"]].concat(),
    );
    assert_eq!(code, 5);
    let text = plan.to_string();
    assert!(
        text.contains("not tried to the end: the budget of the question is spent (--budget)"),
        "{text}"
    );
    let (code, plan) = json(
        "OrderedReady",
        &[&stages[..], &["--require", "ready>=0"]].concat(),
    );
    assert_eq!(code, 0, "{}", plan["analysis"]["headline"]);
    assert!(!plan.to_string().contains("--budget"));
}

#[test]
fn an_upgrade_says_where_it_stopped() {
    let args = [
        "--kubernetes-version",
        "1.25",
        "--upgrade-to",
        "1.37",
        "--budget",
        "1",
    ];
    let (_, plan) = json("OrderedReady", &args);
    let upgrade = &plan["upgrade"];
    let summary = upgrade["summary"].as_str().unwrap();
    assert!(
        summary.contains("1 set is not tried to the end (--budget)"),
        "{summary}"
    );
    assert!(!summary.contains("nothing changes"), "{summary}");
    assert!(upgrade["sets"][0]["stoppedBefore"].is_string(), "{upgrade}");
}

#[test]
fn a_question_stops_at_the_same_place_every_time() {
    for args in [
        &["--what-if-fails", "--budget", "1"][..],
        &["--explore", "--budget", "1"],
    ] {
        let first = run("OrderedReady", args);
        assert_eq!(run("OrderedReady", args), first, "{args:?}");
    }
}

/// A set in the middle of a rollout, each pod on a node of its own.
pub fn rolling(replicas: usize) -> String {
    let mut items = vec![json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "w", "namespace": "p", "uid": "u", "generation": 1},
        "spec": {"replicas": replicas, "serviceName": "w", "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {"a": "w"}}, "updateStrategy": {"type": "RollingUpdate"},
            "template": {"metadata": {"labels": {"a": "w"}}, "spec": {"containers": [{"name": "c", "image": "x:2"}]}}},
        "status": {"replicas": replicas, "observedGeneration": 1}})];
    for ordinal in 0..replicas {
        let node = format!("n{ordinal:03}");
        items.push(
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
        );
        let owner = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "w", "uid": "u", "controller": true});
        items.push(json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("w-{ordinal}"), "namespace": "p", "uid": format!("u{ordinal}"),
                "labels": {"a": "w", "controller-revision-hash": "w-1"}, "ownerReferences": [owner]},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "x:1"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}));
    }
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

fn plan_of(input: &str, args: &[&str]) -> (i32, Value) {
    let args = [&["-f", "-"], &NOW[..], args, &["-o", "json"]].concat();
    let (code, out, error) = program::feed(&args, input);
    (
        code,
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}")),
    )
}

#[test]
fn nodes_that_were_not_tried_are_counted_and_no_gate_passes() {
    let input = rolling(60);
    let drained = |budget: &str| {
        let args = ["--drain", "each", "--budget", budget, "--detailed-exitcode"];
        let (code, plan) = plan_of(&input, &args);
        let nodes = &plan["nodes"];
        let summary = nodes["summary"].as_str().unwrap().to_owned();
        (
            code,
            nodes["each"].as_array().map_or(0, Vec::len),
            nodes["verdict"].clone(),
            summary,
        )
    };
    let (_, all, verdict, summary) = drained("100");
    assert_eq!(all, 60, "{summary}");
    assert_eq!(verdict, "ends");
    let (code, some, verdict, summary) = drained("1");
    assert!(some < 60, "{summary}");
    let not = format!("; {} more nodes were not tried", 60 - some);
    assert!(summary.contains(&not), "{summary}");
    assert_eq!(verdict, "unknown");
    assert_eq!(code, 3, "{summary}");
}

#[test]
fn turns_of_a_maintenance_that_were_not_tried_are_counted_and_no_gate_passes() {
    let input = rolling(60);
    let maintained = |budget: &str| {
        let args = [
            "--drain",
            "each",
            "--return-after",
            "1m",
            "--budget",
            budget,
        ];
        let (code, plan) = plan_of(&input, &[&args[..], &["--detailed-exitcode"]].concat());
        let nodes = plan["nodes"].clone();
        let rounds = nodes["maintenance"]["rounds"].as_array().unwrap().len();
        (code, rounds, nodes)
    };
    let (_, all, nodes) = maintained("100");
    assert_eq!(all, 60, "{nodes}");
    assert_eq!(nodes["verdict"], "ends");
    assert!(nodes["maintenance"]["untried"].is_null(), "{nodes}");
    let (code, some, nodes) = maintained("1");
    assert!(some > 0 && some < 60, "{nodes}");
    assert_eq!(nodes["maintenance"]["untried"], 60 - some);
    assert!(nodes["maintenance"]["betterOrder"].is_null(), "{nodes}");
    let summary = nodes["summary"].as_str().unwrap();
    let so_far = format!(" is not tried to the end (--budget): {some} of 60 nodes are back after ");
    assert!(summary.contains(&so_far), "{summary}");
    assert_eq!(nodes["verdict"], "unknown");
    assert_eq!(code, 3, "{summary}");
}

#[test]
fn options_and_partitions_that_were_not_tried_are_counted() {
    let input = rolling(1500);
    let (_, plan) = plan_of(&input, &["--options", "--every-partition", "--budget", "1"]);
    let options = &plan["options"];
    assert!(options["leftOut"].as_u64().unwrap() > 0, "{options}");
    assert_eq!(options["items"][0]["option"], "go-on");
    let few = plan["partitions"]["items"].as_array().unwrap().len();
    let left_out = plan["partitions"]["leftOut"].as_u64().unwrap();
    assert_eq!(few as u64 + left_out, 1501);
    let (_, plan) = plan_of(&input, &["--options", "--every-partition"]);
    assert!(plan["options"]["leftOut"].is_null());
    let more = plan["partitions"]["items"].as_array().unwrap().len();
    assert!(few < more, "{few} of {more}");
}
