//! The policy of a repository: its discovery, its rules for some sets, and ignores with a reason and an end date.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::golden;
use crate::program;

/// A repository with a fixture in a folder, and a policy at its top.
fn repository(test: &str, policy: &str) -> PathBuf {
    let top = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("policy-{test}"));
    let _ = fs::remove_dir_all(&top);
    fs::create_dir_all(top.join(".git")).unwrap();
    fs::create_dir_all(top.join("deploy/shop")).unwrap();
    fs::write(top.join(".sts-plan.yaml"), policy).unwrap();
    for name in ["scale-down", "rollout"] {
        let fixture = golden::root().join(format!("fixtures/{name}.yaml"));
        fs::copy(fixture, top.join(format!("deploy/shop/{name}.yaml"))).unwrap();
    }
    top
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    program::run_in(folder, &[&["--now", "2026-11-21T12:00:00Z"], args].concat())
}

#[test]
fn a_policy_is_found_above_the_file_and_named() {
    let top = repository("found", "fail-on: [data-loss]\n");
    let file = "deploy/shop/scale-down.yaml";
    let (code, _, said) = run(&top, &["-f", file]);
    assert_eq!(code, 5, "{said}");
    assert!(
        said.contains("policy: ") && said.contains(".sts-plan.yaml\n"),
        "{said}"
    );
    // From any directory: the file decides.
    let path = top.join(file);
    let (code, _, said) = run(Path::new("/"), &["-f", path.to_str().unwrap()]);
    assert_eq!(code, 5, "{said}");
    // Standard input and a cluster use the working directory.
    let (code, _, said) = run(&top.join("deploy"), &["-f", "-"]);
    assert!(code == 1 && said.contains("policy: "), "{said}");
    for args in [
        &["-f", file, "--policy", "none"][..],
        &["-f", file, "--fail-on", "blocked"],
    ] {
        let (code, _, said) = run(&top, args);
        assert_eq!(code, 0, "{args:?}: {said}");
    }
    let (_, _, said) = run(&top, &["-f", file, "--policy", "none"]);
    assert_eq!(said, "");
    // Files above a repository are not part of it.
    let inner = top.join("inner");
    fs::create_dir_all(inner.join(".git")).unwrap();
    fs::copy(top.join(file), inner.join("set.yaml")).unwrap();
    let (code, _, said) = run(&inner, &["-f", "set.yaml"]);
    assert_eq!((code, &*said), (0, ""));
}

/// Without a repository, only the folder of the input and the working directory count, because anyone may write to a
/// parent directory such as `/tmp`.
#[test]
fn without_a_repository_parent_directories_are_not_searched() {
    let top = std::env::temp_dir().join(format!("sts-plan-policy-{}", std::process::id()));
    let deploy = top.join("shop/deploy");
    let beside = top.join("beside");
    fs::create_dir_all(&deploy).unwrap();
    fs::create_dir_all(&beside).unwrap();
    let fixture = golden::root().join("fixtures/scale-down.yaml");
    fs::copy(fixture, deploy.join("set.yaml")).unwrap();
    let policy = |folder: &Path| {
        fs::write(folder.join(".sts-plan.yaml"), "fail-on: [data-loss]\n").unwrap();
    };
    let file = deploy.join("set.yaml");
    let file = file.to_str().unwrap();
    policy(&top);
    policy(&top.join("shop"));
    for folder in [&deploy, &beside] {
        let (code, _, said) = run(folder, &["-f", file]);
        assert_eq!((code, &*said), (0, ""));
    }
    policy(&beside);
    let (code, _, said) = run(&beside, &["-f", file]);
    assert_eq!(code, 5, "{said}");
    fs::remove_file(beside.join(".sts-plan.yaml")).unwrap();
    policy(&deploy);
    let (code, _, said) = run(&beside, &["-f", file]);
    assert_eq!(code, 5, "{said}");
    fs::remove_dir_all(&top).unwrap();
}

#[cfg(unix)]
#[test]
fn a_policy_of_another_user_is_rejected_unless_it_is_named() {
    let top = repository("owner", "fail-on: [data-loss]\n");
    let policy = top.join(".sts-plan.yaml");
    if std::os::unix::fs::chown(&policy, Some(65_534), None).is_err() {
        println!("policies of other users not tested: only root can create one");
        return;
    }
    let file = "deploy/shop/scale-down.yaml";
    let (code, _, said) = run(&top, &["-f", file]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("belongs to another user"), "{said}");
    let (code, _, said) = run(&top, &["-f", file, "--policy", ".sts-plan.yaml"]);
    assert_eq!(code, 5, "{said}");
    let (code, _, said) = run(&top, &["-f", file, "--policy", "none"]);
    assert_eq!(code, 0, "{said}");
    // Another user's link leads where that user wants.
    fs::remove_file(&policy).unwrap();
    fs::write(top.join("strict.yaml"), "fail-on: [data-loss]\n").unwrap();
    std::os::unix::fs::symlink("strict.yaml", &policy).unwrap();
    std::os::unix::fs::lchown(&policy, Some(65_534), None).unwrap();
    let (code, _, said) = run(&top, &["-f", file]);
    assert_eq!(code, 1, "{said}");
}

#[test]
fn an_ignore_says_why_and_until_when_in_every_report() {
    let policy = "fail-on: [data-loss]\nignore:\n- id: data-loss\n  reason: scratch data\n  until: 2026-12-31\n";
    let top = repository("ignored", policy);
    let plan = |args: &[&str]| {
        run(
            &top,
            &[&["-f", "deploy/shop/scale-down.yaml"], args].concat(),
        )
    };
    let (code, table, said) = plan(&[]);
    assert_eq!(code, 0, "{said}");
    let why = "scratch data, until 2026-12-31";
    assert!(
        table.contains(&format!("Ignored: STS003 data-loss ({why})")),
        "{table}"
    );
    for format in [
        "markdown", "junit", "sarif", "html", "yaml", "summary", "svg", "wide",
    ] {
        let (_, text, _) = plan(&["-o", format]);
        let text = text.replace("&gt;", ">");
        let has = text.contains(why) || text.contains("reason: scratch data");
        assert!(has, "{format}: {text}");
    }
    // An annotation or an issue is for somebody to act on.
    for format in ["github", "gitlab"] {
        let (_, text, said) = plan(&["-o", format, "-v"]);
        assert!(!text.contains("STS003"), "{format}: {text}");
        assert!(!text.contains("data-loss"), "{format}: {text}");
        assert!(said.contains("ignored: STS003"), "{format}: {said}");
        let (_, all, _) = plan(&["-o", format, "-v", "--policy", "none"]);
        assert!(all.contains("STS003") || all.contains("data-loss"), "{all}");
    }
    let (_, json, _) = plan(&["-o", "json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    let ignored = &json["ignored"][0];
    assert_eq!(ignored["id"], "STS003");
    assert_eq!(ignored["by"], "policy");
    assert_eq!(ignored["reason"], "scratch data");
    assert_eq!(ignored["until"], "2026-12-31");
    assert!(
        json["findings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["id"] != "STS003")
    );

    // After its last day it has no effect, and a message says so.
    let (code, _, said) = plan(&["--now", "2027-01-01T00:00:00Z"]);
    assert_eq!(code, 1, "--now is given twice");
    assert!(said.contains("--now"), "{said}");
    let file = "deploy/shop/scale-down.yaml";
    let (code, _, said) = program::run_in(&top, &["--now", "2027-01-01T00:00:00Z", "-f", file]);
    assert_eq!(code, 5, "{said}");
    assert!(
        said.contains(
            "warning: STS003 is no longer ignored: the policy ignored it until 2026-12-31"
        ),
        "{said}"
    );
}

#[test]
fn rules_for_some_sets_apply_only_to_them() {
    let policy = "\
fail-on: [data-loss]
sets:
- match: {name: prod/*, labels: 'app=web'}
  fail-on: []
  require: ['unavailable<=5']
  ignore: [STS002]
  assumptions: {ready-after: 2m, assume: [web-0=ready-after:3m]}
- match: {name: other}
  assumptions: {ready-after: 9m}
";
    let top = repository("sets", policy);
    let (code, json, said) = run(&top, &["-f", "deploy/shop/rollout.yaml", "-o", "json"]);
    assert_eq!(code, 0, "{said}");
    let plan: Value = serde_json::from_str(&json).unwrap();
    // Two pods take two minutes, web-0 three, and each terminates after five seconds.
    assert_eq!(plan["outcome"]["at"], 2 * 120 + 180 + 3 * 5);
    assert_eq!(plan["requirements"][0]["text"], "unavailable<=5");
    assert_eq!(plan["ignored"][0]["id"], "STS002");
    // The set's value overrides the general one, and a flag overrides both.
    let file = "deploy/shop/scale-down.yaml";
    assert_eq!(run(&top, &["-f", file]).0, 0);
    assert_eq!(run(&top, &["-f", file, "--fail-on", "data-loss"]).0, 5);
    let (_, json, _) = run(
        &top,
        &[
            "-f",
            "deploy/shop/rollout.yaml",
            "-o",
            "json",
            "--ready-after",
            "1s",
            "--assume",
            "web-2=recovers",
        ],
    );
    let plan: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(plan["outcome"]["at"], 3 * 6);
}

#[test]
fn an_invalid_entry_is_reported_by_line() {
    for (policy, line, problem) in [
        ("ignore:\n- id: STS003\n", 2, "missing field `reason`"),
        ("ignore:\n- id: STS003\n  reason: ''\n", 2, "empty reason"),
        (
            "ignore:\n- {id: STS003, reason: x, until: soon}\n",
            2,
            "invalid date: \"soon\"",
        ),
        (
            "ignore:\n- {id: STS999, reason: x}\n",
            2,
            "unknown finding \"STS999\"",
        ),
        (
            "sets:\n- match: {name: web}\n  fail_on: [info]\n",
            3,
            "unknown field `fail_on`",
        ),
        ("sets:\n- fail-on: [info]\n", 2, "missing field `match`"),
        ("sets:\n- match: {labels: 'a==b==c'}\n", 2, ""),
    ] {
        let top = repository("wrong", policy);
        let (code, _, said) = run(&top, &["-f", "deploy/shop/rollout.yaml"]);
        assert_eq!(code, 1, "{policy}: {said}");
        let place = format!(".sts-plan.yaml: line {line}, column ");
        assert!(
            said.contains(&place) && said.contains(problem),
            "{policy}: {said}"
        );
    }
}

/// A policy is found automatically, so that it must not stop a plan for long.
#[expect(clippy::disallowed_methods, reason = "measures how long it takes")]
#[test]
fn a_policy_that_nests_deep_is_refused_at_once() {
    for (policy, problem) in [
        (
            "ignore: ".to_owned() + &"[".repeat(900_000),
            "brackets nest deeper than 10000 levels",
        ),
        (
            "ignore: ".to_owned() + &"{a: ".repeat(200_000),
            "brackets nest deeper than 10000 levels",
        ),
        (
            "? ".repeat(400_000),
            "lines are indented deeper than 10000 levels",
        ),
        (
            "ignore: ".to_owned() + &"[".repeat(150) + &"]".repeat(150),
            "values nest deeper than 100 levels",
        ),
    ] {
        let top = repository("deep", &policy);
        let began = std::time::Instant::now();
        let (code, _, said) = run(&top, &["-f", "deploy/shop/rollout.yaml"]);
        let took = began.elapsed();
        assert!(took.as_secs() < 10, "{took:?}");
        assert!(
            code == 1 && said.contains(problem) && said.len() < 2_000,
            "{said}"
        );
    }
    let long = repository("long", &format!("{}: 1\n", "a".repeat(900)));
    let (_, _, said) = run(&long, &["-f", "deploy/shop/rollout.yaml"]);
    assert!(
        said.contains("unknown field `aaa") && said.len() < 2_000,
        "{}",
        said.len()
    );
}

/// A gate, an ignore and `explain` accept the same words.
#[test]
fn words_of_findings_are_the_same_everywhere() {
    let mut count = 0;
    for (word, _) in sts_plan::fleet::fail_on_words() {
        let gate = word.parse::<sts_plan::fleet::FailOn>().unwrap();
        // What the input does not tell is no finding.
        if gate == sts_plan::fleet::FailOn::Unknown {
            continue;
        }
        sts_plan::lint::Suppressions::parse(word).unwrap();
        let (code, explained, _) = program::run(&["explain", word]);
        assert_eq!(code, 0, "{word}");
        assert!(explained.starts_with("STS0"), "{word}");
        count += 1;
    }
    assert!(count > 40, "only {count} words");
}

/// The condition of a command is a sentence, and the command follows on a line of its own.
#[test]
fn advice_in_annotations_has_the_labels_of_the_plan() {
    let demo = |format: &str| program::run(&["demo", "blocked", "-o", format]).1;
    let github = demo("github").replace("%0A", "\n");
    assert!(github.contains("\nDo: roll back to web-"), "{github}");
    let junit = demo("junit");
    assert!(junit.contains("\nDo: roll back to web-"), "{junit}");
}
