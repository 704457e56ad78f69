//! `diff PLAN PLAN`: what a change makes longer, shorter, safer or riskier; and the provenance of a saved plan.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::program::{self, run};

const ROLLOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
const SCALE_DOWN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/scale-down.yaml"
);
const NOW: [&str; 2] = ["--now", "2026-11-21T12:00:00Z"];

fn folder() -> PathBuf {
    program::folder("plan-diff")
}

/// The file of a saved plan.
fn saved(name: &str, args: &[&str]) -> String {
    let path = folder().join(format!("{name}.json"));
    let path = path.to_str().unwrap().to_owned();
    let (code, _, said) = run(&[&NOW[..], args, &["--save", &path]].concat());
    assert_eq!(code, 0, "{said}");
    path
}

#[test]
fn a_plan_that_was_edited_is_not_compared() {
    let path = saved("edited", &["-f", ROLLOUT]);
    let plan = fs::read_to_string(&path).unwrap();
    assert!(plan.contains("\"at\": 5,"));
    fs::write(&path, plan.replacen("\"at\": 5,", "\"at\": 6,", 1)).unwrap();
    let (code, table, said) = run(&["diff", &path, &path]);
    assert_eq!((code, &*table), (1, ""));
    assert!(said.contains("was edited after it was saved"), "{said}");
}

#[test]
fn a_slower_and_more_dangerous_plan_is_worse() {
    let first = saved("first", &["-f", ROLLOUT]);
    let slow = saved("slow", &["-f", ROLLOUT, "--ready-after", "5m2s"]);
    let (code, table, _) = run(&["diff", &first, &slow]);
    assert_eq!(code, 0);
    for part in [
        "prod/web\nworse\n",
        "worse       the rollout takes 14m0s longer (15m21s instead of 1m21s)",
        "other       assumed: new pods are ready after 5m2s",
    ] {
        assert!(table.contains(part), "{part:?} is not in {table}");
    }
    // In reverse, it is better.
    let (_, table, _) = run(&["diff", &slow, &first]);
    assert!(
        table.contains("prod/web\nbetter\n") && table.contains("14m0s shorter"),
        "{table}"
    );

    // A plan that ends sooner because it leaves pods outdated is not better.
    let canary = saved("canary", &["-f", ROLLOUT, "--partition", "2"]);
    let (_, table, _) = run(&["diff", &first, &canary]);
    assert!(
        table.contains("prod/web\ndifferent\n")
            && table.contains("other       the rollout takes 54s shorter"),
        "{table}"
    );

    // A plan that takes longer because it updates more pods is not worse.
    let (_, table, _) = run(&["diff", &canary, &first]);
    assert!(
        table.contains("prod/web\ndifferent\n")
            && table.contains("other       the rollout takes 54s longer"),
        "{table}"
    );

    // Nor is one that updates pods where the other updates none.
    let held = saved("held", &["-f", ROLLOUT, "--partition", "3"]);
    let (_, table, _) = run(&["diff", &held, &first]);
    assert!(
        !table.contains("worse")
            && table.contains("other       at most 1 unready at a time instead of 0"),
        "{table}"
    );

    let two = ["-f", ROLLOUT, "--kubernetes-version", "1.36"];
    let gate = ["--feature-gates", "MaxUnavailableStatefulSet=true"];
    let before = saved("quorum-before", &two);
    let after = saved(
        "quorum-after",
        &[&two[..], &gate, &["--max-unavailable", "2"]].concat(),
    );
    let (_, table, _) = run(&["diff", &before, &after]);
    for part in [
        "quorum (2 of 3 pods) is lost for 27s (first plan: never)",
        "at most 2 unready at a time instead of 1",
    ] {
        assert!(table.contains(part), "{part:?} is not in {table}");
    }
    assert!(table.contains("shorter"), "{table}");
    assert!(table.contains("\nbetter and worse\n"), "{table}");

    let stuck = saved("stuck", &["-f", ROLLOUT, "--assume", "web-1=never-ready"]);
    let (_, table, _) = run(&["diff", &first, &stuck]);
    assert!(
        table.contains("worse       the rollout is blocked (waiting for web-1"),
        "{table}"
    );
    assert!(table.contains("in the first plan, it completes"), "{table}");
    assert!(table.contains("STS001 blocked appears"), "{table}");
}

#[test]
fn data_loss_comes_first() {
    let keep = saved("keep", &["-f", SCALE_DOWN, "--replicas", "5"]);
    let lose = saved("lose", &["-f", SCALE_DOWN]);
    let (_, json, _) = run(&["diff", &keep, &lose, "-o", "json"]);
    let diff: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(diff["kind"], "PlanDiff");
    assert_eq!(diff["verdict"], "worse");
    let first = &diff["differences"][0];
    assert_eq!(first["about"], "claims");
    assert_eq!(
        first["message"],
        "the data of claim data-web-2 and 2 more is lost"
    );
    let (_, comment, _) = run(&["diff", &keep, &lose, "-o", "markdown"]);
    assert!(
        comment.starts_with("### `prod/web`: worse\n\n- **worse** the data"),
        "{comment}"
    );
    let (_, line, _) = run(&["diff", &keep, &lose, "-o", "summary"]);
    assert!(
        line.starts_with("prod/web: worse: the data of claim"),
        "{line}"
    );
    let (_, yaml, _) = run(&["diff", &keep, &lose, "-o", "yaml"]);
    assert!(yaml.contains("verdict: worse"), "{yaml}");
    // The schema describes it.
    let (_, schema, _) = run(&["schema"]);
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&diff));
}

#[test]
fn equal_plans_do_not_differ() {
    let first = saved("same-first", &["-f", ROLLOUT]);
    let second = saved("same-second", &["-f", ROLLOUT]);
    let args = [
        "diff",
        first.as_str(),
        second.as_str(),
        "--detailed-exitcode",
    ];
    let (code, table, said) = run(&args);
    assert_eq!((code, &*said), (0, ""));
    assert_eq!(table, "prod/web\nsame: no differences\n");
    let slow = saved("same-slow", &["-f", ROLLOUT, "--gone-after", "1s"]);
    let (code, _, said) = run(&["diff", &first, &slow, "--detailed-exitcode"]);
    assert_eq!(code, 2);
    assert_eq!(said, "exit code 2: the plans of prod/web differ\n");
}

#[test]
fn sets_of_lists_are_compared_by_name() {
    let (_, list, _) = run(&[&NOW[..], &["-f", ROLLOUT, "-o", "json"]].concat());
    let one: Value = serde_json::from_str(&list).unwrap();
    let mut other = one.clone();
    other["metadata"]["name"] = "db".into();
    let file = |name: &str, items: &[&Value]| {
        let path = folder().join(name);
        let text: Vec<String> = items.iter().map(ToString::to_string).collect();
        fs::write(&path, text.join("\n---\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let first = file("list-1.yaml", &[&one, &other]);
    let second = file("list-2.yaml", &[&one]);
    let (_, table, _) = run(&["diff", &first, &second]);
    assert_eq!(table.split("\n\n").count(), 2, "{table}");
    assert!(
        table.starts_with(
            "prod/db\nno longer planned: only the first file contains a plan: Plan: 3"
        )
    );
    let (_, table, _) = run(&["diff", &second, &first]);
    assert!(
        table.starts_with("prod/db\nnew: only the second file contains a plan"),
        "{table}"
    );
}

#[test]
fn an_invalid_plan_is_reported_by_file() {
    for (args, part) in [
        (&["diff", ROLLOUT, ROLLOUT][..], "rollout.yaml: "),
        (&["diff", nonexistent!(), ROLLOUT], nonexistent!(": ")),
        (&["diff", "-", "-"], "standard input can be read only once"),
        (&["diff", ROLLOUT], "<PLAN>"),
        (
            &["diff", ROLLOUT, ROLLOUT, "-o", "html"],
            "unsupported format for diff: -o html",
        ),
    ] {
        let (code, _, said) = run(args);
        assert!(code == 1 && said.contains(part), "{args:?}: {said}");
    }
}

/// A saved plan names the command that made it, without secrets; a printed plan has no such line.
#[test]
fn a_saved_plan_records_its_command() {
    let path = saved(
        "made",
        &["-f", ROLLOUT, "--token", "hunter2", "--partition", "1"],
    );
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter2"), "{text}");
    let plan: Value = serde_json::from_str(&text).unwrap();
    let made = &plan["metadata"]["madeBy"];
    assert_eq!(made["version"], env!("CARGO_PKG_VERSION"));
    let words: Vec<&str> = made["commandLine"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(words[0], "kubectl-sts_plan");
    assert!(
        words.join(" ").contains("--token *** --partition 1"),
        "{words:?}"
    );
    let (_, verified, said) = run(&[&["verify", &path, "-v", "-f", ROLLOUT], &NOW[..]].concat());
    assert!(
        verified.contains("made by") && verified.contains("--partition 1"),
        "{verified}{said}"
    );
    let (_, printed, _) = run(&[&NOW[..], &["-f", ROLLOUT, "-o", "json"]].concat());
    assert!(!printed.contains("madeBy"));
}

#[test]
fn verification_supports_the_formats_of_plans() {
    let path = saved("formats", &["-f", ROLLOUT]);
    let verify = |format: &str, more: &[&str]| {
        let args = [&["verify", &path, "-f", ROLLOUT, "-o", format], more].concat();
        run(&args)
    };
    for (format, part) in [
        ("table", "prod/web  plan of"),
        ("wide", "prod/web  plan of"),
        ("json", "\"kind\": \"Verification\""),
        ("yaml", "kind: Verification"),
        ("name", "statefulset.apps/web\n"),
        ("summary", "prod/web: "),
        ("markdown", "### `prod/web`: on track"),
        (
            "junit",
            "<testcase classname=\"prod/web\" name=\"the rollout follows the plan\"",
        ),
        ("sarif", "\"version\": \"2.1.0\""),
        ("github", "::notice title=prod/web::"),
        ("gitlab", "[]\n"),
        (
            "prometheus",
            "sts_plan_verification{namespace=\"prod\",statefulset=\"web\",verdict=\"onTrack\"} 1",
        ),
        ("svg", "<title>web-0</title>"),
        ("html", "<p class=\"verdict good\">On track</p>"),
        ("jsonpath={.verdict}", "onTrack"),
        ("custom-columns=V:.verdict", "onTrack"),
    ] {
        let (code, text, said) = verify(format, &NOW);
        assert_eq!(code, 0, "{format}: {said}");
        assert!(text.contains(part), "{format}: {text}");
    }
    // A plan that diverged from reality fails its test.
    let stale = ["--now", "2026-11-21T12:00:00Z"];
    let (code, tests, _) = {
        let dump = fs::read_to_string(ROLLOUT)
            .unwrap()
            .replace("replicas: 3", "replicas: 4");
        let changed = folder().join("changed.yaml");
        fs::write(&changed, dump).unwrap();
        let changed = changed.to_str().unwrap();
        run(&[&["verify", &path, "-f", changed, "-o", "junit"], &stale[..]].concat())
    };
    assert_eq!(code, 4, "{tests}");
    assert!(tests.contains("failures=\"1\""), "{tests}");
}
