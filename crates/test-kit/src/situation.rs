//! The set pg, whose pod pg-2 has one trouble after another, as each component reports it.

use serde_json::{Value, json};

use crate::input::{fixture, objects};
use crate::kv::of;

/// The trouble of pg-2, and how the program learns of it.
#[derive(Clone, Copy)]
pub enum Said<'a> {
    /// A container waits with a reason and a message, and terminated before with this code.
    Waits(&'a str, &'a str, i64),
    /// A container crashes, and an event gives the reason.
    Killed(&'a str, &'a str),
    /// The scheduler has no node.
    Unplaced(&'a str),
    /// The scheduler has no node, and an event gives more details.
    Placing(&'a str, &'a str),
    /// The containers are being created, and an event says why they are not ready.
    Creating(&'a str, &'a str),
    /// The pod is running but not ready; the message of its probe.
    Probe(&'a str),
    /// The containers are ready, and a readiness gate is not: `gate TYPE: REASON: MESSAGE`.
    Gate(&'a str),
    /// The pod is not created; the server's message.
    Refused(&'a str),
    /// The claim of the pod gets no volume; an event of the claim.
    Claims(&'a str, &'a str),
    /// The node of the pod is not ready; the kubelet's message.
    Sick(&'a str),
    /// The kubelet rejects the pod each time it is created.
    Rejects(&'a str, &'a str),
}
use Said::{
    Claims, Creating, Gate, Killed, Placing, Probe, Refused, Rejects, Sick, Unplaced, Waits,
};

fn items() -> Vec<Value> {
    let items = objects(&fixture("trial/pg-crash.yaml"));
    let others = items.into_iter();
    others.filter(|item| item["kind"] != "Event").collect()
}

pub fn event(kind: &str, name: &str, reason: &str, message: &str, number: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": reason, "message": message, "count": 20,
        "metadata": {"name": format!("event-{number}"), "namespace": "db"},
        "involvedObject": {"kind": kind, "namespace": "db", "name": name},
        "firstTimestamp": "2026-11-21T11:40:00Z", "lastTimestamp": "2026-11-21T11:58:00Z"})
}

/// The set whose pod pg-2 has this trouble.
pub fn situation(said: &Said<'_>) -> Vec<Value> {
    let mut items = items();
    let at = items
        .iter()
        .position(|item| item["kind"] == "Pod" && item["metadata"]["name"] == "pg-2")
        .unwrap();
    let pod = &mut items[at];
    let mut events = Vec::new();
    let ended = |code: i64| json!({"terminated": {"exitCode": code, "reason": "Error", "finishedAt": "2026-11-21T11:58:00Z"}});
    match said {
        Waits(reason, message, code) => {
            let status = &mut pod["status"]["containerStatuses"][0];
            status["state"] = json!({"waiting": {"reason": reason, "message": message}});
            status["lastState"] = ended(*code);
        }
        Killed(killing, probe) => {
            let status = &mut pod["status"]["containerStatuses"][0];
            status["state"] = json!({"running": {"startedAt": "2026-11-21T11:58:05Z"}});
            status["lastState"] = ended(137);
            events.push(event("Pod", "pg-2", "Killing", killing, 1));
            events.push(event("Pod", "pg-2", "Unhealthy", probe, 2));
        }
        Unplaced(message) => unplaced(pod, message),
        Placing(reason, message) => {
            unplaced(pod, "0/3 nodes are available: 3 Insufficient memory.");
            let mut event = event("Pod", "pg-2", reason, message, 1);
            // A node that is being created has no more than 15 minutes.
            event["firstTimestamp"] = json!("2026-11-21T11:50:00Z");
            events.push(event);
        }
        Creating(reason, message) => {
            pod["status"]["phase"] = json!("Pending");
            let status = &mut pod["status"]["containerStatuses"][0];
            *status = json!({"name": "postgres", "ready": false, "restartCount": 0,
                "state": {"waiting": {"reason": "ContainerCreating"}}});
            events.push(event("Pod", "pg-2", reason, message, 1));
        }
        Probe(message) => {
            let status = &mut pod["status"]["containerStatuses"][0];
            *status = json!({"name": "postgres", "ready": false, "restartCount": 0,
                "state": {"running": {"startedAt": "2026-11-21T11:22:00Z"}}});
            if !message.is_empty() {
                events.push(event("Pod", "pg-2", "Unhealthy", message, 1));
            }
        }
        Gate(message) => gated(pod, message),
        Refused(message) => {
            items.remove(at);
            let set = items
                .iter_mut()
                .find(|item| item["kind"] == "StatefulSet")
                .unwrap();
            set["status"]["replicas"] = json!(2);
            set["status"]["updatedReplicas"] = json!(0);
            let message = format!("create Pod pg-2 in StatefulSet pg failed error: {message}");
            events.push(event("StatefulSet", "pg", "FailedCreate", &message, 1));
        }
        Claims(reason, message) => {
            let words =
                "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
            unplaced(pod, words);
            let claim = items
                .iter_mut()
                .find(|item| item["metadata"]["name"] == "pgdata-pg-2")
                .unwrap();
            claim["status"] = json!({"phase": "Pending"});
            claim["metadata"]["creationTimestamp"] = json!("2026-11-21T11:30:00Z");
            let spec = claim["spec"].as_object_mut().unwrap();
            // These are about the volume that the claim names.
            if !matches!(*reason, "FailedBinding" | "VolumeMismatch") {
                spec.remove("volumeName");
            }
            let class = spec["storageClassName"].clone();
            items.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": class},
                "provisioner": "ebs.csi.aws.com"}));
            let claim = "PersistentVolumeClaim";
            events.push(event(claim, "pgdata-pg-2", reason, message, 1));
        }
        Sick(message) => {
            let name = pod["spec"]["nodeName"].clone();
            let status = &mut pod["status"]["containerStatuses"][0];
            *status = json!({"name": "postgres", "ready": false, "restartCount": 0,
                "state": {"running": {"startedAt": "2026-11-21T11:22:00Z"}}});
            let ready = json!({"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": message,
                "lastTransitionTime": "2026-11-21T11:40:00Z"});
            let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": &name},
                "status": {"conditions": [ready]}});
            items.retain(|item| item["kind"] != "Node" || item["metadata"]["name"] != name);
            items.push(node);
        }
        Rejects(reason, message) => {
            pod["status"] = json!({"phase": "Failed", "reason": reason, "message": message});
            let words = "create Pod pg-2 in StatefulSet pg successful";
            events.push(event("StatefulSet", "pg", "SuccessfulCreate", words, 1));
        }
    }
    items.extend(events);
    items
}

/// The set whose pod pg-2 crash-loops with these last words and this exit code.
pub fn crashed(words: &str, code: i64) -> Vec<Value> {
    let mut items = situation(&Waits("CrashLoopBackOff", "back-off", code));
    let status = &mut of(&mut items, "Pod", "pg-2")["status"]["containerStatuses"][0];
    status["lastState"]["terminated"]["message"] = json!(words);
    items
}

fn gated(pod: &mut Value, message: &str) {
    let mut parts = message.trim_start_matches("gate ").splitn(3, ": ");
    let mut part = || parts.next().unwrap_or_default();
    let (gate, reason, message) = (part(), part(), part());
    let since = "2026-11-21T11:40:00Z";
    pod["spec"]["readinessGates"] = json!([{"conditionType": gate}]);
    pod["status"]["containerStatuses"][0] = json!({"name": "postgres", "ready": true, "restartCount": 0,
        "state": {"running": {"startedAt": "2026-11-21T11:22:00Z"}}});
    pod["status"]["conditions"] = json!([
        {"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady", "lastTransitionTime": since,
            "message": format!("the status of pod readiness gate {gate:?} is not \"True\", but False")},
        {"type": "ContainersReady", "status": "True", "lastTransitionTime": since},
        {"type": gate, "status": "False", "reason": reason, "message": message, "lastTransitionTime": since},
    ]);
}

fn unplaced(pod: &mut Value, message: &str) {
    pod["metadata"]["creationTimestamp"] = json!("2026-11-21T11:40:00Z");
    pod["status"] = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": message, "lastTransitionTime": "2026-11-21T11:40:00Z"}]});
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
}
