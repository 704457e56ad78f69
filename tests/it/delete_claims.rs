//! `--delete-claim`: when the claim is removed, what replaces it, and which data is lost.

use serde_json::{Value, json};

use crate::program;

const UID: &str = "0b0e7d4c-0000-4000-8000-000000000002";

/// `prod/kv` of two ready pods with a claim each.
fn objects() -> Vec<Value> {
    let mut objects = vec![json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "kv", "namespace": "prod", "uid": UID, "generation": 1},
        "spec": {
            "replicas": 2, "serviceName": "kv", "selector": {"matchLabels": {"app": "kv"}},
            "template": {
                "metadata": {"labels": {"app": "kv"}},
                "spec": {"containers": [{"name": "app", "image": "kv:1",
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]},
            },
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}],
            "updateStrategy": {"type": "OnDelete"},
        },
    })];
    for ordinal in 0..2 {
        let (pod, claim) = (format!("kv-{ordinal}"), format!("data-kv-{ordinal}"));
        let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-21T10:00:20Z"});
        objects.push(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": pod, "namespace": "prod", "uid": pod, "creationTimestamp": "2026-11-21T10:00:00Z",
                "labels": {"app": "kv", "statefulset.kubernetes.io/pod-name": pod,
                    "apps.kubernetes.io/pod-index": ordinal.to_string()},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "kv", "uid": UID,
                    "controller": true, "blockOwnerDeletion": true}]},
            "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "kv:1"}],
                "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]},
            "status": {"phase": "Running", "conditions": [ready]},
        }));
        objects.push(json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": "prod", "uid": claim,
                "finalizers": ["kubernetes.io/pvc-protection"]},
            "spec": {"resources": {"requests": {"storage": "1Gi"}}},
            "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}},
        }));
    }
    objects
}

fn run(objects: &[Value], args: &[&str]) -> (i32, String, String) {
    let usual = [
        "--now",
        "2026-11-21T12:00:00Z",
        "--kubernetes-version",
        "1.33",
    ];
    program::run_on(objects, &[&usual[..], args].concat())
}

fn plan(objects: &[Value], args: &[&str]) -> Value {
    let (_, out, error) = run(objects, &[args, &["-o", "json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

/// The events and writes of claims and pods, in order.
fn course(plan: &Value) -> Vec<String> {
    let steps = plan["steps"].as_array().unwrap();
    let mut course = Vec::new();
    for step in steps {
        if let Some(event) = step["event"].as_str() {
            course.push(format!("{event} {}", step["name"].as_str().unwrap()));
        }
        for write in step["writes"].as_array().into_iter().flatten() {
            let resource = write["resource"].as_str().unwrap();
            if ["pods", "persistentvolumeclaims"].contains(&resource) {
                let text = |name: &str| write[name].as_str().unwrap();
                course.push(format!("{} {}", text("verb"), text("name")));
            }
        }
    }
    course
}

#[test]
fn a_claim_in_use_stays_until_its_pod_is_gone() {
    let objects = objects();
    let kept = plan(&objects, &["--delete-claim", "data-kv-1"]);
    assert_eq!(course(&kept), ["ClaimDeleted data-kv-1"]);
    let assumptions = kept["assumptions"].to_string();
    assert!(
        assumptions.contains("data-kv-1 remains, terminating, until kv-1 is deleted"),
        "{assumptions}"
    );
    assert_eq!(
        kept["change"],
        json!([{"path": "persistentvolumeclaim/data-kv-1", "effect": "delete"}])
    );
}

#[test]
fn with_its_pod_it_goes_and_an_empty_one_comes() {
    let objects = objects();
    let both = ["--delete-claim", "data-kv-1", "--delete-pod", "kv-1"];
    let reset = plan(&objects, &both);
    assert_eq!(
        course(&reset),
        [
            "ClaimDeleted data-kv-1",
            "PodDeleted kv-1",
            "PodRemoved kv-1",
            "ClaimRemoved data-kv-1",
            "create data-kv-1",
            "create kv-1",
            "PodReady kv-1",
        ]
    );
    let findings = reset["findings"].as_array().unwrap();
    let loss = findings.iter().find(|found| found["id"] == "STS003");
    assert!(
        loss.is_some_and(|found| found["severity"] != "info"),
        "{findings:?}"
    );
    let assumptions = reset["assumptions"].to_string();
    assert!(
        assumptions.contains(
            "the controller creates a new, empty data-kv-1 as soon as the old one is gone"
        ),
        "{assumptions}"
    );
    let (code, _, error) = run(&objects, &[&both[..], &["--fail-on", "data-loss"]].concat());
    assert_eq!(code, 5, "{error}");
}

#[test]
fn a_claim_restored_while_its_pod_is_gone_is_used() {
    let objects = objects();
    // If the pod is scaled down, the claim is not created again.
    let away = ["--delete-claim", "data-kv-1", "--replicas", "1"];
    let gone = plan(&objects, &away);
    let course_away = course(&gone);
    assert!(
        course_away.contains(&"ClaimRemoved data-kv-1".to_owned()),
        "{course_away:?}"
    );
    assert!(
        !course_away.iter().any(|step| step.starts_with("create")),
        "{course_away:?}"
    );
    let assumptions = gone["assumptions"].to_string();
    assert!(
        assumptions.contains("a claim restored as data-kv-1 is used when its pod is created again"),
        "{assumptions}"
    );
    // The restored claim has another size and is still accepted.
    let mut restored = objects;
    restored.retain(|object| object["metadata"]["name"] != "kv-1");
    for object in &mut restored {
        if object["metadata"]["name"] == "data-kv-1" {
            object["spec"]["resources"]["requests"]["storage"] = json!("5Gi");
            object["metadata"]["uid"] = json!("restored");
        }
    }
    let back = plan(&restored, &[]);
    assert_eq!(course(&back), ["create kv-1", "PodReady kv-1"]);
    let findings = back["findings"].to_string();
    assert!(findings.contains("STS005"), "{findings}");
}

#[test]
fn other_finalizers_keep_it_and_unknown_names_are_errors() {
    let mut objects = objects();
    for object in &mut objects {
        if object["metadata"]["name"] == "data-kv-1" {
            object["metadata"]["finalizers"] = json!([
                "kubernetes.io/pvc-protection",
                "snapshot.storage.kubernetes.io/pvc-as-source-protection"
            ]);
        }
    }
    let both = ["--delete-claim", "data-kv-1", "--delete-pod", "kv-1"];
    let kept = plan(&objects, &both);
    assert!(!course(&kept).contains(&"ClaimRemoved data-kv-1".to_owned()));
    assert_eq!(kept["outcome"]["result"], "blocked");
    let (code, _, error) = run(&objects, &["--delete-claim", "data-kv-9"]);
    assert_eq!(code, 1);
    assert!(
        error.contains("--delete-claim data-kv-9: no planned set has this claim; there are data-kv-0, data-kv-1"),
        "{error}"
    );
}
