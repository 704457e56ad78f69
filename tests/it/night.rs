//! The screen for an on-call engineer: the lines above the pods, remedies simulated with everything known, and times
//! observed in this rollout.

use serde_json::{Value, json};
use test_kit::kv::{NOW, UID, node, not_ready, pod, put, set};

use crate::program;

fn unplaced() -> Value {
    json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": "0/3 nodes are available: 3 Insufficient cpu.", "lastTransitionTime": "2026-11-21T11:20:00Z"}]})
}

pub fn run(objects: &[Value], flags: &[&str]) -> String {
    let now: &[&str] = if flags.contains(&"--now") {
        &[]
    } else {
        &["--now", NOW]
    };
    let (code, out, err) = program::run_on(objects, &[now, flags].concat());
    assert!(code <= 3, "{err}");
    out
}

pub fn plan(objects: &[Value], flags: &[&str]) -> Value {
    let out = run(objects, &[flags, &["-o", "json"]].concat());
    serde_json::from_str(&out).unwrap()
}

/// Number of lines above the table of pods.
fn lines_above(screen: &str) -> usize {
    let table = |line: &str| line.starts_with("REVISION") || line.starts_with("POD");
    screen.lines().position(table).unwrap_or_default()
}

/// A set of many pods, this many of which are in trouble, of several kinds.
fn many(replicas: usize, broken: usize) -> Vec<Value> {
    let mut objects = set(replicas, "Parallel", "kv-old");
    let day = "2026-11-20T00:00:00Z";
    for ordinal in 0..replicas {
        objects.extend(pod(
            ordinal,
            "kv-old",
            day,
            day,
            &format!("n-{}", ordinal % 7),
        ));
    }
    for (at, ordinal) in (0..replicas).step_by(replicas / broken).enumerate() {
        let wait = |reason: &str, message: String| json!({"waiting": {"reason": reason, "message": message}});
        let status = match at % 5 {
            0 => not_ready(
                "Running",
                wait("CrashLoopBackOff", "back-off 5m0s".into()),
                30,
                1,
            ),
            1 => not_ready(
                "Running",
                wait("CrashLoopBackOff", "back-off 5m0s".into()),
                30,
                137,
            ),
            2 => not_ready(
                "Pending",
                wait("ImagePullBackOff", "401 Unauthorized".into()),
                0,
                0,
            ),
            3 => not_ready(
                "Pending",
                wait(
                    "CreateContainerConfigError",
                    format!("secret \"s-{at}\" not found"),
                ),
                0,
                0,
            ),
            _ => unplaced(),
        };
        put(&mut objects, ordinal, status);
    }
    objects.extend((0..7).map(|at| node(&format!("n-{at}"), "a", at != 3)));
    objects
}

#[test]
fn a_screen_above_the_pods_is_enough_for_40_and_for_200_pods() {
    for (replicas, broken) in [(40, 20), (40, 40), (200, 60), (200, 200)] {
        let screen = run(&many(replicas, broken), &[]);
        let lines = lines_above(&screen);
        assert!((3..=25).contains(&lines), "{lines}\n{screen}");
        assert!(
            screen.contains(&format!("of {replicas} pods: ")),
            "{screen}"
        );
        // The causes are counted, and the remedy of the first is shown.
        assert!(screen.contains(" image-unauthorized ("), "{screen}");
        let told = ["\n  Look: kubectl describe pod kv-", "\n  Do:   "];
        assert!(told.iter().any(|it| screen.contains(it)), "{screen}");
    }
    // The verbose output omits nothing.
    let screen = run(&many(40, 20), &["-v"]);
    assert!(
        lines_above(&screen) > 25 && !screen.contains("Also: "),
        "{screen}"
    );
}

#[test]
fn a_screen_above_the_pods_is_enough_for_every_situation() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/trial/night");
    let Ok(files) = std::fs::read_dir(folder) else {
        println!("not tested: {folder} does not exist");
        return;
    };
    let mut number = 0;
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|it| it == "yaml") {
            let (_, out, _) = program::run(&["-f", path.to_str().unwrap(), "--now", NOW]);
            assert!(lines_above(&out) <= 25, "{}\n{out}", path.display());
            number += 1;
        }
    }
    assert!(number > 50, "{number}");
}

#[test]
fn pods_of_one_cause_are_grouped_and_each_cause_has_its_remedies() {
    let objects = many(40, 20);
    let report = plan(&objects, &[]);
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    let first = obstacles
        .iter()
        .position(|it| it["cause"] == "image-unauthorized");
    let first = &obstacles[first.unwrap()];
    assert_eq!(first["about"], "image/kv:1");
    assert!(
        first["like"].is_null() && first["remedies"].is_array(),
        "{first}"
    );
    let others: Vec<_> = obstacles
        .iter()
        .filter(|it| it["like"] == first["pod"])
        .collect();
    assert!(!others.is_empty());
    assert!(others.iter().all(|it| it["cause"] == "image-unauthorized"));
}

/// The set with kv-2 refused by a quota; the first and last refusals are at these times.
fn refused(first: &str, last: &str, count: i64) -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-old");
    let day = "2026-11-20T00:00:00Z";
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", day, day, "n-1"));
    }
    objects.push(json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreate",
        "message": "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: exceeded quota: \
            compute, requested: memory=2Gi, used: memory=10Gi, limited: memory=10Gi",
        "metadata": {"name": "kv.1", "namespace": "prod"}, "count": count,
        "involvedObject": {"kind": "StatefulSet", "namespace": "prod", "name": "kv", "uid": UID},
        "firstTimestamp": first, "lastTimestamp": last}));
    objects
}

#[test]
fn the_next_retry_after_a_refusal_is_predicted() {
    // Refused for 5m28s until a minute ago: the next delay is as long.
    let objects = refused("2026-11-21T11:53:32Z", "2026-11-21T11:59:00Z", 17);
    let report = plan(&objects, &[]);
    let obstacle = &report["outcome"]["blockedBy"][0];
    assert_eq!(
        obstacle["retry"],
        json!({"expectedInSeconds": 268, "atLatestInSeconds": 940})
    );
    let cautions = obstacle["cautions"].to_string();
    assert!(
        cautions.contains(
            "the controller retries in about 4m28s, within 15m40s at the latest; any update of the set \
             triggers a retry now"
        ),
        "{cautions}"
    );
    let remedies = obstacle["remedies"].as_array().unwrap();
    let raised = remedies.iter().find(|it| it["looks"] == true).unwrap();
    let effect = raised["effect"].as_str().unwrap();
    assert!(
        effect.starts_with("the controller retries in about 4m28s; the rollout completes after "),
        "{effect}"
    );
    assert!(
        raised["completesAfterSeconds"].as_i64().unwrap() >= 268,
        "{raised}"
    );
    // If the next delay has passed, only the longest is known.
    let objects = refused("2026-11-21T11:49:50Z", "2026-11-21T11:50:00Z", 12);
    let report = plan(&objects, &[]);
    let obstacle = &report["outcome"]["blockedBy"][0];
    assert_eq!(obstacle["retry"], json!({"atLatestInSeconds": 400}));
    let text = run(&objects, &[]);
    assert!(text.contains("retries within 6m40s;"), "{text}");
    // A remedy that writes to the set does not wait: another template is tried at once.
    let remedies = report["outcome"]["blockedBy"][0]["remedies"].to_string();
    assert!(!remedies.contains("rollout undo"), "{remedies}");
}

/// Five pods, two of them on the only node of zone a, which does not respond.
fn zone_lost(more: &[Value]) -> Vec<Value> {
    let mut objects = set(5, "OrderedReady", "kv-old");
    let day = "2026-11-20T00:00:00Z";
    for (ordinal, on) in ["n-a", "n-b", "n-c", "n-a", "n-b"].iter().enumerate() {
        objects.extend(pod(ordinal, "kv-old", day, day, on));
    }
    for ordinal in [0, 3] {
        let status = not_ready("Running", json!({"running": {"startedAt": day}}), 0, 0);
        put(&mut objects, ordinal, status);
    }
    for pod in &mut objects {
        if pod["kind"] == "Pod" && pod["spec"]["nodeName"] == "n-a" {
            pod["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:20:00Z");
            pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        }
    }
    objects.push(node("n-a", "a", false));
    objects.push(node("n-b", "b", true));
    objects.push(node("n-c", "c", true));
    objects.extend(more.iter().cloned());
    objects
}

fn class(provisioner: &str) -> Value {
    json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "gp3"},
        "provisioner": provisioner})
}

/// The volumes of the five pods, each in the zone of its node, as `place` writes it.
fn volumes(place: impl Fn(&str) -> Value) -> Vec<Value> {
    let zones = ["a", "b", "c", "a", "b"];
    let volumes = zones.iter().enumerate().map(|(ordinal, zone)| {
        let mut volume = json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": format!("pv-{ordinal}")},
            "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3", "claimRef":
                {"namespace": "prod", "name": format!("data-kv-{ordinal}"), "uid": "u"}},
            "status": {"phase": "Bound"}});
        let place = place(zone);
        for (member, value) in place.as_object().unwrap() {
            for (name, value) in value.as_object().unwrap() {
                volume[member][name] = value.clone();
            }
        }
        volume
    });
    volumes.collect()
}

#[test]
fn no_remedy_promises_a_pod_back_whose_volume_is_in_a_zone_without_a_node() {
    let by_affinity = |zone: &str| {
        json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}]}}}})
    };
    let by_label =
        |zone: &str| json!({"metadata": {"labels": {"topology.kubernetes.io/zone": zone}}});
    let ways = [
        volumes(by_affinity),
        volumes(by_label),
        // Without the volumes, their class shows it: each is zonal, in the zone of the node.
        vec![class("ebs.csi.aws.com")],
    ];
    for way in ways {
        let objects = zone_lost(&way);
        let report = plan(&objects, &[]);
        let obstacle = &report["outcome"]["blockedBy"][0];
        assert_eq!(obstacle["cause"], "node-lost");
        for remedy in obstacle["remedies"].as_array().unwrap() {
            let (condition, helps) = (remedy["precondition"].as_str().unwrap(), &remedy["helps"]);
            let is_safe = condition.contains("add a node in zone a first")
                || condition.contains("once node n-a is back");
            assert!(is_safe, "{remedy:#}");
            assert_eq!(*helps, json!(true), "{remedy:#}");
        }
        let cautions = obstacle["cautions"].to_string();
        assert!(
            cautions.contains("the volumes of kv-0 are in zone a, where no ready node can run it"),
            "{cautions}"
        );
        // Another node in the zone unblocks the set.
        let mut joined = objects.clone();
        joined.push(node("n-d", "a", true));
        let report = plan(&joined, &[]);
        let remedies = report["outcome"]["blockedBy"][0]["remedies"].clone();
        let taint = remedies
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["commands"].to_string().contains("out-of-service"));
        let taint = taint.unwrap_or_else(|| panic!("{remedies:#}"));
        assert!(taint["completesAfterSeconds"].is_i64(), "{taint:#}");
        assert!(
            !taint["precondition"].to_string().contains("add a node"),
            "{taint:#}"
        );
    }
    // If a class is not known to be zonal, the location of its volumes is unknown.
    let objects = zone_lost(&[class("nfs.csi.k8s.io")]);
    let report = plan(&objects, &[]);
    let cautions = report["outcome"]["blockedBy"][0]["cautions"].to_string();
    let words = "unknown whether another node can attach the volume of data-kv-0";
    assert!(cautions.contains(words), "{cautions}");
}

#[test]
fn no_remedy_promises_a_pod_whose_local_volume_is_lost() {
    let local = |zone: &str| {
        json!({"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [format!("n-{zone}")]}]}]}}}})
    };
    let report = plan(&zone_lost(&volumes(local)), &[]);
    let obstacle = &report["outcome"]["blockedBy"][0];
    let remedies = obstacle["remedies"].as_array().unwrap();
    assert_eq!(remedies.len(), 1, "{remedies:#?}");
    assert_eq!(remedies[0]["precondition"], "once node n-a is back");
    assert_eq!(
        remedies[0]["commands"],
        json!(["kubectl describe node n-a"])
    );
    assert!(
        remedies[0]["completesAfterSeconds"].is_i64(),
        "{remedies:#?}"
    );
}

/// A rollout of 30 pods from the highest ordinal down that has replaced this many. Each took 20 s to terminate and 80 s
/// to become ready.
fn under_way(done: usize) -> Vec<Value> {
    let mut objects = set(30, "OrderedReady", "kv-new");
    let began: jiff::Timestamp = "2026-11-21T11:30:00Z".parse().unwrap();
    let at = |seconds: usize| {
        let after = jiff::SignedDuration::from_secs(i64::try_from(seconds).unwrap());
        began.checked_add(after).unwrap().to_string()
    };
    for ordinal in 0..30 {
        let turn = 29 - ordinal;
        if turn < done {
            let (created, ready) = (at(turn * 100 + 20), at(turn * 100 + 100));
            objects.extend(pod(ordinal, "kv-new", &created, &ready, "n-1"));
        } else {
            let day = "2026-11-20T00:00:00Z";
            objects.extend(pod(ordinal, "kv-old", day, "2026-11-20T00:00:25Z", "n-1"));
        }
    }
    objects.push(node("n-1", "a", true));
    objects
}

#[test]
fn the_estimate_learns_from_the_pace_of_this_rollout() {
    let objects = under_way(12);
    let now = ["--now", "2026-11-21T11:50:05Z"];
    let eta = |flags: &[&str]| {
        let report = plan(&objects, &[&now[..], flags].concat());
        report["analysis"]["eta"].clone()
    };
    let mut slow = objects.clone();
    // One of them was slower, so there is a range.
    for pod in &mut slow {
        if pod["kind"] == "Pod" && pod["metadata"]["name"] == "kv-18" {
            pod["status"]["conditions"][0]["lastTransitionTime"] = json!("2026-11-21T11:50:02Z");
        }
    }
    let learned = plan(&slow, &now)["analysis"]["eta"].clone();
    assert_eq!(
        learned["pace"],
        json!({"done": 12, "of": 30, "secondsPerPod": 100})
    );
    let message = learned["message"].as_str().unwrap();
    assert!(
        message.contains(": 12 of 30, 1m40s a pod; ready 1m20s"),
        "{message}"
    );
    assert!(message.ends_with("gone 20s seen"), "{message}");
    // 18 pods are left.
    let (least, most) = (&learned["minSeconds"], &learned["maxSeconds"]);
    assert!((1790..=1810).contains(&least.as_i64().unwrap()), "{least}");
    assert!((1800..=1900).contains(&most.as_i64().unwrap()), "{most}");
    // It is shown in one place.
    let text = run(&slow, &now);
    assert_eq!(text.matches("12 of 30").count(), 1, "{text}");
    // A flag overrides it.
    let given = eta(&["--ready-after", "10s", "--gone-after", "1s"]);
    assert!(given.is_null(), "{given}");
    let report = plan(&objects, &[&now[..], &["--ready-after", "10s"]].concat());
    let assumed = report["assumptions"].to_string();
    assert!(
        assumed.contains("new pods are ready after 10s (--ready-after)"),
        "{assumed}"
    );
    // Two pods do not determine the pace.
    let report = plan(&under_way(2), &["--now", "2026-11-21T11:33:21Z"]);
    assert!(report["analysis"]["eta"]["pace"].is_null(), "{report:#}");
}

#[test]
fn the_controller_is_late_by_the_last_real_event() {
    // The plan expects half a minute for the next pod; it took 99 seconds.
    let saved = run(
        &under_way(2),
        &["--now", "2026-11-21T11:33:21Z", "-o", "json"],
    );
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/night-late.json");
    std::fs::write(path, saved).unwrap();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": under_way(3)}).to_string();
    let late = |now: &str| {
        let (_, out, err) = program::feed(
            &["verify", path, "-f", "-", "--now", now, "-o", "json"],
            &list,
        );
        let found: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        assert!(found["done"].as_i64().unwrap() > 2, "{out}");
        found["late"].clone()
    };
    // kv-27 has been ready since 11:35:00: the controller has had ten seconds.
    assert!(
        late("2026-11-21T11:35:10Z").is_null(),
        "{}",
        late("2026-11-21T11:35:10Z")
    );
    let found = late("2026-11-21T11:35:24Z");
    assert_eq!(
        (&found["bySeconds"], &found["isControllers"]),
        (&json!(24), &json!(true))
    );
    let told = found["message"].as_str().unwrap();
    assert!(
        told.ends_with(
            "delete kv-26: the controller has not acted for 24s: check kube-controller-manager"
        ),
        "{told}"
    );
}
