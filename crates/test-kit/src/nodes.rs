//! Small clusters whose nodes are drained or lost.

use serde_json::{Value, json};

/// A ready node of a zone.
pub fn node(name: &str, zone: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone,
        }},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
        },
    })
}

/// The budget guard over the pods with the label `app: web`.
pub fn budget(spec: Value) -> Value {
    let mut spec = spec;
    spec["selector"] = json!({"matchLabels": {"app": "web"}});
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "guard", "namespace": "prod"}, "spec": spec,
    })
}

/// The set `prod/NAME`, with a ready pod on each of these nodes.
pub fn set(name: &str, nodes: &[&str], spec: Value) -> Vec<Value> {
    let template = json!({
        "metadata": {"labels": {"app": "web", "set": name}},
        "spec": {"containers": [{"name": "app", "image": "app:1",
            "resources": {"requests": {"cpu": "1"}}}]},
    });
    let mut whole = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "prod", "uid": format!("uid-{name}"), "generation": 1},
        "spec": {
            "replicas": nodes.len(), "serviceName": name,
            "selector": {"matchLabels": {"app": "web", "set": name}},
            "template": template,
            // Pods that nothing else replaces.
            "updateStrategy": {"type": "OnDelete"},
        },
    });
    if let Some(affinity) = spec.get("affinity") {
        whole["spec"]["template"]["spec"]["affinity"] = affinity.clone();
    }
    if let Some(tolerations) = spec.get("tolerations") {
        whole["spec"]["template"]["spec"]["tolerations"] = tolerations.clone();
    }
    let mut objects = vec![whole];
    for (ordinal, node) in nodes.iter().enumerate() {
        let pod = format!("{name}-{ordinal}");
        let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T02:00:20Z"});
        objects.push(json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {
                "name": pod, "namespace": "prod", "uid": format!("uid-{pod}"),
                "creationTimestamp": "2026-11-20T02:00:00Z",
                "labels": {"app": "web", "set": name, "statefulset.kubernetes.io/pod-name": pod,
                    "apps.kubernetes.io/pod-index": ordinal.to_string()},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": name,
                    "uid": format!("uid-{name}"), "controller": true, "blockOwnerDeletion": true}],
            },
            "spec": {"nodeName": node, "containers": [{"name": "app", "image": "app:1"}],
                "tolerations": [
                    {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                    {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
                ]},
            "status": {"phase": "Running", "conditions": [ready]},
        }));
    }
    objects
}

/// A node in each of three zones.
pub fn three_nodes() -> Vec<Value> {
    vec![
        node("node-7", "a"),
        node("node-8", "b"),
        node("node-9", "c"),
    ]
}

/// The set web with a pod on each of three nodes, and these budgets.
pub fn cluster(budgets: &[Value]) -> Vec<Value> {
    let mut objects = set("web", &["node-7", "node-8", "node-9"], json!({}));
    objects.extend(three_nodes());
    objects.extend(budgets.iter().cloned());
    objects
}

/// The owner of a pod of a Deployment.
pub const REPLICA_SET: Option<(&str, &str)> = Some(("apps/v1", "ReplicaSet"));

/// A ready pod of `prod` with the label `app: other`.
pub fn other(name: &str, owner: Option<(&str, &str)>, node: &str) -> Value {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "prod", "uid": format!("uid-{name}"), "labels": {"app": "other"}},
        "spec": {"nodeName": node, "containers": [{"name": "app", "image": "app:1"}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    });
    if let Some((version, kind)) = owner {
        pod["metadata"]["ownerReferences"] = json!([
            {"apiVersion": version, "kind": kind, "name": "pool", "uid": "uid-pool", "controller": true}]);
    }
    pod
}

/// A budget over the other pods.
pub fn budget_of_others(spec: Value) -> Value {
    let mut budget = budget(spec);
    budget["spec"]["selector"] = json!({"matchLabels": {"app": "other"}});
    budget
}

/// The pods of `web` with local volumes on three nodes.
pub fn local() -> Vec<Value> {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    objects[0]["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "local",
            "resources": {"requests": {"storage": "1Gi"}}}}]);
    for (ordinal, node) in ["node-7", "node-8", "node-9"].iter().enumerate() {
        let (volume, claim) = (format!("pv-{ordinal}"), format!("data-web-{ordinal}"));
        let on_node = json!({"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]});
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume},
            "spec": {"claimRef": {"namespace": "prod", "name": claim, "uid": claim}, "local": {"path": "/data"},
                "storageClassName": "local", "nodeAffinity": {"required": on_node}}}));
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": "prod", "uid": claim},
            "spec": {"volumeName": volume, "storageClassName": "local"}, "status": {"phase": "Bound"}}));
        objects[ordinal + 1]["spec"]["volumes"] =
            json!([{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]);
    }
    objects
}

/// The set of two crash-loops with one pod, and both are on one node.
pub fn crash_looping() -> Vec<Value> {
    let mut objects = set("web", &["node-7", "node-7", "node-8"], json!({}));
    objects[1]["status"]["conditions"][0]["status"] = json!("False");
    objects[1]["status"]["containerStatuses"] = json!([{"name": "app", "ready": false, "restartCount": 9,
        "image": "app:1", "imageID": "", "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}}]);
    objects.push(budget(json!({"maxUnavailable": 1})));
    objects.extend(three_nodes());
    objects
}
