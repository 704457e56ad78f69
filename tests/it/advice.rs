//! Rules for the advice on stuck pods, whatever their causes.

use serde_json::{Value, json};

use crate::night::{node, not_ready, plan, pod, put, set};

const DAY: &str = "2026-11-20T00:00:00Z";

/// kv-2 on the new revision, and the others on the old one, all ready.
fn in_transition(policy: &str) -> Vec<Value> {
    let mut objects = set(3, policy, "kv-new");
    objects.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    objects.extend(pod(1, "kv-old", DAY, DAY, "n-1"));
    objects.extend(pod(2, "kv-new", "2026-11-21T11:15:00Z", DAY, "n-1"));
    objects.push(node("n-1", "a", true));
    objects
}

/// A container that crash-loops, with this termination message.
fn crashes(message: &str) -> Value {
    let waiting = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}});
    let mut status = not_ready("Running", waiting, 9, 1);
    status["containerStatuses"][0]["lastState"]["terminated"]["message"] = json!(message);
    status
}

fn running() -> Value {
    let running = json!({"running": {"startedAt": DAY}});
    not_ready("Running", running, 0, 0)
}

fn unplaced(message: &str) -> Value {
    json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": message, "lastTransitionTime": "2026-11-21T11:20:00Z"}]})
}

/// Returns the obstacle about a pod.
fn obstacle<'r>(report: &'r Value, pod: &str) -> &'r Value {
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    let found = obstacles.iter().find(|it| it["pod"] == pod);
    found.unwrap_or_else(|| panic!("{pod} is in none of {obstacles:#?}"))
}

/// Returns the effects of the remedies of an obstacle that begin with a command.
fn effects<'r>(obstacle: &'r Value, command: &str) -> Vec<&'r str> {
    let remedies = obstacle["remedies"].as_array().into_iter().flatten();
    let found = remedies.filter(|it| {
        let first = it["commands"][0].as_str();
        first.is_some_and(|first| first.starts_with(command))
    });
    found.map(|it| it["effect"].as_str().unwrap()).collect()
}

#[test]
fn a_failing_pod_that_the_controller_does_not_wait_for_is_explained_too() {
    let mut objects = in_transition("OrderedReady");
    put(&mut objects, 1, running());
    put(
        &mut objects,
        2,
        crashes("panic: unknown field \"listenAddr\""),
    );
    let report = plan(&objects, &[]);
    let waits = report["outcome"]["blockedBy"][0]["pod"].as_str();
    assert_eq!(waits, Some("kv-1"));
    let other = obstacle(&report, "kv-2")["message"].as_str().unwrap();
    assert!(other.contains("listenAddr"), "{other}");
    // A pod that is ready, or only outdated, is no obstacle.
    let all = report["outcome"]["blockedBy"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{all:#?}");
}

#[test]
fn a_symptom_refers_to_the_reason_that_another_pod_reports() {
    let mut objects = in_transition("OrderedReady");
    put(&mut objects, 1, running());
    let cautions = |message: &str| {
        let mut objects = objects.clone();
        put(&mut objects, 2, crashes(message));
        let report = plan(&objects, &[]);
        obstacle(&report, "kv-1")["cautions"].to_string()
    };
    let expired = cautions("x509: certificate has expired or is not yet valid");
    assert!(
        expired.contains("kv-2 reports a reason that kv-1 may share: a certificate"),
        "{expired}"
    );
    assert!(!expired.contains("own data"), "{expired}");
    // A failure of one pod's template or data is not shared.
    for message in ["panic: unknown flag", "no space left on device"] {
        let own = cautions(message);
        assert!(own.contains("check kv-1's own data"), "{own}");
    }
}

#[test]
fn a_pod_without_a_node_has_none_after_a_rollback_that_helps_another_pod() {
    let mut objects = in_transition("Parallel");
    put(
        &mut objects,
        1,
        unplaced("0/1 nodes are available: 1 node(s) exceed max volume count."),
    );
    put(&mut objects, 2, crashes("panic: unknown flag"));
    let report = plan(&objects, &[]);
    let unplaced = obstacle(&report, "kv-1");
    assert_eq!(unplaced["cause"], "volume-limit", "{unplaced:#}");
    let back = effects(obstacle(&report, "kv-2"), "kubectl rollout undo");
    assert!(!back.is_empty());
    for effect in back {
        let is_left = effect.starts_with("resolves this, but") && effect.contains("kv-1");
        assert!(is_left, "{effect}");
    }
}
