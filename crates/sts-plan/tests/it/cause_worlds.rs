//! A situation for every cause of the catalogue that needs more than one component's message.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::catalogue::{declared, differs_from_page};
use sts_plan::cause::causes;
use test_kit::cause_worlds::worlds;
use test_kit::kv::{
    self, DAY, LONG_AGO, claim, crashes, event, leaving, node, node_of, not_ready, of, plan, pod,
    put, rejected, running, serving, set, starting, status, told, unplaced, waits,
};

#[test]
fn each_world_is_recognized_as_its_cause_and_as_no_other() {
    let mut wrong = Vec::new();
    for (id, objects) in worlds() {
        let report = plan(&objects);
        if let Some(entry) = causes().find(|entry| entry.id == id) {
            wrong.extend(differs_from_page(entry, &report));
        }
        let analysis = &report["analysis"];
        let around = analysis["context"].as_array();
        let around: Vec<&Value> = around.into_iter().flatten().map(|it| &it["id"]).collect();
        let is_around = causes().any(|entry| {
            entry.id == id
                && matches!(
                    entry.place,
                    sts_plan::cause::Place::Set | sts_plan::cause::Place::Owner
                )
        });
        let is_right = match is_around {
            true => around == [id] && analysis["cause"].is_null(),
            false => analysis["cause"]["id"] == id && around.is_empty(),
        };
        if !is_right {
            let found = &analysis["cause"]["id"];
            wrong.push(format!(
                "{id}: {found}, around {around:?}: {}",
                analysis["headline"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_cause_has_a_situation() {
    let declared = declared();
    let with_examples = declared.iter().filter(|entry| !entry.examples.is_empty());
    let tried: BTreeSet<&str> = with_examples
        .map(|entry| &*entry.id)
        .chain(worlds().into_iter().map(|(id, _)| id))
        // loops.rs tries them: they are no obstacles.
        .chain(["deleted-again", "replaced-again"])
        .collect();
    let all: BTreeSet<&str> = causes().map(|entry| &*entry.id).collect();
    assert_eq!(
        all.difference(&tried).collect::<Vec<_>>(),
        Vec::<&&str>::new()
    );
    assert_eq!(
        tried.difference(&all).collect::<Vec<_>>(),
        Vec::<&&str>::new()
    );
}

/// The commands that the user is shown.
fn remedies(objects: &[Value]) -> String {
    let screen = told(objects);
    let above = screen
        .split_once("Note:")
        .map_or(&*screen, |(above, _)| above);
    above.to_owned()
}

#[test]
fn a_pod_on_a_responding_node_is_not_force_deleted() {
    let stays = leaving(|_| {});
    let offered = remedies(&stays);
    assert!(offered.contains("describe node n-1"), "{offered}");
    assert!(!offered.contains("--force"), "{offered}");
    let mut unknown = stays;
    unknown.retain(|it| it["kind"] != "Node");
    let offered = remedies(&unknown);
    assert!(offered.contains("describe node n-1"), "{offered}");
    assert!(!offered.contains("--force"), "{offered}");
}

#[test]
fn a_revision_that_also_fails_is_no_remedy() {
    let crashing = || not_ready("Running", waits("CrashLoopBackOff", "back-off 5m0s"), 9, 1);
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        let revision = if ordinal == 2 { "kv-new" } else { "kv-old" };
        objects.extend(pod(ordinal, revision, DAY, DAY, "n-1"));
    }
    put(&mut objects, 2, crashing());
    let one_fails = remedies(&objects);
    assert!(one_fails.contains("rollout undo"), "{one_fails}");
    put(&mut objects, 0, crashing());
    put(&mut objects, 1, crashing());
    let all_fail = remedies(&objects);
    for word in ["rollout undo", "delete pod"] {
        assert!(!all_fail.contains(word), "{all_fail}");
    }
}

#[test]
fn a_template_that_worked_for_a_day_is_not_rolled_back() {
    let crashing = || not_ready("Running", waits("CrashLoopBackOff", "back-off 5m0s"), 9, 1);
    let with_pods_since = |created: &str| {
        let mut objects = set(3, "OrderedReady", "kv-new");
        for ordinal in 0..3 {
            objects.extend(pod(ordinal, "kv-new", created, created, "n-1"));
            put(&mut objects, ordinal, crashing());
        }
        remedies(&objects)
    };
    // Nine restarts in 40 minutes: it never worked.
    let never = with_pods_since(LONG_AGO);
    assert!(never.contains("rollout undo"), "{never}");
    // Nine restarts in 36 hours: it worked for most of them.
    let long = with_pods_since(DAY);
    assert!(!long.contains("rollout undo"), "{long}");
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-new", DAY, DAY, "n-1"));
        put(&mut objects, ordinal, crashing());
    }
    let screen = told(&objects);
    assert!(screen.contains("rolling back does not help"), "{screen}");
}

#[test]
fn an_image_that_siblings_run_is_not_undone() {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-new", DAY, DAY, "n-1"));
    }
    let words = "Back-off pulling image \"kv:2\": ErrImagePull: kv:2: not found";
    put(
        &mut objects,
        2,
        not_ready("Pending", waits("ImagePullBackOff", words), 0, 0),
    );
    let screen = told(&objects);
    assert!(!screen.contains("rollout undo"), "{screen}");
    for words in [
        "Fix:  push the image",
        "on another node they fail in the same way",
    ] {
        assert!(screen.contains(words), "{screen}");
    }
    // An image that has no variant for a node is not missing.
    let words = "ErrImagePull: no match for platform in manifest: not found";
    put(
        &mut objects,
        2,
        not_ready("Pending", waits("ImagePullBackOff", words), 0, 0),
    );
    let screen = told(&objects);
    assert!(!screen.contains("in the registry"), "{screen}");
    assert!(
        screen.contains("variant for the platform of the node"),
        "{screen}"
    );
}

#[test]
fn an_outdated_pod_is_deleted_without_a_condition_where_it_comes_back_on_another_image() {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        let revision = if ordinal == 2 { "kv-new" } else { "kv-old" };
        objects.extend(pod(ordinal, revision, DAY, DAY, "n-1"));
    }
    let words = "Back-off pulling image \"kv:1\": ErrImagePull: kv:1: not found";
    put(
        &mut objects,
        1,
        not_ready("Pending", waits("ImagePullBackOff", words), 0, 0),
    );
    let report = plan(&objects);
    let remedy = &report["analysis"]["remedies"][0];
    assert_eq!(
        remedy["commands"],
        json!(["kubectl delete pod kv-1 -n prod"])
    );
    assert!(remedy.get("precondition").is_none(), "{remedy}");
}

#[test]
fn a_pod_without_a_node_waits_for_its_claim_to_be_deleted() {
    let objects = claim(|claim| {
        claim["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
        claim["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    });
    let report = plan(&objects);
    assert_eq!(report["analysis"]["cause"]["id"], "claim-deleted");
    let headline = report["analysis"]["headline"].as_str().unwrap();
    let words = "kv-2 is waiting for its claim data-kv-2, which is being deleted";
    assert!(headline.contains(words), "{headline}");
}

#[test]
fn a_failing_post_start_hook_is_told_apart_from_a_crash() {
    let crashing = not_ready(
        "Running",
        waits("CrashLoopBackOff", "back-off 5m0s"),
        9,
        137,
    );
    let mut objects = status(crashing);
    objects.push(event(
        "Pod",
        "kv-2",
        "FailedPostStartHook",
        "PostStartHook failed",
    ));
    let report = plan(&objects);
    assert_eq!(report["analysis"]["cause"]["id"], "post-start-hook");
    let headline = report["analysis"]["headline"].as_str().unwrap();
    assert!(headline.contains("fails its postStart hook"), "{headline}");
}

#[test]
fn the_warning_that_names_the_failure_is_in_the_headline() {
    let headline = |events: &[(&str, &str)]| {
        let mut objects = status(starting());
        for (reason, message) in events {
            objects.push(event("Pod", "kv-2", reason, message));
        }
        let report = plan(&objects);
        report["analysis"]["headline"].as_str().unwrap().to_owned()
    };
    // A reason that the catalogue does not know.
    let unknown = headline(&[(
        "FailedPrepareDynamicResources",
        "DRA driver is not registered",
    )]);
    assert!(
        unknown.contains("DRA driver is not registered"),
        "{unknown}"
    );
    // The wait that comes last says less than the failure before it.
    let waited = headline(&[
        (
            "FailedAttachVolume",
            "AttachVolume.Attach failed for volume \"pv\" : UnauthorizedOperation",
        ),
        (
            "FailedMount",
            "Unable to attach or mount volumes: timed out waiting for the condition",
        ),
    ]);
    for words in ["cannot attach a volume: ", "; AttachVolume.Attach failed"] {
        assert!(waited.contains(words), "{waited}");
    }
}

#[test]
fn a_kubelet_that_reports_progress_with_the_files_of_a_volume_is_waited_for() {
    let verdict = |last: &str| {
        let mut objects = status(starting());
        let mut progress = event(
            "Pod",
            "kv-2",
            "VolumePermissionChangeInProgress",
            "Setting volume ownership for kv-2/volumes/pv, processed 120000 files.",
        );
        progress["lastTimestamp"] = json!(last);
        objects.push(progress);
        plan(&objects)["analysis"]["verdict"].clone()
    };
    assert_eq!(verdict("2026-11-21T11:59:10Z"), "waiting");
    assert_eq!(verdict("2026-11-21T11:50:00Z"), "stuck");
}

#[test]
fn a_pod_that_is_recreated_in_a_loop_has_an_age() {
    let report = plan(&rejected("OutOfcpu"));
    let headline = report["analysis"]["headline"].as_str().unwrap();
    let words = "BLOCKED 40m: kv-2 fails as OutOfcpu";
    assert!(headline.contains(words), "{headline}");
}

#[test]
fn a_long_termination_message_does_not_make_a_long_headline() {
    let report = plan(&status(crashes(&"é".repeat(4000))));
    let headline = report["analysis"]["headline"].as_str().unwrap();
    assert!(headline.chars().count() < 300, "{headline}");
    assert!(headline.contains("ééé..."), "{headline}");
}

#[test]
fn a_loop_of_failed_pods_is_known_by_either_event() {
    let mut objects = rejected("OutOfmemory");
    let created = |it: &&mut Value| it["reason"] == "SuccessfulCreate";
    for event in objects.iter_mut().filter(created) {
        event["reason"] = json!("RecreatingFailedPod");
        event["message"] = json!("StatefulSet prod/kv is recreating failed Pod kv-2");
    }
    // The pod was created again since the first report.
    of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] =
        json!("2026-11-21T11:57:00Z");
    let report = plan(&objects);
    assert_eq!(report["analysis"]["cause"]["id"], "node-overcommitted");
}

#[test]
fn a_pod_that_waits_for_a_volume_is_not_deleted() {
    let offered = remedies(&claim(|_| {}));
    assert!(!offered.contains("delete pod"), "{offered}");
}

#[test]
fn a_broken_pod_of_the_old_revision_is_deleted_if_the_new_one_fixes_it() {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    let crashing = not_ready("Running", waits("CrashLoopBackOff", "back-off 5m0s"), 9, 1);
    put(&mut objects, 2, crashing);
    let report = plan(&objects);
    let remedy = &report["analysis"]["remedies"][0];
    assert_eq!(
        remedy["commands"],
        json!(["kubectl delete pod kv-2 -n prod"])
    );
    assert_eq!(
        remedy["precondition"],
        "if kv-new fixes kv-2, which comes back on it"
    );
}

#[test]
fn rolling_back_warns_of_data_that_the_older_image_may_not_read() {
    let with = |status: Value| {
        let mut objects = set(3, "OrderedReady", "kv-new");
        for ordinal in 0..3 {
            let revision = if ordinal == 2 { "kv-new" } else { "kv-old" };
            objects.extend(pod(ordinal, revision, DAY, DAY, "n-1"));
        }
        put(&mut objects, 2, status);
        told(&objects)
    };
    let words = "before you roll back, check that the old image can still read it";
    // A shell ends with 127 if it does not find a command, whatever it has done before.
    for exit in [1, 127] {
        let back_off = waits("CrashLoopBackOff", "back-off 5m0s");
        let crashing = with(not_ready("Running", back_off, 900, exit));
        assert!(crashing.contains(words), "{crashing}");
    }
    // An image that was never pulled has changed nothing.
    let message = "Back-off pulling image \"kv:2\": ErrImagePull: kv:2: not found";
    let pulling = with(not_ready(
        "Pending",
        waits("ImagePullBackOff", message),
        0,
        0,
    ));
    assert!(!pulling.contains(words), "{pulling}");
}

#[test]
fn a_failing_resize_is_told_by_the_event_of_the_resizer() {
    let mut objects = serving();
    let claim = of(&mut objects, "PersistentVolumeClaim", "data-kv-2");
    claim["spec"]["resources"] = json!({"requests": {"storage": "200Gi"}});
    claim["status"] = json!({"phase": "Bound", "capacity": {"storage": "1Gi"},
        "conditions": [{"type": "Resizing", "status": "True", "lastTransitionTime": LONG_AGO}]});
    let screen = told(&objects);
    assert!(!screen.contains("the resize fails"), "{screen}");
    objects.push(event(
        "PersistentVolumeClaim",
        "data-kv-2",
        "VolumeResizeFailed",
        "wait 6 hours",
    ));
    let screen = told(&objects);
    assert!(
        screen.contains("the resize fails: wait 6 hours"),
        "{screen}"
    );
}

#[test]
fn the_line_of_a_log_that_tells_most_is_in_the_headline() {
    let headline = |log: &str| {
        let report = plan(&status(crashes(log)));
        report["analysis"]["headline"].as_str().unwrap().to_owned()
    };
    for (log, told) in [
        // The last line only reports the end.
        (
            "*\n* ERROR: could not open the store\n*\nFailed running \"start\"",
            "* ERROR: could not open the store",
        ),
        (
            "0 [ERROR] [MY-1] unknown option 'x'\n0 [ERROR] [MY-2] Aborting",
            "unknown option 'x'",
        ),
        // The exception tells more than the line that announces it.
        (
            "ERROR Exiting Kafka due to fatal exception (kafka.Kafka$)\njava.lang.IllegalStateException: no listener\n\tat x",
            ": IllegalStateException: no listener",
        ),
        // Rules, counts and what a process says while it ends are no reason.
        (
            "********\n Error during initialisation:\n    the collation is odd\n********",
            ": the collation is odd",
        ),
        (
            "1) [Guice/ErrorInCustomProvider]: no such pusher\n1 error",
            ": 1) [Guice/ErrorInCustomProvider]: no such pusher",
        ),
        (
            "12:00:01 WARN Exception: unable to get the shared home\n12:00:02 INFO Releasing the home",
            ": Exception: unable to get the shared home",
        ),
        // The time and the thread are not told.
        (
            "2026-11-21T11:58:00.090800Z ERROR store: error=the engine gave up",
            ": store: error=the engine gave up",
        ),
        (
            "Nov 21 2026 11:58:00 GMT: CRITICAL (as): the service gave up",
            ": the service gave up",
        ),
        (
            "thread 'main' panicked at src/main.rs:42:10:\nno such shard\nnote: run with `RUST_BACKTRACE=1`",
            ": no such shard",
        ),
        // A banner and a line that refers to another tell nothing, and a quoted setting belongs to its error.
        (
            "*** FATAL CONFIG FILE ERROR ***\nReading the file, at line 3\n>>> 'monitor kv-0 6379'\nCan't resolve the host",
            ": 'monitor kv-0 6379': Can't resolve the host",
        ),
        (
            "ERROR 11-21 11:58:02 [core.py:396] ValueError: the context is too long\nRuntimeError: startup failed. See root cause above.",
            ": ValueError: the context is too long",
        ),
        (
            "[11:58:01 FATAL]: Failed to start the server\na.b.LockException: /data/it.lock: already there\n\tat a.b.C",
            "LockException: /data/it.lock: already there",
        ),
        // A line that announces others is told with the first of them, or leaves it the word.
        (
            "12:00:00 WARN no metrics\nERROR: prerequisites not met:\n  the plugin is too old",
            ": ERROR: prerequisites not met: the plugin is too old",
        ),
        (
            "ValidationError: 1 validation error for Settings\nlistener\n  Input is odd [type=odd]\n    For more, visit the page",
            ": ValidationError: 1 validation error for Settings listener Input is odd [type=odd]",
        ),
        // A line that only announces another, and the margin of a value of several lines.
        (
            "12:00:00 ERROR [cli] (main) ERROR: Failed to start server in (production) mode\n12:00:00 ERROR [cli] (main) ERROR: the gadget is bent",
            ": the gadget is bent",
        ),
        (
            "level=error msg=\"validating config\" err=\"MULTIPLE CONFIG ERRORS FOUND, PLEASE READ CAREFULLY\\nCONFIG ERROR: the gadget is bent\"",
            ": CONFIG ERROR: the gadget is bent",
        ),
        (
            "12:00:00 [ERROR] agent: error making the request:\n  error=\n  | the gadget failed:\n  |\n  | * it is bent",
            ": the gadget failed: * it is bent",
        ),
        // The line of an error before that of a warning about the same.
        (
            "level=warn err=\"no private IP found\"\nlevel=error msg=\"cannot gossip\" err=\"No private IP address found\"",
            ": cannot gossip: No private IP address found",
        ),
        // Exceptions of Elixir and Ruby.
        (
            "** (Mix) Could not start application kv: failed to start child: Kv\n    ** (ArgumentError) the gadget is bent",
            ": ** (ArgumentError) the gadget is bent",
        ),
        (
            "bundler: failed to load command: puma\n/app/x.rb:3:in `<main>': the gadget is bent (RuntimeError)\n\tfrom /y.rb:30",
            "the gadget is bent (RuntimeError)",
        ),
        (
            "2026-11-21T11:58:00Z\tERROR\tsetup\tunable to begin\t{\"error\": \"the gadget is bent\"}\nmain.main",
            ": unable to begin: the gadget is bent",
        ),
        // The word alone is no level.
        (
            "INFO error logger started\nfatal: no database",
            ": fatal: no database",
        ),
        // Structured logs.
        (
            r#"{"t":{"$date":"2026-11-21T11:58:00Z"},"s":"F","msg":"Cannot start","attr":{"error":{"code":30,"errmsg":"no key"}}}"#,
            ": Cannot start: no key",
        ),
        (
            r#"{"log.level":"ERROR","message":"fatal exception","error.message":"no master"}"#,
            ": fatal exception: no master",
        ),
        (
            "level=info msg=\"starting\"\nlevel=error ts=2026-11-21T11:58:00Z caller=main.go:70 msg=\"validating\" err=\"CONFIG ERROR: no such key\"",
            ": validating: CONFIG ERROR: no such key",
        ),
    ] {
        let headline = headline(log);
        assert!(headline.contains(told), "{told}: {headline}");
    }
    // The words that identify the cause are not cut off.
    let late = format!(
        "{}: cannot open {}: No space left on device",
        "a".repeat(150),
        "b".repeat(100)
    );
    assert!(headline(&late).contains("No space left on device"));
}

#[test]
fn a_refused_pod_of_a_parallel_set_hides_no_other_stuck_pod() {
    let mut objects = set(3, "Parallel", "kv-old");
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    put(
        &mut objects,
        0,
        crashes("write failed: No space left on device"),
    );
    of(&mut objects, "StatefulSet", "kv")["status"]["replicas"] = json!(2);
    let words = "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: exceeded quota: q, \
        requested: cpu=1, used: cpu=8, limited: cpu=8";
    objects.push(event("StatefulSet", "kv", "FailedCreate", words));
    let screen = told(&objects);
    assert!(
        screen.contains("1 quota (kv-2), 1 volume-full (kv-0)"),
        "{screen}"
    );
}

#[test]
fn a_pod_that_its_node_ended_is_told_with_the_reports_of_kubelet_and_node() {
    let message = "Pod was terminated in response to imminent node shutdown.";
    let ended = json!({"phase": "Failed", "reason": "Terminated", "message": message});
    let mut objects = status(ended);
    let of_others = of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"].clone();
    let node = json!("n-9");
    of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"] = node.clone();
    objects.retain(|it| it["kind"] != "Node");
    objects.push(node_of(&node, "node is shutting down"));
    let mut cordoned = kv::node(of_others.as_str().unwrap(), "a", true);
    cordoned["spec"]["unschedulable"] = json!(true);
    objects.push(cordoned);
    let screen = told(&objects);
    let words = [
        "1 node is not ready",
        "node is shutting down",
        "Failed: Terminated: Pod was terminated in response to imminent node shutdown",
    ];
    for words in words {
        assert!(screen.contains(words), "{words}: {screen}");
    }
}

#[test]
fn what_a_young_pod_waits_for_is_told_before_it_counts_as_stuck() {
    let mut young = starting();
    young["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:57:00Z");
    let mut objects = status(young);
    objects.push(event(
        "Pod",
        "kv-2",
        "NetworkNotReady",
        "cni plugin not initialized",
    ));
    let screen = told(&objects);
    assert!(
        screen.contains("Pending (the network plugin of the node is not ready)"),
        "{screen}"
    );

    let mut lost = running();
    lost["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:59:50Z");
    // A node that does not respond keeps its pod down from the first second.
    let mut objects = status(lost);
    let name = "n-9";
    of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"] = json!(name);
    objects.retain(|it| it["kind"] != "Node");
    objects.push(kv::node(name, "a", false));
    for node in ["n-1", "n-2", "n-3"] {
        if name != node {
            objects.push(kv::node(node, "a", true));
        }
    }
    let screen = told(&objects);
    let words = format!("BLOCKED 10s: kv-2 is on a node that is not responding ({name})");
    assert!(screen.contains(&words), "{screen}");

    let mut nominated = unplaced(
        "Unschedulable",
        "0/3 nodes are available: 3 Insufficient cpu.",
    );
    nominated["nominatedNodeName"] = json!("n-1");
    let screen = told(&status(nominated));
    assert!(
        screen.contains("wait until the preempted pods terminate"),
        "{screen}"
    );
    assert!(!screen.contains("add a node"), "{screen}");
}

#[test]
fn a_missing_secret_does_not_hide_another_failing_container() {
    let mut both = not_ready(
        "Pending",
        waits("CreateContainerConfigError", "secret \"db\" not found"),
        0,
        0,
    );
    let other = json!({"name": "exporter", "ready": false, "restartCount": 0,
        "state": waits("ImagePullBackOff", "Back-off pulling image \"exporter:9\"")});
    both["containerStatuses"]
        .as_array_mut()
        .unwrap()
        .push(other);
    let screen = told(&status(both));
    assert!(
        screen.contains("Secret db is missing; and ImagePullBackOff (exporter"),
        "{screen}"
    );
}

#[test]
fn the_node_of_another_architecture_that_runs_the_image_is_named() {
    let world = |words: &str, reason: &str, other: &str| {
        let mut objects = set(3, "OrderedReady", "kv-new");
        for ordinal in 0..3 {
            let node = if ordinal == 2 { "arm-1" } else { "n-1" };
            objects.extend(pod(ordinal, "kv-new", DAY, DAY, node));
        }
        objects.retain(|it| it["kind"] != "Node");
        for (name, architecture) in [("n-1", other), ("arm-1", "arm64")] {
            let mut node = node(name, "a", true);
            node["metadata"]["labels"]["kubernetes.io/arch"] = json!(architecture);
            objects.push(node);
        }
        let state = waits(reason, words);
        put(&mut objects, 2, not_ready("Pending", state, 3, 1));
        told(&objects)
    };
    let named = "nodes of architecture amd64, which run the image, such as node n-1: nodeSelector kubernetes.io/arch: amd64";
    for (words, reason) in [
        (
            "ErrImagePull: no match for platform in manifest: not found",
            "ImagePullBackOff",
        ),
        (
            "ErrImagePull: no image found in manifest list for architecture \"arm64\"",
            "ImagePullBackOff",
        ),
        ("exec /usr/bin/kv: exec format error", "CrashLoopBackOff"),
    ] {
        let screen = world(words, reason, "amd64");
        assert!(screen.contains(named), "{screen}");
        assert!(!screen.contains("on another node they fail"), "{screen}");
        // A node of the same architecture shows nothing.
        let screen = world(words, reason, "arm64");
        assert!(!screen.contains("such as node"), "{screen}");
    }
    // An image that is missing is missing on every architecture.
    let screen = world("ErrImagePull: kv:2: not found", "ImagePullBackOff", "amd64");
    assert!(!screen.contains("such as node"), "{screen}");
}
