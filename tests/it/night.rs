//! The screen for an on-call engineer: the lines above the pods, remedies simulated with everything known, and times
//! observed in this rollout.

use serde_json::{Value, json};
use test_kit::kv::{DAY, NOW, node, not_ready, pod, put, set, unplaced};

use crate::program;

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
    for ordinal in 0..replicas {
        objects.extend(pod(
            ordinal,
            "kv-old",
            DAY,
            DAY,
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
            _ => unplaced(
                "Unschedulable",
                "0/3 nodes are available: 3 Insufficient cpu.",
            ),
        };
        put(&mut objects, ordinal, status);
    }
    objects.extend((0..7).map(|at| node(&format!("n-{at}"), "a", at != 3)));
    objects
}

/// Pods that only look and wait for the same repair have one paragraph.
#[test]
fn pods_of_one_cause_without_commands_of_their_own_are_told_once() {
    let mut objects = set(2, "Parallel", "kv-old");
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
        let waits = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}});
        put(&mut objects, ordinal, not_ready("Running", waits, 9, 1));
    }
    let screen = run(&objects, &[]);
    let paragraphs = |screen: &str| screen.matches("\n  Fix:  ").count();
    assert_eq!(paragraphs(&screen), 1, "{screen}");
    assert!(screen.contains("\n  Also: kv-"), "{screen}");
    assert!(!screen.contains("the next obstacle"), "{screen}");
    assert_eq!(paragraphs(&run(&objects, &["-v"])), 2);
    // The rollback helps both alike.
    let mut objects = set(3, "Parallel", "kv-new");
    objects[0]["spec"]["updateStrategy"] =
        json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}});
    objects.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    for ordinal in 1..3 {
        objects.extend(pod(ordinal, "kv-new", DAY, DAY, "n-1"));
        let waits = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}});
        put(&mut objects, ordinal, not_ready("Running", waits, 9, 1));
    }
    let screen = run(&objects, &[]);
    assert!(screen.contains("kubectl rollout undo"), "{screen}");
    assert_eq!(paragraphs(&screen), 1, "{screen}");
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
            objects.extend(pod(ordinal, "kv-old", DAY, "2026-11-20T00:00:25Z", "n-1"));
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
