//! A problem that will stop a rollout fails the gate, and is on the screen, before the rollout begins.

use serde_json::{Value, json};
use test_kit::kv::{NOW, node};

use crate::golden;
use crate::program;

/// Ready nodes, each in a zone of its own.
fn ready(names: [&str; 3]) -> Vec<Value> {
    names
        .map(|name| node(name, &format!("zone-{name}"), true))
        .to_vec()
}

/// Plans a rollout of a stored set with two pods still to be replaced. Returns the exit code and standard output.
fn half(objects: &[Value], flags: &[&str]) -> (i32, String) {
    let file = golden::root().join("fixtures/trial/pg-half.yaml");
    let file = file.to_string_lossy();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let args = [&["-f", &file, "-f", "-", "--now", NOW], flags].concat();
    let (code, text, errors) = program::feed(&args, &list.to_string());
    assert!(code <= 3, "{errors}");
    (code, text)
}

#[test]
fn a_rollout_that_will_stop_says_so_before_it_begins() {
    // If another pod runs on a node that is not in the input, more nodes exist.
    let mut nodes = ready(["na", "nb", "nc"]);
    for node in &mut nodes {
        node["spec"] = json!({"unschedulable": true});
    }
    let (_, screen) = half(&nodes, &[]);
    assert!(!screen.contains("BLOCKED"), "{screen}");
    let mut nodes = ready([
        "ip-10-0-0-17.ec2.internal",
        "ip-10-0-1-17.ec2.internal",
        "ip-10-0-2-17.ec2.internal",
    ]);
    for node in &mut nodes {
        node["spec"] = json!({"taints": [{"key": "maintenance", "effect": "NoSchedule"}]});
    }
    let (_, screen) = half(&nodes, &[]);
    let path = golden::root().join("golden/foreseen/no-node.txt");
    golden::check(&path, &screen);
    assert!(screen.contains(
        "BLOCKED after 5s: pg-1 cannot be scheduled: 3 nodes have taint maintenance:NoSchedule"
    ));
    let (code, _) = half(&nodes, &["--fail-on", "blocked"]);
    assert_eq!(code, 3);
    let (code, screen) = half(
        &nodes,
        &[
            "--fail-on",
            "blocked",
            "--assume",
            "pg-1=recovers",
            "--assume",
            "pg-0=recovers",
        ],
    );
    assert_eq!(code, 0, "{screen}");
    // Uncordoning nodes is proposed.
    for node in &mut nodes {
        node["spec"] = json!({"unschedulable": true});
    }
    let (_, screen) = half(&nodes, &[]);
    assert!(
        screen.contains("kubectl uncordon ip-10-0-0-17.ec2.internal"),
        "{screen}"
    );
    assert!(!screen.contains("rollout undo"), "{screen}");
}
