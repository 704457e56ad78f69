//! Placement of a pod that is not scheduled: what the nodes and queues of the input say.

use serde_json::{Value, json};
use test_kit::kv::{DAY, node, plan, pod, put, set};

/// kv-2 is not scheduled for this reason; its specification and labels can be changed.
fn unplaced(reason: &str, message: &str, change: impl Fn(&mut Value)) -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-new", DAY, DAY, "n-1"));
    }
    put(&mut objects, 2, test_kit::kv::unplaced(reason, message));
    let mut pods = objects
        .iter_mut()
        .filter(|it| it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2");
    change(pods.next().unwrap());
    objects.push(node("n-1", "a", true));
    objects.push(node("n-2", "b", true));
    objects
}

/// Returns all that is said about kv-2.
fn said(objects: &[Value]) -> String {
    let report = plan(objects);
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    let found = obstacles.iter().find(|it| it["pod"] == "kv-2").unwrap();
    found.to_string()
}

const NO_MATCH: &str = "nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";

#[test]
fn a_label_that_no_node_has_is_named() {
    let select = |pod: &mut Value| {
        pod["spec"]["nodeSelector"] = json!({"topology.kubernetes.io/zone": "a", "disk": "nvme"});
    };
    let told = said(&unplaced(
        "Unschedulable",
        &format!("0/2 {NO_MATCH}"),
        select,
    ));
    assert!(told.contains("none has disk=nvme"), "{told}");
    assert!(!told.contains("none has topology"), "{told}");
    let term = |pod: &mut Value| {
        let expression = json!({"key": "disk", "operator": "In", "values": ["ssd", "nvme"]});
        pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
            json!({"nodeSelectorTerms": [{"matchExpressions": [expression]}]});
    };
    let told = said(&unplaced("Unschedulable", &format!("0/2 {NO_MATCH}"), term));
    assert!(told.contains("none has disk in (ssd, nvme)"), "{told}");
    // The input lacks nodes: one of them may have the label.
    let told = said(&unplaced(
        "Unschedulable",
        &format!("0/3 {NO_MATCH}"),
        select,
    ));
    assert!(!told.contains("none has"), "{told}");
}

#[test]
fn domains_that_a_spread_lacks_are_counted() {
    let spread = |least: u32| {
        move |pod: &mut Value| {
            pod["spec"]["topologySpreadConstraints"] = json!([{"maxSkew": 1, "minDomains": least,
                "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}]);
        }
    };
    let message =
        "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.";
    let told = said(&unplaced("Unschedulable", message, spread(3)));
    let words = "minDomains is 3, and 2 values of topology.kubernetes.io/zone have nodes";
    assert!(told.contains(words), "{told}");
    let told = said(&unplaced("Unschedulable", message, spread(2)));
    assert!(!told.contains("minDomains"), "{told}");
}

#[test]
fn the_workload_says_what_a_queued_pod_waits_for() {
    let gate = |pod: &mut Value| {
        pod["spec"]["schedulingGates"] = json!([{"name": "kueue.x-k8s.io/admission"}]);
        pod["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] = json!("kv-group");
    };
    let mut objects = unplaced(
        "SchedulingGated",
        "Scheduling is blocked due to non-empty scheduling gates",
        gate,
    );
    let told = said(&objects);
    assert!(told.contains("kueue-queued"), "{told}");
    let workload = |name: &str, message: &str| {
        json!({"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Workload",
            "metadata": {"name": name, "namespace": "prod"}, "spec": {"queueName": "team"},
            "status": {"conditions": [{"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": message}]}})
    };
    objects.push(workload("of-others", "other"));
    objects.push(workload("kv-group", "insufficient unused quota for cpu"));
    let told = said(&objects);
    assert!(
        told.contains("says: insufficient unused quota for cpu"),
        "{told}"
    );
}

#[test]
fn a_toleration_that_misses_the_taint_of_the_selected_nodes_is_corrected() {
    let message = "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {acme.dev/dedicated: db}.";
    let told = |key: &str, selected: &str| {
        let mut objects = unplaced("Unschedulable", message, |pod| {
            pod["spec"]["nodeSelector"] = json!({"pool": "db"});
            pod["spec"]["tolerations"] =
                json!([{"key": key, "value": "db", "effect": "NoSchedule"}]);
        });
        for (name, pool) in [("n-1", "web"), ("n-2", selected)] {
            let node = objects
                .iter_mut()
                .find(|it| it["kind"] == "Node" && it["metadata"]["name"] == name);
            node.unwrap()["metadata"]["labels"]["pool"] = json!(pool);
        }
        let last = objects.last_mut().unwrap();
        last["spec"]["taints"] =
            json!([{"key": "acme.dev/dedicated", "value": "db", "effect": "NoSchedule"}]);
        said(&objects)
    };
    let mistyped = told("acme.dev/dedicate", "db");
    assert!(mistyped.contains("\"taints\""), "{mistyped}");
    let both = "it is for acme.dev/dedicate=db:NoSchedule, and the taint is acme.dev/dedicated=db:NoSchedule";
    assert!(mistyped.contains(both), "{mistyped}");
    let other = told("gpu", "db");
    assert!(!other.contains("it is for gpu"), "{other}");
    // The node with the taint is not selected either.
    let unselected = told("acme.dev/dedicate", "web");
    assert!(unselected.contains("\"affinity\""), "{unselected}");
}
