//! The time of a plan of files: the newest in objects that a cluster keeps refreshing, otherwise the clock.

use jiff::Timestamp;
use kubectl_sts_plan::internals::run_at;
use serde_json::{Value, json};

use crate::program;
use test_kit::kv::{node, not_ready, pod, put, set};

/// One clock in the night of the incident, and one a year later.
const CLOCKS: [fn() -> Timestamp; 2] = [
    || "2026-11-21T12:00:30Z".parse().unwrap(),
    || "2027-11-21T12:00:30Z".parse().unwrap(),
];

/// Runs the program with a clock: the exit code, standard output and standard error.
fn at(clock: fn() -> Timestamp, args: &[&str], stdin: &str) -> (u8, String, String) {
    let args = ["kubectl-sts_plan"].iter().chain(args);
    let args = args.map(|arg| std::ffi::OsString::from(*arg));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_at(clock, args, &mut stdin.as_bytes(), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (exit as u8, text(out), text(err))
}

fn list(objects: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()
}

/// Plans objects with both clocks.
fn twice(objects: &[Value], args: &[&str]) -> [(u8, String, String); 2] {
    let args = [&["-f", "-"], args].concat();
    CLOCKS.map(|clock| at(clock, &args, &list(objects)))
}

const FORMATS: [&[&str]; 5] = [
    &[],
    &["-o", "json"],
    &["-o", "markdown"],
    &["-o", "svg"],
    &["--detailed-exitcode"],
];

/// A set whose last pod has been starting for a while.
fn starting() -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    let day = "2026-11-20T00:00:00Z";
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", day, "2026-11-20T00:00:20Z", "n1"));
    }
    let created = "2026-11-21T11:59:20Z";
    objects.extend(pod(2, "kv-new", created, created, "n1"));
    let state = json!({"waiting": {"reason": "ContainerCreating"}});
    let mut status = not_ready("Pending", state, 0, 0);
    for condition in status["conditions"].as_array_mut().unwrap() {
        condition["lastTransitionTime"] = json!(created);
    }
    put(&mut objects, 2, status);
    objects
}

/// A node with a heartbeat at that time.
fn beating(name: &str, is_ready: bool, heartbeat: &str) -> Value {
    let mut node = node(name, "z", is_ready);
    node["status"]["conditions"][0]["lastHeartbeatTime"] = json!(heartbeat);
    node
}

fn lease(node: &str, renewed: &str) -> Value {
    json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": node, "namespace": "kube-node-lease"},
        "spec": {"holderIdentity": node, "renewTime": renewed}})
}

fn event(last: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "kv-1.1", "namespace": "prod"},
        "involvedObject": {"kind": "Pod", "name": "kv-1"}, "type": "Normal", "reason": "Pulled",
        "message": "pulled", "lastTimestamp": last})
}

fn with(object: Value) -> Vec<Value> {
    let mut objects = starting();
    objects.push(object);
    objects
}

fn report(objects: &[Value]) -> Value {
    let [(_, out, err), _] = twice(objects, &["-o", "json"]);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"))
}

#[test]
fn heartbeats_leases_and_events_tell_when_objects_were_read() {
    let late = "2026-11-21T11:59:50Z";
    let series = json!({"apiVersion": "events.k8s.io/v1", "kind": "Event",
        "metadata": {"name": "kv-1.2", "namespace": "prod"}, "regarding": {"kind": "Pod", "name": "kv-1"},
        "note": "x", "reason": "Unhealthy", "type": "Warning", "eventTime": "2026-11-21T11:00:00.000000Z",
        "series": {"count": 3, "lastObservedTime": "2026-11-21T11:59:49.123456Z"}});
    for refreshed in [
        beating("n1", true, late),
        lease("n1", late),
        event(late),
        series,
    ] {
        let objects = with(refreshed);
        for format in FORMATS {
            let [now, later] = twice(&objects, format);
            assert_eq!(now, later);
        }
        let report = report(&objects);
        assert_eq!(
            (&report["now"], &report["nowSource"]),
            (&json!(late), &json!("input"))
        );
        assert_eq!(report["analysis"]["verdict"], "waiting");
        let [(_, screen, _), _] = twice(&objects, &[]);
        let head = screen.lines().next().unwrap();
        let as_of = "as of 2026-11-21T11:59:50Z (newest in the input)";
        assert!(head.ends_with(as_of), "{screen}");
        for format in ["markdown", "svg", "html"] {
            let [(_, out, _), _] = twice(&objects, &["-o", format]);
            assert!(out.to_lowercase().contains(&as_of.to_lowercase()), "{out}");
        }
    }
}

#[test]
fn the_newest_time_of_any_object_counts_and_a_future_deletion_does_not() {
    let mut objects = with(event("2026-11-21T11:50:00Z"));
    assert_eq!(report(&objects)["now"], "2026-11-21T11:59:20Z");
    // The deletion was requested a grace period before its timestamp.
    let pod = objects
        .iter_mut()
        .find(|it| it["metadata"]["name"] == "kv-2")
        .unwrap();
    pod["metadata"]["deletionTimestamp"] = json!("2026-11-21T12:40:00Z");
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(2400);
    assert_eq!(report(&objects)["now"], "2026-11-21T12:00:00Z");
}

#[test]
fn a_node_that_does_not_respond_refreshes_nothing() {
    let heartbeat = "2026-11-21T11:09:00Z";
    let mut objects = with(beating("n1", false, heartbeat));
    objects.push(lease("n1", heartbeat));
    assert_eq!(report(&objects)["nowSource"], "clock");
    objects.push(beating("n2", true, "2026-11-21T11:59:59Z"));
    assert_eq!(report(&objects)["now"], "2026-11-21T11:59:59Z");
}

#[test]
fn the_counts_of_the_status_hold_at_the_time_of_a_plan() {
    let mut objects = set(2, "OrderedReady", "kv-old");
    objects[0]["spec"]["minReadySeconds"] = json!(600);
    for (ordinal, ready) in [(0, "2026-11-21T11:00:00Z"), (1, "2026-11-21T11:55:00Z")] {
        objects.extend(pod(ordinal, "kv-old", ready, ready, "n1"));
    }
    objects.push(event("2026-11-21T11:58:00Z"));
    for (available, now) in [(1, "2026-11-21T11:58:00Z"), (2, "2026-11-21T12:05:00Z")] {
        let status = &mut objects[0]["status"];
        status["readyReplicas"] = json!(2);
        status["availableReplicas"] = json!(available);
        assert_eq!(report(&objects)["now"], now);
    }
}

#[test]
fn flags_and_dumps_have_their_own_time() {
    let objects = with(event("2026-11-21T11:59:50Z"));
    let dump = |args: &[&str]| {
        at(
            CLOCKS[0],
            &[&["dump", "-f", "-", "-o", "json"], args].concat(),
            &list(&objects),
        )
        .1
    };
    let planned = |input: &str, args: &[&str]| -> Value {
        let (_, out, _) = at(
            CLOCKS[1],
            &[&["-f", "-", "-o", "json"], args].concat(),
            input,
        );
        serde_json::from_str(&out).unwrap()
    };
    let given = "2026-11-21T12:00:10Z";
    let plan = planned(&list(&objects), &["--now", given]);
    assert_eq!(
        (&plan["now"], &plan["nowSource"]),
        (&json!(given), &json!("flag"))
    );
    for (args, now) in [
        (&[][..], "2026-11-21T11:59:50Z"),
        (&["--now", given], given),
    ] {
        let plan = planned(&dump(args), &[]);
        assert_eq!(
            (&plan["now"], &plan["nowSource"]),
            (&json!(now), &json!("cluster"))
        );
    }
}

#[test]
fn a_stuck_set_without_anything_refreshed_names_the_newest_time() {
    let note = "the newest time in the input is 2026-11-21T11:59:20Z: if the objects were read then, use --now \
                2026-11-21T11:59:20Z";
    let [(now, calm, _), (later, stuck, _)] = twice(&starting(), &["--fail-on", "blocked"]);
    assert_eq!((now, later), (0, 3));
    assert!(stuck.contains(note), "{stuck}");
    // At neither time has the pod been starting for long.
    assert!(!calm.contains("newest time"), "{calm}");
}

#[test]
fn a_healthy_set_without_events_is_as_calm_a_year_later() {
    let mut objects = set(3, "OrderedReady", "kv-old");
    for ordinal in 0..3 {
        objects.extend(pod(
            ordinal,
            "kv-old",
            "2026-11-20T00:00:00Z",
            "2026-11-20T00:00:20Z",
            "n1",
        ));
    }
    let status = &mut objects[0]["status"];
    for count in [
        "readyReplicas",
        "availableReplicas",
        "currentReplicas",
        "updatedReplicas",
    ] {
        status[count] = json!(3);
    }
    status["collisionCount"] = json!(0);
    let [now, later] = twice(&objects, &["--detailed-exitcode"]);
    assert_eq!(now, later);
    assert_eq!(now.0, 0);
    assert!(
        !now.1.contains("as of") && !now.1.contains("newest time"),
        "{}",
        now.1
    );
}

#[test]
fn a_manifest_is_planned_at_the_time_of_the_clock() {
    let mut manifest = set(3, "OrderedReady", "kv-old").swap_remove(0);
    manifest["metadata"] = json!({"name": "kv", "namespace": "prod"});
    manifest.as_object_mut().unwrap().remove("status");
    let plans = twice(&[manifest], &["-o", "json"]).map(|(_, out, _)| {
        let plan: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(plan["nowSource"], "clock");
        plan["now"].clone()
    });
    assert_eq!(plans, CLOCKS.map(|clock| json!(clock())));
}

#[test]
fn a_verification_of_files_is_as_old_as_its_input() {
    let folder = program::folder("now");
    let saved = folder.join("plan.json");
    let saved = saved.to_str().unwrap();
    let before = list(&with(event("2026-11-21T11:59:50Z")));
    at(CLOCKS[0], &["-f", "-", "--save", saved], &before);
    let verified = |last: &str| {
        let after = list(&with(event(last)));
        let found =
            CLOCKS.map(|clock| at(clock, &["verify", saved, "-f", "-", "-o", "json"], &after));
        assert_eq!(found[0], found[1]);
        serde_json::from_str::<Value>(&found[0].1).unwrap()
    };
    let found = verified("2026-11-21T11:59:55Z");
    assert_eq!(
        (&found["nowSource"], &found["elapsedSeconds"]),
        (&json!("input"), &json!(5))
    );
    // The objects were read after the plan was made, whatever their newest time is.
    assert_eq!(verified("2026-11-21T11:59:40Z")["elapsedSeconds"], 0);
}

#[test]
fn every_situation_at_night_gives_the_same_bytes_whenever_it_is_planned() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/trial/night");
    let Ok(files) = std::fs::read_dir(folder) else {
        println!("not tested: {folder} does not exist");
        return;
    };
    let mut number = 0;
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|it| it != "yaml") {
            continue;
        }
        for format in FORMATS {
            let args = [&["-f", path.to_str().unwrap(), "-A"], format].concat();
            let [now, later] = CLOCKS.map(|clock| at(clock, &args, ""));
            // One situation has nothing that is refreshed.
            if path.ends_with("a6-no-events.yaml") {
                assert_ne!(now, later);
                continue;
            }
            assert_eq!(now, later, "{}", path.display());
        }
        number += 1;
    }
    assert!(number > 50, "{number}");
}
