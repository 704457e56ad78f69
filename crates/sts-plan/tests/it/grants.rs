//! `--assume quota/NAME=+AMOUNT`, `secret/NAME=exists` and the like: would this unblock the set?

use serde_json::{Value, json};
use test_kit::input::Input;
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

/// The plan with these assumptions.
fn plan(objects: &[Value], assumed: &[&str]) -> Value {
    assuming(objects, assumed).json()
}

fn assuming(objects: &[Value], assumed: &[&str]) -> Input {
    let input = Input::of(objects, NOW).version("1.33");
    assumed.iter().fold(input, |input, words| {
        let (object, what) = words.split_once('=').unwrap();
        match object.strip_prefix("nodes+") {
            Some(count) => input.more_nodes(count.parse().unwrap(), what),
            None => input.granting(object, what),
        }
    })
}

/// The result and the summary.
fn outcome(objects: &[Value], assumed: &[&str]) -> (String, String) {
    let plan = plan(objects, assumed);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&plan["outcome"]["result"]), text(&plan["summary"]))
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
fn a_raised_quota_admits_as_many_pods_as_fit() {
    let objects = refused_by_quota();
    assert_eq!(outcome(&objects, &[]).0, "blocked");
    let assume = |more: &str| {
        let grant = format!("quota/compute={more}");
        plan(&objects, &[&grant])
    };
    for (more, result, created, says) in [
        (
            "+1Gi",
            "blocked",
            0,
            "quota compute still has no room for 3 pods",
        ),
        (
            "+2Gi",
            "blocked",
            1,
            "quota compute has room for 1 pod, but not for 2 more",
        ),
        (
            "+5Gi",
            "blocked",
            2,
            "quota compute has room for 2 pods, but not for 1 more",
        ),
        ("+6Gi", "complete", 3, "quota compute has room for 3 pods"),
        (
            "requests.memory+6Gi",
            "complete",
            3,
            "quota compute has room for 3 pods",
        ),
    ] {
        let plan = assume(more);
        assert_eq!(plan["outcome"]["result"], result, "{more}");
        let pods = plan["outcome"]["pods"].as_array().unwrap();
        assert_eq!(pods.len(), 1 + created, "{more}: {pods:?}");
        let assumptions = plan["assumptions"].to_string();
        assert!(assumptions.contains(says), "{more}: {assumptions}");
    }
    // Another resource of the quota does not help.
    let other = assume("limits.cpu+6");
    assert_eq!(other["outcome"]["result"], "blocked");
    let assumptions = other["assumptions"].to_string();
    assert!(
        assumptions.contains("quota/compute=limits.cpu+6 has no effect"),
        "{assumptions}"
    );
    // The remaining cause is the raised quota.
    let still = assume("+2Gi")["outcome"]["blockedBy"].to_string();
    assert!(still.contains("limited: requests.memory=12Gi"), "{still}");
    assert_eq!(
        assume("+6Gi")["summary"],
        "Plan: 0 to replace, 3 to create, 0 to delete; 1 waiting for a manual delete after 20s; depends on --assume \
         quota/compute=+6Gi"
    );
    let both = ["quota/compute=+4Gi", "quota/compute=+2Gi"];
    assert_eq!(outcome(&objects, &both).0, "complete");
    assert_eq!(outcome(&objects, &["quota/other=+6Gi"]).0, "blocked");
}

#[test]
fn an_amount_needs_a_resource_if_several_are_lacking() {
    let mut objects = refused_by_quota();
    objects[2] = event(
        "create Pod kv-1 in StatefulSet kv failed error: pods \"kv-1\" is forbidden: exceeded quota: compute, requested: \
         pods=1,requests.memory=2Gi, used: pods=5,requests.memory=10Gi, limited: pods=5,requests.memory=10Gi",
    );
    let vague = plan(&objects, &["quota/compute=+6Gi"]);
    assert_eq!(vague["outcome"]["result"], "blocked");
    let assumptions = vague["assumptions"].to_string();
    assert!(
        assumptions.contains(
            "quota compute is exceeded for pods and requests.memory; use quota/compute=pods+AMOUNT"
        ),
        "{assumptions}"
    );
    let both = ["quota/compute=requests.memory+6Gi", "quota/compute=pods+3"];
    assert_eq!(outcome(&objects, &both).0, "complete");
    assert_eq!(outcome(&objects, &both[..1]).0, "blocked");
}

#[test]
fn adding_a_secret_unblocks_all_pods_that_wait_for_it() {
    let spec = json!({"containers": [{"name": "app", "image": "kv:1", "envFrom": [{"secretRef": {"name": "db"}}]}]});
    let waiting = json!({"phase": "Pending", "containerStatuses": [{"name": "app", "ready": false, "restartCount": 0,
        "state": {"waiting": {"reason": "CreateContainerConfigError", "message": "secret \"db\" not found"}}}]});
    // kv-1 waits; kv-2 is not created yet.
    let objects = [
        set(3, spec.clone()),
        pod(0, on(spec.clone(), "node-1"), ready()),
        pod(1, on(spec, "node-1"), waiting),
    ];
    assert_eq!(outcome(&objects, &[]).0, "blocked");
    let (result, summary) = outcome(&objects, &["secret/db=exists"]);
    assert_eq!(result, "complete");
    assert!(
        summary.ends_with("depends on --assume secret/db=exists"),
        "{summary}"
    );
    for other in ["secret/other=exists", "configmap/db=exists"] {
        let plan = plan(&objects, &[other]);
        assert_eq!(plan["outcome"]["result"], "blocked");
        let says = format!("--assume {other} has no effect");
        assert!(plan["assumptions"].to_string().contains(&says), "{plan}");
        assert!(!plan["summary"].to_string().contains("depends on"));
    }
    let screen = plan(&objects, &["secret/db=exists"])["assumptions"].to_string();
    assert!(
        screen.contains("pod kv-1 starts because Secret db exists (--assume secret/db=exists)"),
        "{screen}"
    );
}

#[test]
fn adding_an_account_or_priority_class_unblocks_a_refused_pod() {
    let spec = containers(json!({}));
    for (words, grant) in [
        (
            "error looking up service account prod/app: serviceaccount \"app\" not found",
            "serviceaccount/app=exists",
        ),
        (
            "no PriorityClass with name high was found",
            "priorityclass/high=exists",
        ),
    ] {
        let refused = format!(
            "create Pod kv-1 in StatefulSet kv failed error: pods \"kv-1\" is forbidden: {words}"
        );
        let objects = [
            set(2, spec.clone()),
            pod(0, on(spec.clone(), "node-1"), ready()),
            event(&refused),
        ];
        assert_eq!(outcome(&objects, &[]).0, "blocked");
        assert_eq!(outcome(&objects, &[grant]).0, "complete", "{grant}");
        let other = grant.replace("/app", "/other").replace("/high", "/low");
        assert_eq!(outcome(&objects, &[&other]).0, "blocked", "{other}");
    }
}

/// `kv` with a claim of class fast per pod, where only class slow exists. kv-1 waits for its volume, and kv-2 is not
/// created yet.
fn without_class(event: Option<&str>) -> Vec<Value> {
    let claim = |ordinal: usize, phase: &str| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": format!("data-kv-{ordinal}"), "namespace": "prod", "uid": format!("claim-{ordinal}"),
                "creationTimestamp": "2026-11-21T10:00:00Z"},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
                "volumeName": if phase == "Bound" { "pv-0" } else { "" },
                "resources": {"requests": {"storage": "10Gi"}}},
            "status": {"phase": phase},
        })
    };
    let spec = |ordinal: usize| {
        let mut spec = containers(json!({}));
        let claim = json!({"claimName": format!("data-kv-{ordinal}")});
        spec["volumes"] = json!([{"name": "data", "persistentVolumeClaim": claim}]);
        spec
    };
    let unschedulable = json!({"phase": "Pending", "conditions": [{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
        "lastTransitionTime": "2026-11-21T10:00:00Z",
    }]});
    let mut whole = set(3, containers(json!({})));
    whole["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": "10Gi"}}}}]);
    let mut objects = vec![
        whole,
        pod(0, on(spec(0), "node-1"), ready()),
        pod(1, spec(1), unschedulable),
        claim(0, "Bound"),
        claim(1, "Pending"),
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "slow"},
            "provisioner": "example.com"}),
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-0"},
            "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "fast",
                "claimRef": {"namespace": "prod", "name": "data-kv-0"}},
            "status": {"phase": "Bound"}}),
    ];
    objects.extend(event.map(|message| {
        json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "ProvisioningFailed",
            "message": message, "metadata": {"name": "data-kv-1.1", "namespace": "prod"}, "count": 12,
            "involvedObject": {"kind": "PersistentVolumeClaim", "namespace": "prod", "name": "data-kv-1", "uid": "claim-1"},
            "firstTimestamp": "2026-11-21T10:00:01Z", "lastTimestamp": "2026-11-21T11:59:00Z"})
    }));
    objects
}

#[test]
fn adding_a_storage_class_unblocks_the_claims_that_wait_for_it() {
    let not_found = "storageclass.storage.k8s.io \"fast\" not found";
    for event in [None, Some(not_found)] {
        let objects = without_class(event);
        assert_eq!(outcome(&objects, &[]).0, "blocked");
        let given = plan(&objects, &["storageclass/fast=exists"]);
        assert_eq!(
            given["outcome"]["result"], "complete",
            "{event:?}: {given:#}"
        );
        let assumptions = given["assumptions"].to_string();
        for says in [
            "pod kv-1 starts because StorageClass fast exists (--assume storageclass/fast=exists)",
            "new claims of data get a volume because StorageClass fast exists",
        ] {
            assert!(assumptions.contains(says), "{assumptions}");
        }
        assert!(
            given["summary"]
                .as_str()
                .unwrap()
                .ends_with("depends on --assume storageclass/fast=exists")
        );
        let other = plan(&objects, &["sc/other=exists"]);
        assert_eq!(other["outcome"]["result"], "blocked");
        let says = "--assume storageclass/other=exists has no effect";
        assert!(other["assumptions"].to_string().contains(says), "{other}");
    }
    // A provisioner that fails for another reason keeps failing.
    let objects = without_class(Some("rpc error: code = ResourceExhausted: no space left"));
    let given = ["storageclass/fast=exists"];
    assert_eq!(outcome(&objects, &given).0, "blocked");
}

#[test]
fn one_more_node_unblocks_the_pods_that_fit_on_it() {
    let node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "node-1", "labels": {"kubernetes.io/hostname": "node-1"}},
        "status": {"conditions": [{"type": "Ready", "status": "True"}],
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    });
    let unschedulable = json!({"phase": "Pending", "conditions": [{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/1 nodes are available: 1 Insufficient cpu.", "lastTransitionTime": "2026-11-21T10:00:00Z",
    }]});
    let spec = containers(json!({"cpu": "3"}));
    let objects = [
        set(3, spec.clone()),
        node,
        pod(0, on(spec.clone(), "node-1"), ready()),
        pod(1, spec.clone(), unschedulable.clone()),
        pod(2, spec.clone(), unschedulable.clone()),
    ];
    assert_eq!(outcome(&objects, &[]).0, "blocked");
    let one = plan(&objects, &["nodes+1=node-1"]);
    assert_eq!(one["outcome"]["result"], "blocked");
    let assumptions = one["assumptions"].to_string();
    assert!(
        assumptions.contains("pod kv-1 starts because it fits on node node-1-like-1"),
        "{assumptions}"
    );
    assert!(
        assumptions.contains("the additional nodes have no room for kv-2"),
        "{assumptions}"
    );
    let (result, summary) = outcome(&objects, &["nodes+2=node-1"]);
    assert_eq!(result, "complete");
    assert!(
        summary.ends_with("depends on --assume nodes+2=node-1"),
        "{summary}"
    );
    let report = assuming(&objects, &["nodes+2=node-1"]).report();
    // Spare nodes are no action on nodes.
    assert!(report.nodes.is_none(), "{report:#?}");
    // Such a node is too small for a pod that requests more than it has.
    let large = containers(json!({"cpu": "6"}));
    let objects = [
        set(2, large.clone()),
        objects[1].clone(),
        pod(0, on(spec, "node-1"), ready()),
        pod(1, large, unschedulable),
    ];
    assert_eq!(outcome(&objects, &["nodes+2=node-1"]).0, "blocked");
}
