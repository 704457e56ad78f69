//! Components of the cluster whose pods do not run: the cause names them, with what they say.

use serde_json::{Value, json};
use test_kit::kv::{LONG_AGO, crashes, event, of, plan, starting, status};

/// A pod of a component of the cluster, on this node.
fn component(owner: &str, name: &str, node: &str, containers: &[&str], is_ready: bool) -> Value {
    let ready = if is_ready { "True" } else { "False" };
    let specs: Vec<Value> = containers
        .iter()
        .map(|it| json!({"name": it, "image": "x"}))
        .collect();
    let state = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}});
    let last =
        json!({"terminated": {"exitCode": 1, "reason": "Error", "message": "fatal: no token"}});
    let crashed = json!({"name": containers[0], "ready": false, "restartCount": 9, "state": state, "lastState": last});
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "kube-system", "uid": name, "creationTimestamp": LONG_AGO,
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": owner, "uid": owner,
                "controller": true}]},
        "spec": {"nodeName": node, "containers": specs},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}],
            "containerStatuses": if is_ready { json!([]) } else { json!([crashed]) }}})
}

fn first_obstacle(objects: &[Value]) -> Value {
    plan(objects)["outcome"]["blockedBy"][0].clone()
}

/// kv-2 waits for its volume, for this reason.
fn waits_for_volume(reason: &str, message: &str) -> Vec<Value> {
    let mut objects = status(starting());
    objects.push(event("Pod", "kv-2", reason, message));
    objects
}

const NO_DRIVER: &str = "MountVolume.MountDevice failed for volume \"pv-2\" : kubernetes.io/csi: attacher.MountDevice failed \
    to create newCsiDriverClient: driver name ebs.csi.aws.com not found in the list of registered CSI drivers";

#[test]
fn a_pod_of_the_storage_driver_that_does_not_run_is_repaired_first() {
    let registrar = ["ebs-plugin", "node-driver-registrar"];
    let fix = |pods: &[Value]| {
        let mut objects = waits_for_volume("FailedMount", NO_DRIVER);
        objects.extend(pods.iter().cloned());
        first_obstacle(&objects)
    };
    let own = component("ebs-csi-node", "ebs-csi-node-x", "n-1", &registrar, false);
    let found = fix(&[own]);
    assert_eq!(
        found["fix"],
        "kube-system/ebs-csi-node-x does not run (CrashLoopBackOff: fatal: no token): repair it first, and kv-2 follows"
    );
    assert_eq!(found["needs"], json!(["kube-system/ebs-csi-node-x"]));
    // On another node, of another driver, or in order: it explains nothing.
    for other in [
        component("ebs-csi-node", "ebs-csi-node-y", "n-9", &registrar, false),
        component("efs-csi-node", "efs-csi-node-x", "n-1", &registrar, false),
        component("ebs-csi-node", "ebs-csi-node-x", "n-1", &registrar, true),
        component(
            "ebs-csi-controller",
            "ebs-csi-controller-x",
            "n-1",
            &["csi-attacher"],
            false,
        ),
    ] {
        let found = fix(&[other]);
        assert_eq!(found["fix"], "start the driver on the node");
        assert_eq!(found["needs"], Value::Null);
    }
}

#[test]
fn one_ready_pod_of_a_controller_is_enough() {
    let message = "AttachVolume.Attach failed for volume \"pv-2\" : timed out waiting for external-attacher of \
        ebs.csi.aws.com CSI driver to attach volume vol-1";
    let attacher = |name: &str, is_ready| {
        component(
            "ebs-csi-controller-5f",
            name,
            "n-9",
            &["csi-attacher"],
            is_ready,
        )
    };
    let fix = |pods: Vec<Value>| {
        let mut objects = waits_for_volume("FailedAttachVolume", message);
        objects.extend(pods);
        first_obstacle(&objects)["fix"].to_string()
    };
    assert!(
        fix(vec![attacher("a", false), attacher("b", false)])
            .contains("kube-system/a does not run")
    );
    assert!(!fix(vec![attacher("a", false), attacher("b", true)]).contains("does not run"));
}

#[test]
fn the_network_plugin_and_the_dns_of_the_cluster_are_told_by_their_owners() {
    let mut objects = status(starting());
    let message = "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox \"a\": \
        plugin type=\"cilium-cni\" failed (add): unable to connect to Cilium agent: dial unix /var/run/cilium/cilium.sock";
    objects.push(event("Pod", "kv-2", "FailedCreatePodSandBox", message));
    objects.push(component(
        "cilium",
        "cilium-x",
        "n-1",
        &["cilium-agent"],
        false,
    ));
    let fix = first_obstacle(&objects)["fix"].to_string();
    assert!(fix.contains("kube-system/cilium-x does not run"), "{fix}");

    let mut objects = status(crashes("getaddrinfo EAI_AGAIN db.prod.svc"));
    objects.push(component(
        "coredns-59",
        "coredns-59-a",
        "n-9",
        &["coredns"],
        false,
    ));
    let fix = first_obstacle(&objects)["fix"].to_string();
    assert!(
        fix.contains("kube-system/coredns-59-a does not run"),
        "{fix}"
    );
}

#[test]
fn the_last_words_of_a_needed_pod_are_told() {
    let mut objects = status(crashes(
        "dial tcp 10.244.3.7:5432: connect: connection refused",
    ));
    let mut needed = component("db", "db-0", "n-9", &["db"], false);
    needed["status"]["podIP"] = json!("10.244.3.7");
    objects.push(needed);
    assert_eq!(
        first_obstacle(&objects)["fix"],
        "the address in the message is that of db-0, which is not ready (CrashLoopBackOff: fatal: no token): repair it \
         first, and kv-2 follows"
    );
}

#[test]
fn a_service_that_its_namespace_lacks_is_named() {
    let service = |name: &str, namespace: &str| {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace},
            "spec": {"clusterIP": "10.96.14.3"}})
    };
    let fix = |host: &str, services: &[Value]| {
        let mut objects = status(crashes(&format!("dial tcp: lookup {host}: no such host")));
        objects.extend(services.iter().cloned());
        first_obstacle(&objects)["fix"].to_string()
    };
    let told = |name: &str, namespace: &str| {
        format!("the input has no Service {name} of namespace {namespace}, where it has pg-ro")
    };
    for host in [
        "pg-rw.shop.svc",
        "pg-rw.shop.svc.cluster.local",
        "pg-0.pg-rw.shop.svc",
    ] {
        let fix = fix(host, &[service("pg-ro", "shop")]);
        assert!(fix.contains(&told("pg-rw", "shop")), "{host}: {fix}");
    }
    let alone = fix("pg-rw", &[service("pg-ro", "prod")]);
    assert!(
        alone.contains("has no Service pg-rw of namespace prod"),
        "{alone}"
    );
    // The one that gives the pods their names is to be created.
    let headless = |host: &str, has: &str| {
        let mut objects = status(crashes(&format!("dial tcp: lookup {host}: no such host")));
        objects.retain(|it| it["kind"] != "Service");
        objects.push(service(has, "prod"));
        first_obstacle(&objects)["fix"].to_string()
    };
    for host in [
        "kv-1.kv",
        "kv-1.kv.prod.svc.cluster.local",
        "for host \"kv-1.kv.prod.svc\"",
    ] {
        let fix = headless(host, "kv-hs");
        assert!(
            fix.contains("create the headless Service kv (clusterIP: None"),
            "{host}: {fix}"
        );
        assert!(fix.contains("has only kv-hs"), "{host}: {fix}");
    }
    let exists = headless("kv-1.kv", "kv");
    assert!(!exists.contains("create the headless"), "{exists}");
    // It exists, the input has no Service of that namespace, or the host is of elsewhere.
    for (host, services) in [
        ("pg-ro.shop.svc", [service("pg-ro", "shop")]),
        ("pg-rw.shop.svc", [service("pg-ro", "prod")]),
        ("pg-rw.example.com", [service("pg-ro", "prod")]),
    ] {
        let fix = fix(host, &services);
        assert!(!fix.contains("has no Service"), "{host}: {fix}");
    }
}

#[test]
fn the_claim_of_a_full_volume_is_named_with_what_lets_it_grow() {
    let fix = |words: &str, class: Option<Value>| {
        let mut objects = status(crashes(words));
        let pod = of(&mut objects, "Pod", "kv-2");
        let spec = &mut pod["spec"];
        spec["volumes"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "tmp", "emptyDir": {}}));
        spec["containers"][0]["volumeMounts"] = json!([
            {"name": "data", "mountPath": "/data/"},
            {"name": "tmp", "mountPath": "/data/tmp"},
        ]);
        let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
        claim["spec"]["storageClassName"] = json!("fast");
        objects.extend(class);
        first_obstacle(&objects)["fix"].to_string()
    };
    let class = |allows: bool| {
        json!({
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "fast"},
            "provisioner": "ebs.csi.aws.com",
            "allowVolumeExpansion": allows,
        })
    };
    // The only claim of the container, if the message has no path.
    for words in [
        "panic: write /data/wal: no space left on device",
        "FATAL: no space left on device",
    ] {
        let told = fix(words, Some(class(true)));
        assert!(told.contains("the volume of claim data-kv-2 ("), "{told}");
        assert!(told.contains("StorageClass fast allows it"), "{told}");
    }
    let words = "panic: write /data/wal: no space left on device";
    let refused = fix(words, Some(class(false)));
    assert!(
        refused.contains("StorageClass fast does not allow it"),
        "{refused}"
    );
    let unknown = fix(words, None);
    assert!(
        unknown.contains("if StorageClass fast has allowVolumeExpansion"),
        "{unknown}"
    );
    // The closest mount holds a path.
    let elsewhere = fix("panic: write /data/tmp/sort: no space left on device", None);
    assert!(!elsewhere.contains("data-kv-2"), "{elsewhere}");
}

#[test]
fn a_full_volume_whose_resize_fails_is_not_told_to_grow() {
    let words = "panic: write /data/wal: no space left on device";
    let grown = |message: Option<&str>| {
        let mut objects = status(crashes(words));
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["spec"]["containers"][0]["volumeMounts"] =
            json!([{"name": "data", "mountPath": "/data"}]);
        let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
        claim["spec"]["resources"]["requests"]["storage"] = json!("20Gi");
        claim["status"]["capacity"] = json!({"storage": "10Gi"});
        objects.extend(message.map(|it| {
            event(
                "PersistentVolumeClaim",
                "data-kv-2",
                "VolumeResizeFailed",
                it,
            )
        }));
        first_obstacle(&objects)["fix"].to_string()
    };
    let refused = "resize volume \"pvc-2\" by resizer \"ebs.csi.aws.com\" failed: rpc error: code = Internal desc = Could not \
        modify volume \"vol-1\": operation error EC2: ModifyVolume, api error VolumeModificationRateExceeded: You've reached \
        the maximum modification rate per volume limit.";
    let fix = grown(Some(refused));
    let told = "claim data-kv-2 is being grown already, and its resize fails: ";
    assert!(
        fix.contains(told)
            && fix.contains("maximum modification rate per volume limit. Free space"),
        "{fix}"
    );
    assert!(grown(None).contains("or grow its claim"));
}

#[test]
fn a_deployment_without_a_pod_that_works_is_named() {
    let fix = |available: i64| {
        let mut objects = status(json!({"phase": "Pending", "conditions": []}));
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["spec"]["schedulerName"] = json!("stork");
        pod["spec"].as_object_mut().unwrap().remove("nodeName");
        objects.push(json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "stork-scheduler", "namespace": "portworx"}, "spec": {"replicas": 3},
            "status": {"replicas": 3, "availableReplicas": available}}));
        first_obstacle(&objects)["fix"].to_string()
    };
    let told = fix(0);
    let words =
        "Deployment portworx/stork-scheduler does not run (none of its 3 pods is available)";
    assert!(told.contains(words), "{told}");
    assert!(!fix(1).contains("portworx"));
}

#[test]
fn the_device_plugin_of_the_node_that_rejects_the_pod_is_repaired_first() {
    let mut objects = test_kit::kv::rejected("UnexpectedAdmissionError");
    let words = "Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. \
                 Requested: 1, Available: 0, which is unexpected";
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["status"]["message"] = json!(words);
    let mut again = event(
        "StatefulSet",
        "kv",
        "RecreatingFailedPod",
        "StatefulSet prod/kv is recreating failed Pod kv-2",
    );
    again["count"] = json!(96);
    objects.push(again);
    let fix = |objects: &[Value]| first_obstacle(objects)["fix"].to_string();
    let alone = fix(&objects);
    assert!(alone.contains("device plugin on the node n-1"), "{alone}");
    objects.push(component(
        "nvidia-device-plugin",
        "nvidia-device-plugin-x",
        "n-1",
        &["nvidia-device-plugin"],
        false,
    ));
    let told = fix(&objects);
    assert!(
        told.contains("nvidia-device-plugin-x does not run"),
        "{told}"
    );
}
