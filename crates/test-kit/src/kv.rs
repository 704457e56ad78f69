//! The set kv of a few pods, with their claims and nodes, as JSON: what a cluster has when something is wrong.

use serde_json::{Value, json};

pub const NOW: &str = "2026-11-21T12:00:00Z";
pub const UID: &str = "5e7d0000-0000-4000-8000-000000000001";

pub fn template(image: &str) -> Value {
    json!({"metadata": {"labels": {"app": "kv"}},
        "spec": {"terminationGracePeriodSeconds": 30, "containers": [{"name": "kv", "image": image,
            "readinessProbe": {"tcpSocket": {"port": 5432}}}]}})
}

/// A set with this many pods, in transition from revision `old` to `new` unless they are equal.
pub fn set(replicas: usize, policy: &str, new: &str) -> Vec<Value> {
    let claim = json!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "storageClassName": "gp3", "resources": {"requests": {"storage": "10Gi"}}}});
    let image = if new == "kv-new" { "kv:2" } else { "kv:1" };
    let mut all = vec![
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "kv", "namespace": "prod", "uid": UID, "generation": 3,
            "creationTimestamp": "2026-10-01T00:00:00Z", "resourceVersion": "1"},
        "spec": {"replicas": replicas, "serviceName": "kv", "podManagementPolicy": policy,
            "selector": {"matchLabels": {"app": "kv"}}, "template": template(image),
            "updateStrategy": {"type": "RollingUpdate"}, "volumeClaimTemplates": [claim]},
        "status": {"replicas": replicas, "observedGeneration": 3, "currentRevision": "kv-old",
            "updateRevision": new}}),
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kv", "namespace": "prod"},
        "spec": {"clusterIP": "None", "selector": {"app": "kv"}}}),
    ];
    let revisions = [
        ("kv-old", "kv:1", 1, "2026-10-01T00:00:00Z"),
        ("kv-new", "kv:2", 2, "2026-11-21T11:20:00Z"),
    ];
    for (name, image, number, created) in revisions {
        if name == "kv-old" || name == new {
            all.push(json!({"apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": number,
                "metadata": {"name": name, "namespace": "prod", "uid": name, "labels": {"app": "kv"},
                    "creationTimestamp": created, "ownerReferences": [owner()]},
                "data": {"spec": {"template": {"$patch": "replace", "metadata": template(image)["metadata"],
                    "spec": template(image)["spec"]}}}}));
        }
    }
    all
}

pub fn owner() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "kv", "uid": UID, "controller": true,
        "blockOwnerDeletion": true})
}

/// A pod of the set that has been ready since then, with its claim.
pub fn pod(ordinal: usize, revision: &str, created: &str, ready: &str, node: &str) -> Vec<Value> {
    let name = format!("kv-{ordinal}");
    let claim = format!("data-{name}");
    let image = if revision == "kv-new" { "kv:2" } else { "kv:1" };
    let mut spec = template(image)["spec"].clone();
    spec["nodeName"] = json!(node);
    spec["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]);
    vec![
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "prod", "uid": format!("pod-{ordinal}-{revision}"),
                "creationTimestamp": created, "ownerReferences": [owner()],
                "labels": {"app": "kv", "controller-revision-hash": revision,
                    "statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": ordinal.to_string()}},
            "spec": spec,
            "status": {"phase": "Running",
                "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": ready},
                    {"type": "PodScheduled", "status": "True", "lastTransitionTime": created}],
                "containerStatuses": [{"name": "kv", "ready": true, "restartCount": 0,
                    "state": {"running": {"startedAt": created}}}]}}),
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": "prod", "labels": {"app": "kv"}},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "gp3", "volumeName": format!("pv-{ordinal}"),
                "resources": {"requests": {"storage": "10Gi"}}},
            "status": {"phase": "Bound", "capacity": {"storage": "10Gi"}}}),
    ]
}

pub fn node(name: &str, zone: &str, is_ready: bool) -> Value {
    let status = if is_ready { "True" } else { "Unknown" };
    json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone, "kubernetes.io/hostname": name}},
        "status": {"allocatable": {"cpu": "64", "memory": "256Gi"}, "conditions": [{"type": "Ready",
            "status": status, "lastTransitionTime": "2026-11-21T11:10:00Z", "reason": "NodeStatusUnknown",
            "message": "Kubelet stopped posting node status."}]}})
}

/// Sets the state of a pod's only container.
pub fn put(objects: &mut [Value], ordinal: usize, status: Value) {
    let name = format!("kv-{ordinal}");
    let pod = objects
        .iter_mut()
        .find(|it| it["kind"] == "Pod" && it["metadata"]["name"] == *name)
        .unwrap();
    pod["status"] = status;
}

pub fn not_ready(phase: &str, state: Value, restarts: i64, code: i64) -> Value {
    let mut container =
        json!({"name": "kv", "ready": false, "restartCount": restarts, "state": state});
    if restarts > 0 {
        container["lastState"] = json!({"terminated": {"exitCode": code, "reason": "Error",
            "finishedAt": "2026-11-21T11:58:00Z"}});
    }
    json!({"phase": phase, "containerStatuses": [container],
        "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-21T11:20:00Z"},
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-21T11:00:00Z"}]})
}

pub const DAY: &str = "2026-11-20T00:00:00Z";
pub const LONG_AGO: &str = "2026-11-21T11:20:00Z";

/// Three pods that serve on the old revision.
pub fn serving() -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-old");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    objects
}

pub fn of<'o>(objects: &'o mut [Value], kind: &str, name: &str) -> &'o mut Value {
    let mut found = objects.iter_mut();
    let is_it = |it: &&mut Value| it["kind"] == kind && it["metadata"]["name"] == name;
    found.find(is_it).unwrap()
}

/// A volume of a claim that only nodes with this label can use.
pub fn volume_at(name: &str, claim: &str, key: &str, value: &str) -> Value {
    let place = json!({"key": key, "operator": "In", "values": [value]});
    json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3",
            "claimRef": {"namespace": "prod", "name": claim, "uid": "x"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [place]}]}}}})
}

/// Gives kv-2 a second claim, wal-kv-2, on the volume pv-wal.
pub fn add_wal(objects: &mut Vec<Value>) {
    let mut wal = of(objects, "PersistentVolumeClaim", "data-kv-2").clone();
    wal["metadata"]["name"] = json!("wal-kv-2");
    wal["spec"]["volumeName"] = json!("pv-wal");
    objects.push(wal);
    let set = of(objects, "StatefulSet", "kv");
    let templates = set["spec"]["volumeClaimTemplates"].as_array_mut().unwrap();
    let mut template = templates[0].clone();
    template["metadata"]["name"] = json!("wal");
    templates.push(template);
    let volumes = &mut of(objects, "Pod", "kv-2")["spec"]["volumes"];
    let claim = json!({"claimName": "wal-kv-2"});
    let volumes = volumes.as_array_mut().unwrap();
    volumes.push(json!({"name": "wal", "persistentVolumeClaim": claim}));
}

pub fn event(kind: &str, name: &str, reason: &str, message: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": reason, "message": message, "count": 57,
        "metadata": {"name": format!("{name}.{reason}"), "namespace": "prod"},
        "involvedObject": {"kind": kind, "namespace": "prod", "name": name},
        "firstTimestamp": LONG_AGO, "lastTimestamp": "2026-11-21T11:58:00Z"})
}

/// The three pods with kv-2 in this status.
pub fn status(status: Value) -> Vec<Value> {
    let mut objects = serving();
    put(&mut objects, 2, status);
    objects
}

pub fn waits(reason: &str, message: &str) -> Value {
    json!({"waiting": {"reason": reason, "message": message}})
}

/// kv-2 starts on its node, and does not progress.
pub fn starting() -> Value {
    not_ready("Pending", waits("ContainerCreating", ""), 0, 0)
}

pub fn running() -> Value {
    not_ready("Running", json!({"running": {"startedAt": LONG_AGO}}), 0, 0)
}

/// The container crash-loops with this termination message.
pub fn crashes(message: &str) -> Value {
    let mut status = not_ready("Running", waits("CrashLoopBackOff", "back-off 5m0s"), 9, 1);
    status["containerStatuses"][0]["lastState"]["terminated"]["message"] = json!(message);
    status
}

/// kv-2 has no node, for this reason.
pub fn unplaced(reason: &str, message: &str) -> Value {
    json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": reason,
        "message": message, "lastTransitionTime": LONG_AGO}]})
}

/// kv-2 has no node because its claim is in this state.
pub fn claim(change: impl FnOnce(&mut Value)) -> Vec<Value> {
    let words = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
    let mut objects = status(unplaced("Unschedulable", words));
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
    pod["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
    claim["status"] = json!({"phase": "Pending"});
    claim["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    let spec = claim["spec"].as_object_mut().unwrap();
    spec.remove("volumeName");
    change(claim);
    objects.push(
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "gp3"},
        "provisioner": "ebs.csi.aws.com"}),
    );
    objects.push(
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "other"},
        "spec": {"capacity": {"storage": "1Gi"}, "storageClassName": "other"}}),
    );
    objects
}

/// kv-2 is being deleted and should be gone by now.
pub fn leaving(change: impl FnOnce(&mut Value)) -> Vec<Value> {
    let mut objects = status(running());
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
    change(pod);
    objects
}

/// kv-2 fails each time it is created.
pub fn rejected(reason: &str) -> Vec<Value> {
    let mut objects = status(json!({"phase": "Failed", "reason": reason, "message": "no room"}));
    let words = "create Pod kv-2 in StatefulSet kv successful";
    objects.push(event("StatefulSet", "kv", "SuccessfulCreate", words));
    objects
}

pub fn out_of_memory(limit: Option<&str>) -> Vec<Value> {
    let mut status = not_ready(
        "Running",
        waits("CrashLoopBackOff", "back-off 5m0s"),
        9,
        137,
    );
    status["containerStatuses"][0]["lastState"]["terminated"]["reason"] = json!("OOMKilled");
    let mut objects = self::status(status);
    let pod = of(&mut objects, "Pod", "kv-2");
    if let Some(limit) = limit {
        pod["spec"]["containers"][0]["resources"] = json!({"limits": {"memory": limit}});
    }
    objects
}

/// The set with an additional mark.
pub fn marked(mark: impl FnOnce(&mut Value)) -> Vec<Value> {
    let mut objects = serving();
    mark(of(&mut objects, "StatefulSet", "kv"));
    objects
}

/// A running pod that is not ready, on a node that its kubelet reports as not ready.
pub fn on_sick_node(message: &str) -> Vec<Value> {
    let mut objects = status(running());
    of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"] = json!("n-2");
    objects.retain(|it| it["kind"] != "Node");
    objects.push(node_of(&json!("n-2"), message));
    objects
}

/// A node that is not ready, with the message of its kubelet.
pub fn node_of(name: &Value, message: &str) -> Value {
    let mut node = node(name.as_str().unwrap(), "a", false);
    let ready = &mut node["status"]["conditions"][0];
    ready["status"] = json!("False");
    ready["reason"] = json!("KubeletNotReady");
    ready["message"] = json!(message);
    node
}

/// The report of the only set of these objects, as JSON.
#[cfg(feature = "analysis")]
pub fn plan(objects: &[Value]) -> Value {
    crate::input::Input::of(objects, NOW).json()
}

/// The sentences of that report.
#[cfg(feature = "analysis")]
pub fn told(objects: &[Value]) -> String {
    crate::told::told(&crate::input::Input::of(objects, NOW).report())
}
