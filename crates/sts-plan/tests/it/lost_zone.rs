//! Nodes that are lost with the volumes of their pods: no remedy promises a pod that no other node can run.

use serde_json::{Value, json};
use test_kit::kv::{DAY, node, not_ready, plan, pod, put, set};

/// Five pods, two of them on the only node of zone a, which does not respond.
fn zone_lost(more: &[Value]) -> Vec<Value> {
    let mut objects = set(5, "OrderedReady", "kv-old");
    for (ordinal, on) in ["n-a", "n-b", "n-c", "n-a", "n-b"].iter().enumerate() {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, on));
    }
    for ordinal in [0, 3] {
        let status = not_ready("Running", json!({"running": {"startedAt": DAY}}), 0, 0);
        put(&mut objects, ordinal, status);
    }
    for pod in &mut objects {
        if pod["kind"] == "Pod" && pod["spec"]["nodeName"] == "n-a" {
            pod["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:20:00Z");
            pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        }
    }
    objects.push(node("n-a", "a", false));
    objects.push(node("n-b", "b", true));
    objects.push(node("n-c", "c", true));
    objects.extend(more.iter().cloned());
    objects
}

fn class(provisioner: &str) -> Value {
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "gp3"},
        "provisioner": provisioner})
}

/// The volumes of the five pods, each in the zone of its node, as `place` writes it.
fn volumes(place: impl Fn(&str) -> Value) -> Vec<Value> {
    let zones = ["a", "b", "c", "a", "b"];
    let volumes = zones.iter().enumerate().map(|(ordinal, zone)| {
        let mut volume = json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": format!("pv-{ordinal}")},
            "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3", "claimRef":
                {"namespace": "prod", "name": format!("data-kv-{ordinal}"), "uid": "u"}},
            "status": {"phase": "Bound"}});
        let place = place(zone);
        for (member, value) in place.as_object().unwrap() {
            for (name, value) in value.as_object().unwrap() {
                volume[member][name] = value.clone();
            }
        }
        volume
    });
    volumes.collect()
}

#[test]
fn no_remedy_promises_a_pod_back_whose_volume_is_in_a_zone_without_a_node() {
    let by_affinity = |zone: &str| {
        json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}]}}}})
    };
    let by_label =
        |zone: &str| json!({"metadata": {"labels": {"topology.kubernetes.io/zone": zone}}});
    let ways = [
        volumes(by_affinity),
        volumes(by_label),
        // Without the volumes, their class shows it: each is zonal, in the zone of the node.
        vec![class("ebs.csi.aws.com")],
    ];
    for way in ways {
        let objects = zone_lost(&way);
        let report = plan(&objects);
        let obstacle = &report["outcome"]["blockedBy"][0];
        assert_eq!(obstacle["cause"], "node-lost");
        for remedy in obstacle["remedies"].as_array().unwrap() {
            let (condition, helps) = (remedy["precondition"].as_str().unwrap(), &remedy["helps"]);
            let is_safe = condition.contains("add a node in zone a first")
                || condition.contains("once node n-a is back");
            assert!(is_safe, "{remedy:#}");
            assert_eq!(*helps, json!(true), "{remedy:#}");
        }
        let cautions = obstacle["cautions"].to_string();
        assert!(
            cautions.contains("the volumes of kv-0 are in zone a, where no ready node can run it"),
            "{cautions}"
        );
        // Another node in the zone unblocks the set.
        let mut joined = objects.clone();
        joined.push(node("n-d", "a", true));
        let report = plan(&joined);
        let remedies = report["outcome"]["blockedBy"][0]["remedies"].clone();
        let taint = remedies
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["commands"].to_string().contains("out-of-service"));
        let taint = taint.unwrap_or_else(|| panic!("{remedies:#}"));
        assert!(taint["completesAfterSeconds"].is_i64(), "{taint:#}");
        assert!(
            !taint["precondition"].to_string().contains("add a node"),
            "{taint:#}"
        );
    }
    // If a class is not known to be zonal, the location of its volumes is unknown.
    let objects = zone_lost(&[class("nfs.csi.k8s.io")]);
    let report = plan(&objects);
    let cautions = report["outcome"]["blockedBy"][0]["cautions"].to_string();
    let words = "unknown whether another node can attach the volume of data-kv-0";
    assert!(cautions.contains(words), "{cautions}");
}

#[test]
fn no_remedy_promises_a_pod_whose_local_volume_is_lost() {
    let local = |zone: &str| {
        json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [format!("n-{zone}")]}]}]}}}})
    };
    let report = plan(&zone_lost(&volumes(local)));
    let obstacle = &report["outcome"]["blockedBy"][0];
    let remedies = obstacle["remedies"].as_array().unwrap();
    assert_eq!(remedies.len(), 1, "{remedies:#?}");
    assert_eq!(remedies[0]["precondition"], "once node n-a is back");
    assert_eq!(
        remedies[0]["commands"],
        json!(["kubectl describe node n-a"])
    );
    assert!(
        remedies[0]["completesAfterSeconds"].is_i64(),
        "{remedies:#?}"
    );
}
