//! `--assume quota/NAME=+AMOUNT` and the like on the command line.

use serde_json::{Value, json};

use crate::program;
use test_kit::kv::NOW;

const UID: &str = "0b0e7d4c-0000-4000-8000-000000000001";

/// `prod/kv` with this number of replicas and this pod spec.
fn set(replicas: usize, spec: Value) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "kv", "namespace": "prod", "uid": UID, "generation": 1},
        "spec": {
            "replicas": replicas, "serviceName": "kv", "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {"app": "kv"}},
            "template": {"metadata": {"labels": {"app": "kv"}}, "spec": spec},
            // Pods that nothing else replaces.
            "updateStrategy": {"type": "OnDelete"},
        },
    })
}

fn pod(ordinal: usize, spec: Value, status: Value) -> Value {
    let name = format!("kv-{ordinal}");
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "prod", "uid": name, "creationTimestamp": "2026-11-21T10:00:00Z",
            "labels": {"app": "kv", "statefulset.kubernetes.io/pod-name": name,
                "apps.kubernetes.io/pod-index": ordinal.to_string()},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "kv", "uid": UID,
                "controller": true, "blockOwnerDeletion": true}],
        },
        "spec": spec, "status": status,
    })
}

fn ready() -> Value {
    json!({"phase": "Running", "conditions": [
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-21T10:00:20Z"},
    ]})
}

fn containers(requests: Value) -> Value {
    json!({"containers": [{"name": "app", "image": "kv:1", "resources": {"requests": requests}}]})
}

fn on(mut spec: Value, node: &str) -> Value {
    spec["nodeName"] = json!(node);
    spec
}

fn event(message: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreate", "message": message,
        "metadata": {"name": "kv.1", "namespace": "prod"}, "count": 12,
        "involvedObject": {"kind": "StatefulSet", "namespace": "prod", "name": "kv", "uid": UID},
        "firstTimestamp": "2026-11-21T11:50:00Z", "lastTimestamp": "2026-11-21T11:59:00Z"})
}

fn run(objects: &[Value], args: &[&str]) -> (i32, String, String) {
    let usual = ["--now", NOW, "--kubernetes-version", "1.33"];
    program::run_on(objects, &[&usual[..], args].concat())
}

/// One pod of four replicas runs. A quota refuses the next, which requests 2Gi; 10Gi are in use.
fn refused_by_quota() -> Vec<Value> {
    let spec = containers(json!({"memory": "2Gi"}));
    vec![
        set(4, spec.clone()),
        pod(0, on(spec, "node-1"), ready()),
        event(
            "create Pod kv-1 in StatefulSet kv failed error: pods \"kv-1\" is forbidden: exceeded quota: compute, \
             requested: requests.memory=2Gi, used: requests.memory=10Gi, limited: requests.memory=10Gi",
        ),
    ]
}

#[test]
fn invalid_assumptions_say_what_to_write() {
    let objects = refused_by_quota();
    for (assume, says) in [
        ("deployment/x=exists", "one of: secret/NAME, configmap/NAME"),
        ("secret/db=gone", "is secret/db=exists"),
        ("quota/compute=6Gi", "quota/compute=+2Gi"),
        ("quota/compute", "secret/NAME=exists"),
    ] {
        let (code, out, error) = run(&objects, &["--assume", assume]);
        assert_eq!((code, &*out), (1, ""), "{assume}");
        assert!(error.contains(says), "{assume}: {error}");
    }
    // A pod may be named as for kubectl.
    let (_, out, _) = run(&objects, &["--assume", "pod/kv-1=recovers", "-o", "json"]);
    let plan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(plan["outcome"]["result"], "complete");
}
