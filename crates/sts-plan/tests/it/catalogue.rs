//! The catalogue of causes: a component's message is recognized as the cause that it announces, completely or not at
//! all.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use sts_plan::cause::{CauseEntry, Example, Place, Rank};
use sts_plan::fleet::{FailOn, OtherGates, judge};
use test_kit::input::{Input, fixture, objects};
use test_kit::kv::{NOW, of, plan};
use test_kit::situation::Said::{
    Claims, Creating, Gate, Killed, Placing, Probe, Refused, Rejects, Sick, Unplaced, Waits,
};
use test_kit::situation::{Said, crashed, event, situation};
use test_kit::told::told;

/// The entries of the catalogue as their files declare them: the examples are not compiled in.
pub fn declared() -> Vec<CauseEntry> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/catalogue");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .filter(|path| {
            let others = [
                "bystanders.yaml",
                "components.yaml",
                "injected.yaml",
                "renamed.yaml",
                "symptoms.yaml",
            ];
            !others.iter().any(|name| path.ends_with(name))
        })
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
        Place::Gate => Gate(message),
        Place::Creation => Refused(message),
        Place::Claim => Claims(reason, message),
        Place::Node => Sick(message),
        Place::Rejected => Rejects(reason, message),
        other => panic!("{}: {other:?} needs a world in cause_worlds.rs", entry.id),
    }
}

/// Returns where the answer of a plan has other words than the page of its cause.
pub fn differs_from_page(entry: &CauseEntry, report: &Value) -> Vec<String> {
    let obstacle = &report["outcome"]["blockedBy"][0];
    // What is not recognized is answered by the case, not by the page.
    let of_case = (entry.rank == Rank::Generic).then_some("fix");
    let pages = [("fix", &entry.helps), ("look", &entry.look)];
    let pages = pages.into_iter().filter(|(key, _)| Some(*key) != of_case);
    let wrong = pages.filter_map(|(key, text)| {
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
    // What ends pods that do not fail is no obstacle: loops.rs tries it.
    let of_stuck = declared.iter().filter(|entry| entry.place != Place::Loop);
    let examples = of_stuck.flat_map(|entry| {
        let of_entry = entry.examples.iter();
        of_entry.map(move |example| (entry, example))
    });
    for (entry, example) in examples {
        let id = &*entry.id;
        let report = plan(&situation(&said(entry, example)));
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
fn a_line_that_ends_the_process_tells_more_than_the_lines_before_it() {
    let cause = |words: &str| plan(&crashed(words, 1))["analysis"]["cause"]["id"].clone();
    for (words, id) in [
        (
            "WARN could not reach pg-0: connection refused\nFATAL:  data directory \"/data\" has wrong ownership",
            "data-permission",
        ),
        (
            "dial tcp 10.0.0.4:9200: connection refused, retrying\npanic: open /etc/app/app.yaml: no such file or directory",
            "file-missing",
        ),
        (
            "java.io.FileNotFoundException: /etc/app.yaml\nCaused by: java.net.ConnectException: Connection refused",
            "service-unreachable",
        ),
        // A line that says nothing leaves the word to the others.
        (
            "FATAL:  the server ends\nERROR: no space left on device",
            "volume-full",
        ),
    ] {
        assert_eq!(cause(words), id, "{words}");
    }
}

#[test]
fn the_line_of_a_message_that_tells_the_cause_is_shown() {
    let headline = |words: &str, reason: &str| {
        let mut input = crashed(words, 1);
        let status = &mut of(&mut input, "Pod", "pg-2")["status"]["containerStatuses"][0];
        status["lastState"]["terminated"]["reason"] = json!(reason);
        let report = plan(&input);
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
            ": bad value",
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
        let text = json!(situation(said)).to_string();
        // Everything happened moments ago.
        let text = text.replace("2026-11-21T11:40:00Z", "2026-11-21T11:59:50Z");
        Input::of(&objects(&text), NOW).report()
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
        let report = young(said);
        let told = told(&report);
        assert!(
            !told.contains("BLOCKED") && !told.contains("STUCK"),
            "{told}"
        );
        // The state of the pod is still reported.
        let mut pods = report.set.pods.iter();
        let pod = pods.find(|pod| &*pod.name == "pg-2").unwrap();
        assert_eq!(pod.waiting.as_deref(), Some("Unschedulable"), "{told}");
        let fails = judge(
            &[report],
            &[vec![FailOn::Blocked]],
            &|_, _| None,
            OtherGates::default(),
        );
        assert!(fails.is_empty(), "{fails:?}");
    }
}

/// The analysis of a situation with additional objects.
fn analysis_with(said: &Said<'_>, more: &[Value]) -> Value {
    let mut input = situation(said);
    input.extend(more.iter().cloned());
    plan(&input)["analysis"].clone()
}

#[test]
fn a_taint_that_the_scheduler_does_not_name_is_read_from_the_nodes() {
    let node = |name: &str, key: &str| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "spec": {"taints": [{"key": key, "effect": "NoSchedule"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "True"}]}})
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
    let mut claims = input
        .iter()
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
    let mut list = objects(&fixture("rollout.yaml"));
    let set = list
        .iter_mut()
        .find(|item| item["kind"] == "StatefulSet")
        .unwrap();
    let headline = |list: &[Value], now: &str| Input::of(list, now).report().analysis.headline;
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
    let report = Input::of(&list, "2026-11-20T03:02:00Z").json();
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
        let mut items = situation(&said);
        items.retain(|item| item["metadata"]["name"] != "pgdata-pg-2");
        let text = json!(items).to_string();
        let text = text.replace("create Pod pg-2", &format!("create {words}"));
        let report = plan(&objects(&text));
        assert_eq!(report["analysis"]["cause"]["id"], "claim-quota", "{words}");
    }
}

/// A line that is printed for a case has the names of the case, in braces, or says what to look for.
#[test]
fn no_printed_line_has_a_placeholder() {
    const PLACEHOLDERS: [&str; 13] = [
        "NODE",
        "CLAIM",
        "CLAIM_TEMPLATE",
        "POD",
        "NAME",
        "NAMESPACE",
        "VOLUME",
        "IMAGE",
        "SECRET",
        "SERVICE",
        "SET",
        "SIZE",
        "PV",
    ];
    let mut wrong = Vec::new();
    for entry in declared() {
        let texts = [
            &entry.helps,
            &entry.useless,
            &entry.avoid,
            &entry.look,
            &entry.admitted_once,
        ];
        for text in texts {
            let mut words = text.split(|it: char| !it.is_alphanumeric() && !"_-".contains(it));
            let has_placeholder = words.any(|word| PLACEHOLDERS.contains(&word));
            if has_placeholder || text.contains('<') {
                wrong.push(format!("{}: {text}", entry.id));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn pod_security_names_the_namespace_and_not_its_level() {
    let words =
        "pods \"pg-2\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot";
    let screen = told(&Input::of(&situation(&Refused(words)), NOW).report());
    assert!(
        screen.contains("kubectl get namespace db --show-labels"),
        "{screen}"
    );
}

#[test]
fn room_is_needed_where_the_pod_may_run() {
    let node = |name: &str, key: &str| {
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "spec": {"taints": [{"key": key, "effect": "NoSchedule"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    };
    let fix = |words: &str, key: &str| {
        let mut input = situation(&Unplaced(words));
        input.push(node("n-4", key));
        let report = plan(&input);
        let fix = &report["outcome"]["blockedBy"][0]["fix"];
        fix.as_str().unwrap().to_owned()
    };
    let spread = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints.";
    let told = fix(spread, "dedicated");
    assert!(
        told.contains("(2 node(s) didn't match pod topology spread constraints)"),
        "{told}"
    );
    let down = "0/4 nodes are available: 1 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/shutdown: }, 3 Insufficient memory.";
    let told = fix(down, "node.cloudprovider.kubernetes.io/shutdown");
    assert!(told.starts_with("bring back node n-4"), "{told}");
    // A taint that somebody set is neither.
    let dedicated = "0/4 nodes are available: 1 node(s) had untolerated taint {dedicated: db}, 3 Insufficient memory.";
    assert_eq!(
        fix(dedicated, "dedicated"),
        "add a node, or reduce the requests"
    );
}

#[test]
fn a_taint_of_the_network_is_not_one_of_a_storage_driver() {
    // The scheduler of Kubernetes 1.36 does not name the taint.
    let said = Unplaced("0/1 nodes are available: 1 node(s) had untolerated taint(s).");
    for (key, id) in [
        ("node.cilium.io/agent-not-ready", "node-starting"),
        ("ebs.csi.aws.com/agent-not-ready", "storage-agent-starting"),
        (
            "node.cloudprovider.kubernetes.io/uninitialized",
            "node-uninitialized",
        ),
    ] {
        let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-1"},
            "spec": {"taints": [{"key": key, "effect": "NoSchedule"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}});
        assert_eq!(analysis_with(&said, &[node])["cause"]["id"], id, "{key}");
    }
}

#[test]
fn the_words_of_a_driver_come_before_those_around_them() {
    let headline = |said: &Said<'_>| {
        let report = Input::of(&situation(said), NOW).report();
        report.next.brief.unwrap().text
    };
    let words = "the flux capacitor of backend-7 is out of phase, and nobody has measured it since the last eclipse of the moon";
    let attach = format!(
        "AttachVolume.Attach failed for volume \"pvc-3f1c9c52-77aa-4f0e-b2b1-6ad0b1d9c001\" : rpc error: code = Internal desc = rpc error: code = Internal desc = {words}"
    );
    let claim = format!(
        "failed to provision volume with StorageClass \"standard\": rpc error: code = Internal desc = {words}"
    );
    for said in [
        Creating("FailedAttachVolume", &attach),
        Claims("ProvisioningFailed", &claim),
    ] {
        let told = headline(&said);
        assert!(told.contains(": the flux capacitor of"), "{told}");
    }
}
