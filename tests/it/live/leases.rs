//! Nodes of live tests, whose kubelet renews its lease until the node is lost.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::acts::Place;
use super::control_plane::ControlPlane;
use super::reality::web;
use super::wait_for;

/// Interval of lease renewals.
pub(super) const RENEWAL: Duration = Duration::from_secs(3);
/// Seconds for which the pods tolerate an unreachable node.
pub(super) const TOLERATED: i64 = 10;
/// The node lifecycle controller by its names in old versions and in new ones, which evict in a separate controller.
pub(super) const NODE_LIFECYCLE: [&str; 3] = [
    "nodelifecycle",
    "node-lifecycle-controller",
    "taint-eviction-controller",
];
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

fn lease(node: &str) -> Value {
    let now = format!("{:.6}", Timestamp::now());
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": node},
        "spec": {"holderIdentity": node, "leaseDurationSeconds": 40, "renewTime": now},
    })
}

/// Registers a node as its kubelet does.
pub(super) fn register(plane: &ControlPlane, name: &str) {
    register_in(plane, name, "");
}

/// Registers a node of a zone; of none if it is empty.
pub(super) fn register_in(plane: &ControlPlane, name: &str, zone: &str) {
    let mut labels = json!({"kubernetes.io/hostname": name});
    if !zone.is_empty() {
        labels["topology.kubernetes.io/zone"] = zone.into();
    }
    let node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "KubeletReady",
                "lastHeartbeatTime": Timestamp::from_second(Timestamp::now().as_second()).unwrap().to_string(),
            }],
        },
    });
    let rest = plane.admin();
    rest.create("/api/v1/nodes", &node).unwrap();
    rest.create(LEASES, &lease(name)).unwrap();
}

/// Runs a test while the leases of the nodes are renewed: those that the test loses only until then.
pub(super) fn with_leases(
    plane: &ControlPlane,
    nodes: &[&str],
    lost: &[&str],
    test: impl FnOnce(&dyn Fn()),
) {
    let (lose, losses) = channel();
    thread::scope(|scope| {
        scope.spawn(move || renew(plane, nodes, lost, &losses));
        // It is dropped with this closure, which ends the renewal.
        let lose = lose;
        test(&|| lose.send(()).unwrap());
    });
}

fn renew(plane: &ControlPlane, nodes: &[&str], lost: &[&str], losses: &Receiver<()>) {
    let rest = plane.admin();
    let mut nodes = nodes.to_vec();
    loop {
        match losses.recv_timeout(RENEWAL) {
            Ok(()) => nodes.retain(|node| !lost.contains(node)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        for node in &nodes {
            let path = format!("{LEASES}/{node}");
            rest.merge(&path, &lease(node)).unwrap();
        }
    }
}

/// Waits until all nodes take pods.
pub(super) fn wait_for_nodes(place: &Place<'_>) {
    wait_for("all nodes to take pods", 60, || {
        let nodes = place.rest.list("/api/v1/nodes");
        let is_open = |node: &Value| node["spec"]["taints"].is_null();
        nodes.iter().all(is_open).then_some(())
    });
}

/// The set `web` with a short grace period, whose pods tolerate an unreachable node for a while.
pub(super) fn tolerant_web(replicas: i32) -> Value {
    let mut set = web(replicas);
    let pod = &mut set["spec"]["template"]["spec"];
    pod["terminationGracePeriodSeconds"] = json!(1);
    pod["tolerations"] = json!([{
        "key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
        "tolerationSeconds": TOLERATED,
    }]);
    set
}

pub(super) fn ready_condition(place: &Place<'_>, pod: &str) -> Option<Value> {
    let pod = place.rest.get(&place.path(&format!("pods/{pod}"))).ok()?;
    let conditions = pod["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|one| one["type"] == "Ready")?;
    Some(ready["status"].clone())
}
