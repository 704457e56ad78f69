//! Rules for the advice on stuck pods, whatever their causes.

use std::sync::Arc;

use serde_json::{Value, json};
use sts_controller::simulate::Action;
use sts_plan::report::PlanResult;
use test_kit::input::Input;
use test_kit::kv::{
    DAY, LONG_AGO, NOW, crashes, node, not_ready, of, out_of_memory, plan, pod, put, serving, set,
    told,
};

/// kv-2 on the new revision, and the others on the old one, all ready.
fn in_transition(policy: &str) -> Vec<Value> {
    let mut objects = set(3, policy, "kv-new");
    objects.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    objects.extend(pod(1, "kv-old", DAY, DAY, "n-1"));
    objects.extend(pod(2, "kv-new", "2026-11-21T11:15:00Z", DAY, "n-1"));
    objects.push(node("n-1", "a", true));
    objects
}

fn running() -> Value {
    let running = json!({"running": {"startedAt": DAY}});
    not_ready("Running", running, 0, 0)
}

fn unplaced(message: &str) -> Value {
    test_kit::kv::unplaced("Unschedulable", message)
}

/// Returns the obstacle about a pod.
fn obstacle<'r>(report: &'r Value, pod: &str) -> &'r Value {
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    let found = obstacles.iter().find(|it| it["pod"] == pod);
    found.unwrap_or_else(|| panic!("{pod} is in none of {obstacles:#?}"))
}

/// Returns the effects of the remedies of an obstacle that begin with a command.
fn effects<'r>(obstacle: &'r Value, command: &str) -> Vec<&'r str> {
    let remedies = obstacle["remedies"].as_array().into_iter().flatten();
    let found = remedies.filter(|it| {
        let first = it["commands"][0].as_str();
        first.is_some_and(|first| first.starts_with(command))
    });
    found.map(|it| it["effect"].as_str().unwrap()).collect()
}

#[test]
fn a_failing_pod_that_the_controller_does_not_wait_for_is_explained_too() {
    let mut objects = in_transition("OrderedReady");
    put(&mut objects, 1, running());
    put(
        &mut objects,
        2,
        crashes("panic: unknown field \"listenAddr\""),
    );
    let report = plan(&objects);
    let waits = report["outcome"]["blockedBy"][0]["pod"].as_str();
    assert_eq!(waits, Some("kv-1"));
    let other = obstacle(&report, "kv-2")["message"].as_str().unwrap();
    assert!(other.contains("listenAddr"), "{other}");
    // A pod that is ready, or only outdated, is no obstacle.
    let all = report["outcome"]["blockedBy"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{all:#?}");
}

#[test]
fn a_symptom_refers_to_the_reason_that_another_pod_reports() {
    let mut objects = in_transition("OrderedReady");
    put(&mut objects, 1, running());
    let cautions = |message: &str| {
        let mut objects = objects.clone();
        put(&mut objects, 2, crashes(message));
        let report = plan(&objects);
        let found = obstacle(&report, "kv-1");
        format!("{} {}", found["cautions"], found["fix"])
    };
    let expired = cautions("x509: certificate has expired or is not yet valid");
    assert!(
        expired.contains("kv-2 reports a reason that kv-1 may share: a certificate"),
        "{expired}"
    );
    assert!(!expired.contains("own data"), "{expired}");
    // A failure of one pod's template or data is not shared.
    for message in ["panic: unknown flag", "no space left on device"] {
        let own = cautions(message);
        assert!(own.contains("check kv-1's own data"), "{own}");
    }
}

#[test]
fn a_pod_without_a_node_has_none_after_a_rollback_that_helps_another_pod() {
    let mut objects = in_transition("Parallel");
    put(
        &mut objects,
        1,
        unplaced("0/1 nodes are available: 1 node(s) exceed max volume count."),
    );
    put(&mut objects, 2, crashes("panic: unknown flag"));
    let report = plan(&objects);
    let unplaced = obstacle(&report, "kv-1");
    assert_eq!(unplaced["cause"], "volume-limit", "{unplaced:#}");
    let back = effects(obstacle(&report, "kv-2"), "kubectl rollout undo");
    assert!(!back.is_empty());
    for effect in back {
        let is_left = effect.starts_with("the next obstacle ") && effect.contains("kv-1");
        assert!(is_left, "{effect}");
    }
}

/// Changes the stored template of the old revision, and with it the difference between the two.
fn old_template(objects: &mut [Value], change: impl Fn(&mut Value)) {
    let revision = objects
        .iter_mut()
        .find(|it| it["kind"] == "ControllerRevision" && it["metadata"]["name"] == "kv-old");
    change(&mut revision.unwrap()["data"]["spec"]["template"]);
}

/// Adds a container to both revisions and to the stored set.
fn with_sidecar(objects: &mut [Value]) {
    let sidecar = json!({"name": "exporter", "image": "exporter:1"});
    for it in objects {
        let template = match it["kind"].as_str() {
            Some("ControllerRevision") => &mut it["data"]["spec"]["template"],
            Some("StatefulSet") => &mut it["spec"]["template"],
            _ => continue,
        };
        let containers = template["spec"]["containers"].as_array_mut().unwrap();
        containers.push(sidecar.clone());
    }
}

fn crashing_sidecar(message: &str) -> Value {
    let mut status = crashes(message);
    let sidecar = &mut status["containerStatuses"][0];
    sidecar["name"] = json!("exporter");
    let ready = json!({"name": "kv", "ready": true, "restartCount": 0, "state": {"running": {"startedAt": DAY}}});
    status["containerStatuses"]
        .as_array_mut()
        .unwrap()
        .push(ready);
    status
}

#[test]
fn a_rollback_is_offered_only_where_the_revisions_differ_in_the_part_that_failed() {
    let mut objects = in_transition("OrderedReady");
    with_sidecar(&mut objects);
    put(
        &mut objects,
        2,
        crashing_sidecar("Error: the exporter has ended"),
    );
    let undo = "kubectl rollout undo";
    let report = plan(&objects);
    let same = obstacle(&report, "kv-2");
    assert!(effects(same, undo).is_empty(), "{same:#}");
    let fix = same["fix"].to_string();
    assert!(
        fix.contains("exporter is the same in both revisions, so rolling back does not help"),
        "{fix}"
    );
    // The sidecar itself, something that all containers share, and an annotation that a webhook reads.
    let changes: [&dyn Fn(&mut Value); 3] = [
        &|template| template["spec"]["containers"][1]["args"] = json!(["--old"]),
        &|template| template["spec"]["serviceAccountName"] = json!("other"),
        &|template| template["metadata"]["annotations"] = json!({"inject": "false"}),
    ];
    for change in changes {
        let mut objects = objects.clone();
        old_template(&mut objects, change);
        let report = plan(&objects);
        let differs = obstacle(&report, "kv-2");
        assert_eq!(effects(differs, undo).len(), 1, "{differs:#}");
    }
}

/// kv-2 is not created: the server answers with this message.
fn refused(message: &str) -> Vec<Value> {
    let mut objects = in_transition("OrderedReady");
    objects.retain(|it| it["kind"] != "Pod" || it["metadata"]["name"] != "kv-2");
    objects.push(json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreate",
        "message": format!("create Pod kv-2 in StatefulSet kv failed error: {message}"), "count": 18,
        "metadata": {"name": "kv.refused", "namespace": "prod"},
        "involvedObject": {"kind": "StatefulSet", "namespace": "prod", "name": "kv"},
        "firstTimestamp": "2026-11-21T11:20:00Z", "lastTimestamp": "2026-11-21T11:58:00Z"}));
    objects
}

#[test]
fn a_rollback_against_a_policy_is_offered_only_where_its_message_names_a_difference() {
    let webhook = "admission webhook \"v.policy.example\" denied the request: ";
    let refusals = |words: &str, change: &dyn Fn(&mut Value)| {
        let mut objects = refused(&format!("{webhook}{words}"));
        old_template(&mut objects, change);
        let report = plan(&objects);
        let found = obstacle(&report, "kv-2");
        (
            effects(found, "kubectl rollout undo").len(),
            found["cautions"].to_string(),
        )
    };
    let nothing: &dyn Fn(&mut Value) = &|_| {};
    for words in [
        "every pod needs the label owner",
        "failed at path /spec/containers/0/securityContext/readOnlyRootFilesystem/",
    ] {
        let (undone, cautions) = refusals(words, nothing);
        assert_eq!(undone, 0, "{words}");
        assert!(
            cautions.contains("names nothing in which the revisions differ"),
            "{cautions}"
        );
    }
    let privileged: &dyn Fn(&mut Value) = &|template| {
        template["spec"]["containers"][0]["securityContext"] = json!({"privileged": false});
    };
    let (undone, _) = refusals(
        "/spec/containers/0/securityContext/privileged must be false",
        privileged,
    );
    assert_eq!(undone, 1);
    // The image is named by its value.
    let (undone, cautions) = refusals("kv:2 has no signature", nothing);
    assert_eq!(undone, 1);
    assert!(!cautions.contains("names nothing"), "{cautions}");
}

#[test]
fn a_refused_loopback_call_leads_to_the_other_container_of_the_pod() {
    let mut objects = in_transition("OrderedReady");
    with_sidecar(&mut objects);
    let mut status = crashing_sidecar("fatal: cannot read /etc/key: permission denied");
    let mut app =
        crashes("dial tcp 127.0.0.1:5432: connect: connection refused")["containerStatuses"][0]
            .clone();
    status["containerStatuses"][1] = app.take();
    put(&mut objects, 2, status.clone());
    let report = plan(&objects);
    let found = obstacle(&report, "kv-2");
    assert_eq!(found["about"], "container/exporter");
    assert!(
        found["remedy"]
            .to_string()
            .contains("logs kv-2 -c exporter"),
        "{found:#}"
    );
    // Without a failing container, the note says that it is the pod itself; an address of the network is a service.
    for (address, id) in [
        ("127.0.0.1", "loopback-refused"),
        ("10.96.1.4", "service-unreachable"),
    ] {
        let words = format!(
            "listening on 127.0.0.1:9\ndial tcp {address}:5432: connect: connection refused"
        );
        let mut objects = in_transition("OrderedReady");
        put(&mut objects, 2, crashes(&words));
        let report = plan(&objects);
        assert_eq!(obstacle(&report, "kv-2")["cause"], id);
    }
}

#[test]
fn a_container_that_provides_a_missing_file_is_explained_first() {
    let both = |of_app: &str, of_sidecar: &str| {
        let mut objects = in_transition("OrderedReady");
        with_sidecar(&mut objects);
        let mut status = crashing_sidecar(of_sidecar);
        let app = crashes(of_app)["containerStatuses"][0].clone();
        status["containerStatuses"][1] = app;
        let of_containers = status["containerStatuses"].as_array_mut().unwrap();
        of_containers.reverse();
        put(&mut objects, 2, status);
        let report = plan(&objects);
        let found = obstacle(&report, "kv-2");
        (
            found["about"].as_str().unwrap().to_owned(),
            effects(found, "kubectl rollout undo").len(),
        )
    };
    let missing = "panic: open /vault/secrets/db: no such file or directory";
    let refused = "error authenticating: Code: 403. Errors: permission denied";
    let sidecar = "container/exporter".to_owned();
    let app = "container/kv".to_owned();
    // The sidecar is the same in both revisions.
    assert_eq!(both(missing, refused), (sidecar.clone(), 0));
    assert_eq!(both(missing, "panic: license has ended"), (sidecar, 0));
    // It misses a file too, or the application fails for a reason of its own.
    assert_eq!(both(missing, missing), (app.clone(), 1));
    assert_eq!(both("panic: unknown flag --listen", refused), (app, 1));
}

#[test]
fn the_log_of_a_container_that_runs_again_is_that_of_its_present_run() {
    let logs = |finished: &str| {
        let mut status = running();
        let container = &mut status["containerStatuses"][0];
        container["restartCount"] = json!(1);
        container["lastState"] =
            json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": finished}});
        let mut objects = in_transition("OrderedReady");
        put(&mut objects, 2, status);
        let report = plan(&objects);
        obstacle(&report, "kv-2")["remedy"].to_string()
    };
    assert!(!logs("2026-11-19T12:00:00Z").contains("--previous"));
    assert!(logs("2026-11-21T11:58:00Z").contains("--previous"));
}

/// kv-2 has no node, with these nodes in the input; each with a taint and its GPUs, all and those that can be allocated.
fn without_node(message: &str, nodes: &[(&str, &str, &str, &str)]) -> Value {
    let mut objects = in_transition("OrderedReady");
    objects.retain(|it| it["kind"] != "Node");
    for (name, taint, all, usable) in nodes {
        let mut node = node(name, "a", true);
        if !taint.is_empty() {
            node["spec"] = json!({"taints": [{"key": taint, "effect": "NoSchedule"}]});
        }
        for (list, amount) in [("capacity", all), ("allocatable", usable)] {
            node["status"][list]["nvidia.com/gpu"] = json!(amount);
        }
        objects.push(node);
    }
    put(&mut objects, 2, unplaced(message));
    let report = plan(&objects);
    obstacle(&report, "kv-2").clone()
}

#[test]
fn the_decisive_part_of_a_schedulers_message_is_that_of_the_nodes_that_suit_best() {
    let gpu = "Insufficient nvidia.com/gpu";
    let tainted = "node(s) had untolerated taint {dedicated: gpu}";
    for (parts, id) in [
        (
            "1 node(s) had untolerated taint {node.cilium.io/agent-not-ready: }, 3 Insufficient memory",
            "node-starting",
        ),
        (
            "1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 Insufficient memory",
            "insufficient-resources",
        ),
        (
            "1 node(s) were unschedulable, 3 Insufficient memory",
            "insufficient-resources",
        ),
        (&format!("3 {gpu}"), "device-missing"),
        // The nodes with GPUs have a taint.
        (&format!("1 {gpu}, 2 {tainted}"), "taints"),
        (&format!("3 {gpu}, 1 {tainted}"), "taints"),
    ] {
        let found = without_node(&format!("0/4 nodes are available: {parts}."), &[]);
        assert_eq!(found["cause"], id, "{parts}");
    }
    // A node without a taint has GPUs, all of which are in use.
    let message = format!("0/4 nodes are available: 3 {gpu}, 1 {tainted}.");
    let nodes = [("n-1", "", "4", "4"), ("n-2", "dedicated", "4", "4")];
    let found = without_node(&message, &nodes);
    assert_eq!(found["cause"], "device-missing");
}

#[test]
fn unhealthy_devices_and_the_nodes_that_are_starting_are_named() {
    let nodes = [("n-1", "", "4", "0"), ("n-2", "", "4", "4")];
    let found = without_node(
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
        &nodes,
    );
    let cautions = found["cautions"].to_string();
    assert!(
        cautions.contains("node n-1 has 4 nvidia.com/gpu, of which 0 can be allocated"),
        "{cautions}"
    );
    assert!(!cautions.contains("node n-2"), "{cautions}");
    let nodes = [
        ("n-9", "node.cilium.io/agent-not-ready", "0", "0"),
        ("n-1", "", "0", "0"),
    ];
    let message = "0/2 nodes are available: 1 node(s) had untolerated taint {node.cilium.io/agent-not-ready: }, 1 Insufficient memory.";
    let found = without_node(message, &nodes);
    let said = found["message"].as_str().unwrap();
    assert!(said.contains("taint on n-9"), "{said}");
}

#[test]
fn karpenters_reasons_are_the_pods_or_the_node_pools() {
    for (reason, id) in [
        (
            "unsatisfiable topology constraint for topology spread, key=topology.kubernetes.io/zone",
            "karpenter-topology",
        ),
        (
            "did not tolerate taint (taint=dedicated=gpu:NoSchedule)",
            "karpenter-taint",
        ),
        (
            "no instance type satisfied resources {\"cpu\":\"64\"} and requirements",
            "karpenter-resources",
        ),
        (
            "no instance type satisfied resources {\"cpu\":\"4\"} and requirements karpenter.sh/capacity-type In [spot] (no instance type has the required offering)",
            "karpenter-offering",
        ),
        (
            "incompatible requirements, key kubernetes.io/arch",
            "karpenter-requirements",
        ),
        // The pool of other workloads is not the one to change.
        (
            "did not tolerate taint (taint=x=y:NoSchedule); all available instance types exceed limits for nodepool: \"b\"",
            "karpenter-limits",
        ),
    ] {
        let mut objects = in_transition("OrderedReady");
        put(
            &mut objects,
            2,
            unplaced("0/1 nodes are available: 1 Insufficient cpu."),
        );
        objects.push(json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedScheduling",
            "message": format!("Failed to schedule pod, incompatible with nodepool \"a\", {reason}"), "count": 20,
            "metadata": {"name": "kv-2.karpenter", "namespace": "prod"},
            "involvedObject": {"kind": "Pod", "namespace": "prod", "name": "kv-2"},
            "firstTimestamp": "2026-11-21T11:20:00Z", "lastTimestamp": "2026-11-21T11:58:00Z"}));
        let report = plan(&objects);
        assert_eq!(obstacle(&report, "kv-2")["cause"], id, "{reason}");
    }
}

#[test]
fn gates_are_named_with_their_reasons() {
    let mut objects = in_transition("OrderedReady");
    let pod_of = |objects: &mut Vec<Value>| {
        let mut all = objects.iter_mut();
        all.position(|it| it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2")
            .unwrap()
    };
    let at = pod_of(&mut objects);
    objects[at]["spec"]["readinessGates"] =
        json!([{"conditionType": "a.example/lb"}, {"conditionType": "b.example/ok"}]);
    let mut status = running();
    status["containerStatuses"][0]["ready"] = json!(true);
    status["conditions"][0]["reason"] = json!("ReadinessGatesNotReady");
    let conditions = status["conditions"].as_array_mut().unwrap();
    conditions.push(json!({"type": "a.example/lb", "status": "False", "reason": "Unhealthy", "message": "codes: [302]"}));
    conditions.push(json!({"type": "b.example/ok", "status": "True"}));
    put(&mut objects, 2, status);
    let report = plan(&objects);
    let said = obstacle(&report, "kv-2")["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        said.contains("gate a.example/lb: Unhealthy: codes: [302]"),
        "{said}"
    );
    assert!(!said.contains("b.example"), "{said}");
    // A scheduling gate is only in the specification.
    let mut gated = unplaced("Scheduling is blocked due to non-empty scheduling gates");
    gated["conditions"][0]["reason"] = json!("SchedulingGated");
    put(&mut objects, 2, gated);
    objects[at]["spec"]["schedulingGates"] = json!([{"name": "kueue.x-k8s.io/admission"}]);
    let report = plan(&objects);
    let said = obstacle(&report, "kv-2")["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(said.contains("gate kueue.x-k8s.io/admission"), "{said}");
}

/// kv-2 starts, and a volume of it could not be attached since then; another node has the volume.
fn attached_elsewhere(since: &str, detach_error: &str) -> Vec<Value> {
    let mut objects = in_transition("OrderedReady");
    let waiting = json!({"waiting": {"reason": "ContainerCreating"}});
    let mut status = not_ready("Pending", waiting, 0, 0);
    status["conditions"][0]["lastTransitionTime"] = json!(since);
    put(&mut objects, 2, status);
    objects.push(json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedAttachVolume",
        "message": "Multi-Attach error for volume \"pv-2\" Volume is already exclusively attached to one node", "count": 1,
        "metadata": {"name": "kv-2.attach", "namespace": "prod"},
        "involvedObject": {"kind": "Pod", "namespace": "prod", "name": "kv-2"},
        "firstTimestamp": since, "lastTimestamp": since}));
    objects.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "csi-9"},
        "spec": {"nodeName": "n-9", "source": {"persistentVolumeName": "pv-2"}},
        "status": {"attached": true, "detachError": {"message": detach_error}}}));
    objects
}

#[test]
fn an_attachment_that_is_reported_once_stays_the_cause() {
    let mut objects = attached_elsewhere("2026-11-21T11:45:00Z", "rpc error: busy");
    let report = plan(&objects);
    let found = obstacle(&report, "kv-2");
    assert_eq!(found["cause"], "multi-attach");
    let cautions = found["cautions"].to_string();
    for words in [
        "pv-2 is still attached to node n-9, which no longer exists",
        "rpc error: busy",
    ] {
        assert!(cautions.contains(words), "{cautions}");
    }
    // The node is there, and no pod uses the volume on it.
    objects.push(node("n-9", "a", true));
    let report = plan(&objects);
    let cautions = obstacle(&report, "kv-2")["cautions"].to_string();
    assert!(
        cautions.contains("no pod of the input uses it there"),
        "{cautions}"
    );
    assert!(!cautions.contains("delete volumeattachment"), "{cautions}");
    // Volumes are detached within six minutes, and then the event is over.
    let young = attached_elsewhere("2026-11-21T11:57:00Z", "");
    assert_eq!(plan(&young)["outcome"]["result"], "complete");
    objects.push(json!({"apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": "SuccessfulAttachVolume",
        "message": "AttachVolume.Attach succeeded for volume \"pv-2\"", "count": 1,
        "metadata": {"name": "kv-2.attached", "namespace": "prod"},
        "involvedObject": {"kind": "Pod", "namespace": "prod", "name": "kv-2"},
        "firstTimestamp": "2026-11-21T11:50:00Z", "lastTimestamp": "2026-11-21T11:50:00Z"}));
    let report = plan(&objects);
    assert_ne!(obstacle(&report, "kv-2")["cause"], "multi-attach");
}

#[test]
fn the_memory_limit_of_a_pod_is_not_that_of_a_container() {
    let mut status = crashes("");
    status["containerStatuses"][0]["lastState"]["terminated"]["reason"] = json!("OOMKilled");
    let mut objects = in_transition("OrderedReady");
    put(&mut objects, 2, status);
    let pod = objects.iter_mut();
    let mut pods = pod.filter(|it| it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2");
    pods.next().unwrap()["spec"]["resources"] = json!({"limits": {"memory": "1Gi"}});
    let report = plan(&objects);
    let found = obstacle(&report, "kv-2");
    assert_eq!(found["cause"], "oom-container");
    let said = found["message"].as_str().unwrap();
    assert!(said.contains("limit of the pod 1Gi"), "{said}");
    let cautions = found["cautions"].to_string();
    assert!(
        cautions.contains("spec.template.spec.resources.limits.memory"),
        "{cautions}"
    );
    assert!(
        !cautions.contains("its node ran out of memory"),
        "{cautions}"
    );
    assert!(effects(found, "kubectl patch").is_empty());
}

#[test]
fn the_image_of_a_volume_is_not_that_of_the_container() {
    let mut objects = in_transition("OrderedReady");
    let message = "Back-off pulling image \"models:9\": ErrImagePull: models:9: not found";
    let waiting = json!({"waiting": {"reason": "ImagePullBackOff", "message": message}});
    put(&mut objects, 2, not_ready("Pending", waiting, 0, 0));
    let mut pods = objects
        .iter_mut()
        .filter(|it| it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2");
    let volumes = pods.next().unwrap()["spec"]["volumes"]
        .as_array_mut()
        .unwrap();
    volumes.push(json!({"name": "models", "image": {"reference": "models:9"}}));
    let report = plan(&objects);
    let found = obstacle(&report, "kv-2");
    let said = found["message"].as_str().unwrap();
    assert!(said.contains("cannot pull the image of a volume"), "{said}");
    assert_eq!(found["about"], "image/models:9");
    // Only the image of the container differs between the revisions.
    assert!(
        effects(found, "kubectl rollout undo").is_empty(),
        "{found:#}"
    );
}

fn event(kind: &str, name: &str, reason: &str, message: &str, first: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": reason, "message": message, "count": 20,
        "metadata": {"name": format!("{name}.{reason}"), "namespace": "prod"},
        "involvedObject": {"kind": kind, "namespace": "prod", "name": name},
        "firstTimestamp": first, "lastTimestamp": "2026-11-21T11:59:55Z"})
}

/// Severity and message of the finding with this id.
fn finding(objects: &[Value], id: &str) -> Option<String> {
    let report = plan(objects);
    let findings = report["findings"].as_array().into_iter().flatten();
    let mut found = findings.filter(|it| it["id"] == id);
    let found = found.next()?;
    let text = |key: &str| found[key].as_str().unwrap().to_owned();
    Some(format!("{} {}", text("severity"), text("message")))
}

#[test]
fn a_resize_that_no_resizer_answers_is_told_apart_from_one_that_is_running() {
    let mut objects = serving();
    let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
    claim["spec"]["resources"]["requests"]["storage"] = json!("20Gi");
    let since = "2026-11-21T11:00:00Z";
    let words = "Ignoring the PVC: didn't find a plugin capable of expanding the volume; waiting for an external controller";
    objects.push(event(
        "PersistentVolumeClaim",
        "data-kv-2",
        "ExternalExpanding",
        words,
        since,
    ));
    let told = finding(&objects, "STS050").unwrap();
    assert!(
        told.starts_with("warning") && told.contains("none has answered"),
        "{told}"
    );
    let words = "External resizer is resizing volume pv-2";
    objects.push(event(
        "PersistentVolumeClaim",
        "data-kv-2",
        "Resizing",
        words,
        since,
    ));
    let told = finding(&objects, "STS050").unwrap();
    assert!(
        told.contains("the storage is expanding the volume"),
        "{told}"
    );
}

#[test]
fn the_change_of_a_volumes_class_is_a_finding_and_no_obstacle() {
    let mut objects = serving();
    assert_eq!(finding(&objects, "STS051"), None);
    let status = &mut of(&mut objects, "PersistentVolumeClaim", "data-kv-2")["status"];
    status["currentVolumeAttributesClassName"] = json!("silver");
    status["modifyVolumeStatus"] =
        json!({"targetVolumeAttributesClassName": "gold", "status": "Infeasible"});
    status["conditions"] = json!([{"type": "ModifyVolumeError", "status": "True", "message": "iops 64000 out of range"}]);
    let told = finding(&objects, "STS051").unwrap();
    for words in [
        "warning",
        "VolumeAttributesClass gold, which is infeasible: iops 64000",
        "keeps class silver",
    ] {
        assert!(told.contains(words), "{told}");
    }
    assert_eq!(plan(&objects)["outcome"]["result"], "complete");
    let status = &mut of(&mut objects, "PersistentVolumeClaim", "data-kv-2")["status"];
    status["modifyVolumeStatus"]["status"] = json!("InProgress");
    assert!(finding(&objects, "STS051").unwrap().starts_with("info"));
}

#[test]
fn the_resize_of_a_running_pod_is_a_finding_and_no_obstacle() {
    for (kind, reason, severity) in [
        ("PodResizePending", "Deferred", Some("info")),
        ("PodResizePending", "Infeasible", Some("warning")),
        ("PodResizeInProgress", "Error", Some("warning")),
        ("PodResizeInProgress", "", None),
    ] {
        let mut objects = serving();
        let conditions = &mut of(&mut objects, "Pod", "kv-1")["status"]["conditions"];
        let condition = json!({"type": kind, "status": "True", "reason": reason, "message": "Node didn't have enough memory"});
        conditions.as_array_mut().unwrap().push(condition);
        let told = finding(&objects, "STS052");
        assert_eq!(
            told.as_deref().and_then(|it| it.split(' ').next()),
            severity,
            "{reason}: {told:?}"
        );
        assert_eq!(plan(&objects)["outcome"]["result"], "complete");
    }
}

#[test]
fn a_service_that_is_not_headless_may_give_names() {
    let mut objects = serving();
    of(&mut objects, "Service", "kv")["spec"]["clusterIP"] = json!("10.96.0.9");
    let told = finding(&objects, "STS022").unwrap();
    assert!(told.contains("depends on the DNS server"), "{told}");
}

#[test]
fn a_failure_of_one_pod_that_is_reported_again_and_again_is_no_loop() {
    let mut objects = serving();
    let failed = json!({"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."});
    put(&mut objects, 2, failed);
    let words = "StatefulSet prod/kv is recreating failed Pod kv-2";
    objects.push(event(
        "StatefulSet",
        "kv",
        "RecreatingFailedPod",
        words,
        "2026-11-21T11:59:51Z",
    ));
    // The pod is from the day before.
    let report = plan(&objects);
    assert_eq!(report["outcome"]["result"], "complete");
    // A pod that was created after the first report has failed before.
    of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] =
        json!("2026-11-21T11:59:54Z");
    let report = plan(&objects);
    assert_eq!(obstacle(&report, "kv-2")["cause"], "evicted-loop");
}

#[test]
fn a_quota_that_surplus_pods_use_up_gets_their_deletion() {
    let mut objects = set(3, "Parallel", "kv-old");
    for ordinal in [0, 3, 4] {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    for name in ["kv-1", "kv-2"] {
        let words = format!(
            "create Pod {name} in StatefulSet kv failed error: pods \"{name}\" is forbidden: exceeded quota: compute, \
             requested: requests.cpu=1, used: requests.cpu=3, limited: requests.cpu=3"
        );
        let mut refused = event(
            "StatefulSet",
            "kv",
            "FailedCreate",
            &words,
            "2026-11-21T11:20:00Z",
        );
        refused["metadata"]["name"] = json!(format!("refused.{name}"));
        objects.push(refused);
    }
    let report = plan(&objects);
    let found = obstacle(&report, "kv-1");
    assert_eq!(
        effects(found, "kubectl delete pod kv-4").len(),
        1,
        "{found:#}"
    );
    assert!(
        found["remedies"][0]["effect"]
            .as_str()
            .unwrap()
            .starts_with("the rollout completes")
    );
    let cautions = found["cautions"].to_string();
    assert!(
        cautions.contains("kv-4, kv-3") && !cautions.contains("do not delete anything"),
        "{cautions}"
    );
    // A plan counts the room that the user makes, and no more.
    let result = |deleted: &[&str]| {
        let deletions = deleted.iter().map(|pod| Action::DeletePod(Arc::from(*pod)));
        let report = Input::of(&objects, NOW).after(deletions).report();
        report.outcome.result
    };
    assert_eq!(result(&["kv-4", "kv-3"]), PlanResult::Complete);
    assert_eq!(result(&["kv-0"]), PlanResult::Blocked);
    // Without surplus pods, no deletion makes room.
    objects.retain(|it| {
        !(it["kind"] == "Pod"
            && ["kv-3", "kv-4"].contains(&it["metadata"]["name"].as_str().unwrap()))
    });
    let report = plan(&objects);
    let found = obstacle(&report, "kv-1");
    assert!(
        found["cautions"]
            .to_string()
            .contains("do not delete anything"),
        "{found:#}"
    );
    assert!(effects(found, "kubectl delete pod").is_empty());
}

#[test]
fn a_revision_that_requests_more_than_its_quota_has_is_rolled_back() {
    let rollbacks = |of_new: &str| {
        let mut objects = in_transition("OrderedReady");
        objects.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2"));
        let memory = |limit: &str| json!({"limits": {"memory": limit}});
        let new = ["/spec/template/spec", "/data/spec/template/spec"];
        for (kind, name, path) in [
            ("StatefulSet", "kv", new[0]),
            ("ControllerRevision", "kv-new", new[1]),
        ] {
            let spec = of(&mut objects, kind, name).pointer_mut(path).unwrap();
            spec["containers"][0]["resources"] = memory(of_new);
        }
        for (kind, name, path) in [
            ("ControllerRevision", "kv-old", new[1]),
            ("Pod", "kv-0", "/spec"),
            ("Pod", "kv-1", "/spec"),
        ] {
            let spec = of(&mut objects, kind, name).pointer_mut(path).unwrap();
            spec["containers"][0]["resources"] = memory("8Gi");
        }
        let words = "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: exceeded quota: team, \
                     requested: limits.memory=12Gi, used: limits.memory=20Gi, limited: limits.memory=28Gi";
        let at = "2026-11-21T11:20:00Z";
        objects.push(event("StatefulSet", "kv", "FailedCreate", words, at));
        let amounts = |of: &str| json!({"limits.memory": of});
        objects.push(json!({
            "apiVersion": "v1", "kind": "ResourceQuota",
            "metadata": {"name": "team", "namespace": "prod", "uid": "quota"},
            "spec": {"hard": amounts("28Gi")},
            "status": {"hard": amounts("28Gi"), "used": amounts("20Gi")},
        }));
        let report = plan(&objects);
        let told = effects(obstacle(&report, "kv-2"), "kubectl rollout undo");
        told.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let told = rollbacks("12Gi");
    assert!(
        told.len() == 1 && told[0].starts_with("the rollout completes"),
        "{told:?}"
    );
    // Both revisions ask for the same.
    assert!(rollbacks("8Gi").is_empty());
}

#[test]
fn a_change_that_a_tool_reverts_begins_in_its_source() {
    let mut objects = in_transition("OrderedReady");
    put(&mut objects, 2, crashes("panic: unknown flag"));
    let condition = |objects: &[Value]| {
        let report = plan(objects);
        let remedies = obstacle(&report, "kv-2")["remedies"].clone();
        let mut all = remedies.as_array().unwrap().iter().cloned();
        let undo = all.find(|it| it["commands"].to_string().contains("rollout undo"));
        undo.unwrap()["precondition"].as_str().unwrap().to_owned()
    };
    assert!(
        condition(&objects).starts_with("roll back to"),
        "{}",
        condition(&objects)
    );
    for (label, tool) in [
        ("argocd.argoproj.io/instance", "Argo CD"),
        ("kustomize.toolkit.fluxcd.io/name", "Flux"),
    ] {
        of(&mut objects, "StatefulSet", "kv")["metadata"]["labels"] = json!({label: "kv"});
        let told = condition(&objects);
        assert!(
            told.starts_with(&format!("first in the source of {tool}")),
            "{told}"
        );
    }
    // Helm changes nothing until somebody runs it.
    of(&mut objects, "StatefulSet", "kv")["metadata"]["labels"] =
        json!({"meta.helm.sh/release-name": "kv"});
    assert!(
        condition(&objects).starts_with("roll back to"),
        "{}",
        condition(&objects)
    );
}

#[test]
fn an_operator_deletes_the_pods_of_its_own_set() {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        let revision = if ordinal == 2 { "kv-new" } else { "kv-old" };
        objects.extend(pod(ordinal, revision, DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    let set = of(&mut objects, "StatefulSet", "kv");
    set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    set["status"] = json!({"replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 2,
        "updatedReplicas": 1, "observedGeneration": 3, "currentRevision": "kv-old", "updateRevision": "kv-new"});
    let headline = |objects: &[Value]| {
        let report = plan(objects);
        report["analysis"]["headline"].as_str().unwrap().to_owned()
    };
    assert!(
        headline(&objects).starts_with("WAITING FOR YOU"),
        "{}",
        headline(&objects)
    );
    // Nobody deletes a pod whose data or place would go with it.
    let mut leaving = objects.clone();
    of(&mut leaving, "PersistentVolumeClaim", "data-kv-1")["metadata"]["deletionTimestamp"] =
        json!(LONG_AGO);
    let told = headline(&leaving);
    let keeps =
        "do not delete kv-1 now: its claim data-kv-1 is being deleted, and goes with the pod";
    assert!(told.ends_with(keeps), "{told}");
    let mut cordoned = objects.clone();
    of(&mut cordoned, "Node", "n-1")["spec"]["unschedulable"] = json!(true);
    let told = headline(&cordoned);
    assert!(
        told.contains("do not delete kv-1 now: it would not come back: kv-1 cannot be scheduled"),
        "{told}"
    );
    of(&mut objects, "StatefulSet", "kv")["metadata"]["ownerReferences"] = json!([{"apiVersion": "x.example/v1",
        "kind": "Database", "name": "main", "uid": "u-1", "controller": true}]);
    let told = headline(&objects);
    assert!(
        told.starts_with("WAITING FOR Database main, which owns the set"),
        "{told}"
    );
    assert!(
        told.contains("kv-1, kv-0") && !told.contains("kubectl delete"),
        "{told}"
    );
}

#[test]
fn a_set_that_goes_with_its_namespace_keeps_its_finalizers() {
    let mut objects = serving();
    let meta = &mut of(&mut objects, "StatefulSet", "kv")["metadata"];
    meta["deletionTimestamp"] = json!(LONG_AGO);
    meta["finalizers"] = json!(["example.com/cleanup"]);
    // Somebody may know that nobody removes them.
    let alone = told(&objects);
    assert!(alone.contains("kubectl patch sts kv"), "{alone}");
    let refused = "create Pod kv-1 in StatefulSet kv failed error: pods \"kv-1\" is forbidden: unable to create new \
        content in namespace prod because it is being terminated";
    objects.push(event(
        "StatefulSet",
        "kv",
        "FailedCreate",
        refused,
        LONG_AGO,
    ));
    let told = told(&objects);
    assert!(
        told.starts_with("BLOCKED: namespace prod is being deleted or gone; "),
        "{told}"
    );
    assert!(!told.contains("kubectl patch"), "{told}");
    assert!(told.contains("persistentVolumeReclaimPolicy"), "{told}");
    assert!(told.contains("kubectl describe namespace prod"), "{told}");
}

#[test]
fn a_pod_that_the_set_may_not_update_is_not_adopted() {
    let of_stranger = |change: &dyn Fn(&mut Value)| {
        let mut objects = serving();
        let stranger = of(&mut objects, "Pod", "kv-2");
        let meta = stranger["metadata"].as_object_mut().unwrap();
        meta.remove("ownerReferences");
        meta["labels"] = json!({"owner": "someone"});
        change(stranger);
        told(&objects)
    };
    let own = of_stranger(&|_| {});
    assert!(own.contains("kubectl label pod kv-2"), "{own}");
    // Without the claim of its slot, the set would have to change its volumes.
    let other = of_stranger(&|pod| pod["spec"]["volumes"] = json!([]));
    assert!(!other.contains("kubectl label pod kv-2"), "{other}");
    assert!(other.contains("kubectl delete pod kv-2"), "{other}");
}

#[test]
fn more_memory_is_offered_only_where_limit_ranges_and_quotas_have_it() {
    let with = |kind: &str, name: &str, fields: Value| {
        let mut objects = out_of_memory(Some("4Gi"));
        let mut object = json!({"apiVersion": "v1", "kind": kind,
            "metadata": {"name": name, "namespace": "prod"}});
        for (field, value) in fields.as_object().unwrap() {
            object[field] = value.clone();
        }
        objects.push(object);
        told(&objects).contains("kubectl patch sts kv")
    };
    let range =
        |most: &str| json!({"spec": {"limits": [{"type": "Container", "max": {"memory": most}}]}});
    assert!(with("LimitRange", "bounds", range("8Gi")));
    assert!(!with("LimitRange", "bounds", range("4Gi")));
    let quota = |used: &str| json!({"status": {"hard": {"limits.memory": "16Gi"}, "used": {"limits.memory": used}}});
    assert!(with("ResourceQuota", "compute", quota("12Gi")));
    assert!(!with("ResourceQuota", "compute", quota("13Gi")));
}

#[test]
fn pods_of_the_set_whose_uids_are_missing_are_not_deleted() {
    let mut objects = serving();
    for object in &mut objects {
        let meta = object["metadata"].as_object_mut().unwrap();
        meta.remove("uid");
        for owner in object["metadata"]["ownerReferences"]
            .as_array_mut()
            .into_iter()
            .flatten()
        {
            owner["uid"] = json!("");
        }
    }
    of(&mut objects, "StatefulSet", "kv")["metadata"]["uid"] = json!("u-kv");
    let told = told(&objects);
    assert!(!told.contains("kubectl delete pod"), "{told}");
}

#[test]
fn a_refused_update_names_the_volume_that_the_pod_lacks() {
    let mut objects = set(1, "OrderedReady", "kv-new");
    objects.extend(pod(0, "kv-new", DAY, DAY, "n-1"));
    let set = of(&mut objects, "StatefulSet", "kv");
    let template = json!({"metadata": {"name": "wal"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}}});
    let templates = set["spec"]["volumeClaimTemplates"].as_array_mut();
    templates.unwrap().push(template);
    let screen = told(&objects);
    assert!(
        screen.contains("kv-0 cannot be updated in place: it has no volume wal"),
        "{screen}"
    );
}

#[test]
fn the_last_line_names_the_owner_that_deletes_outdated_pods() {
    let closing = |is_owned: bool| {
        let mut objects = in_transition("OrderedReady");
        let set = of(&mut objects, "StatefulSet", "kv");
        set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
        if is_owned {
            set["metadata"]["ownerReferences"] = json!([{"apiVersion": "kv.example.com/v1", "kind": "Store",
                "name": "kv", "uid": "u-1", "controller": true}]);
        }
        plan(&objects)["summary"].as_str().unwrap().to_owned()
    };
    assert!(closing(true).contains("2 waiting for Store kv"));
    assert!(closing(false).contains("2 waiting for a manual delete"));
}
