//! Gates, by flag and by policy, for scripts: docs/contract.md, "Exit codes".

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program;

/// Two replicas and nothing else: the first rollout completes, with one finding (STS018, info).
const WEB: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 2
  serviceName: web
  revisionHistoryLimit: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1'}]}
";

/// The exit code, and what went to standard error.
fn run(args: &[&str], stdin: &str) -> (i32, String) {
    let (code, _, said) = program::feed(args, stdin);
    (code, said)
}

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

fn policy(test: &str, text: &str) -> PathBuf {
    let folder = program::folder("gates");
    let file = folder.join(format!("{test}.yaml"));
    fs::write(&file, text).unwrap();
    file
}

const NOW: [&str; 2] = ["--now", "2026-11-20T03:00:00Z"];

#[test]
fn a_rejected_change_fails_without_any_gate() {
    let file = fixture("rollout");
    let on = |change: &str| run(&[&["-f", &*file, change], &NOW[..]].concat(), "");
    let (code, said) = on("--set=spec.serviceName=other");
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("exit code 4: prod/web is rejected"), "{said}");
    assert_eq!(on("--partition=-4").0, 4);
    assert_eq!(on("--partition=1").0, 0);
    let (code, said) = run(&["-f", "-"], &WEB.replace("replicas: 2", "replicas: -1"));
    assert_eq!(code, 4, "{said}");
}

#[test]
fn every_word_has_its_exit_code() {
    let on = |file: &str, words: &str, more: &[&str]| {
        let file = fixture(file);
        let args = [&["-f", &*file, "--fail-on", words], &NOW[..], more].concat();
        run(&args, "").0
    };
    for (file, words, more, code) in [
        // Nothing fails without a reason.
        (
            "rollout",
            "blocked,rejected,warning,data-loss,downtime",
            &[][..],
            0,
        ),
        // The file has no budget and does not claim to be complete: "not checked" is not green.
        ("rollout", "pdb", &[], 1),
        ("crashloop", "blocked", &[], 3),
        ("crashloop", "rejected,downtime,data-loss", &[], 0),
        ("crashloop", "STS001", &[], 5),
        ("crashloop", "sts002", &[], 5),
        ("crashloop", "error", &[], 5),
        (
            "rollout",
            "rejected",
            &["--set", "spec.serviceName=other"],
            4,
        ),
        (
            "rollout",
            "blocked",
            &["--set", "spec.serviceName=other"],
            4,
        ),
        ("scale-down", "data-loss", &[], 5),
        ("scale-down", "error", &[], 5),
        ("scale-down", "STS003", &["--ignore", "STS003"], 0),
        // A severity means that one and above.
        ("scale-down", "info", &[], 5),
        ("scale-down", "warning", &[], 5),
        ("on-delete", "info", &[], 5),
        ("on-delete", "warning", &[], 0),
        // Of several, the worst: rejected, then blocked, then a finding.
        ("crashloop", "error,blocked", &[], 3),
        ("crashloop", "blocked,STS001", &[], 3),
        (
            "rollout",
            "error,rejected",
            &["--set", "spec.serviceName=other"],
            4,
        ),
        ("scale-down", "data-loss", &["--detailed-exitcode"], 5),
        ("crashloop", "STS001", &["--detailed-exitcode"], 3),
        ("on-delete", "blocked", &["--detailed-exitcode"], 0),
        ("rollout", "blocked", &["--detailed-exitcode"], 2),
        // The only pod is replaced.
        ("rollout", "downtime", &["--set", "spec.replicas=1"], 5),
        ("rollout", "data-loss", &["--set", "spec.replicas=1"], 0),
    ] {
        assert_eq!(on(file, words, more), code, "{file} {words} {more:?}");
    }
}

#[test]
fn the_reason_is_the_one_in_the_plan() {
    let file = fixture("scale-down");
    let args = [
        &["-f", &*file, "--fail-on", "data-loss", "-o", "json"],
        &NOW[..],
    ]
    .concat();
    let (code, plan, said) = program::run(&args);
    assert_eq!(code, 5);
    assert_eq!(said, "failed on data-loss: prod/web: error STS003\n");
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["findings"][0]["id"], "STS003");
}

/// A gate uses facts that a short format does not show.
#[test]
fn a_gate_uses_facts_that_are_not_shown() {
    let file = fixture("rollout");
    for format in ["summary", "name", "table", "wide", "json"] {
        let args = ["-f", &file, "--fail-on", "STS002", "-o", format];
        let (code, said) = run(&[&args[..], &NOW].concat(), "");
        assert_eq!(
            (code, &*said),
            (5, "failed on STS002: prod/web: info STS002\n"),
            "{format}"
        );
    }
}

#[test]
fn budgets_are_a_gate() {
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: guard, namespace: prod}\nspec: \
                  {minAvailable: 3, selector: {}}\n";
    let file = fixture("rollout");
    let args = [&["-f", &*file, "-f", "-", "--fail-on", "pdb"], &NOW[..]].concat();
    assert_eq!(
        run(&args, budget),
        (5, "failed on pdb: prod/web: warning STS015\n".to_owned())
    );
    let loose = budget.replace("minAvailable: 3", "maxUnavailable: 1");
    assert_eq!(run(&args, &loose), (0, String::new()));
}

#[test]
fn an_unknown_word_is_a_usage_error() {
    let (code, said) = run(&["-f", "-", "--fail-on", "blocked,never"], WEB);
    assert_eq!(code, 1);
    assert!(
        said.contains(
            "unknown gate \"never\": use blocked, unknown, rejected, data-loss, downtime, pdb, quorum, error, \
             warning, info; or an id (STS001 to STS055) or a name such as data-loss"
        ),
        "{said}"
    );
}

#[test]
fn a_policy_stands_for_its_flags() {
    let file = policy(
        "whole",
        "# for all of the shop\n\
         fail-on: [info]\n\
         require:\n- unavailable<=2\n\
         assumptions:\n  ready-after: 42s\n  gone-after: 7s\n  assume: [web-1=ready-after:1m]\n  \
         kubernetes-version: 1.30\n  feature-gates: {MaxUnavailableStatefulSet: true}\n",
    );
    let file = file.to_str().unwrap();
    let with = |more: &[&str]| {
        let args = [&["-f", "-", "--policy", file, "-o", "json"], more].concat();
        let (code, plan, said) = program::feed(&args, WEB);
        let plan: Value = serde_json::from_str(&plan).unwrap_or_else(|_| panic!("{said}"));
        (code, plan)
    };
    let (code, plan) = with(&[]);
    assert_eq!(code, 5);
    assert_eq!(plan["kubernetes"]["version"], "1.30");
    assert_eq!(
        plan["kubernetes"]["featureGates"]["MaxUnavailableStatefulSet"],
        true
    );
    // web-0 after 42 seconds, web-1 a minute after that.
    assert_eq!(plan["outcome"]["at"], 102);
    // Flags override it.
    let (code, plan) = with(&[
        "--fail-on",
        "warning",
        "--ready-after",
        "1s",
        "--kubernetes-version",
        "1.36",
    ]);
    assert_eq!((code, &plan["outcome"]["at"]), (0, &61.into()));
    assert_eq!(plan["kubernetes"]["version"], "1.36");
    // Requirements always apply.
    let strict = policy("strict", "require: ['ready>=1']\n");
    let (code, _) = run(&["-f", "-", "--policy", strict.to_str().unwrap()], WEB);
    assert_eq!(code, 5);
    let silent = policy(
        "silent",
        "fail-on: [info]\nignore: [STS018, no-readiness-probe]\n",
    );
    assert_eq!(
        run(&["-f", "-", "--policy", silent.to_str().unwrap()], WEB).0,
        0
    );
    // An empty policy requires nothing.
    let empty = policy("empty", "# later\n");
    assert_eq!(
        run(&["-f", "-", "--policy", empty.to_str().unwrap()], WEB).0,
        0
    );
}

#[test]
fn an_invalid_policy_is_reported_by_file_and_line() {
    for (name, text, line, problem) in [
        (
            "key",
            "fail-on: [info]\nfail_on: [info]\n",
            2,
            "unknown field `fail_on`, expected one of `fail-on`",
        ),
        (
            "inner",
            "assumptions:\n  ready-after: 3s\n  ready: 3s\n",
            3,
            "unknown field `ready`",
        ),
        (
            "word",
            "fail-on:\n- blocked\n- never\n",
            2,
            "unknown gate \"never\": use blocked",
        ),
        (
            "id",
            "ignore: [STS001, STS999]\n",
            1,
            "unknown finding \"STS999\"",
        ),
        (
            "version",
            "assumptions:\n  kubernetes-version: 1.18\n",
            2,
            "Kubernetes 1.18 is not supported",
        ),
        (
            "duration",
            "assumptions:\n  gone-after: soon\n",
            2,
            "invalid duration: \"soon\"",
        ),
        ("require", "require: [nothing]\n", 1, "nothing"),
        ("yaml", "fail-on: [\n", 2, ""),
        ("list", "- fail-on\n", 1, "invalid type: sequence"),
    ] {
        let file = policy(&format!("wrong-{name}"), text);
        let file = file.to_str().unwrap();
        let (code, said) = run(&["-f", "-", "--policy", file], WEB);
        assert_eq!(code, 1, "{name}: {said}");
        let place = format!("{file}: line {line}, column ");
        assert!(
            said.contains(&place) && said.contains(problem),
            "{name}: {said}"
        );
    }
    let (code, said) = run(&["-f", "-", "--policy", "/nowhere/policy.yaml"], WEB);
    assert!(
        code == 1 && said.contains("/nowhere/policy.yaml: "),
        "{said}"
    );
}

#[test]
fn the_policy_schema_matches_the_reader() {
    let (code, text, _) = program::run(&["schema", "policy"]);
    assert_eq!(code, 0);
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (text, valid) in [
        (
            r#"{"fail-on": ["blocked", "STS003"], "ignore": ["STS001"], "require": ["ready>=1"]}"#,
            true,
        ),
        (
            r#"{"assumptions": {"ready-after": "3s", "kubernetes-version": "1.30", "feature-gates": {"A": true}}}"#,
            true,
        ),
        ("{}", true),
        (r#"{"fail_on": []}"#, false),
        (r#"{"fail-on": "blocked", "ignore": "downtime"}"#, true),
        (r#"{"fail-on": {"blocked": 1}}"#, false),
        (r#"{"assumptions": {"kubernetes-version": 1.3}}"#, false),
        (r#"{"assumptions": {"other": 1}}"#, false),
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(validator.is_valid(&value), valid, "{text}");
        // JSON is also YAML. The reader also checks the meaning of the words.
        let file = policy("schema", text);
        let (code, said) = run(&["-f", "-", "--policy", file.to_str().unwrap()], WEB);
        let refused = code == 1 && said.contains("schema.yaml: line 1");
        assert!(valid || refused, "{text}: {code} {said}");
        assert!(!(valid && refused), "{text}: {said}");
    }
}

/// Returns the exit code of the program when nobody reads its output.
fn unread(args: &[&str]) -> Option<i32> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(program.stdout.take());
    drop(program.stderr.take());
    program.wait().unwrap().code()
}

#[test]
fn a_gate_survives_a_reader_that_leaves() {
    let file = fixture("crashloop");
    let stuck = ["-f", &file, "--policy", "none"];
    for format in ["table", "json", "markdown", "summary"] {
        for gate in [
            ["--fail-on", "blocked"],
            ["--require", "unavailable<=0"],
            ["--detailed-exitcode", "--verbose"],
        ] {
            let args = [&stuck[..], &NOW, &["-o", format], &gate].concat();
            let read = program::run(&args).0;
            assert_ne!(read, 0, "{args:?}");
            assert_eq!(unread(&args), Some(read), "{args:?}");
        }
    }
    assert_eq!(unread(&["--help"]), Some(0));
}
