//! A situation for every cause of the catalogue that needs more than one component's message.

use serde_json::{Value, json};

use crate::kv::{
    DAY, LONG_AGO, add_wal, claim, crashes, event, leaving, marked, node, node_of, not_ready, of,
    on_sick_node, out_of_memory, pod, put, rejected, running, serving, set, starting, status,
    unplaced, volume_at, waits,
};

/// The id of a cause, and objects that show it.
pub fn worlds() -> Vec<(&'static str, Vec<Value>)> {
    let with = |mut objects: Vec<Value>, more: Value| {
        objects.push(more);
        objects
    };
    let mut all_unready = serving();
    for (ordinal, second) in [(0, 0), (1, 20), (2, 40)] {
        let mut status = running();
        status["conditions"][0]["lastTransitionTime"] =
            json!(format!("2026-11-21T11:40:{second:02}Z"));
        put(&mut all_unready, ordinal, status);
    }
    let mut claim_deleted = serving();
    claim_deleted.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2"));
    of(&mut claim_deleted, "StatefulSet", "kv")["status"]["replicas"] = json!(2);
    let meta = &mut of(&mut claim_deleted, "PersistentVolumeClaim", "data-kv-2")["metadata"];
    meta["deletionTimestamp"] = json!(LONG_AGO);
    meta["finalizers"] = json!(["example.com/backup"]);
    let mut later_pod = set(3, "OrderedReady", "kv-old");
    later_pod.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    let words = "lookup kv-1.kv on 10.96.0.10:53: no such host";
    put(&mut later_pod, 0, crashes(words));
    let mut deletion_refused = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        deletion_refused.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    let words = "delete Pod kv-2 in StatefulSet kv failed error: admission webhook \"guard\" denied the request";
    deletion_refused.push(event("StatefulSet", "kv", "FailedDelete", words));
    let mut init = starting();
    init["initContainerStatuses"] = json!([{"name": "wait", "ready": false, "restartCount": 0,
        "state": {"running": {"startedAt": LONG_AGO}}}]);
    let said = "Readiness probe failed: HTTP probe failed with statuscode: 503";
    let mut unready = event("Pod", "kv-2", "Unhealthy", said);
    unready["involvedObject"]["fieldPath"] = json!("spec.containers{istio-proxy}");
    let mut validation = starting();
    validation["initContainerStatuses"] = json!([{"name": "istio-validation", "ready": false, "restartCount": 8,
        "state": waits("CrashLoopBackOff", "back-off 5m0s"),
        "lastState": {"terminated": {"exitCode": 126, "reason": "Error"}}}]);
    let mut gate = running();
    gate["containerStatuses"][0]["ready"] = json!(true);
    gate["conditions"][0]["reason"] = json!("ReadinessGatesNotReady");
    gate["conditions"][0]["message"] =
        json!("corresponding condition of pod readiness gate \"lb\" does not exist");
    let mut gone = status(running());
    of(&mut gone, "Pod", "kv-2")["spec"]["nodeName"] = json!("n-9");
    let mut pulling = starting();
    pulling["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:00:00Z");
    let mut silent = serving();
    silent.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2"));
    of(&mut silent, "StatefulSet", "kv")["status"]["replicas"] = json!(2);
    let refused = |words: &str| {
        event(
            "PersistentVolumeClaim",
            "data-kv-2",
            "ProvisioningFailed",
            words,
        )
    };
    let mut no_room = status(unplaced(
        "Unschedulable",
        "0/1 nodes are available: 1 Insufficient memory.",
    ));
    let nominates = "Pod should schedule on: nodeclaim/gpu-1";
    no_room.push(event("Pod", "kv-2", "Nominated", nominates));
    vec![
        ("all-unready-at-once", all_unready),
        ("node-not-joining", no_room),
        ("later-pod", later_pod),
        ("claim-deleted", claim_deleted),
        (
            "claim-lost",
            claim(|claim| {
                claim["status"]["phase"] = json!("Lost");
                claim["spec"]["volumeName"] = json!("pv-2");
            }),
        ),
        (
            "claim-pending",
            claim(|claim| claim["spec"]["storageClassName"] = json!("")),
        ),
        (
            "claim-without-class",
            with(
                claim(|claim| {
                    claim["spec"]
                        .as_object_mut()
                        .unwrap()
                        .remove("storageClassName");
                })
                .into_iter()
                .filter(|it| it["kind"] != "StorageClass")
                .collect(),
                event(
                    "PersistentVolumeClaim",
                    "data-kv-2",
                    "FailedBinding",
                    "no persistent volumes available for this claim and no storage class is set",
                ),
            ),
        ),
        (
            "class-missing",
            claim(|claim| claim["spec"]["storageClassName"] = json!("fast")),
        ),
        (
            "config-missing",
            status(not_ready(
                "Pending",
                waits("CreateContainerConfigError", "secret \"db\" not found"),
                0,
                0,
            )),
        ),
        (
            "controller-behind",
            marked(|set| {
                set["metadata"]["generation"] = json!(4);
                set["metadata"]["managedFields"] = json!([{"manager": "kubectl", "operation": "Update",
                "apiVersion": "apps/v1", "time": LONG_AGO, "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {"f:template": {}}}}]);
            }),
        ),
        (
            "controller-silent",
            with(
                silent,
                event("Pod", "kv-2", "Killing", "Stopping container kv"),
            ),
        ),
        ("deletion-refused", deletion_refused),
        ("evicted-loop", rejected("Evicted")),
        (
            "finalizers",
            leaving(|pod| pod["metadata"]["finalizers"] = json!(["example.com/drain"])),
        ),
        (
            "image-pull",
            status(not_ready(
                "Pending",
                waits("ImagePullBackOff", "Back-off pulling image \"kv:1\""),
                0,
                0,
            )),
        ),
        (
            "image-pulling",
            with(
                status(pulling),
                event("Pod", "kv-2", "Pulling", "Pulling image \"kv:1\""),
            ),
        ),
        ("init-waits", status(init)),
        ("mesh-proxy-not-ready", with(status(running()), unready)),
        ("mesh-redirection-missing", status(validation)),
        (
            "kubelet-cannot-kill",
            with(
                leaving(|_| {}),
                event(
                    "Pod",
                    "kv-2",
                    "FailedKillPod",
                    "error killing pod: context deadline exceeded",
                ),
            ),
        ),
        ("kubelet-rejects", rejected("UnexpectedAdmissionError")),
        ("sysctl-forbidden", rejected("SysctlForbidden")),
        ("node-os-mismatch", rejected("PodOSNotSupported")),
        ("node-lacks-feature", rejected("PodFeatureUnsupported")),
        ("node-overcommitted", rejected("OutOfexample.com/fpga")),
        ("node-shutting-down", rejected("NodeShutdown")),
        ("node-shutting-down", rejected("Shutdown")),
        ("local-storage-limit", {
            let mut objects = rejected("Evicted");
            of(&mut objects, "Pod", "kv-2")["status"]["message"] =
                json!("Usage of EmptyDir volume \"cache\" exceeds the limit \"1Gi\". ");
            objects
        }),
        ("local-storage-limit", {
            let mut objects = rejected("Evicted");
            of(&mut objects, "Pod", "kv-2")["status"]["message"] = json!(
                "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "
            );
            objects
        }),
        ("local-disk-full", {
            crate::kv::status(crashes("write /var/cache/kv/1: no space left on device"))
        }),
        (
            "managed-by-gitops",
            marked(|set| {
                set["metadata"]["labels"] = json!({"argocd.argoproj.io/instance": "shop"});
            }),
        ),
        ("node-gone", gone),
        ("node-reported-lost", {
            let mut objects = leaving(|_| {});
            objects.retain(|it| it["kind"] != "Node");
            of(&mut objects, "Pod", "kv-2")["status"]["reason"] = json!("NodeLost");
            objects
        }),
        ("all-nodes-silent", {
            let mut objects = status(running());
            *of(&mut objects, "Node", "n-1") = node("n-1", "a", false);
            with(objects, node("n-2", "a", false))
        }),
        ("node-lost", {
            let mut objects = status(running());
            of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"] = json!("n-2");
            with(objects, node("n-2", "a", false))
        }),
        (
            "node-network-not-ready",
            on_sick_node("container runtime network not ready: cni plugin not initialized"),
        ),
        ("node-not-ready", on_sick_node("kubelet is starting")),
        ("node-shutdown", on_sick_node("node is shutting down")),
        (
            "node-runtime-down",
            on_sick_node("PLEG is not healthy: pleg was last seen active 13m0s ago"),
        ),
        ("not-starting", status(starting())),
        ("oom-container", out_of_memory(Some("1Gi"))),
        ("oom-node", out_of_memory(None)),
        (
            "owned-by-operator",
            marked(|set| {
                set["metadata"]["ownerReferences"] = json!([{"apiVersion": "kv.example.com/v1", "kind": "Store",
                "name": "kv", "uid": "u-1", "controller": true}]);
            }),
        ),
        (
            "source-not-ready",
            with(
                claim(|_| {}),
                refused(
                    "failed to provision volume: error getting handle for DataSource Type VolumeSnapshot by Name a: \
                     snapshot a is not Ready",
                ),
            ),
        ),
        (
            "provisioner-topology",
            with(
                claim(|_| {}),
                refused(
                    "failed to provision volume: error generating accessibility requirements: no topology key found \
                     on CSINode n-2",
                ),
            ),
        ),
        (
            "provisioner-failing",
            with(
                claim(|_| {}),
                refused("rpc error: code = Internal desc = try later"),
            ),
        ),
        (
            "provisioner-permission",
            with(
                claim(|_| {}),
                refused("api error UnauthorizedOperation: You are not authorized to do this"),
            ),
        ),
        (
            "provisioner-missing",
            with(
                claim(|_| {}),
                event(
                    "PersistentVolumeClaim",
                    "data-kv-2",
                    "ExternalProvisioning",
                    "Waiting for a volume to be created by the external provisioner 'csi.example.com'",
                ),
            ),
        ),
        (
            "provisioner-exhausted",
            with(
                claim(|_| {}),
                refused("rpc error: code = ResourceExhausted desc = full"),
            ),
        ),
        (
            "provisioner-quota",
            with(
                claim(|_| {}),
                refused(
                    "googleapi: Error 403: Quota 'SSD_TOTAL_GB' exceeded. Limit: 500.0 in region r",
                ),
            ),
        ),
        (
            "provisioner-throttled",
            with(
                claim(|_| {}),
                refused("api error RequestLimitExceeded: Request limit exceeded."),
            ),
        ),
        ("readiness-gate-unmet", status(gate)),
        (
            "resize-pending",
            with(
                status(starting()),
                event(
                    "Pod",
                    "kv-2",
                    "VolumeResizeFailed",
                    "MountVolume.NodeExpandVolume failed for volume \"pv-2\"",
                ),
            ),
        ),
        (
            "scaled-by-hpa",
            with(
                serving(),
                json!({"apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler", "metadata": {"name": "kv", "namespace": "prod"},
            "spec": {"maxReplicas": 9, "scaleTargetRef": {"kind": "StatefulSet", "name": "kv"}}}),
            ),
        ),
        (
            "scheduling-gated",
            status(unplaced(
                "SchedulingGated",
                "Scheduling is blocked due to non-empty scheduling gates",
            )),
        ),
        ("taint-left", {
            let words = "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.";
            let mut objects = unplaced_for(words);
            let taint = json!({"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule", "timeAdded": LONG_AGO});
            of(&mut objects, "Node", "n-1")["spec"] = json!({"taints": [taint]});
            objects
        }),
        ("taint-set", {
            let words = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {maintenance: planned}.";
            let mut objects = unplaced_for(words);
            let taint = json!({"key": "maintenance", "value": "planned", "effect": "NoExecute"});
            let mut tainted = node("n-2", "b", true);
            tainted["spec"] = json!({"taints": [taint]});
            objects.push(tainted);
            let words = "Marking for deletion Pod prod/kv-2";
            objects.push(event("Pod", "kv-2", "TaintManagerEviction", words));
            objects
        }),
        ("scale-down-left", {
            let words = "0/1 nodes are available: 1 node(s) had untolerated taint {ToBeDeletedByClusterAutoscaler: 1795255200}.";
            let mut objects = unplaced_for(words);
            let taint = json!({"key": "ToBeDeletedByClusterAutoscaler", "value": "1795255200", "effect": "NoSchedule"});
            of(&mut objects, "Node", "n-1")["spec"] = json!({"taints": [taint]});
            objects
        }),
        ("recovery-killed-by-liveness", recovering("liveness")),
        ("recovery-killed-by-startup", recovering("startup")),
        ("sandbox-recreated", {
            let mut crashing = crashes("");
            crashing["containerStatuses"][0]["lastState"] = json!({"terminated": {"exitCode": 143,
                "reason": "Error", "finishedAt": "2026-11-21T11:58:00Z"}});
            let mut changed = event(
                "Pod",
                "kv-2",
                "SandboxChanged",
                "Pod sandbox changed, it will be killed and re-created.",
            );
            changed["type"] = json!("Normal");
            changed["count"] = json!(29);
            with(status(crashing), changed)
        }),
        ("volume-node-gone", {
            let words =
                "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity.";
            let mut objects = unplaced_for(words);
            let host =
                json!({"key": "kubernetes.io/hostname", "operator": "In", "values": ["n-7"]});
            objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-2"},
                "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3",
                    "claimRef": {"namespace": "prod", "name": "data-kv-2", "uid": "x"},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [host]}]}}}}));
            objects
        }),
        ("local-node-full", {
            let words = "0/1 nodes are available: 1 Insufficient memory.";
            let mut objects = unplaced_for(words);
            objects.push(volume_at(
                "pv-2",
                "data-kv-2",
                "kubernetes.io/hostname",
                "n-1",
            ));
            objects
        }),
        ("request-too-large", {
            let words = "0/1 nodes are available: 1 Insufficient memory.";
            let mut objects = unplaced_for(words);
            let container = &mut of(&mut objects, "Pod", "kv-2")["spec"]["containers"][0];
            container["resources"] = json!({"requests": {"memory": "900Gi"}});
            objects
        }),
        ("volumes-apart", {
            let words = "0/1 nodes are available: 1 node(s) had volume node affinity conflict.";
            let mut objects = unplaced_for(words);
            let zone = "topology.kubernetes.io/zone";
            add_wal(&mut objects);
            objects.extend([
                volume_at("pv-2", "data-kv-2", zone, "b"),
                volume_at("pv-wal", "wal-kv-2", zone, "c"),
            ]);
            objects
        }),
        ("scheduler-silent", {
            let mut objects = status(json!({"phase": "Pending"}));
            let pod = of(&mut objects, "Pod", "kv-2");
            pod["metadata"]["creationTimestamp"] = json!(LONG_AGO);
            pod["spec"].as_object_mut().unwrap().remove("nodeName");
            objects
        }),
        ("kubelet-silent", {
            let placed =
                json!([{"type": "PodScheduled", "status": "True", "lastTransitionTime": LONG_AGO}]);
            let mut objects = status(json!({"phase": "Pending", "conditions": placed}));
            of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] = json!(LONG_AGO);
            objects
        }),
        ("terminating", leaving(|_| {})),
        ("node-hangs", {
            let mut objects = status(starting());
            of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] = json!(LONG_AGO);
            let hangs = json!({"type": "KernelDeadlock", "status": "True", "reason": "DockerHung"});
            conditions_of_node(&mut objects).push(hangs);
            objects
        }),
        ("process-hangs", {
            let mut objects = leaving(|_| {});
            let hangs = json!({"type": "KernelDeadlock", "status": "True", "reason": "TaskHung"});
            conditions_of_node(&mut objects).push(hangs);
            objects
        }),
        (
            "node-memory-kill",
            with(killed(137), {
                let words = "System OOM encountered, victim process: kv, pid: 4711";
                let mut event = event("Node", "n-1", "SystemOOM", words);
                event["metadata"]["namespace"] = json!("default");
                event["lastTimestamp"] = json!(LONG_AGO);
                event
            }),
        ),
        (
            "image-pull-secret-missing",
            with(
                status(not_ready(
                    "Pending",
                    waits("ImagePullBackOff", "401 Unauthorized"),
                    0,
                    0,
                )),
                {
                    let words = "Unable to retrieve some image pull secrets (registry); attempting to pull the image may not succeed.";
                    let mut event = event("Pod", "kv-2", "FailedToRetrieveImagePullSecret", words);
                    event["lastTimestamp"] = json!("2026-11-21T11:58:30Z");
                    event["count"] = json!(5);
                    event
                },
            ),
        ),
        ("network-plugin-unauthorized-aws", {
            let mut objects = status(starting());
            let words =
                "plugin type=\"aws-cni\" failed (add): failed to assign an IP address to container";
            objects.push(event("Pod", "kv-2", "FailedCreatePodSandBox", words));
            objects.push(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "aws-node-1", "namespace": "prod",
                "uid": "a", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "aws-node", "uid": "d",
                "controller": true}]}, "spec": {"nodeName": "n-1", "containers": []}, "status": {"phase": "Running"}}));
            let words = "Unauthorized operation: failed to call ec2:CreateNetworkInterface due to missing permissions.";
            let mut event = event("Pod", "aws-node-1", "MissingIAMPermissions", words);
            event["lastTimestamp"] = json!("2026-11-21T11:58:30Z");
            objects.push(event);
            objects
        }),
        ("node-disk-read-only", {
            let mut objects = status(crashes("open /data/kv.db: read-only file system"));
            let fault = json!({"type": "ReadonlyFilesystem", "status": "True", "reason": "FilesystemIsReadOnly"});
            conditions_of_node(&mut objects).push(fault);
            objects
        }),
        ("node-named", {
            let mut objects = rejected("OutOfcpu");
            of(&mut objects, "StatefulSet", "kv")["spec"]["template"]["spec"]["nodeName"] =
                json!("n-1");
            objects
        }),
        ("node-joining", {
            let words = "0/2 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 1 Insufficient cpu.";
            let mut objects = unplaced_for(words);
            let mut fresh = node_of(&json!("n-2"), "cni plugin not initialized");
            fresh["metadata"]["creationTimestamp"] = json!("2026-11-21T11:58:30Z");
            let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
            fresh["spec"] = json!({"taints": [taint]});
            objects.push(fresh);
            objects
        }),
        (
            "volume-not-attached",
            with(
                status(starting()),
                event(
                    "Pod",
                    "kv-2",
                    "FailedMount",
                    "MountVolume.MountDevice failed for volume \"pv-2\": code = Internal",
                ),
            ),
        ),
    ]
}

/// kv-2 ends again and again with this exit code, the last time long ago.
/// A pod whose container a probe ends while its log says that it recovers.
fn recovering(check: &str) -> Vec<Value> {
    let mut crashing = crashes("");
    crashing["containerStatuses"][0]["lastState"] = json!({"terminated": {"exitCode": 137,
        "reason": "Error", "finishedAt": "2026-11-21T11:58:00Z",
        "message": "LOG:  redo in progress, elapsed time: 60.00 s"}});
    let killing = format!("Container kv failed {check} probe, will be restarted");
    let killing = event("Pod", "kv-2", "Killing", &killing);
    let name = match check {
        "liveness" => "Liveness",
        _ => "Startup",
    };
    let failed = format!("{name} probe failed: dial tcp 10.0.0.2:5432: connection refused");
    let failed = event("Pod", "kv-2", "Unhealthy", &failed);
    let mut objects = status(crashing);
    objects.extend([killing, failed]);
    objects
}

fn killed(exit_code: i64) -> Vec<Value> {
    let mut status = crashes("");
    let ended = &mut status["containerStatuses"][0]["lastState"]["terminated"];
    ended["exitCode"] = json!(exit_code);
    ended["finishedAt"] = json!(LONG_AGO);
    crate::kv::status(status)
}

/// The conditions of the node n-1.
fn conditions_of_node(objects: &mut [Value]) -> &mut Vec<Value> {
    let conditions = &mut of(objects, "Node", "n-1")["status"]["conditions"];
    conditions
        .as_array_mut()
        .expect("the node n-1 has conditions")
}

/// kv-2 has had no node for a while, for this reason of the scheduler.
fn unplaced_for(message: &str) -> Vec<Value> {
    let mut objects = status(unplaced("Unschedulable", message));
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"]
        .as_object_mut()
        .map(|spec| spec.remove("nodeName"));
    pod["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    objects
}
