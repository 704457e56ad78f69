//! A pod of an ordered set that needs a later one, which is created only once it is ready.

use serde_json::{Value, json};
use test_kit::kv::{DAY, crashes, event, node, not_ready, plan, pod, put, set, told};

/// kv-0 crash-loops with this message, and these pods exist.
fn first(message: &str, policy: &str, pods: usize) -> Vec<Value> {
    let mut objects = set(3, policy, "kv-old");
    for ordinal in 0..pods {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    put(&mut objects, 0, crashes(message));
    objects
}

fn cause(objects: &[Value]) -> Value {
    plan(objects)["analysis"]["cause"]["id"].clone()
}

#[test]
fn a_pod_that_names_a_later_pod_waits_for_itself() {
    for message in [
        "Not found address of host: kv-1.kv.prod.svc.cluster.local. (DNS_ERROR)",
        "lookup kv-2.kv.prod.svc.cluster.local on 10.96.0.10:53: no such host",
        "java.net.UnknownHostException: kv-1.kv",
        "Error while waiting for Mnesia tables: {timeout_waiting_for_tables,['rabbit@kv-1.kv']}",
    ] {
        let objects = first(message, "OrderedReady", 1);
        assert_eq!(cause(&objects), "later-pod", "{message}");
        let screen = told(&objects);
        assert!(screen.contains("which waits for kv-0"), "{screen}");
        assert!(screen.contains("--cascade=orphan"), "{screen}");
        assert!(!screen.contains("kubectl delete pod"), "{screen}");
    }
}

#[test]
fn a_pod_that_names_itself_or_a_pod_that_is_created_does_not() {
    let later = "lookup kv-1.kv.prod.svc.cluster.local on 10.96.0.10:53: no such host";
    let itself = "lookup kv-0.kv.prod.svc.cluster.local on 10.96.0.10:53: no such host";
    let beyond = "lookup kv-7.kv.prod.svc.cluster.local on 10.96.0.10:53: no such host";
    let other = "lookup other-kv-1.kv.prod.svc.cluster.local on 10.96.0.10:53: no such host";
    let another_cause = "no space left on device, while copying to kv-1";
    for (message, policy, pods) in [
        (later, "Parallel", 1),
        (later, "OrderedReady", 2),
        (itself, "OrderedReady", 1),
        (beyond, "OrderedReady", 1),
        (other, "OrderedReady", 1),
        (another_cause, "OrderedReady", 1),
    ] {
        let objects = first(message, policy, pods);
        assert_ne!(cause(&objects), json!("later-pod"), "{policy}: {message}");
    }
}

#[test]
fn a_member_that_waits_for_pods_that_it_keeps_from_being_created_says_so() {
    let fix = |message: &str, policy: &str, pods: usize| {
        let mut objects = set(3, policy, "kv-old");
        for ordinal in 0..pods {
            objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
        }
        objects.push(node("n-1", "a", true));
        put(
            &mut objects,
            0,
            not_ready("Running", json!({"running": {}}), 0, 0),
        );
        let mut failed = event("Pod", "kv-0", "Unhealthy", message);
        failed["count"] = json!(200);
        objects.push(failed);
        plan(&objects)["outcome"]["blockedBy"][0]["fix"].to_string()
    };
    let unhealthy = "Readiness probe failed: 127.0.0.1:2379 is unhealthy: failed to commit proposal: context deadline exceeded";
    let says = "kv-1 is created only once kv-0 is ready";
    let told = fix(unhealthy, "OrderedReady", 1);
    assert!(told.contains(says), "{told}");
    assert!(!fix(unhealthy, "OrderedReady", 2).contains(says));
    assert!(
        !fix(
            "Readiness probe failed: HTTP probe failed with statuscode: 503",
            "OrderedReady",
            1
        )
        .contains(says)
    );
}

#[test]
fn a_process_that_ends_without_the_members_that_it_keeps_from_being_created_says_so() {
    let fix = |pods: usize| {
        let objects = first(
            "Waiting for Mnesia tables for 30000 ms, 1 retries left",
            "OrderedReady",
            pods,
        );
        plan(&objects)["outcome"]["blockedBy"][0]["fix"].to_string()
    };
    let alone = fix(1);
    assert!(
        alone.contains("kv-1 is created only once kv-0 is ready"),
        "{alone}"
    );
    assert!(!alone.contains("probe"), "{alone}");
    assert!(!fix(3).contains("created only once"));
}
