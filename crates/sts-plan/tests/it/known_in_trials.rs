//! A remedy is tried with everything that is known: one that removes a pod is offered only if the pod comes back, or after the
//! step that it needs first.

use serde_json::{Value, json};
use test_kit::kv::{DAY, LONG_AGO, NOW, crashes, node, of, plan, pod, put, set};

/// Three pods in a zone each; kv-2 crash-loops on the new revision, and the other two are ready on the old one.
fn crash_on_new() -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for (ordinal, zone) in ["a", "b", "c"].into_iter().enumerate() {
        let revision = if ordinal == 2 { "kv-new" } else { "kv-old" };
        let on = format!("n-{zone}");
        objects.extend(pod(ordinal, revision, DAY, DAY, &on));
        objects.push(node(&on, zone, true));
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": format!("pv-{ordinal}"), "labels": {"topology.kubernetes.io/zone": zone}},
            "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3",
                "persistentVolumeReclaimPolicy": "Delete", "claimRef":
                {"namespace": "prod", "name": format!("data-kv-{ordinal}"), "uid": "u"}}}));
    }
    put(&mut objects, 2, crashes("panic: index out of range"));
    objects
}

/// The remedies of the first obstacle that help and change something.
fn helpful(objects: &[Value]) -> Vec<Value> {
    let report = plan(objects);
    let remedies = report["outcome"]["blockedBy"][0]["remedies"].clone();
    let all = remedies.as_array().unwrap().iter();
    let helpful = all.filter(|it| it["helps"] == true && it["looks"] != true);
    helpful.cloned().collect()
}

fn deletes_pod(remedy: &&Value) -> bool {
    remedy["commands"].to_string().contains("delete pod kv-2")
}

/// Asserts that each remedy that deletes kv-2 has this condition, and that there is one. Returns them.
fn conditioned(objects: &[Value], condition: &str) -> Vec<Value> {
    let all = helpful(objects);
    let deleting: Vec<Value> = all.iter().filter(deletes_pod).cloned().collect();
    assert!(!deleting.is_empty(), "{all:#?}");
    for remedy in &deleting {
        let stated = remedy["precondition"].as_str().unwrap();
        assert!(stated.contains(condition), "{remedy:#}");
    }
    deleting
}

fn quota(hard: &str, used: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "compute", "namespace": "prod"},
        "status": {"hard": {"pods": hard}, "used": {"pods": used}}})
}

fn range(limit: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "bounds", "namespace": "prod"},
        "spec": {"limits": [limit]}})
}

fn cordon(objects: &mut [Value], name: &str) {
    of(objects, "Node", name)["spec"] = json!({"unschedulable": true});
}

#[test]
fn a_pod_that_comes_back_is_deleted_without_a_condition() {
    let all = helpful(&crash_on_new());
    let deleting: Vec<&Value> = all.iter().filter(deletes_pod).collect();
    assert!(!deleting.is_empty(), "{all:#?}");
    for remedy in deleting {
        let stated = remedy["precondition"].as_str().unwrap();
        let is_plain = stated.starts_with("roll back to") || stated.starts_with("fix the pod");
        assert!(is_plain, "{remedy:#}");
    }
}

#[test]
fn a_pod_whose_node_is_cordoned_is_deleted_only_once_the_node_is_not() {
    let mut objects = crash_on_new();
    cordon(&mut objects, "n-c");
    for remedy in conditioned(&objects, "if node n-c can take pods again") {
        assert_eq!(remedy["commands"][0], "kubectl uncordon n-c", "{remedy:#}");
    }
}

#[test]
fn a_pod_whose_node_is_tainted_by_an_administrator_is_not_deleted() {
    let mut objects = crash_on_new();
    of(&mut objects, "Node", "n-c")["spec"] =
        json!({"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]});
    let all = helpful(&objects);
    // Another node in the zone would do.
    for remedy in all.iter().filter(deletes_pod) {
        let stated = remedy["precondition"].as_str().unwrap();
        assert!(stated.contains("add a node in zone c first"), "{remedy:#}");
    }
}

#[test]
fn a_pod_that_a_lowered_quota_refuses_is_deleted_only_once_there_is_room() {
    let mut objects = crash_on_new();
    objects.push(quota("2", "3"));
    conditioned(&objects, "once quota compute has room for kv-2");
    // Its own share is free once it is gone.
    let mut objects = crash_on_new();
    objects.push(quota("3", "3"));
    for remedy in helpful(&objects).iter().filter(deletes_pod) {
        let stated = remedy["precondition"].as_str().unwrap();
        assert!(!stated.contains("quota"), "{remedy:#}");
    }
}

#[test]
fn a_pod_that_a_limit_range_refuses_is_not_deleted() {
    let mut objects = crash_on_new();
    objects.push(range(json!({"type": "Container", "min": {"memory": "1Gi"},
        "default": {"memory": "512Mi"}, "defaultRequest": {"memory": "512Mi"}})));
    let deleting: Vec<Value> = helpful(&objects);
    assert!(!deleting.iter().any(|it| deletes_pod(&it)), "{deleting:#?}");
    // Defaults that are within the bounds are given, and the pod is admitted.
    let mut objects = crash_on_new();
    objects.push(range(
        json!({"type": "Container", "min": {"memory": "1Gi"}, "max": {"memory": "2Gi"}}),
    ));
    assert!(helpful(&objects).iter().any(|it| deletes_pod(&it)));
}

#[test]
fn a_pod_whose_claim_is_being_deleted_is_deleted_only_once_its_volume_is_kept() {
    let mut objects = crash_on_new();
    let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
    claim["metadata"]["deletionTimestamp"] = json!(DAY);
    claim["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    for remedy in conditioned(&objects, "keep the volume of claim data-kv-2 first") {
        let patch = remedy["commands"][0].as_str().unwrap();
        assert!(patch.starts_with("kubectl patch pv pv-2"), "{remedy:#}");
        assert!(patch.contains("Retain"), "{remedy:#}");
        let risk = remedy["risk"].as_str().unwrap();
        assert!(risk.contains("empty claim data-kv-2"), "{remedy:#}");
    }
    // A volume that stays without its claim needs no command.
    of(&mut objects, "PersistentVolume", "pv-2")["spec"]["persistentVolumeReclaimPolicy"] =
        json!("Retain");
    for remedy in conditioned(&objects, "keep the volume of claim data-kv-2 first") {
        assert!(
            !remedy["commands"].to_string().contains("patch pv"),
            "{remedy:#}"
        );
    }
}

#[test]
fn pods_of_a_lost_node_are_removed_only_if_they_come_back() {
    let lost = |more: &[Value]| {
        let mut objects = set(3, "OrderedReady", "kv-old");
        for (ordinal, on) in ["n-a", "n-b", "n-c"].into_iter().enumerate() {
            objects.extend(pod(ordinal, "kv-old", DAY, DAY, on));
        }
        let status = crashes("");
        put(&mut objects, 2, status);
        let gone = of(&mut objects, "Pod", "kv-2");
        gone["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:20:00Z");
        gone["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        objects.push(node("n-a", "a", true));
        objects.push(node("n-b", "b", true));
        objects.push(node("n-c", "c", false));
        objects.extend(more.iter().cloned());
        objects
    };
    let removes = |remedy: &&Value| {
        let commands = remedy["commands"].to_string();
        ["--force", "taint nodes", "delete node"]
            .iter()
            .any(|command| commands.contains(command))
    };
    let free = helpful(&lost(&[]));
    assert!(free.iter().filter(removes).count() >= 3, "{free:#?}");
    let full = helpful(&lost(&[quota("2", "3")]));
    assert!(full.iter().any(|it| removes(&it)), "{full:#?}");
    for remedy in full.iter().filter(removes) {
        let stated = remedy["precondition"].as_str().unwrap();
        assert!(stated.contains("once quota compute has room"), "{remedy:#}");
    }
    let refused = helpful(&lost(&[range(
        json!({"type": "Pod", "max": {"memory": "1Gi"}}),
    )]));
    assert!(!refused.iter().any(|it| removes(&it)), "{refused:#?}");
}

#[test]
fn a_pod_that_the_user_deletes_counts_against_a_lowered_quota_too() {
    use sts_controller::simulate::Action;
    use test_kit::input::Input;
    let mut objects = set(3, "OrderedReady", "kv-old");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-a"));
    }
    objects.push(quota("2", "3"));
    let deletion = Action::DeletePod("kv-1".into());
    let report = Input::of(&objects, NOW).after([deletion]).json();
    assert_eq!(report["outcome"]["result"], "blocked");
    let reason = &report["outcome"]["blockedBy"][0]["message"];
    assert!(reason.to_string().contains("quota compute"), "{reason}");
}

/// The controller creates no pod after one that it waits for: a deletion alone loses the pod, and the rollback is needed
/// too.
#[test]
fn a_deletion_after_which_the_pod_is_not_created_again_is_no_remedy() {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for (ordinal, revision, on) in [
        (0, "kv-old", "n-0"),
        (1, "kv-old", "n-1"),
        (2, "kv-new", "n-1"),
    ] {
        objects.extend(pod(ordinal, revision, LONG_AGO, LONG_AGO, on));
    }
    objects.push(node("n-0", "a", false));
    objects.push(node("n-1", "a", true));
    put(&mut objects, 2, crashes("panic: nil map"));
    let first = of(&mut objects, "Pod", "kv-0");
    first["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:50:00Z");
    first["metadata"]["deletionGracePeriodSeconds"] = json!(30);
    let report = plan(&objects);
    let mut obstacles = report["outcome"]["blockedBy"].as_array().unwrap().iter();
    let found = obstacles.find(|it| it.to_string().contains("kv-2 crash-loops"));
    let found = found.unwrap_or_else(|| panic!("{report:#}"));
    let remedies = found["remedies"].as_array().unwrap();
    let help = remedies.iter().filter(|it| it["helps"] == true);
    let commands: Vec<String> = help.map(|it| it["commands"].to_string()).collect();
    assert!(
        commands.iter().any(|it| it.contains("rollout undo")),
        "{commands:?}"
    );
    let deletes = |it: &&String| {
        it.contains("delete pod kv-2") && !it.contains("undo") && !it.contains("apply")
    };
    assert_eq!(commands.iter().filter(deletes).count(), 0, "{commands:?}");
}
