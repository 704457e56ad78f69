//! Failures that another object of the input explains although no message names it: the configuration of the pod, its
//! namespace, or the user of its volume.

use serde_json::{Value, json};
use test_kit::input::Input;
use test_kit::kv::{
    LONG_AGO, NOW, crashes, event, leaving, of, plan, running, serving, starting, status, unplaced,
};

fn first(report: &Value) -> &Value {
    &report["outcome"]["blockedBy"][0]
}

/// The Service db, whose only pod has not been ready since then.
fn database(since: &str) -> Vec<Value> {
    vec![
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db", "namespace": "prod"},
            "spec": {"clusterIP": "10.96.14.3", "selector": {"app": "db"}}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db-0", "namespace": "prod", "uid": "db-0",
            "labels": {"app": "db"}}, "spec": {"nodeName": "n-1", "containers": [{"name": "db", "image": "db"}]},
            "status": {"phase": "Running",
                "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": since}]}}),
    ]
}

#[test]
fn the_configuration_names_a_service_that_failed_before() {
    let fix = |state: Value, name: &str, value: &str, since: &str| {
        let mut objects = status(state);
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["spec"]["containers"][0]["env"] = json!([{"name": name, "value": value}]);
        objects.extend(database(since));
        let report = plan(&objects);
        first(&report)["fix"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let before = "2026-11-21T11:10:00Z";
    let repair = "Service db selects db-0, which is not ready: repair it first, and kv-2 follows";
    let refused = || crashes("SQLSTATE[HY000] [2002] Connection refused");
    for (name, value) in [
        ("APP_DATABASE_HOST", "db"),
        ("DATABASE_URL", "postgres://kv:x@db:5432/kv"),
        ("DB", "db.prod.svc.cluster.local"),
    ] {
        assert_eq!(fix(refused(), name, value, before), repair, "{name}");
    }
    assert_eq!(fix(running(), "DB_HOST", "db", before), repair);
    let others = [
        // The value is no host.
        fix(refused(), "DB_NAME", "db", before),
        // It failed after the pod that needs it.
        fix(refused(), "DB_HOST", "db", "2026-11-21T11:50:00Z"),
        // The process says what is wrong with itself.
        fix(crashes("panic: unknown flag --x"), "DB_HOST", "db", before),
    ];
    for other in others {
        assert!(!other.contains("repair it first"), "{other}");
    }
}

#[test]
fn an_init_container_waits_for_the_service_of_its_command() {
    let mut objects = status(starting());
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"]["initContainers"] = json!([{"name": "wait", "image": "busybox",
        "command": ["sh", "-c", "until nc -z db 5432; do sleep 2; done"]}]);
    pod["status"]["initContainerStatuses"] = json!([{"name": "wait", "ready": false, "restartCount": 0,
        "state": {"running": {"startedAt": LONG_AGO}}}]);
    objects.extend(database("2026-11-21T11:10:00Z"));
    let report = plan(&objects);
    let fix = first(&report)["fix"].as_str().unwrap();
    let repair = "Service db selects db-0, which is not ready";
    assert!(fix.starts_with(repair), "{fix}");
    // Without a node, the pod of the Service has no condition that says since when it is not ready.
    let waiting = of(&mut objects, "Pod", "db-0");
    waiting["metadata"]["creationTimestamp"] = json!("2026-11-21T11:10:00Z");
    waiting["status"] = unplaced("Unschedulable", "0/1 nodes are available.");
    let report = plan(&objects);
    let fix = first(&report)["fix"].as_str().unwrap();
    assert!(fix.starts_with(repair), "{fix}");
}

#[test]
fn a_namespace_that_is_being_deleted_says_what_keeps_it() {
    let mut objects = serving();
    objects.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2"));
    of(&mut objects, "StatefulSet", "kv")["status"]["replicas"] = json!(2);
    let words = "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: unable to create new content in namespace prod because it is being terminated";
    objects.push(event("StatefulSet", "kv", "FailedCreate", words));
    let kept = "Some content in the namespace has finalizers remaining: strimzi.io/topic-operator in 2 resource instances";
    objects.push(json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "prod", "deletionTimestamp": LONG_AGO},
        "status": {"phase": "Terminating", "conditions": [
            {"type": "NamespaceDeletionDiscoveryFailure", "status": "False", "reason": "ResourcesDiscovered",
                "message": "All resources successfully discovered"},
            {"type": "NamespaceFinalizersRemaining", "status": "True", "reason": "SomeFinalizersRemain", "message": kept}]}}));
    let report = plan(&objects);
    let fix = first(&report)["fix"].as_str().unwrap();
    assert!(fix.contains(kept), "{fix}");
}

#[test]
fn the_pod_that_uses_a_volume_is_the_one_that_the_message_names() {
    let mut objects = status(starting());
    let words =
        "Multi-Attach error for volume \"pvc-1\" Volume is already used by pod(s) copy-7k2xq";
    objects.push(event("Pod", "kv-2", "FailedAttachVolume", words));
    let report = plan(&objects);
    let fix = first(&report)["fix"].as_str().unwrap();
    assert!(fix.starts_with("wait until copy-7k2xq ends"), "{fix}");
    assert!(
        report["analysis"]["headline"]
            .to_string()
            .contains("in use by copy-7k2xq"),
        "{report}"
    );
}

#[test]
fn a_service_whose_set_is_scaled_to_zero_has_no_address() {
    let mut objects = status(crashes("Error: getaddrinfo ENOTFOUND db"));
    objects.push(database(LONG_AGO).swap_remove(0));
    let set = |replicas: i64| {
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": "db", "namespace": "prod", "uid": "db", "generation": 1,
                "creationTimestamp": "2026-10-01T00:00:00Z"},
            "spec": {"replicas": replicas, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
                "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "db", "image": "db"}]}}},
            "status": {"replicas": replicas, "observedGeneration": 1}})
    };
    let fix = |replicas: i64| {
        let all = [objects.clone(), vec![set(replicas)]].concat();
        let fleet = Input::of(&all, NOW).fleet();
        let mut reports = fleet.reports.iter();
        let kv = reports.find(|it| &*it.metadata.name == "kv").unwrap();
        let report = serde_json::to_value(kv).unwrap();
        first(&report)["fix"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let empty = "Service db selects StatefulSet db, which is scaled to zero: scale it up first, and kv-2 follows";
    assert_eq!(fix(0), empty);
    assert!(!fix(1).contains("scaled to zero"));
}

#[test]
fn the_garbage_collector_is_named_for_its_finalizer() {
    let mut objects = leaving(|pod| {
        pod["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
        pod["status"]["phase"] = json!("Succeeded");
    });
    let collector = "foregroundDeletion is the finalizer of the garbage collector";
    assert!(plan(&objects).to_string().contains(collector));
    of(&mut objects, "Pod", "kv-2")["metadata"]["finalizers"] = json!(["example.com/drain"]);
    assert!(!plan(&objects).to_string().contains("garbage collector"));
}
