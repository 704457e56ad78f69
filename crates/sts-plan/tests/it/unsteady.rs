//! Pods that are up now and have not stayed so before, and what their times tell about others.

use serde_json::{Value, json};
use test_kit::kv::{DAY, event, node, not_ready, of, plan, pod, put, set};

/// A rollout whose first pod, kv-2, was created at this time and is ready since another; the old pods became ready at
/// `old_ready`.
fn rolling(created: &str, ready: &str, old_ready: &str) -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..2 {
        objects.extend(pod(
            ordinal,
            "kv-old",
            "2026-11-01T00:00:00Z",
            old_ready,
            "n-1",
        ));
    }
    objects.extend(pod(2, "kv-new", created, ready, "n-1"));
    objects.push(node("n-1", "a", true));
    objects
}

/// The conditions that speak against the outcome of a plan.
fn against(report: &Value) -> Vec<String> {
    let assumed = report["assumed"].as_array().unwrap().iter();
    let against = assumed.filter(|it| it["againstEvidence"] == true);
    against
        .map(|it| format!("{}, although {}", it["what"], it["why"]))
        .collect()
}

/// A restart or a moment without readiness is no start: a pod is not awaited for as long as the others have been up.
#[test]
fn a_pod_that_lost_its_readiness_does_not_show_how_long_a_start_takes() {
    let long_ago = "2026-11-21T08:00:00Z";
    let mut objects = rolling("2026-11-21T09:00:00Z", "2026-11-21T09:00:30Z", long_ago);
    let running = json!({"running": {"startedAt": "2026-11-21T09:00:10Z"}});
    let mut status = not_ready("Running", running, 0, 0);
    status["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T09:00:00Z");
    put(&mut objects, 2, status.clone());
    assert_eq!(plan(&objects)["outcome"]["result"], "blocked");
    // A start that takes its time is awaited.
    let mut slow = rolling(
        "2026-11-21T11:30:00Z",
        "2026-11-21T11:30:30Z",
        "2026-11-01T00:40:00Z",
    );
    status["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:30:00Z");
    put(&mut slow, 2, status);
    assert_eq!(plan(&slow)["outcome"]["result"], "complete");
}

/// kv-2 on the new revision with this number of restarts, the last of which ended then.
fn restarted(created: &str, restarts: i64, ended: &str) -> Value {
    let mut objects = rolling(created, "2026-11-21T11:59:30Z", "2026-11-01T00:00:20Z");
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["status"]["containerStatuses"] = json!([{"name": "kv", "ready": true, "restartCount": restarts,
        "state": {"running": {"startedAt": ended}},
        "lastState": {"terminated": {"exitCode": 2, "reason": "Error", "finishedAt": ended}}}]);
    plan(&objects)
}

#[test]
fn a_rollout_past_a_pod_that_crashes_in_between_is_against_the_evidence() {
    let crashes = restarted("2026-11-21T09:00:00Z", 23, "2026-11-21T11:59:14Z");
    let found = against(&crashes);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("restarted 23 times, 46s ago the last"),
        "{found:?}"
    );
    assert_eq!(crashes["outcome"]["result"], "complete");
    // It crashed while something was missing, and has been up for long since.
    let stable = restarted("2026-11-21T11:00:00Z", 4, "2026-11-21T11:05:00Z");
    assert_eq!(against(&stable), Vec::<String>::new());
    let once = restarted("2026-11-21T11:50:00Z", 1, "2026-11-21T11:59:14Z");
    assert_eq!(against(&once), Vec::<String>::new());
}

#[test]
fn a_pod_that_was_overdue_a_moment_ago_may_not_stay_ready() {
    let with = |created: &str, first: &str, failed: &str| {
        let mut objects = rolling(created, "2026-11-21T11:59:48Z", "2026-11-01T00:00:20Z");
        let mut event = event(
            "Pod",
            "kv-2",
            "Unhealthy",
            "Readiness probe failed: timeout",
        );
        event["firstTimestamp"] = json!(first);
        event["lastTimestamp"] = json!(failed);
        objects.push(event);
        against(&plan(&objects))
    };
    let (start, early, late) = (
        "2026-11-21T10:00:00Z",
        "2026-11-21T10:00:10Z",
        "2026-11-21T11:59:42Z",
    );
    let found = with(start, early, late);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("not ready for 1h59m"), "{found:?}");
    // A start of the usual length, one whose probe has not failed for long, and a pod that had started before.
    for (created, first, failed) in [
        ("2026-11-21T11:58:00Z", "2026-11-21T11:58:10Z", late),
        (start, early, "2026-11-21T11:00:00Z"),
        (start, "2026-11-21T11:59:22Z", late),
    ] {
        let found = with(created, first, failed);
        assert_eq!(found, Vec::<String>::new(), "{created} {first}");
    }
}

#[test]
fn failures_of_a_probe_do_not_unsettle_a_set_at_rest() {
    let mut objects = set(3, "OrderedReady", "kv-old");
    for (ordinal, ready) in [(0, "2026-11-21T11:59:00Z"), (1, DAY), (2, DAY)] {
        objects.extend(pod(ordinal, "kv-old", DAY, ready, "n-1"));
    }
    let mut failed = event(
        "Pod",
        "kv-0",
        "Unhealthy",
        "Readiness probe failed: timeout",
    );
    failed["firstTimestamp"] = json!("2026-11-21T03:00:00Z");
    failed["lastTimestamp"] = json!("2026-11-21T11:58:50Z");
    objects.push(failed);
    assert_eq!(against(&plan(&objects)), Vec::<String>::new());
    // A first start is no blip: the next pod waits for this one.
    objects.retain(|it| it["metadata"]["name"] != "kv-2");
    assert_eq!(against(&plan(&objects)).len(), 1);
}

#[test]
fn a_new_pod_whose_readiness_flaps_is_stuck_since_its_probe_fails() {
    let with = |revision: &str, count: i64| {
        let mut objects = rolling(
            "2026-11-21T07:00:00Z",
            "2026-11-21T11:58:00Z",
            "2026-11-01T00:00:20Z",
        );
        let running = json!({"running": {"startedAt": "2026-11-21T07:00:10Z"}});
        let mut status = not_ready("Running", running, 0, 0);
        status["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:58:00Z");
        put(&mut objects, 2, status);
        of(&mut objects, "Pod", "kv-2")["metadata"]["labels"]["controller-revision-hash"] =
            json!(revision);
        let mut event = event(
            "Pod",
            "kv-2",
            "Unhealthy",
            "Readiness probe failed: timeout",
        );
        event["count"] = json!(count);
        event["firstTimestamp"] = json!("2026-11-21T07:00:30Z");
        event["lastTimestamp"] = json!("2026-11-21T11:59:55Z");
        objects.push(event);
        plan(&objects)["outcome"]["result"].clone()
    };
    assert_eq!(with("kv-new", 790), "blocked");
    // A probe that fails now and then, and a pod that has been ready on its revision for long.
    assert_eq!(with("kv-new", 3), "complete");
    assert_eq!(with("kv-old", 790), "complete");
}

/// kv-2 has failed this often in five hours; the last of its pods is in this phase.
fn recreated(phase: &str, count: i64) -> Value {
    let mut objects = rolling(
        "2026-11-21T11:50:00Z",
        "2026-11-21T11:50:20Z",
        "2026-11-01T00:00:20Z",
    );
    if phase == "Failed" {
        put(
            &mut objects,
            2,
            json!({"phase": "Failed", "reason": "Evicted", "message": "low on resource"}),
        );
    }
    let words = "StatefulSet prod/kv is recreating failed Pod kv-2";
    let mut event = event("StatefulSet", "kv", "RecreatingFailedPod", words);
    event["involvedObject"]["uid"] = json!(test_kit::kv::UID);
    event["count"] = json!(count);
    event["firstTimestamp"] = json!("2026-11-21T06:50:00Z");
    event["lastTimestamp"] = json!("2026-11-21T11:50:00Z");
    objects.push(event);
    plan(&objects)
}

#[test]
fn a_pod_that_fails_again_after_a_while_is_a_loop() {
    let failed = recreated("Failed", 14);
    assert_eq!(
        failed["outcome"]["result"], "blocked",
        "{}",
        failed["analysis"]["headline"]
    );
    assert_eq!(recreated("Failed", 2)["outcome"]["result"], "complete");
    let up = recreated("Running", 14);
    assert_eq!(up["outcome"]["result"], "complete");
    let found = against(&up);
    assert!(
        found.len() == 1 && found[0].contains("created again 14 times"),
        "{found:?}"
    );
}
