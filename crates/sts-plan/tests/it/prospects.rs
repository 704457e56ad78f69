//! Nodes that lack only one thing to take a pod.

use serde_json::{Value, json};
use test_kit::kv::{LONG_AGO, node, of, plan, status, unplaced};

/// kv-2 has no node: it selects disk=nvme, which two nodes have; the third one is the newest, in this form.
fn fix(message: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut objects = status(unplaced("Unschedulable", message));
    objects.retain(|it| it["kind"] != "Node");
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"]["nodeSelector"] = json!({"disk": "nvme"});
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
    for name in ["n-0", "n-1", "n-9"] {
        let mut node = node(name, "a", true);
        node["metadata"]["creationTimestamp"] = json!("2026-10-01T00:00:00Z");
        node["metadata"]["labels"]["disk"] = json!("nvme");
        node["status"]["allocatable"]["cpu"] = json!("1m");
        objects.push(node);
    }
    for container in of(&mut objects, "Pod", "kv-2")["spec"]["containers"]
        .as_array_mut()
        .unwrap()
    {
        container["resources"] = json!({"requests": {"cpu": "1"}});
    }
    let newest = of(&mut objects, "Node", "n-9");
    newest["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    newest["status"]["allocatable"]["cpu"] = json!("64");
    change(newest);
    plan(&objects)["outcome"]["blockedBy"][0]["fix"].to_string()
}

#[test]
fn a_new_node_that_lacks_only_the_label_is_named_with_the_command() {
    let message = "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 Insufficient cpu.";
    let unlabeled = |node: &mut Value| {
        node["metadata"]["labels"]
            .as_object_mut()
            .unwrap()
            .remove("disk");
    };
    let told = fix(message, unlabeled);
    assert!(
        told.contains("node n-9 (joined 40m ago) lacks only the label disk=nvme"),
        "{told}"
    );
    assert!(told.contains("kubectl label node n-9 disk=nvme"), "{told}");
    let old = fix(message, |node| {
        unlabeled(node);
        node["metadata"]["creationTimestamp"] = json!("2026-11-10T00:00:00Z");
    });
    assert!(!old.contains("kubectl label"), "{old}");
    // Another value was given on purpose, and a tainted node lacks more than the label.
    let other = fix(message, |node| {
        node["metadata"]["labels"]["disk"] = json!("hdd")
    });
    assert!(!other.contains("kubectl label"), "{other}");
    let tainted = fix(message, |node| {
        unlabeled(node);
        node["spec"]["taints"] = json!([{"key": "web", "effect": "NoSchedule"}]);
    });
    assert!(!tainted.contains("kubectl label"), "{tainted}");
}

#[test]
fn the_node_that_is_only_cordoned_is_named_with_its_zone() {
    let message = "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules.";
    let told = fix(message, |node| node["spec"]["unschedulable"] = json!(true));
    assert!(
        told.contains("uncordon the node n-9 in zone a once"),
        "{told}"
    );
}
