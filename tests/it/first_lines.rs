//! The first and the last lines of a plan: what comes first, what is cut, and what is said only once.

use kubectl_sts_plan::internals::{Format, Style};
use serde_json::{Value, json};
use sts_plan::plan::Plan;
use sts_plan::report::Report;

use crate::fixtures::snapshot;
use crate::golden;
use crate::night::run;
use crate::program;
use crate::render::{conditions, text};
use test_kit::kv::{DAY, NOW, crashes, node, pod, put, set};

/// The file of a real incident.
fn incident(name: &str) -> String {
    let path = golden::root().join(format!("fixtures/trial/{name}.yaml"));
    path.to_string_lossy().into_owned()
}

fn planned(name: &str, more: &[&str]) -> String {
    program::run(&[&["-f", &incident(name), "--now", NOW], more].concat()).1
}

/// A set of three in the middle of a rollout, whose last pod crashes on the new revision.
fn crashing(message: &str) -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", DAY, "2026-11-20T00:00:20Z", "n1"));
    }
    objects.extend(pod(2, "kv-new", "2026-11-21T11:10:00Z", DAY, "n1"));
    put(&mut objects, 2, crashes(message));
    objects
}

fn second_line(screen: &str) -> &str {
    screen.lines().nth(1).unwrap()
}

fn last_line(screen: &str) -> &str {
    screen.lines().last().unwrap()
}

#[test]
fn the_last_line_of_a_stuck_plan_counts_the_pods_that_it_leaves() {
    for (name, line) in [
        (
            "pg-crash",
            "Plan: BLOCKED 38m; 2 pods stay outdated, 1 not ready",
        ),
        (
            "pg-pending",
            "Plan: BLOCKED 12m; 2 pods stay outdated, 1 not ready",
        ),
        ("p-quota", "Plan: STUCK for 1h0m; 1 pod stays missing"),
        (
            "pg-nodelost",
            "Plan: STUCK for 36m; 1 pod stays outdated, 1 terminating",
        ),
        (
            "s-steady-notready",
            "Plan: STUCK for 1h59m; 1 pod stays not ready",
        ),
    ] {
        let screen = planned(name, &[]);
        assert_eq!(last_line(&screen), line, "{screen}");
        // A line that stands alone has the cause too.
        let alone = planned(name, &["-o", "summary"]);
        let (state, remaining) = line.split_once("; ").unwrap();
        assert!(alone.contains(&format!("{state}: ")), "{alone}");
        assert!(alone.trim_end().ends_with(remaining), "{alone}");
    }
    // A plan that acts first says what it does.
    let screen = planned("pg-half", &["--assume", "pg-1=never-ready"]);
    let line = "Plan: 1 to replace, 0 to create, 0 to delete; BLOCKED after 5s; 1 pod stays outdated, 1 not ready";
    assert_eq!(last_line(&screen), line, "{screen}");
}

#[test]
fn a_wait_for_a_person_is_no_end_in_any_format() {
    for (format, words) in [
        ("markdown", "### `db/pg`: WAITING FOR YOU"),
        ("html", "<p class=\"verdict busy\">WAITING FOR YOU</p>"),
        ("svg", ">WAITING FOR YOU</text>"),
        ("table", "\nWAITING FOR YOU: "),
    ] {
        let said = planned("pg-ondelete", &["-o", format]);
        assert!(said.contains(words), "{said}");
        assert!(!said.to_lowercase().contains("nothing to do"), "{said}");
    }
    // Pods may also wait after a rollout that ends.
    let said = planned("pg-ondelete", &["-o", "markdown", "--delete-pod", "pg-2"]);
    assert!(
        said.starts_with("### `db/pg`: WAITING FOR YOU after "),
        "{said}"
    );
    let screen = planned("pg-ondelete", &["--delete-pod", "pg-2"]);
    assert!(
        last_line(&screen).contains(" waiting for a manual delete after "),
        "{screen}"
    );
}

#[test]
fn a_deletion_is_in_the_headline() {
    let mut objects = crashing("");
    objects[0]["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:30:00Z");
    objects[0]["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
    for object in &mut objects {
        if object["metadata"]["name"] == "kv-2" {
            object["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:30:30Z");
            object["metadata"]["finalizers"] = json!(["example.com/drain"]);
        }
    }
    let screen = run(&objects, &[]);
    assert!(
        second_line(&screen).contains(": the StatefulSet is being deleted; "),
        "{screen}"
    );
    let mut objects = set(1, "OrderedReady", "kv-old");
    objects[0]["status"]["replicas"] = json!(0);
    objects.push(json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "prod"},
        "involvedObject": {"kind": "StatefulSet", "name": "kv"}, "type": "Warning", "reason": "FailedCreate",
        "message": "create Pod kv-0 in StatefulSet kv failed error: pods \"kv-0\" is forbidden: unable to create new \
            content in namespace prod because it is being terminated",
        "firstTimestamp": "2026-11-21T11:50:00Z", "lastTimestamp": "2026-11-21T11:58:00Z", "count": 12}));
    let screen = run(&objects, &[]);
    assert!(
        second_line(&screen).contains(": namespace prod is being deleted or gone; "),
        "{screen}"
    );
    let screen = run(&crashing(""), &[]);
    assert!(!screen.contains("being deleted"), "{screen}");
}

/// Two pods that crash, each since then.
fn two_ages(first: &str, second: &str) -> String {
    let mut objects = set(3, "Parallel", "kv-old");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-old", DAY, "2026-11-20T00:00:20Z", "n1"));
    }
    for (ordinal, since) in [(0, first), (1, second)] {
        let mut status = crashes("");
        status["conditions"][0]["lastTransitionTime"] = json!(since);
        put(&mut objects, ordinal, status);
    }
    run(&objects, &[])
}

#[test]
fn a_headline_names_the_pod_whose_age_it_gives() {
    let screen = two_ages("2026-11-21T11:30:00Z", "2026-11-21T10:00:00Z");
    let line = second_line(&screen);
    assert!(
        line.starts_with("BLOCKED 2h0m: ") && line.contains("kv-0 crash-loops"),
        "{screen}"
    );
    assert!(line.contains("; kv-1 for 2h0m; "), "{screen}");
    let screen = two_ages("2026-11-21T10:00:00Z", "2026-11-21T11:30:00Z");
    let line = second_line(&screen);
    assert!(
        line.starts_with("BLOCKED 2h0m: ") && !line.contains(" for 2h0m"),
        "{screen}"
    );
}

#[test]
fn a_headline_is_short_and_the_rest_of_it_is_evidence() {
    let message = format!(
        "FATAL: {} is unusable",
        "/var/lib/postgresql/data/".repeat(12)
    );
    let objects = crashing(&message);
    for format in ["table", "markdown"] {
        let screen = run(&objects, &["-o", format]);
        let headline = screen
            .lines()
            .find(|line| line.contains("BLOCKED"))
            .unwrap();
        assert!(
            headline.contains("kv-2 crash-loops on the new revision"),
            "{screen}"
        );
        assert!(headline.contains('…'), "{screen}");
    }
    let screen = run(&objects, &[]);
    assert!(second_line(&screen).chars().count() <= 160, "{screen}");
    let evidence = screen
        .lines()
        .find(|line| line.starts_with("  Evidence: "))
        .unwrap();
    let plan = crate::night::plan(&objects, &[]);
    let whole = plan["outcome"]["blockedBy"][0]["message"].as_str().unwrap();
    let (start, end) = second_line(&screen).split_once('…').unwrap();
    let (_, start) = start.split_once("FATAL").unwrap();
    let end = end.split_once("; ").map_or(end, |(end, _)| end);
    let (_, words) = whole.split_once("FATAL").unwrap();
    let cut = words
        .strip_prefix(start)
        .unwrap()
        .strip_suffix(end)
        .unwrap();
    assert!(evidence.contains(cut), "{screen}");
    // Programs get the whole sentence.
    let headline = plan["analysis"]["headline"].as_str().unwrap();
    assert!(headline.contains(whole), "{headline}");
    for folder in ["night", "blind", "reports"] {
        let folder = format!("{}/../shared/trial/{folder}", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|it| it == "yaml") {
                let (_, screen, _) = program::run(&["-f", path.to_str().unwrap(), "--now", NOW]);
                let line = screen.lines().nth(1).unwrap_or_default();
                assert!(line.chars().count() <= 160, "{}: {line}", path.display());
            }
        }
    }
}

/// Returns the commands of a screen, and its notes.
fn advice(screen: &str) -> (usize, Vec<&str>) {
    let lines = || {
        screen
            .lines()
            .take_while(|line| !line.starts_with("REVISION"))
    };
    let commands = lines()
        .filter(|line| line.starts_with("        kubectl ") || line.starts_with("  Look: kubectl"));
    (
        commands.count(),
        lines()
            .filter(|line| line.starts_with("  Note: "))
            .collect(),
    )
}

#[test]
fn risks_stand_as_long_as_any_command_does() {
    let report = |name: &str| Report::new(&Plan::new(snapshot(name), conditions()));
    let report = report("crashloop");
    let notes = report.outcome.blocked_by[0].cautions.len();
    assert!(notes > 0);
    let mut least = usize::MAX;
    for width in 24..120 {
        let style = Style {
            width: Some(width),
            ..Style::default()
        };
        let screen = text(Format::Table, std::slice::from_ref(&report), &style);
        let (commands, shown) = advice(&screen);
        least = least.min(commands);
        assert!(
            commands == 0 || shown.len() == notes,
            "{width} columns:\n{screen}"
        );
    }
    // Some commands are dropped on a narrow terminal.
    let whole = advice(&text(
        Format::Table,
        std::slice::from_ref(&report),
        &Style::default(),
    ))
    .0;
    assert!(least < whole, "{least} of {whole}");
}

#[test]
fn long_values_show_the_part_in_which_they_differ() {
    let registry = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/";
    let objects: Vec<Value> = crashing("")
        .iter()
        .map(|object| {
            let text = object.to_string();
            let text = text.replace("\"kv:1\"", &format!("\"{registry}kv:1\""));
            serde_json::from_str(&text.replace("\"kv:2\"", &format!("\"{registry}kv:2\""))).unwrap()
        })
        .collect();
    let screen = run(&objects, &[]);
    let line = screen
        .lines()
        .find(|line| line.starts_with("Differs: "))
        .unwrap();
    assert!(
        line.contains("amazonaws.com/kv:1 -> …") && line.contains("amazonaws.com/kv:2"),
        "{line}"
    );
    let screen = run(&objects, &["--image", &format!("{registry}kv:3")]);
    let line = screen
        .lines()
        .find(|line| line.starts_with("Change: "))
        .unwrap();
    assert!(
        line.contains("kv:2 -> …") && line.contains("kv:3 ("),
        "{line}"
    );
}

fn quorum_severity(objects: &[Value]) -> Option<String> {
    let plan = crate::night::plan(objects, &[]);
    let findings = plan["findings"].as_array().unwrap();
    let found = findings.iter().find(|it| it["id"] == "STS047")?;
    Some(found["severity"].as_str().unwrap().to_owned())
}

#[test]
fn a_pod_that_the_rollout_takes_down_is_no_warning_of_lost_quorum() {
    // The rollout is stuck on its first pod.
    assert_eq!(quorum_severity(&crashing("")).as_deref(), Some("info"));
    // So it is where its pod is missing.
    let mut missing = crashing("");
    missing.retain(|it| it["kind"] != "Pod" || it["metadata"]["name"] != "kv-2");
    assert_ne!(quorum_severity(&missing).as_deref(), Some("warning"));
    // A pod is down beside the rollout, or without any.
    let mut beside = crashing("");
    put(&mut beside, 0, crashes(""));
    assert_eq!(quorum_severity(&beside).as_deref(), Some("warning"));
    let mut steady = set(3, "OrderedReady", "kv-old");
    for ordinal in 0..3 {
        steady.extend(pod(ordinal, "kv-old", DAY, "2026-11-20T00:00:20Z", "n1"));
    }
    assert_eq!(quorum_severity(&steady), None);
    put(&mut steady, 2, crashes(""));
    assert_eq!(quorum_severity(&steady).as_deref(), Some("warning"));
    // An old pod is down while a newer one is updated.
    let mut outdated = crashing("");
    put(
        &mut outdated,
        2,
        json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True",
        "lastTransitionTime": "2026-11-21T11:20:00Z"}]}),
    );
    put(&mut outdated, 0, crashes(""));
    outdated.push(node("n1", "z", true));
    assert_eq!(quorum_severity(&outdated).as_deref(), Some("warning"));
}
