//! Inputs that lack whole kinds of objects, as `kubectl get sts,pods,events -o yaml` prints them: what exists all the same is
//! assumed and said, and nothing is called missing because it was not read.

use serde_json::{Value, json};
use test_kit::kv::{
    DAY, crashes, event, leaving, of, plan, pod, put, running, serving, set, status, unplaced,
};

/// The objects without those of these kinds.
fn without(mut objects: Vec<Value>, kinds: &[&str]) -> Vec<Value> {
    objects.retain(|it| !kinds.iter().any(|kind| it["kind"] == *kind));
    objects
}

const UNREAD: [&str; 3] = ["PersistentVolumeClaim", "ControllerRevision", "Node"];

/// A pod of the new revision crashes beside two that are ready on the old one.
fn crashing() -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for (ordinal, revision) in [(0, "kv-old"), (1, "kv-old"), (2, "kv-new")] {
        objects.extend(pod(ordinal, revision, DAY, DAY, "n-1"));
    }
    put(&mut objects, 2, crashes("panic: unknown flag --listen"));
    objects
}

fn assumptions(report: &Value) -> String {
    report["assumptions"].to_string()
}

fn obstacle(report: &Value) -> &Value {
    &report["outcome"]["blockedBy"][0]
}

#[test]
fn each_kind_in_turn_leaves_the_verdict() {
    let whole = plan(&crashing());
    assert_eq!(whole["analysis"]["verdict"], "stuck");
    for kind in UNREAD {
        let report = plan(&without(crashing(), &[kind]));
        assert_eq!(report["analysis"]["verdict"], "stuck", "{kind}");
        assert_eq!(report["input"]["missing"], json!([]), "{kind}");
        let state = &report["analysis"]["state"];
        assert_eq!(*state, whole["analysis"]["state"], "{kind}");
    }
    let report = plan(&without(crashing(), &UNREAD));
    assert_eq!(report["analysis"]["verdict"], "stuck");
    let assumed = assumptions(&report);
    for said in [
        "claims data-kv-0 and 2 more, which the input lacks, exist",
        "ControllerRevision kv-new, which the input lacks, has the template of the set",
        "the template of ControllerRevision kv-old, which the input lacks, differs from that of the set",
    ] {
        assert!(assumed.contains(said), "{assumed}");
    }
    let read = report["read"].as_array().unwrap();
    assert!(read.iter().all(|it| it["resource"] == "pods"), "{read:?}");
    // No revision that could be rolled back to was read.
    let told = obstacle(&report).to_string();
    assert!(!told.contains("rollout undo"), "{told}");
    let rollback =
        "2 pods are ready on kv-old, which the input lacks: to have a rollback to it planned";
    assert!(told.contains(rollback), "{told}");
}

#[test]
fn a_healthy_set_needs_no_claims_and_revisions_in_the_input() {
    let mut objects = set(2, "OrderedReady", "kv-old");
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    let whole = plan(&objects);
    let report = plan(&without(objects, &UNREAD));
    for part in ["analysis", "operations", "steps"] {
        assert_eq!(report[part], whole[part], "{part}");
    }
    assert_ne!(report["analysis"]["verdict"], "incomplete-input");
    // Data loss cannot be judged all the same.
    let not_checked = report["input"]["notChecked"].to_string();
    assert!(
        not_checked.contains("persistentvolumeclaims"),
        "{not_checked}"
    );
}

#[test]
fn a_claim_that_was_not_read_exists_unless_a_component_says_otherwise() {
    let words = "0/3 nodes are available: 3 node(s) had volume node affinity conflict.";
    let elsewhere = status(unplaced("Unschedulable", words));
    let report = plan(&without(elsewhere, &UNREAD));
    let told = obstacle(&report).to_string();
    for word in ["delete pod", "does not exist", "recreates"] {
        assert!(!told.contains(word), "{told}");
    }
    let words = "0/3 nodes are available: persistentvolumeclaim \"data-kv-2\" not found.";
    let gone = status(unplaced("Unschedulable", words));
    let report = plan(&without(gone, &UNREAD));
    let told = obstacle(&report).to_string();
    assert!(
        told.contains("the controller recreates data-kv-2"),
        "{told}"
    );
    assert_eq!(obstacle(&report)["cause"], "claim-missing");
    let remedies = report["analysis"]["remedies"].to_string();
    let condition = "if no volume of data-kv-2 was kept: kv-2 comes back with an empty one";
    assert!(remedies.contains(condition), "{remedies}");
}

#[test]
fn a_pod_on_a_template_that_was_not_read_makes_the_input_incomplete() {
    let mut objects = set(2, "OrderedReady", "kv-new");
    objects[0]["spec"]["updateStrategy"] =
        json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 1}});
    objects[0]["status"]["replicas"] = json!(1);
    objects.extend(pod(1, "kv-new", DAY, DAY, "n-1"));
    let report = plan(&without(objects.clone(), &UNREAD));
    assert_eq!(report["analysis"]["verdict"], "incomplete-input");
    let missing = report["input"]["missing"].to_string();
    let said = "kv-0 is created on ControllerRevision kv-old, whose template the input lacks";
    assert!(missing.contains(said), "{missing}");
    assert_eq!(plan(&objects)["input"]["missing"], json!([]));
}

/// Sets the counters of the status: pods, ready pods, those on the current revision and on the update revision.
fn counted(objects: &mut [Value], [replicas, ready, current, updated]: [i64; 4]) {
    let status = &mut of(objects, "StatefulSet", "kv")["status"];
    status["replicas"] = json!(replicas);
    status["readyReplicas"] = json!(ready);
    status["availableReplicas"] = json!(ready);
    status["currentReplicas"] = json!(current);
    status["updatedReplicas"] = json!(updated);
}

/// The objects without the pods of these names.
fn without_pods(mut objects: Vec<Value>, names: &[&str]) -> Vec<Value> {
    objects.retain(|it| {
        it["kind"] != "Pod" || !names.iter().any(|name| it["metadata"]["name"] == *name)
    });
    objects
}

/// The readiness, revision and fate of a pod.
fn state(report: &Value, pod: &str) -> Vec<String> {
    let pods = report["set"]["pods"].as_array().unwrap();
    let pod = pods.iter().find(|it| it["name"] == pod).unwrap();
    let fields = ["ready", "revision", "fate"];
    fields.map(|field| pod[field].to_string()).to_vec()
}

#[test]
fn pods_that_the_status_counts_exist_although_they_were_not_read() {
    let mut objects = without_pods(crashing(), &["kv-0", "kv-1"]);
    counted(&mut objects, [3, 2, 2, 1]);
    let report = plan(&objects);
    assert_eq!(report["analysis"]["verdict"], "stuck");
    assert_eq!(report["input"]["missing"], json!([]));
    let headline = report["analysis"]["headline"].as_str().unwrap();
    assert!(
        headline.contains("2 pods stay on the old revision"),
        "{headline}"
    );
    let whole = plan(&crashing());
    assert_eq!(report["operations"], whole["operations"]);
    for pod in ["kv-0", "kv-1"] {
        assert_eq!(state(&report, pod), state(&whole, pod));
    }
    let assumed = assumptions(&report);
    let said = "pods kv-0 and 1 more, which the input lacks, are ready: the status counts them";
    assert!(assumed.contains(said), "{assumed}");
    let read = report["read"].to_string();
    assert!(
        !read.contains("\"kv-0\"") && read.contains("\"kv-2\""),
        "{read}"
    );
}

#[test]
fn a_list_that_was_cut_creates_no_pods() {
    let mut objects = without_pods(serving(), &["kv-2"]);
    counted(&mut objects, [3, 3, 3, 3]);
    let report = plan(&objects);
    assert_eq!(report["analysis"]["verdict"], "nothing-to-do");
    assert_eq!(report["operations"], json!([]));
    // The controller says that it deleted the pod.
    let mut deleted = event(
        "StatefulSet",
        "kv",
        "SuccessfulDelete",
        "delete Pod kv-2 in StatefulSet kv successful",
    );
    deleted["type"] = json!("Normal");
    objects.push(deleted);
    let report = plan(&objects);
    assert_eq!(report["analysis"]["verdict"], "incomplete-input");
    // Without any pod of the set, the input does not cover it.
    let none = without_pods(objects, &["kv-0", "kv-1"]);
    let none: Vec<Value> = none
        .into_iter()
        .filter(|it| it["kind"] != "Event")
        .collect();
    assert_eq!(plan(&none)["analysis"]["verdict"], "incomplete-input");
}

#[test]
fn surplus_pods_that_were_not_read_exist_too() {
    let mut objects = without_pods(serving(), &["kv-0", "kv-1"]);
    of(&mut objects, "StatefulSet", "kv")["spec"]["replicas"] = json!(1);
    counted(&mut objects, [3, 3, 3, 3]);
    let report = plan(&objects);
    assert_ne!(report["analysis"]["verdict"], "incomplete-input");
    let fates = ["kv-0", "kv-1", "kv-2"].map(|pod| state(&report, pod)[2].clone());
    assert_eq!(fates, ["\"kept\"", "\"removed\"", "\"removed\""]);
}

#[test]
fn a_refused_pod_is_the_one_that_is_missing() {
    let words = "create Pod kv-1 in StatefulSet kv failed error: pods \"kv-1\" is forbidden: exceeded quota: q, \
                 requested: pods=1, used: pods=2, limited: pods=2";
    let mut objects = without_pods(serving(), &["kv-0", "kv-1", "kv-2"]);
    of(&mut objects, "StatefulSet", "kv")["spec"]["podManagementPolicy"] = json!("Parallel");
    counted(&mut objects, [2, 2, 2, 2]);
    objects.push(event("StatefulSet", "kv", "FailedCreate", words));
    let report = plan(&objects);
    assert_eq!(report["analysis"]["cause"]["id"], "quota");
    for pod in ["kv-0", "kv-2"] {
        assert_eq!(state(&report, pod)[0], "true", "{pod}");
    }
    assert_eq!(report["operations"], json!([]));
}

#[test]
fn pods_that_were_not_read_do_not_hide_a_pod_that_is_stuck() {
    // One of the pods that the input lacks is not ready, for a reason that is not known.
    let mut objects = without_pods(crashing(), &["kv-0", "kv-1"]);
    counted(&mut objects, [3, 1, 2, 1]);
    let report = plan(&objects);
    assert_eq!(report["analysis"]["verdict"], "stuck");
    let headline = report["analysis"]["headline"].as_str().unwrap();
    assert!(headline.starts_with("BLOCKED"), "{headline}");
    assert!(!headline.contains("pods ready"), "{headline}");
    assert!(!report.to_string().contains("will be created"));
    let findings = report["findings"].as_array().unwrap();
    let gap = findings.iter().find(|it| it["id"] == "STS033").unwrap();
    assert_eq!(gap["severity"], "warning");
    assert_eq!(gap["message"], "status says 3 pods, the input has 1");
}

#[test]
fn the_state_of_a_pod_that_was_not_read_is_what_its_last_events_tell() {
    let all = ["kv-0", "kv-1", "kv-2"];
    let cause = |ready: i64, events: &[(&str, &str, &str)]| {
        let mut objects = without_pods(serving(), &all);
        counted(&mut objects, [3, ready, 3, 3]);
        for (pod, reason, message) in events {
            objects.push(event("Pod", pod, reason, message));
        }
        let report = plan(&objects);
        let cause = &report["analysis"]["cause"];
        let told = format!(
            "{} {}",
            cause["pod"].as_str().unwrap_or(""),
            cause["id"].as_str().unwrap_or("")
        );
        (told, report)
    };
    let mount = "MountVolume.SetUp failed for volume \"tls\" : secret \"kv-tls\" not found";
    let pull = "Failed to pull image \"kv:9\": rpc error: code = NotFound desc = kv:9: not found";
    let unplaced = "0/3 nodes are available: 3 Insufficient memory.";
    for (pod, reason, message, id) in [
        ("kv-1", "FailedMount", mount, "config-missing"),
        ("kv-2", "Failed", pull, "image-not-found"),
        (
            "kv-2",
            "FailedScheduling",
            unplaced,
            "insufficient-resources",
        ),
        (
            "kv-0",
            "BackOff",
            "Back-off restarting failed container kv in pod kv-0_prod(a)",
            "crash-loop",
        ),
    ] {
        let (told, report) = cause(2, &[(pod, reason, message)]);
        assert_eq!(
            told,
            format!("{pod} {id}"),
            "{}",
            report["analysis"]["headline"]
        );
        assert_eq!(report["analysis"]["verdict"], "stuck", "{pod}");
        let operations = report["operations"].to_string();
        assert!(!operations.contains("create"), "{operations}");
        let findings = report["findings"].as_array().unwrap();
        let gap = findings.iter().find(|it| it["id"] == "STS033").unwrap();
        assert_eq!(
            gap["message"],
            "status says 3 pods, 2 of them ready, and the input has none"
        );
        // Nothing tells how often it has restarted.
        let headline = report["analysis"]["headline"].to_string();
        assert!(!headline.contains("restarts"), "{headline}");
    }
    // Events of pods that the status counts as ready are over.
    let (told, report) = cause(3, &[("kv-1", "FailedMount", mount)]);
    assert_eq!((&*told, &report["operations"]), (" ", &json!([])));
}

/// The objects as kubectl-neat or `yq del(...)` prints them, without these fields.
fn stripped(
    mut objects: Vec<Value>,
    metadata: &[&str],
    kinds: &[&str],
    status: bool,
) -> Vec<Value> {
    for object in &mut objects {
        let is_stripped = kinds.iter().any(|kind| object["kind"] == *kind);
        if is_stripped && let Some(object) = object.as_object_mut() {
            if status {
                object.remove("status");
            }
            let fields = object["metadata"].as_object_mut().unwrap();
            fields.retain(|name, _| !metadata.contains(&&**name));
        }
    }
    objects
}

#[test]
fn a_stripped_input_shows_no_state() {
    const BOTH: [&str; 2] = ["StatefulSet", "Pod"];
    let neat = [
        "uid",
        "creationTimestamp",
        "resourceVersion",
        "ownerReferences",
    ];
    for (fields, kinds, status, lacks) in [
        (&neat[..], &BOTH[..], true, "pods have no status"),
        (&[][..], &BOTH[..], true, "pods have no status"),
        (&[][..], &["Pod"][..], true, "pods have no status"),
        (&neat[..], &BOTH[..], false, "pods have no uid"),
    ] {
        let report = plan(&stripped(serving(), fields, kinds, status));
        assert_eq!(
            report["analysis"]["verdict"], "incomplete-input",
            "{fields:?}"
        );
        let said = format!("the {lacks}: a tool such as kubectl-neat removed it");
        assert_eq!(report["input"]["missing"], json!([said]), "{fields:?}");
        let advice = report["analysis"]["remedies"].to_string();
        assert!(!advice.contains("delete pod"), "{advice}");
    }
    // A manifest beside nothing of the set creates it.
    let manifest = stripped(
        set(2, "OrderedReady", "kv-old"),
        &neat,
        &["StatefulSet"],
        true,
    );
    assert_eq!(plan(&manifest)["analysis"]["verdict"], "progressing");
}

/// kv-2 terminates on a node that the input does not have, with these events.
fn terminating(change: impl FnOnce(&mut Value), events: &[(&str, &str)]) -> Value {
    let mut objects = without(leaving(change), &["Node"]);
    let pod_events = events.iter().map(|(reason, at)| {
        let mut event = event("Pod", "kv-2", reason, "Node is not ready");
        event["lastTimestamp"] = json!(at);
        event
    });
    objects.extend(pod_events);
    plan(&objects)
}

#[test]
fn a_node_that_was_not_read_is_what_pod_and_events_report_of_it() {
    let is_lost = |report: &Value| report["analysis"]["cause"]["id"] == "node-reported-lost";
    let lost = terminating(|pod| pod["status"]["reason"] = json!("NodeLost"), &[]);
    assert!(is_lost(&lost), "{:#}", lost["analysis"]);
    assert!(!lost.to_string().contains("--force"));
    let (early, late) = ("2026-11-21T11:20:00Z", "2026-11-21T11:40:00Z");
    let silent = terminating(|_| {}, &[("NodeNotReady", late), ("Started", early)]);
    assert!(is_lost(&silent), "{:#}", silent["analysis"]);
    // Its kubelet has reported since.
    let responds = terminating(|_| {}, &[("NodeNotReady", early), ("Killing", late)]);
    assert!(!is_lost(&responds), "{:#}", responds["analysis"]);
    let unknown = terminating(|_| {}, &[]);
    assert!(!is_lost(&unknown), "{:#}", unknown["analysis"]);
}

#[test]
fn a_node_beside_those_that_were_read_is_gone_only_if_the_others_are_all_there() {
    let mut objects = status(running());
    of(&mut objects, "Pod", "kv-0")["spec"]["nodeName"] = json!("n-7");
    of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"] = json!("n-9");
    let some = plan(&objects);
    let said = some["analysis"]["headline"].to_string();
    assert!(!said.contains("is gone"), "{said}");
    of(&mut objects, "Pod", "kv-0")["spec"]["nodeName"] = json!("n-1");
    let all = plan(&objects);
    let said = all["analysis"]["headline"].to_string();
    assert!(said.contains("a node that is gone (n-9)"), "{said}");
}

#[test]
fn under_on_delete_pods_that_were_not_read_exist_on_either_revision() {
    let mut objects = set(3, "OrderedReady", "kv-new");
    objects.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    of(&mut objects, "StatefulSet", "kv")["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    // Two pods on the current revision, and one on the update revision.
    counted(&mut objects, [3, 3, 2, 1]);
    let report = plan(&objects);
    assert_eq!(report["operations"], json!([]), "{report}");
    let unknown = "pods kv-1 and 1 more, which the input lacks, exist: the status counts them, and does not tell which of them are outdated";
    assert!(report.to_string().contains(unknown), "{report}");
}
