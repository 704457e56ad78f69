//! The catalogue of causes: a component's message is recognized as the cause that it announces, completely or not at
//! all.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use sts_plan::cause::{CauseEntry, Example, Place, causes, page_text};

use crate::golden;
use crate::program;

const NOW: &str = "2026-11-21T12:00:00Z";

/// The trouble of pg-2, and how the program learns of it.
#[derive(Clone, Copy)]
enum Said<'a> {
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
    /// The pod is not created; the server's message.
    Refused(&'a str),
    /// The claim of the pod gets no volume; an event of the claim.
    Claims(&'a str, &'a str),
    /// The node of the pod is not ready; the kubelet's message.
    Sick(&'a str),
    /// The kubelet rejects the pod each time it is created.
    Rejects(&'a str, &'a str),
}
use Said::{Claims, Creating, Killed, Placing, Probe, Refused, Rejects, Sick, Unplaced, Waits};

/// The entries of the catalogue as their files declare them: the examples are not compiled in.
pub fn declared() -> Vec<CauseEntry> {
    let folder = golden::root().join("../crates/sts-plan/catalogue");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|path| !path.ends_with("symptoms.yaml"))
        .collect();
    files.sort();
    let read = |path: &PathBuf| {
        serde_yaml::from_str::<Vec<CauseEntry>>(&fs::read_to_string(path).unwrap())
    };
    files.iter().flat_map(|path| read(path).unwrap()).collect()
}

/// The report of an example.
fn said<'a>(entry: &CauseEntry, example: &'a Example) -> Said<'a> {
    let (reason, message) = (&*example.reason, &*example.message);
    match entry.place {
        Place::Container if reason == "Killing" => Killed(message, &example.probe),
        Place::Container | Place::Image => Waits(reason, message, example.exit_code.unwrap_or(0)),
        Place::Scheduler if reason.is_empty() => Unplaced(message),
        Place::Scheduler => Placing(reason, message),
        Place::Volume | Place::Sandbox | Place::Start => Creating(reason, message),
        Place::Ready => Probe(message),
        Place::Creation => Refused(message),
        Place::Claim => Claims(reason, message),
        Place::Node => Sick(message),
        Place::Rejected => Rejects(reason, message),
        other => panic!("{}: {other:?} needs a world in cause_worlds.rs", entry.id),
    }
}

fn items() -> Vec<Value> {
    let path = golden::root().join("fixtures/trial/pg-crash.yaml");
    let list: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let items = list["items"].as_array().unwrap().iter();
    items
        .filter(|item| item["kind"] != "Event")
        .cloned()
        .collect()
}

fn event(kind: &str, name: &str, reason: &str, message: &str, number: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": reason, "message": message, "count": 20,
        "metadata": {"name": format!("event-{number}"), "namespace": "db"},
        "involvedObject": {"kind": kind, "namespace": "db", "name": name},
        "firstTimestamp": "2026-11-21T11:40:00Z", "lastTimestamp": "2026-11-21T11:58:00Z"})
}

/// The set whose pod pg-2 has this trouble.
fn situation(said: &Said<'_>) -> Value {
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
            events.push(event("Pod", "pg-2", reason, message, 1));
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
            spec.remove("volumeName");
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
    json!({"apiVersion": "v1", "kind": "List", "items": items})
}

fn unplaced(pod: &mut Value, message: &str) {
    pod["metadata"]["creationTimestamp"] = json!("2026-11-21T11:40:00Z");
    pod["status"] = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": message, "lastTransitionTime": "2026-11-21T11:40:00Z"}]});
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
}

/// Returns where the answer of a plan has other words than the page of its cause.
pub fn differs_from_page(entry: &CauseEntry, report: &Value) -> Vec<String> {
    let obstacle = &report["outcome"]["blockedBy"][0];
    let pages = [("fix", &entry.helps), ("look", &entry.look)];
    let wrong = pages.into_iter().filter_map(|(key, text)| {
        let told = obstacle[key].as_str().unwrap_or_default().to_lowercase();
        let start = text.split(['[', '{']).next().unwrap_or_default();
        let is_wrong = !told.is_empty() && !told.starts_with(&start.to_lowercase());
        is_wrong.then(|| format!("{}: {key} is not that of its page: {told}", entry.id))
    });
    wrong.collect()
}

#[test]
fn messages_of_components_are_recognized_as_their_causes() {
    let mut wrong = Vec::new();
    let declared = declared();
    let examples = declared.iter().flat_map(|entry| {
        let of_entry = entry.examples.iter();
        of_entry.map(move |example| (entry, example))
    });
    for (entry, example) in examples {
        let id = &*entry.id;
        let input = situation(&said(entry, example)).to_string();
        let (_, out, err) = program::feed(&["-f", "-", "--now", NOW, "-o", "json"], &input);
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{id}: {err}"));
        let analysis = &report["analysis"];
        let found = &analysis["cause"]["id"];
        if found != id || analysis["verdict"] != "stuck" {
            wrong.push(format!("{id}: {found}, {}", analysis["headline"]));
            continue;
        }
        assert_eq!(analysis["cause"]["blames"], entry.blames.name(), "{id}");
        wrong.extend(differs_from_page(entry, &report));
        // No other template helps if the template is not the cause.
        let remedies = analysis["remedies"].to_string();
        if !example.may_undo && remedies.contains("rollout undo") {
            wrong.push(format!("{id} is not the template's fault: {remedies}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_earlier_reason_is_not_hidden_by_the_timeout_that_repeats_it() {
    let timeout =
        "Unable to attach or mount volumes: unmounted volumes=[data]: context deadline exceeded";
    let said = Creating("FailedMount", timeout);
    let earlier = |reason: &str, message: &str, last: &str| {
        let mut event = event("Pod", "pg-2", reason, message, 7);
        event["lastTimestamp"] = json!(last);
        analysis_with(&said, &[event])["cause"]["id"].clone()
    };
    let attach = "AttachVolume.Attach failed for volume \"pvc-1\" : rpc error: code = Internal desc = backend fault 17";
    let recent = "2026-11-21T11:57:00Z";
    let cases = [
        ("FailedAttachVolume", attach, "volume-not-attached"),
        (
            "FailedMount",
            "MountVolume.SetUp failed for volume \"conf\" : configmap \"pg-conf\" not found",
            "config-missing",
        ),
    ];
    for (reason, message, id) in cases {
        assert_eq!(earlier(reason, message, recent), id);
        // A failure to mount that is not repeated is over. A failure to attach can be reported once.
        let settled = earlier(reason, message, "2026-11-21T11:30:00Z");
        assert_eq!(
            settled == "mount-timeout",
            reason == "FailedMount",
            "{settled}"
        );
    }
}

#[test]
fn a_hook_that_fails_in_another_container_is_not_the_cause() {
    let said = Waits("CrashLoopBackOff", "back-off", 1);
    for (container, id) in [("agent", "crash-loop"), ("postgres", "post-start-hook")] {
        let mut hook = event(
            "Pod",
            "pg-2",
            "FailedPostStartHook",
            "PostStartHook failed",
            7,
        );
        hook["involvedObject"]["fieldPath"] = json!(format!("spec.containers{{{container}}}"));
        assert_eq!(
            analysis_with(&said, &[hook])["cause"]["id"],
            id,
            "{container}"
        );
    }
}

#[test]
fn the_line_of_a_message_that_tells_the_cause_is_shown() {
    let headline = |words: &str, reason: &str| {
        let mut input = situation(&Waits("CrashLoopBackOff", "back-off", 1));
        let mut items = input["items"].as_array_mut().unwrap().iter_mut();
        let pod = items.find(|item| item["metadata"]["name"] == "pg-2" && item["kind"] == "Pod");
        let ended = &mut pod.unwrap()["status"]["containerStatuses"][0]["lastState"]["terminated"];
        ended["message"] = json!(words);
        ended["reason"] = json!(reason);
        let args = ["-f", "-", "--now", NOW, "-o", "json"];
        let (_, out, _) = program::feed(&args, &input.to_string());
        let report: Value = serde_json::from_str(&out).unwrap();
        report["analysis"]["headline"].as_str().unwrap().to_owned()
    };
    for (words, reason, line) in [
        (
            "PANIC:  no valid checkpoint\nLOG:  startup process was terminated",
            "Error",
            "PANIC:  no valid checkpoint",
        ),
        (
            "unknown flag: --log\nUsage: pg [flags]",
            "Error",
            ": unknown flag: --log",
        ),
        (
            "java.lang.Error: x\nCaused by: bad value\n\tat a.b.c(D.java:1)",
            "Error",
            ": Caused by: bad value",
        ),
        (
            "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: device is busy: unknown",
            "StartError",
            ": device is busy: unknown",
        ),
    ] {
        let told = headline(words, reason);
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn a_transient_problem_is_awaited() {
    let young = |said: &Said<'_>| {
        let text = situation(said).to_string();
        // Everything happened moments ago.
        text.replace("2026-11-21T11:40:00Z", "2026-11-21T11:59:50Z")
    };
    let cases = [
        Placing(
            "TriggeredScaleUp",
            "pod triggered scale-up: [{group 2->3 (max: 10)}]",
        ),
        Unplaced("0/3 nodes are available: 3 Insufficient memory."),
        Unplaced("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
    ];
    for said in &cases {
        let args = ["-f", "-", "--now", NOW, "--fail-on", "blocked"];
        let (code, out, _) = program::feed(&args, &young(said));
        assert_eq!(code, 0, "{out}");
        assert!(!out.contains("BLOCKED") && !out.contains("STUCK"), "{out}");
        // The state of the pod is still reported.
        let (_, out, _) = program::feed(&["-f", "-", "--now", NOW, "-o", "json"], &young(said));
        let report: Value = serde_json::from_str(&out).unwrap();
        let mut pods = report["set"]["pods"].as_array().unwrap().iter();
        let pod = pods.find(|pod| pod["name"] == "pg-2").unwrap();
        assert_eq!(pod["waiting"], "Unschedulable", "{out}");
    }
}

/// The analysis of a situation with additional objects.
fn analysis_with(said: &Said<'_>, more: &[Value]) -> Value {
    let mut input = situation(said);
    let items = input["items"].as_array_mut().unwrap();
    items.extend(more.iter().cloned());
    let args = ["-f", "-", "--now", NOW, "-o", "json"];
    let (_, out, err) = program::feed(&args, &input.to_string());
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    report["analysis"].clone()
}

#[test]
fn a_taint_that_the_scheduler_does_not_name_is_read_from_the_nodes() {
    let node = |name: &str, key: &str| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "spec": {"taints": [{"key": key, "effect": "NoSchedule"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    };
    // The message of Kubernetes 1.36.
    let said = Unplaced("0/2 nodes are available: 2 node(s) had untolerated taint(s).");
    let pressed = [
        node("n-1", "node.kubernetes.io/disk-pressure"),
        node("n-2", "node.kubernetes.io/disk-pressure"),
    ];
    let analysis = analysis_with(&said, &pressed);
    assert_eq!(analysis["cause"]["id"], "disk-pressure");
    let headline = analysis["headline"].as_str().unwrap();
    assert!(headline.contains("taint on n-1, n-2"), "{headline}");
    // If the nodes differ, it is unknown which of the taints it is.
    let mixed = [
        node("n-1", "node.kubernetes.io/disk-pressure"),
        node("n-2", "dedicated"),
    ];
    assert_eq!(analysis_with(&said, &mixed)["cause"]["id"], "taints");
}

#[test]
fn the_pod_that_uses_a_claim_of_one_pod_alone_is_named() {
    let said = Unplaced(
        "0/3 nodes are available: 3 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.",
    );
    let input = situation(&said);
    let pods = input["items"].as_array().unwrap().iter();
    let mut claims = pods
        .filter(|item| item["kind"] == "Pod" && item["metadata"]["name"] == "pg-2")
        .flat_map(|pod| pod["spec"]["volumes"].as_array().unwrap())
        .filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str());
    let claim = claims.next().unwrap().to_owned();
    let holder = |phase: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "look", "namespace": "db", "uid": "u-look"},
            "spec": {"nodeName": "n-7", "containers": [{"name": "sh", "image": "sh"}],
                "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]},
            "status": {"phase": phase}})
    };
    let analysis = analysis_with(&said, &[holder("Running")]);
    assert_eq!(analysis["cause"]["id"], "rwop-in-use");
    let headline = analysis["headline"].as_str().unwrap();
    assert!(
        headline.contains("; in use by look on node n-7"),
        "{headline}"
    );
    // A finished pod holds nothing.
    let analysis = analysis_with(&said, &[holder("Succeeded")]);
    let headline = analysis["headline"].as_str().unwrap();
    assert!(!headline.contains("look on node"), "{headline}");
}

#[test]
fn a_controller_is_late_when_it_has_not_observed_a_change_for_a_while() {
    let path = golden::root().join("fixtures/rollout.yaml");
    let mut list: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let items = list["items"].as_array_mut().unwrap();
    let set = items
        .iter_mut()
        .find(|item| item["kind"] == "StatefulSet")
        .unwrap();
    let report = |list: &Value, now: &str| -> Value {
        let args = ["-f", "-", "--now", now, "-o", "json"];
        let (_, out, err) = program::feed(&args, &list.to_string());
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"))
    };
    let headline = |list: &Value, now: &str| {
        let report = report(list, now);
        report["analysis"]["headline"].as_str().unwrap().to_owned()
    };
    set["metadata"]["managedFields"] = json!([
        {"manager": "kubectl", "operation": "Update", "apiVersion": "apps/v1", "time": "2026-11-20T02:59:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:template": {}}}},
        {"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "apps/v1", "subresource": "status",
            "time": "2026-11-20T01:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}},
    ]);
    let told = headline(&list, "2026-11-20T02:59:16Z");
    let late = "the controller has not observed generation 3 for 16s (observedGeneration 2): check kube-controller-manager";
    assert!(told.contains(late), "{told}");
    // Within moments, that is every change.
    let told = headline(&list, "2026-11-20T02:59:10Z");
    assert!(!told.contains("observed"), "{told}");
    // After a while, the controller does nothing.
    let report = report(&list, "2026-11-20T03:02:00Z");
    let told = report["analysis"]["headline"].as_str().unwrap();
    let inactive = "BLOCKED 3m0s: the StatefulSet controller does not act: it has not observed generation 3 of the set";
    assert!(told.starts_with(inactive), "{told}");
    let obstacle = &report["outcome"]["blockedBy"][0];
    assert_eq!(obstacle["reason"], "ControllerInactive");
    assert_eq!(obstacle["cause"], "controller-behind");
    assert!(
        obstacle["fix"]
            .as_str()
            .unwrap()
            .starts_with("start kube-controller-manager")
    );
    assert!(obstacle["remedies"].is_null(), "{obstacle}");
}

#[test]
fn a_refused_claim_blocks_its_pod_with_the_message_of_the_version() {
    let said = Refused(
        "persistentvolumeclaims \"pgdata-pg-2\" is forbidden: exceeded quota: storage, requested: requests.storage=1Gi, used: requests.storage=9Gi, limited: requests.storage=9Gi",
    );
    for words in [
        "Claim pgdata-pg-2 Pod pg-2",
        "Claim pgdata-pg-2 for Pod pg-2",
    ] {
        let mut objects = situation(&said);
        let items = objects["items"].as_array_mut().unwrap();
        items.retain(|item| item["metadata"]["name"] != "pgdata-pg-2");
        let text = objects.to_string();
        let text = text.replace("create Pod pg-2", &format!("create {words}"));
        let (_, out, err) = program::feed(&["-f", "-", "--now", NOW, "-o", "json"], &text);
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        assert_eq!(report["analysis"]["cause"]["id"], "claim-quota", "{words}");
    }
}

#[test]
fn sets_with_one_cause_share_a_row() {
    for (said, cause) in [
        (
            Refused(
                "pods \"pg-2\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot",
            ),
            "pods cannot be created: violates PodSecurity",
        ),
        (
            Creating(
                "FailedCreatePodSandBox",
                "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to assign an IP address to container",
            ),
            "(no-address)",
        ),
    ] {
        let mut all = Vec::new();
        for number in 1..=3 {
            let text = situation(&said).to_string();
            let text = text.replace(
                "\"namespace\":\"db\"",
                &format!("\"namespace\":\"team-{number}\""),
            );
            let list: Value = serde_json::from_str(&text).unwrap();
            let items = list["items"].as_array().unwrap().iter();
            all.extend(
                items
                    .filter(|item| item["metadata"]["namespace"].is_string())
                    .cloned(),
            );
        }
        let (_, out, err) = program::run_on(&all, &["--now", NOW]);
        let row = out
            .lines()
            .find(|line| line.contains("3 sets"))
            .unwrap_or_default();
        assert!(row.contains(cause), "{out}{err}");
    }
}

#[test]
fn explain_prints_the_page_of_a_cause() {
    for entry in causes() {
        let (code, out, _) = program::run(&["explain", &entry.id]);
        assert_eq!(code, 0);
        assert!(
            out.contains(&page_text(&entry.title)) && out.contains(entry.blames.name()),
            "{out}"
        );
    }
}

#[test]
fn the_first_lines_say_cause_cure_and_place() {
    let lines = |said: &Said<'_>| {
        let input = situation(said).to_string();
        let (_, out, err) = program::feed(&["-f", "-", "--now", NOW], &input);
        assert!(err.is_empty(), "{err}");
        let end = out.find("\n\n").unwrap_or(out.len());
        out[..end].to_owned()
    };
    let cases = [
        (
            Waits(
                "ImagePullBackOff",
                "docker.io/library/postgres:17: not found",
                0,
            ),
            "pg-2 cannot pull its image on the new revision: the registry does not have the image",
            "  Fix:  push the image, or fix its tag\n  Look: the tags of the repository\n        kubectl describe pod pg-2",
            "cause: image-not-found; ",
        ),
        (
            Waits(
                "CrashLoopBackOff",
                "lookup primary.db.svc on 10.0.0.10:53: no such host",
                1,
            ),
            "pg-2 crash-loops on the new revision: the name primary.db.svc does not resolve in DNS",
            "  Fix:  check that the name primary.db.svc exists",
            "cause: name-unresolved; ",
        ),
        (
            Refused(
                "Internal error occurred: failed calling webhook \"v.io\": no endpoints available for service \"hook\"",
            ),
            "pg-2 cannot be created: an admission webhook does not respond",
            "  Fix:  repair the webhook's service hook: its pods, endpoints and certificate\n  Look: pods and endpoints of the service hook\n",
            "cause: webhook-down; ",
        ),
    ];
    for (said, headline, advice, evidence) in cases {
        let lines = lines(&said);
        for part in [headline, advice, evidence] {
            assert!(lines.contains(part), "{part}\n{lines}");
        }
        // The cure comes before anything that follows from it.
        let at = |word: &str| lines.find(word);
        assert!(at("  Fix:") < at("  Note:"), "{lines}");
        assert!(
            at("once pg-2").is_none_or(|once| Some(once) > at("  Fix:")),
            "{lines}"
        );
        assert!(
            !lines.contains("once pg-2 is ready: the rollout completes"),
            "{lines}"
        );
    }
    // The text of a policy says what is wrong, so it is quoted.
    let denied = lines(&Refused(
        "admission webhook \"v.io\" denied the request: every pod needs the label team",
    ));
    let quoted = "pg-2 cannot be created: admission webhook \"v.io\" denied the request: every pod needs the label team";
    assert!(denied.contains(quoted), "{denied}");
}

#[test]
fn advice_in_words_has_no_place_for_commands() {
    let said = Waits("CrashLoopBackOff", "lookup db.prod.svc: no such host", 1);
    let input = situation(&said).to_string();
    let of = |format: &str| program::feed(&["-f", "-", "--now", NOW, "-o", format], &input).1;
    let markdown = of("markdown");
    assert!(
        markdown.contains("**Fix:** check that the name db.prod.svc exists"),
        "{markdown}"
    );
    assert!(!markdown.contains("```sh\n\n```"), "{markdown}");
    let html = of("html");
    assert!(html.contains("check that the name db.prod.svc exists"));
    assert!(!html.contains("<ol class=\"commands\"></ol>"));
}
