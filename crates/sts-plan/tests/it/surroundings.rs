//! The nodes, pods and volumes around a pod that explain why it waits, or where it could go.

use serde_json::{Value, json};
use test_kit::kv::{
    LONG_AGO, add_wal, event, node, of, plan, pod, rejected, running, starting, status, told,
    unplaced, volume_at,
};

/// Returns the first obstacle.
fn obstacle(report: &Value) -> &Value {
    &report["outcome"]["blockedBy"][0]
}

fn fix(objects: &[Value]) -> String {
    obstacle(&plan(objects))["fix"].to_string()
}

/// kv-2 has no node for this reason, among these nodes.
fn waiting(message: &str, nodes: Vec<Value>) -> Vec<Value> {
    let mut objects = status(unplaced("Unschedulable", message));
    objects.retain(|it| it["kind"] != "Node");
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
    pod["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    objects.extend(nodes);
    objects
}

/// The volume of kv-2, for nodes with this label.
fn volume(key: &str, value: &str) -> Value {
    volume_at("pv-2", "data-kv-2", key, value)
}

#[test]
fn a_node_that_does_not_respond_is_named_where_its_volume_is_still_in_use() {
    let words = "MountVolume.MountDevice failed for volume \"pv-2\" : rpc error: code = Internal desc = rbd image p/x is still being used";
    let with = |lost: bool, zone: &str| {
        let mut objects = status(starting());
        objects.push(event("Pod", "kv-2", "FailedMount", words));
        objects.push(node("n-7", zone, !lost));
        objects.push(volume("topology.kubernetes.io/zone", "a"));
        fix(&objects)
    };
    assert!(with(true, "a").contains("node n-7 does not respond"));
    assert!(!with(false, "a").contains("n-7"));
    // The volume was never there.
    assert!(!with(true, "b").contains("n-7"));
}

#[test]
fn an_eviction_for_the_own_use_of_the_pod_is_joined_with_the_pressure_that_it_waits_for() {
    let message = "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }.";
    let with = |used: &str| {
        let mut tainted = node("n-1", "a", true);
        tainted["status"]["allocatable"] = json!({"ephemeral-storage": "94Gi"});
        tainted["spec"] = json!({"taints": [{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]});
        let mut objects = waiting(message, vec![tainted]);
        let words = format!(
            "The node was low on resource: ephemeral-storage. Threshold quantity: 1Gi, available: 3Mi. Container kv was using {used}, request is 0, has larger consumption of ephemeral-storage. "
        );
        let mut evicted = event("Pod", "kv-2", "Evicted", &words);
        evicted["count"] = json!(1);
        objects.push(evicted);
        fix(&objects)
    };
    let said = "container kv used 22Gi of ephemeral-storage without a request for it, and was evicted for it.";
    assert!(with("22Gi").contains(said), "{}", with("22Gi"));
    // Another pod has filled the disk.
    for used in ["88Ki", "2Gi"] {
        assert!(!with(used).contains("itself"), "{used}");
    }
}

#[test]
fn a_few_evictions_by_the_kubelet_are_a_loop_and_single_ones_are_not() {
    let with = |count: i64| {
        let words = "Usage of EmptyDir volume \"tmp\" exceeds the limit \"1Gi\". ";
        let mut objects = status(json!({"phase": "Failed", "reason": "Evicted", "message": words}));
        of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] =
            json!("2026-11-21T11:50:00Z");
        objects.push(event("Pod", "kv-2", "Evicted", words));
        let recreates = "StatefulSet prod/kv is recreating failed Pod kv-2";
        let mut recreated = event("StatefulSet", "kv", "RecreatingFailedPod", recreates);
        recreated["count"] = json!(count);
        objects.push(recreated);
        plan(&objects)
    };
    assert_eq!(obstacle(&with(3))["cause"], "local-storage-limit");
    assert_eq!(with(2)["outcome"]["blockedBy"], json!([]));
}

#[test]
fn a_node_is_cordoned_only_if_another_one_can_take_the_pod() {
    let with = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut objects = rejected("UnexpectedAdmissionError");
        of(&mut objects, "Pod", "kv-2")["status"]["message"] = json!(
            "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu"
        );
        change(&mut objects);
        fix(&objects)
    };
    let other = |cordoned: bool| {
        let mut it = node("n-2", "a", true);
        it["spec"] = json!({"unschedulable": cordoned});
        it
    };
    let alone = with(&|_| {});
    assert!(
        alone.contains("no other node of the input can take the pod"),
        "{alone}"
    );
    let free = with(&|it| it.push(other(false)));
    assert!(free.contains("the next pod can go to node n-2"), "{free}");
    let cordoned = with(&|it| it.push(other(true)));
    assert!(
        cordoned.contains("node n-2 might take the pod, but is cordoned"),
        "{cordoned}"
    );
    let local = with(&|it| it.extend([other(false), volume("kubernetes.io/hostname", "n-1")]));
    assert!(
        local.contains("the volume of data-kv-2 is local to node n-1"),
        "{local}"
    );
}

#[test]
fn the_pods_of_the_set_that_hold_its_host_port_are_named() {
    let message =
        "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.";
    let with = |port: Value| {
        let mut objects = waiting(
            message,
            vec![node("n-1", "a", true), node("n-2", "a", true)],
        );
        for name in ["kv-0", "kv-1", "kv-2"] {
            let pod = of(&mut objects, "Pod", name);
            pod["spec"]["containers"][0]["ports"] = json!([port.clone()]);
        }
        of(&mut objects, "Pod", "kv-1")["spec"]["nodeName"] = json!("n-2");
        fix(&objects)
    };
    let own = with(json!({"containerPort": 5060, "hostPort": 5060}));
    assert!(
        own.contains("the set's own pods hold the port (kv-0, kv-1)"),
        "{own}"
    );
    assert!(!with(json!({"containerPort": 5060})).contains("own pods"));
}

#[test]
fn a_node_of_the_zone_without_the_label_of_the_storage_driver_is_told_from_a_zone_without_nodes() {
    let message = "0/1 nodes are available: 1 node(s) had volume node affinity conflict.";
    let with = |zone: &str| {
        let mut objects = waiting(message, vec![node("n-1", zone, true)]);
        objects.push(volume("topology.ebs.csi.aws.com/zone", "a"));
        plan(&objects)
    };
    let keyless = with("a");
    let fix = obstacle(&keyless)["fix"].to_string();
    let said = "node n-1 is in zone a, but lacks the label topology.ebs.csi.aws.com/zone";
    assert!(fix.contains(said), "{fix}");
    let all = keyless.to_string();
    assert!(!all.contains("which has no node"), "{all}");
    let empty = with("b");
    assert!(
        !obstacle(&empty)["fix"]
            .to_string()
            .contains("lacks the label")
    );
    assert!(empty.to_string().contains("which has no node"));
}

#[test]
fn no_node_is_added_for_volumes_in_two_zones_or_a_volume_that_is_local() {
    let message = "0/1 nodes are available: 1 node(s) had volume node affinity conflict.";
    let mut objects = waiting(message, vec![node("n-1", "a", true)]);
    add_wal(&mut objects);
    let zone = "topology.kubernetes.io/zone";
    let other = volume_at("pv-wal", "wal-kv-2", zone, "c");
    objects.extend([volume(zone, "b"), other]);
    let report = plan(&objects);
    let all = report["outcome"]["blockedBy"].as_array().unwrap();
    let found = all.iter().find(|it| it["cause"] == "volumes-apart");
    let found = found.expect("the volumes are the cause");
    let words = format!("{} {}", found["fix"], found["cautions"]);
    assert!(words.contains("take a snapshot of one"), "{words}");
    assert!(!words.contains("only a node there"), "{words}");

    let full = "0/1 nodes are available: 1 Insufficient cpu.";
    let with = |cpu: &str| {
        let mut objects = waiting(full, vec![node("n-1", "a", true)]);
        objects.push(volume("kubernetes.io/hostname", "n-1"));
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": cpu}});
        fix(&objects)
    };
    let small = with("4");
    assert!(small.contains("Another node does not help"), "{}", small);
    assert!(!small.contains("in all"), "{small}");
    assert!(
        with("80").contains("cpu 80, and node n-1 has 64 in all"),
        "{}",
        with("80")
    );
}

#[test]
fn the_pod_that_preempted_this_one_and_the_pod_that_uses_its_claim_are_named() {
    let message = "0/1 nodes are available: 1 Insufficient cpu.";
    let mut objects = waiting(message, vec![node("n-1", "a", true)]);
    let mut taker = pod(7, "kv-old", LONG_AGO, LONG_AGO, "n-1").swap_remove(0);
    taker["metadata"] = json!({"name": "checkout-1", "namespace": "shop", "uid": "8a1f"});
    taker["spec"]["priority"] = json!(1000);
    objects.push(taker);
    objects.push(event(
        "Pod",
        "kv-2",
        "Preempted",
        "Preempted by pod 8a1f on node n-1",
    ));
    let words = told(&objects);
    assert!(words.contains("shop/checkout-1 (priority 1000)"), "{words}");

    // The pod of the report is gone, and one with a higher priority came at that time.
    let pod_of = |created: &str, priority: i64| {
        let mut objects = objects.clone();
        of(&mut objects, "Pod", "kv-2")["spec"]["priority"] = json!(0);
        let taker = of(&mut objects, "Pod", "checkout-1");
        taker["metadata"]["uid"] = json!("9b20");
        taker["metadata"]["creationTimestamp"] = json!(created);
        taker["spec"]["priority"] = json!(priority);
        told(&objects)
    };
    let said = "probably shop/checkout-1 (priority 1000)";
    assert!(pod_of(LONG_AGO, 1000).contains(said));
    assert!(!pod_of(LONG_AGO, 0).contains("checkout-1"));
    assert!(!pod_of("2026-01-01T00:00:00Z", 1000).contains("checkout-1"));

    let message = "0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode.";
    let mut objects = waiting(message, vec![node("n-1", "a", true)]);
    let mut backup = of(&mut objects, "Pod", "kv-2").clone();
    backup["metadata"] = json!({"name": "backup-1", "namespace": "prod", "uid": "b-1"});
    backup["spec"]["nodeName"] = json!("n-1");
    backup["status"] = running();
    objects.push(backup);
    assert!(
        fix(&objects).contains("backup-1 on node n-1"),
        "{}",
        fix(&objects)
    );
}

#[test]
fn nodes_without_the_label_of_a_spread_are_named() {
    let message = "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label).";
    let mut bare = node("n-2", "a", true);
    bare["metadata"]["labels"] = json!({});
    let mut objects = waiting(message, vec![node("n-1", "a", true), bare]);
    let spread = json!([{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "kv"}}}]);
    of(&mut objects, "Pod", "kv-2")["spec"]["topologySpreadConstraints"] = spread;
    let said = "node n-2 lacks the label topology.kubernetes.io/zone";
    assert!(fix(&objects).contains(said), "{}", fix(&objects));
}

#[test]
fn the_kernel_log_of_the_node_tells_a_newer_file_system_from_a_damaged_one() {
    let words = "MountVolume.MountDevice failed for volume \"pv-2\" : mount failed: exit status 32: wrong fs type, bad option, bad superblock on /dev/nvme2n1";
    let with = |kernel: &str| {
        let mut objects = status(starting());
        objects.push(event("Pod", "kv-2", "FailedMount", words));
        let mut of_node = event("Node", "n-1", "KernelLog", kernel);
        of_node["metadata"]["namespace"] = json!("default");
        of_node["lastTimestamp"] = json!("2026-11-21T11:58:00Z");
        objects.push(of_node);
        obstacle(&plan(&objects))["cause"].clone()
    };
    let newer = "XFS (nvme2n1): Superblock has unknown incompatible features (0x20) enabled.";
    assert_eq!(with(newer), "file-system-newer");
    assert_eq!(with("XFS (nvme2n1): Metadata I/O error"), "mount-unclear");
}

#[test]
fn what_the_nodes_have_instead_is_told_for_all_nodes_too() {
    let two = || vec![node("n-1", "a", true), node("n-2", "a", true)];
    let words = |message: &str, nodes: Vec<Value>, change: &dyn Fn(&mut Value)| {
        let mut objects = waiting(message, nodes);
        change(&mut of(&mut objects, "Pod", "kv-2")["spec"]);
        told(&objects)
    };
    let selector = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
    let all = words(selector, two(), &|spec| {
        spec["nodeSelector"] = json!({"topology.kubernetes.io/zone": "b"});
    });
    assert!(all.contains("zone=b (they have a)"), "{all}");

    let room = "0/2 nodes are available: 2 Insufficient cpu.";
    let all = words(room, two(), &|spec| {
        spec["containers"][0]["resources"] = json!({"requests": {"cpu": "80"}});
    });
    assert!(all.contains("cpu 80, and the largest has 64"), "{all}");

    let near = "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.";
    let all = words(near, two(), &|spec| {
        let term = json!({"labelSelector": {"matchLabels": {"app": "api"}},
            "topologyKey": "kubernetes.io/hostname"});
        let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": [term]});
        spec["affinity"] = json!({"podAffinity": required});
    });
    assert!(all.contains("wants to be near: app=api"), "{all}");

    let pages = "0/2 nodes are available: 2 Insufficient hugepages-2Mi.";
    let mut nodes = two();
    nodes[0]["status"]["allocatable"]["hugepages-2Mi"] = json!("4Gi");
    let mut objects = waiting(pages, nodes);
    assert!(!told(&objects).contains("has none"));
    let mut rebooted = event("Node", "n-2", "Rebooted", "Node n-2 has been rebooted");
    rebooted["metadata"]["namespace"] = json!("default");
    objects.push(rebooted);
    let fix = fix(&objects);
    assert!(
        fix.contains("node n-2 (rebooted 2m0s ago) has none"),
        "{fix}"
    );
}

#[test]
fn a_node_whose_end_was_announced_is_not_awaited() {
    let mut objects = status(running());
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
    pod["spec"]["nodeName"] = json!("n-3");
    objects.push(node("n-3", "a", false));
    let cautions = |objects: &[Value]| obstacle(&plan(objects))["cautions"].to_string();
    assert!(!cautions(&objects).contains("announced"));
    let mut notice = event(
        "Node",
        "n-3",
        "SpotInterruption",
        "Spot Interruption notice",
    );
    notice["metadata"]["namespace"] = json!("default");
    objects.push(notice);
    let said = "the end of its machine was announced (event SpotInterruption, 2m0s ago)";
    let cautions = cautions(&objects);
    assert!(cautions.contains(said), "{cautions}");
}

#[test]
fn a_machine_that_is_off_is_started_again() {
    let mut objects = status(running());
    of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"] = json!("n-3");
    let mut lost = node("n-3", "a", false);
    lost["spec"]["taints"] = json!([{"key": "node.cloudprovider.kubernetes.io/shutdown", "effect": "NoSchedule",
        "timeAdded": LONG_AGO}]);
    objects.push(lost);
    let report = plan(&objects);
    let headline = report["analysis"]["headline"].to_string();
    let off = "(n-3), shut down at its provider for 40m";
    assert!(headline.contains(off), "{headline}");
    let found = obstacle(&report);
    let cautions = found["cautions"].to_string();
    assert!(cautions.contains("start it there"), "{cautions}");
    let remedies = found["remedies"].to_string();
    assert!(remedies.contains("stays shut down"), "{remedies}");
}

#[test]
fn a_pod_that_holds_the_controller_in_two_ways_is_one_obstacle() {
    let mut objects = status(json!({"phase": "Failed", "reason": "Terminated"}));
    of(&mut objects, "StatefulSet", "kv")["spec"]["podManagementPolicy"] = json!("Parallel");
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
    pod["spec"]["nodeName"] = json!("n-3");
    objects.push(node("n-3", "a", false));
    let report = plan(&objects);
    let all = report["outcome"]["blockedBy"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
}

#[test]
fn the_volume_is_saved_before_the_pod_that_keeps_its_claim_is_deleted() {
    let mut objects = status(starting());
    let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
    claim["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
    claim["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    let mut backup = of(&mut objects, "Pod", "kv-2").clone();
    objects.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2"));
    backup["metadata"] = json!({"name": "backup-1", "namespace": "prod", "uid": "b-1"});
    backup["status"] = running();
    objects.push(backup);
    let mut volume = volume("topology.kubernetes.io/zone", "a");
    volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete");
    objects.push(volume);
    let fix = fix(&objects);
    let order = fix
        .find("kubectl patch pv pv-2")
        .zip(fix.find("kubectl delete pod backup-1"));
    assert!(order.is_some_and(|(save, delete)| save < delete), "{fix}");
}

#[test]
fn the_address_of_the_node_that_an_nfs_server_refuses_is_named() {
    let words = "MountVolume.SetUp failed for volume \"pv-2\" : mount failed: exit status 32\nOutput: mount.nfs: access denied by server while mounting 10.0.0.5:/export/a";
    let mut objects = status(starting());
    objects.push(event("Pod", "kv-2", "FailedMount", words));
    assert!(fix(&objects).contains("that it exports this path (exportfs -v"));
    objects.retain(|it| it["kind"] != "Node");
    let name = of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"].clone();
    let name = name.as_str().unwrap();
    let mut own = node(name, "a", true);
    own["status"]["addresses"] = json!([{"type": "Hostname", "address": "x"},
        {"type": "InternalIP", "address": "10.20.9.5"}]);
    objects.push(own);
    let said = format!("exports this path to 10.20.9.5, the address of node {name}");
    assert!(fix(&objects).contains(&said), "{}", fix(&objects));
}

#[test]
fn the_free_storage_of_the_class_is_compared_with_a_new_claim() {
    let message = "0/2 nodes are available: 2 node(s) did not have enough free storage.";
    let capacity = |place: &str, class: &str, size: &str| {
        json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
            "metadata": {"name": format!("c-{place}-{class}"), "namespace": "topolvm"}, "storageClassName": class, "capacity": size,
            "nodeTopology": {"matchLabels": {"topology.topolvm.io/node": place}}})
    };
    let with = |sizes: &[(&str, &str, &str)]| {
        let mut objects = waiting(
            message,
            vec![node("n-1", "a", true), node("n-2", "a", true)],
        );
        let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
        claim["spec"] =
            json!({"storageClassName": "lvm", "resources": {"requests": {"storage": "900Gi"}}});
        claim["status"] = json!({"phase": "Pending"});
        let sizes = sizes.iter();
        objects.extend(sizes.map(|(place, class, size)| capacity(place, class, size)));
        fix(&objects)
    };
    let said = "data-kv-2 asks for 900Gi, and class lvm has at most 640Gi in one place (n-2: 640Gi, n-1: 96Gi)";
    let told = with(&[
        ("n-1", "lvm", "96Gi"),
        ("n-2", "lvm", "640Gi"),
        ("n-2", "other", "2Ti"),
    ]);
    assert!(told.contains(said), "{told}");
    // The scheduler has other reasons, or the input has no figures.
    for sizes in [&[("n-1", "lvm", "1Ti")][..], &[]] {
        assert!(!with(sizes).contains("asks for"), "{}", with(sizes));
    }
}

#[test]
fn a_pod_whose_node_is_full_of_volumes_is_sent_to_another_node() {
    let words = "AttachVolume.Attach failed for volume \"pv-2\" : OperationNotAllowed: The maximum number of data disks allowed to be attached to a VM of this size is 4.";
    let mut objects = status(starting());
    objects.push(event("Pod", "kv-2", "FailedAttachVolume", words));
    objects.push(node("n-9", "a", true));
    objects.push(volume("topology.kubernetes.io/zone", "a"));
    let said = "and delete kv-2: the next pod can go to node n-9";
    assert!(fix(&objects).contains(said), "{}", fix(&objects));
}
