//! `--learn`: how long pods take, from verifications of earlier rollouts.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::program::{self, run};

const ROLLOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
/// Time of the plan.
const BEGINS: &str = "2026-11-21T12:00:00Z";

/// A new folder for a test.
fn folder(test: &str) -> PathBuf {
    program::new_folder(&format!("learn-{test}"))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The objects of the fixture after a rollout. Each pod was ready `ready` seconds after its creation, and was created
/// `gone` seconds after the previous pod was ready.
fn after_a_rollout(ready: i64, gone: i64, rollout: &str) -> String {
    let objects = fs::read_to_string(ROLLOUT).unwrap();
    let mut items: Vec<Value> = serde_yaml::Deserializer::from_str(&objects)
        .map(|document| Value::deserialize(document).unwrap())
        .filter(|object| !object.is_null())
        .collect();
    if let Some(list) = items[0]["items"].as_array() {
        items = list.clone();
    }
    let begins: jiff::Timestamp = BEGINS.parse().unwrap();
    let moment = |seconds: i64| {
        let at = begins + jiff::SignedDuration::from_secs(seconds);
        json!(at.to_string())
    };
    for pod in items.iter_mut().filter(|object| object["kind"] == "Pod") {
        let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
        let ordinal: i64 = name.rsplit('-').next().unwrap().parse().unwrap();
        let created = gone + (2 - ordinal) * (ready + gone);
        pod["metadata"]["uid"] = json!(format!("{rollout}-{name}"));
        pod["metadata"]["creationTimestamp"] = moment(created);
        let conditions = pod["status"]["conditions"].as_array_mut().unwrap();
        for condition in conditions.iter_mut().filter(|it| it["type"] == "Ready") {
            condition["lastTransitionTime"] = moment(created + ready);
        }
    }
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

/// Plans, simulates a rollout, and saves the verification.
fn lesson(folder: &Path, rollout: &str, (ready, gone): (i64, i64)) {
    let plan = folder.with_extension(format!("{rollout}-plan.json"));
    let (code, _, error) = run(&["-f", ROLLOUT, "--now", BEGINS, "--save", text(&plan)]);
    assert_eq!(code, 0, "{error}");
    let later = folder.with_extension(format!("{rollout}-later.json"));
    fs::write(&later, after_a_rollout(ready, gone, rollout)).unwrap();
    let kept = folder.join(format!("{rollout}.json"));
    // Twice, as after repeated runs during a rollout: a pod counts once.
    for again in ["", "-again"] {
        let kept = kept.with_file_name(format!("{rollout}{again}.json"));
        let (_, _, error) = run(&[
            "verify",
            text(&plan),
            "-f",
            text(&later),
            "--now",
            "2026-11-21T13:00:00Z",
            "--save",
            text(&kept),
        ]);
        assert!(kept.is_file(), "{error}");
    }
}

#[test]
fn estimates_rest_on_earlier_rollouts() {
    let folder = folder("rollouts");
    lesson(&folder, "first", (40, 7));
    lesson(&folder, "second", (60, 9));
    lesson(&folder, "third", (50, 8));
    // A saved plan in the same directory is allowed.
    let plan = folder.join("plan.json");
    run(&["-f", ROLLOUT, "--now", BEGINS, "--save", text(&plan)]);

    let args = ["-f", ROLLOUT, "--now", BEGINS, "--learn", text(&folder)];
    let (code, out, error) = run(&args);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("gone 8s, ready 50s"), "{out}");
    let eta = "ready 40s-1m0s learned (p10-p90 of 9 pods), gone 7s-9s learned (p10-p90 of 6 pods)";
    assert!(out.contains(eta), "{out}");
    let (_, out, _) = run(&[&args[..], &["-o", "json"]].concat());
    let plan: Value = serde_json::from_str(&out).unwrap();
    let assumed = plan["assumptions"].to_string();
    let why = "new pods are ready after 50s: the median of 9 pods of earlier rollouts (p10 40s, p90 1m0s)";
    assert!(assumed.contains(why), "{assumed}");

    // A flag takes precedence.
    let given = [&args[..], &["--ready-after", "5s", "--gone-after", "1s"]].concat();
    let (_, out, _) = run(&given);
    assert!(out.contains("gone 1s, ready 5s"), "{out}");
}

#[test]
fn a_set_without_a_verification_uses_its_own_pods() {
    let folder = folder("other");
    lesson(&folder, "only", (40, 7));
    let kept = folder.join("only.json");
    let other = fs::read_to_string(&kept)
        .unwrap()
        .replace("\"web\"", "\"db\"");
    fs::write(&kept, other).unwrap();
    fs::remove_file(folder.join("only-again.json")).unwrap();
    let args = ["-f", ROLLOUT, "--now", BEGINS, "--learn", text(&folder)];
    let (code, out, error) = run(&[&args[..], &["-v"]].concat());
    assert_eq!(code, 0, "{error}");
    assert!(
        out.contains("--learn has no verification of this set"),
        "{out}"
    );
    assert!(out.contains("gone 5s, ready 22s"), "{out}");
}

#[test]
fn a_directory_without_verifications_is_an_error() {
    let folder = folder("broken");
    let learn = |expected: &str| {
        let (code, out, error) = run(&["-f", ROLLOUT, "--learn", text(&folder)]);
        assert_eq!((code, &*out), (1, ""), "{expected}");
        assert!(error.contains(expected), "{expected}: {error}");
    };
    learn("no verification in ");
    let file = folder.join("a.json");
    for (content, expected) in [
        ("{", "neither JSON nor YAML in line"),
        ("{\"kind\": \"Pod\"}", "not of sts-plan/v1: "),
        (
            "{\"apiVersion\": \"sts-plan/v1\", \"kind\": \"Verification\"}",
            "invalid Verification: missing field",
        ),
        (
            "{\"apiVersion\": \"sts-plan/v1\", \"kind\": \"PlanDiff\"}",
            "unexpected kind \"PlanDiff\"",
        ),
    ] {
        fs::write(&file, content).unwrap();
        learn(expected);
    }
    fs::remove_dir_all(&folder).unwrap();
    learn("No such file or directory");
}
