//! Failures of volumes that have ended: later events, or the attachment itself, show it.

use serde_json::{Value, json};
use test_kit::kv::{DAY, node, not_ready, plan, pod, put, set};

/// kv-2 is on node n-1, and its containers are not created yet.
fn starting() -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-new", DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    let waiting = json!({"waiting": {"reason": "ContainerCreating"}});
    let mut status = not_ready("Pending", waiting, 0, 0);
    status["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:15:00Z");
    put(&mut objects, 2, status);
    objects
}

fn event(reason: &str, message: &str, count: u32, at: &str) -> Value {
    let kind = match reason.starts_with("Failed") {
        true => "Warning",
        false => "Normal",
    };
    json!({"apiVersion": "v1", "kind": "Event", "type": kind, "reason": reason, "message": message, "count": count,
        "metadata": {"name": format!("kv-2.{reason}{at}"), "namespace": "prod"},
        "involvedObject": {"kind": "Pod", "namespace": "prod", "name": "kv-2"},
        "firstTimestamp": "2026-11-21T11:16:00Z", "lastTimestamp": at})
}

const ATTACH: &str = "AttachVolume.Attach failed for volume \"pv-2\" : rpc error: code = ResourceExhausted desc = \
     Attachment limit exceeded";
const MOUNT: &str = "MountVolume.MountDevice failed for volume \"pv-2\" : rpc error: code = Internal desc = rbd image \
     p/v is still being used";

/// Returns the cause of kv-2, with these objects.
fn cause(added: &[Value]) -> String {
    let mut objects = starting();
    objects.extend_from_slice(added);
    let report = plan(&objects);
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    let found = obstacles.iter().find(|it| it["pod"] == "kv-2").unwrap();
    found["cause"].as_str().unwrap_or_default().to_owned()
}

fn attachment(node: &str, is_attached: bool) -> Value {
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "csi-9"},
        "spec": {"nodeName": node, "source": {"persistentVolumeName": "pv-2"}}, "status": {"attached": is_attached}})
}

#[test]
fn an_attachment_that_succeeded_later_is_not_the_cause() {
    let failed = event("FailedAttachVolume", ATTACH, 9, "2026-11-21T11:40:00Z");
    let attached = |volume: &str, at: &str| {
        let message = format!("AttachVolume.Attach succeeded for volume \"{volume}\"");
        event("SuccessfulAttachVolume", &message, 1, at)
    };
    let later = attached("pv-2", "2026-11-21T11:41:00Z");
    assert_ne!(cause(&[failed.clone(), later]), "attach-limit");
    // Another volume, and an earlier attachment, say nothing about this one.
    let other = attached("pv-wal", "2026-11-21T11:41:00Z");
    assert_eq!(cause(&[failed.clone(), other]), "attach-limit");
    let earlier = attached("pv-2", "2026-11-21T11:16:00Z");
    assert_eq!(cause(&[failed, earlier]), "attach-limit");
}

#[test]
fn an_attachment_that_holds_is_not_the_cause() {
    let failed = event("FailedAttachVolume", ATTACH, 9, "2026-11-21T11:58:00Z");
    let with = |attachment: Value| cause(&[failed.clone(), attachment]);
    assert_ne!(with(attachment("n-1", true)), "attach-limit");
    assert_eq!(with(attachment("n-1", false)), "attach-limit");
    assert_eq!(with(attachment("n-9", true)), "attach-limit");
    let mut leaving = attachment("n-1", true);
    leaving["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:50:00Z");
    assert_eq!(with(leaving), "attach-limit");
}

#[test]
fn volumes_are_mounted_once_the_kubelet_is_at_the_containers() {
    let failed = event("FailedMount", MOUNT, 9, "2026-11-21T11:40:00Z");
    assert_eq!(cause(std::slice::from_ref(&failed)), "image-watched");
    let sandbox = "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded";
    let later = event("FailedCreatePodSandBox", sandbox, 9, "2026-11-21T11:55:00Z");
    assert_eq!(cause(&[failed.clone(), later]), "sandbox-timeout");
    // The kubelet can come back to the volumes, after a restart of the node.
    let earlier = event("Pulled", "image is present", 1, "2026-11-21T11:20:00Z");
    assert_eq!(cause(&[failed, earlier]), "image-watched");
}

#[test]
fn an_attachment_tells_its_error_longer_than_events() {
    let mut failed = attachment("n-1", false);
    failed["status"]["attachError"] = json!({"time": "2026-11-21T11:58:00Z",
        "message": "rpc error: code = ResourceExhausted desc = Attachment limit exceeded"});
    assert_eq!(cause(std::slice::from_ref(&failed)), "attach-limit");
    // Other nodes are not the pod's.
    failed["spec"]["nodeName"] = json!("n-9");
    assert_ne!(cause(&[failed]), "attach-limit");
}
