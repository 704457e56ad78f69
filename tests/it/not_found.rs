//! Sets that do not exist: an error, or nothing to plan with `--ignore-not-found`.

use std::fs;

use serde_json::{Value, json};

use crate::{golden, program};

/// A manifest without a set, as a chart renders it.
const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";

/// A file with one set.
fn stored() -> String {
    let path = golden::root().join("fixtures/rollout.yaml");
    path.to_string_lossy().into_owned()
}

fn plan(args: &[&str]) -> (i32, String, String) {
    program::run(&[&["-f", &stored()], args].concat())
}

#[test]
fn nothing_to_plan_is_no_error_on_request() {
    for (args, says) in [
        (&["db"][..], "StatefulSet \"db\" not found"),
        (&["-l", "app=none"], "does not match -l app=none"),
        (&["-n", "none"], "does not match -n none"),
        (&["web", "-n", "none"], "StatefulSet \"web\" not found"),
        (
            &["db", "--delete-pod", "db-0"],
            "StatefulSet \"db\" not found",
        ),
        (&["db", "--fail-on", "blocked,error,unknown"], "not found"),
        (&["db", "--detailed-exitcode"], "not found"),
        (&["db", "--require", "ready>=2"], "not found"),
    ] {
        let (code, _, said) = plan(args);
        assert_eq!(code, 1, "{args:?}: {said}");
        assert!(said.contains(says), "{args:?}: {said}");
        let (code, printed, said) = plan(&[args, &["--ignore-not-found"]].concat());
        assert_eq!(code, 0, "{args:?}: {said}");
        assert!(said.starts_with("nothing to plan: "), "{args:?}: {said}");
        assert!(said.contains(says), "{args:?}: {said}");
        assert_eq!(printed, "0 sets\n", "{args:?}");
    }
}

#[test]
fn a_chart_without_a_set_is_nothing_to_plan_on_request() {
    let folder = program::new_folder("not-found");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let config = file("config.yaml", CONFIG);
    let report = folder.join("plan.xml").to_string_lossy().into_owned();
    let junit = format!("junit={report}");
    let stored = stored();
    let apply = ["-f", &stored, "--apply", "-"];
    for input in [CONFIG, ""] {
        let (code, _, said) = program::feed(&apply, input);
        assert_eq!(code, 1, "{said}");
        let args = [&apply[..], &["--ignore-not-found", "--report", &junit]].concat();
        let (code, _, said) = program::feed(&args, input);
        assert_eq!(
            (code, &*said),
            (
                0,
                "nothing to plan: no StatefulSet in the manifest to apply: standard input\n"
            )
        );
        let report = fs::read_to_string(&report).unwrap();
        assert!(report.contains("tests=\"0\""), "{report}");
    }
    // A later stage without a set, a missing file and an invalid manifest stay errors.
    for args in [
        &["--restart", "--then", "--apply", &config][..],
        &["--apply", "nowhere.yaml"],
    ] {
        let (code, _, said) = plan(&[args, &["--ignore-not-found"]].concat());
        assert_eq!(code, 1, "{said}");
        assert!(said.starts_with("error: "), "{said}");
    }
}

#[test]
fn other_sets_are_planned() {
    let args = ["web", "db", "--ignore-not-found", "-o", "json"];
    let (code, printed, said) = plan(&args);
    assert_eq!((code, &*said), (0, ""));
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["metadata"]["name"], "web");
    let (_, _, said) = plan(&[&args[..], &["-v"]].concat());
    assert!(
        said.contains("ignored: StatefulSet \"db\" not found"),
        "{said}"
    );
}

#[test]
fn pods_whose_set_the_input_lacks_name_it() {
    let folder = program::new_folder("pods-alone");
    let file = folder.join("pods.yaml");
    let pod = |name: &str, owner: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: x\n  uid: {name}\n  ownerReferences:\n  - \
             {{apiVersion: apps/v1, kind: {owner}, name: lone, uid: u, controller: true}}\nspec: {{}}\n"
        )
    };
    let set = "StatefulSet";
    let says = "2 pods belong to StatefulSet x/lone, which the input lacks: kubectl sts-plan dump lone -n x > dump.yaml";
    let cases = [
        ([pod("lone-0", set), pod("lone-1", set)], true),
        // The pods of a Deployment belong to another kind.
        (
            [pod("web-a", "ReplicaSet"), pod("web-b", "ReplicaSet")],
            false,
        ),
    ];
    for (pods, is_said) in cases {
        fs::write(&file, pods.join("---\n")).unwrap();
        let (code, _, said) = program::run(&["-f", &file.to_string_lossy()]);
        assert_eq!(code, 1, "{said}");
        assert_eq!(said.contains(says), is_said, "{said}");
    }
}

#[test]
fn a_failing_pod_alone_says_why_it_fails() {
    let folder = program::new_folder("pod-alone");
    let file = folder.join("pod.json");
    let pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "lone-2", "namespace": "x", "uid": "lone-2",
            "creationTimestamp": "2026-11-20T00:00:00Z",
            "labels": {"app": "lone", "controller-revision-hash": "lone-5f8d9c7b6"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "lone", "uid": "u", "controller": true}]},
        "spec": {"nodeName": "n-1", "subdomain": "lone", "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "c", "ready": false, "restartCount": 7,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-21T11:58:00Z",
                "message": "write /data/x: no space left on device"}}}]}});
    fs::write(&file, pod.to_string()).unwrap();
    let path = file.to_string_lossy();
    let args = [
        "-f",
        &path,
        "--now",
        "2026-11-21T12:00:00Z",
        "--fail-on",
        "blocked",
    ];
    let (code, printed, _) = program::run(&args);
    assert_eq!(code, 3, "{printed}");
    assert!(
        printed.contains("lone-2 crash-loops: the disk of the node"),
        "{printed}"
    );
    let heading = "x/lone  StatefulSet  not in the input: planned from its pods";
    assert!(printed.starts_with(heading), "{printed}");
    let lacks = "STS033 statefulset/lone: the input has pods of the set, and not the set";
    assert!(printed.contains(lacks), "{printed}");
}

#[test]
fn pods_with_a_gap_between_their_ordinals_tell_nothing_of_their_set() {
    let folder = program::new_folder("pods-with-gap");
    let file = folder.join("pods.json");
    let pod = |name: &str| {
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "x", "uid": name, "labels": {"controller-revision-hash": "lone-1"},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "lone", "uid": "u",
                    "controller": true}]},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
            "status": {"phase": "Pending"}})
    };
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [pod("lone-0"), pod("lone-2000000000")]});
    fs::write(&file, list.to_string()).unwrap();
    let (code, _, said) = program::run(&["-f", &file.to_string_lossy()]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("no StatefulSet in "), "{said}");
}

#[test]
fn pods_beyond_the_supported_number_are_not_assumed_to_exist() {
    const MANY: u32 = 2_000_000_000;
    let planned = |wanted: u32| {
        let template = json!({"metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}});
        let meta = json!({"name": "web", "namespace": "x", "uid": "u", "generation": 1});
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta,
            "spec": {"replicas": wanted, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
                "template": template},
            "status": {"replicas": MANY, "readyReplicas": MANY - 1, "currentRevision": "web-1",
                "updateRevision": "web-1", "observedGeneration": 1}});
        let failed = json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "BackOff",
            "metadata": {"name": "web-0.1", "namespace": "x"}, "lastTimestamp": "2026-11-21T11:59:00Z",
            "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "x"},
            "message": "Back-off restarting failed container c in pod web-0_x(p)"});
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [set, failed]});
        program::feed(
            &["-f", "-", "--now", "2026-11-21T12:00:00Z"],
            &list.to_string(),
        )
    };
    let (code, _, said) = planned(MANY);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("exceed the supported maximum"), "{said}");
    let (_, out, said) = planned(3);
    assert!(out.contains("web  StatefulSet  3 replicas"), "{out}{said}");
}
