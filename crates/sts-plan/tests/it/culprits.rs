//! Objects of any kind that report the trouble behind a failing pod: the advice names them, with what they say.

use serde_json::{Value, json};
use test_kit::kv::{
    LONG_AGO, claim, crashes, event, marked, of, out_of_memory, plan, serving, starting, status,
    told, unplaced,
};

/// An object of another kind.
fn object(version: &str, kind: &str, name: &str, namespace: &str, rest: &Value) -> Value {
    let mut object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "uid": name,
        "creationTimestamp": LONG_AGO}});
    if !namespace.is_empty() {
        object["metadata"]["namespace"] = json!(namespace);
    }
    for (name, value) in rest.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

fn not_ready(message: &str) -> Value {
    json!({"conditions": [{"type": "Ready", "status": "False", "reason": "Error", "message": message}]})
}

fn fix(objects: &[Value]) -> String {
    let report = plan(objects);
    let fix = report["outcome"]["blockedBy"][0]["fix"].as_str();
    fix.unwrap_or_default().to_owned()
}

/// kv-2 waits for its volume, and these objects are there too.
fn waits_for_volume(others: &[Value]) -> Vec<Value> {
    let mut objects = status(starting());
    let words = "AttachVolume.Attach failed for volume \"pv-2\" : rpc error: code = Aborted desc = volume pv-2 is not ready for workloads";
    objects.push(event("Pod", "kv-2", "FailedAttachVolume", words));
    objects.extend(others.iter().cloned());
    objects
}

#[test]
fn the_object_of_the_volume_tells_why_it_is_not_ready() {
    let volume = |name: &str, robustness: &str| {
        let rest = json!({"status": {"robustness": robustness, "state": "detached"}});
        object(
            "longhorn.io/v1beta2",
            "Volume",
            name,
            "longhorn-system",
            &rest,
        )
    };
    let found = fix(&waits_for_volume(&[volume("pv-2", "faulted")]));
    assert!(
        found.starts_with(
            "Volume longhorn-system/pv-2 is faulted: all its replicas have failed. Bring back"
        ),
        "{found}"
    );
    // A degraded volume works, and another volume is none of the pod.
    for other in [volume("pv-2", "degraded"), volume("pv-1", "faulted")] {
        assert!(!fix(&waits_for_volume(&[other])).contains("longhorn-system"));
    }
    // A kind that the catalogue does not have.
    let rest = json!({"status": {"phase": "Failed", "message": "disk lost."}});
    let unknown = object(
        "storage.example.com/v1",
        "BlockDevice",
        "pv-2",
        "san",
        &rest,
    );
    let found = fix(&waits_for_volume(&[unknown]));
    assert!(
        found.ends_with("BlockDevice san/pv-2 is Failed: disk lost"),
        "{found}"
    );
}

#[test]
fn the_source_of_a_new_volume_tells_why_it_is_not_ready() {
    let mut objects = claim(|claim| {
        claim["spec"]["dataSource"] = json!({"kind": "VolumeSnapshot", "name": "nightly"});
    });
    let words = "failed to provision volume with StorageClass \"gp3\": error getting handle for DataSource Type VolumeSnapshot by Name nightly: snapshot nightly is not Ready";
    objects.push(event(
        "PersistentVolumeClaim",
        "data-kv-2",
        "ProvisioningFailed",
        words,
    ));
    let snapshot = |is_ready: bool| {
        let status =
            json!({"status": {"readyToUse": is_ready, "error": {"message": "quota exceeded"}}});
        object(
            "snapshot.storage.k8s.io/v1",
            "VolumeSnapshot",
            "nightly",
            "prod",
            &status,
        )
    };
    let of = |snapshot: Value| fix(&[objects.clone(), vec![snapshot]].concat());
    let found = of(snapshot(false));
    assert!(
        found.starts_with("VolumeSnapshot nightly reports: quota exceeded. End what"),
        "{found}"
    );
    // The error of a snapshot that is ready is that of an earlier try.
    assert!(!of(snapshot(true)).contains("quota exceeded"));
}

#[test]
fn the_trouble_behind_the_maker_of_a_missing_object_is_told() {
    let mut objects = status(starting());
    let words = "MountVolume.SetUp failed for volume \"tls\" : secret \"kv-tls\" not found";
    objects.push(event("Pod", "kv-2", "FailedMount", words));
    let issuer = json!({"kind": "ClusterIssuer", "name": "ca"});
    objects.push(object(
        "cert-manager.io/v1",
        "Certificate",
        "kv",
        "prod",
        &json!({"spec": {"secretName": "kv-tls", "issuerRef": issuer}, "status": not_ready("does not exist")}),
    ));
    let rest = json!({"status": not_ready("the CA is sealed")});
    objects.push(object(
        "cert-manager.io/v1",
        "ClusterIssuer",
        "ca",
        "",
        &rest,
    ));
    assert_eq!(
        fix(&objects),
        "repair Certificate kv, which makes Secret kv-tls: ClusterIssuer ca reports: the CA is sealed"
    );
}

#[test]
fn a_paused_owner_that_has_the_repair_is_resumed() {
    let cluster = |spec: Value| {
        let mut it = object(
            "db.example.com/v1",
            "Db",
            "kv",
            "prod",
            &json!({"spec": spec}),
        );
        it["metadata"]["annotations"] = json!({"crossplane.io/paused": "true"});
        it
    };
    let of = |limit: &str| {
        let mut objects = out_of_memory(Some("1Gi"));
        of(&mut objects, "StatefulSet", "kv")["metadata"]["ownerReferences"] = json!([{"apiVersion": "db.example.com/v1", "kind": "Db", "name": "kv", "uid": "kv", "controller": true}]);
        objects.push(cluster(json!({"resources": {"limits": {"memory": limit}}})));
        objects
    };
    let higher = of("4Gi");
    assert_eq!(
        fix(&higher),
        "Db kv already has a memory limit of 4Gi, and is paused (annotation crossplane.io/paused: true): resume it, and it \
         updates the set"
    );
    assert!(!told(&higher).contains("kubectl patch sts"));
    let same = told(&of("1Gi"));
    assert!(
        same.contains("Db kv, which owns the set, is paused"),
        "{same}"
    );
    // A set at rest is none of its concern.
    let mut quiet = marked(|set| set["metadata"]["labels"] = json!({"a": "b"}));
    quiet.push(cluster(json!({})));
    assert!(!told(&quiet).contains("paused"));
}

#[test]
fn what_is_written_between_the_starts_of_the_pods_is_compared_first() {
    let secret = |written: &str| {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "prod",
            "creationTimestamp": "2026-10-01T00:00:00Z", "managedFields": [{"time": written}]}, "data": {"password": "eA=="}})
    };
    let with = |written: &str, words: &str| {
        let mut objects = status(crashes(words));
        for pod in objects.iter_mut().filter(|it| it["kind"] == "Pod") {
            pod["spec"]["containers"][0]["envFrom"] = json!([{"secretRef": {"name": "db"}}]);
        }
        let failing = of(&mut objects, "Pod", "kv-2");
        failing["metadata"]["creationTimestamp"] = json!("2026-11-21T11:00:00Z");
        failing["status"]["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:00:00Z");
        objects.push(secret(written));
        fix(&objects)
    };
    let rejected = "FATAL: password authentication failed for user \"kv\"";
    let found = with("2026-11-21T10:50:00Z", rejected);
    assert!(
        found.starts_with("Secret db was written 1h10m ago, after kv-"),
        "{found}"
    );
    // Written before the ready pods started, after the failure began, or for a failure that it cannot explain.
    for (written, words) in [
        ("2026-10-02T00:00:00Z", rejected),
        ("2026-11-21T11:59:59Z", rejected),
        (
            "2026-11-21T10:50:00Z",
            "write /data/x: no space left on device",
        ),
    ] {
        assert!(
            !with(written, words).contains("was written"),
            "{written} {words}"
        );
    }
}

#[test]
fn a_new_policy_that_allows_no_dns_is_named() {
    let policy = |created: &str, ports: &Value| {
        let mut it = object(
            "networking.k8s.io/v1",
            "NetworkPolicy",
            "deny",
            "prod",
            &json!({"spec": {"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"ports": ports}]}}),
        );
        it["metadata"]["creationTimestamp"] = json!(created);
        it
    };
    let of = |policy: Value| {
        let mut objects = status(crashes("dial tcp: lookup db.prod.svc: i/o timeout"));
        objects.push(policy);
        fix(&objects)
    };
    let now = "2026-11-21T10:00:00Z";
    let found = of(policy(now, &json!([{"port": 5432}])));
    assert!(
        found.starts_with("NetworkPolicy deny allows kv-2 no DNS (port 53)"),
        "{found}"
    );
    assert!(!of(policy(now, &json!([{"port": 53}]))).contains("deny"));
    assert!(!of(policy("2026-10-01T00:00:00Z", &json!([{"port": 5432}]))).contains("deny"));
}

#[test]
fn raised_requests_and_the_source_of_nodes_are_named() {
    let words = "0/1 nodes are available: 1 Insufficient memory.";
    let mut objects = status(unplaced("Unschedulable", words));
    for (kind, name, memory) in [("StatefulSet", "kv", "1Gi"), ("Pod", "kv-2", "40Gi")] {
        let it = of(&mut objects, kind, name);
        let spec = match kind {
            "Pod" => &mut it["spec"],
            _ => &mut it["spec"]["template"]["spec"],
        };
        spec["containers"][0]["resources"] = json!({"requests": {"memory": memory}});
    }
    of(&mut objects, "Pod", "kv-2")["spec"]
        .as_object_mut()
        .unwrap()
        .remove("nodeName");
    let rest = json!({"spec": {"targetRef": {"kind": "StatefulSet", "name": "kv"}}});
    objects.push(object(
        "autoscaling.k8s.io/v1",
        "VerticalPodAutoscaler",
        "kv",
        "prod",
        &rest,
    ));
    let found = fix(&objects);
    assert!(
        found.starts_with(
            "VerticalPodAutoscaler kv has raised the requests of kv-2: memory from 1Gi to 40Gi"
        ),
        "{found}"
    );
}

#[test]
fn a_webhook_without_its_service_is_told_by_its_pods() {
    let mut objects = serving();
    objects.retain(|it| it["metadata"]["name"] != "kv-2");
    let words = "create Pod kv-2 in StatefulSet kv failed error: Internal error occurred: failed calling webhook \"m.k.svc\": \
        failed to call webhook: Post \"https://guard-svc.guard.svc:443/mutate?timeout=10s\": no endpoints available for service \"guard-svc\"";
    objects.push(event("StatefulSet", "kv", "FailedCreate", words));
    let deployment = |replicas: i64| {
        let rest = json!({"spec": {"replicas": replicas}});
        object("apps/v1", "Deployment", "guard", "guard", &rest)
    };
    let of = |replicas| fix(&[objects.clone(), vec![deployment(replicas)]].concat());
    assert_eq!(
        of(0),
        "Service guard-svc.guard has no pod that answers: Deployment guard, which is scaled to zero; scale it up first, and the \
         API server creates kv-2"
    );
    assert!(!of(1).contains("scaled to zero"));
}

#[test]
fn a_set_at_rest_names_the_drain_that_waits_for_it() {
    let mut objects = serving();
    let set = of(&mut objects, "StatefulSet", "kv");
    let revision = set["status"]["updateRevision"].clone();
    set["status"] = json!({"replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 3,
        "updatedReplicas": 3, "observedGeneration": 3, "currentRevision": revision, "updateRevision": revision});
    let node = objects.iter_mut().find(|it| it["kind"] == "Node").unwrap();
    node["spec"]["taints"] = json!([{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]);
    let budget = |allowed: i64| {
        object(
            "policy/v1",
            "PodDisruptionBudget",
            "kv",
            "prod",
            &json!({"spec": {"minAvailable": 3, "selector": {"matchLabels": {"app": "kv"}}},
                "status": {"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 3, "expectedPods": 3}}),
        )
    };
    let found = |allowed| told(&[objects.clone(), vec![budget(allowed)]].concat());
    assert!(
        found(0).contains("PodDisruptionBudget kv keeps kv-"),
        "{}",
        found(0)
    );
    assert!(!found(1).contains("from the drain of its node"));
}
