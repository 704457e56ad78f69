//! `--grow` on the command line, in a runbook, and when reality is compared with it.

use serde_json::{Value, json};

use crate::program;
use test_kit::growing::Growing;
use test_kit::kv::NOW;

fn run(input: &Growing, args: &[&str]) -> (i32, String, String) {
    let usual = ["--now", NOW, "--kubernetes-version", "1.33"];
    program::run_on(&input.objects(), &[&usual[..], args].concat())
}

fn error(input: &Growing, args: &[&str]) -> String {
    let (code, out, error) = run(input, args);
    assert_eq!((code, out.as_str()), (1, ""), "{args:?}: {error}");
    error
}

const GROW: [&str; 2] = ["--grow", "data=20Gi"];

#[test]
fn an_error_names_the_flag_and_the_set() {
    let error = error(&Growing::of_10_gi(), &["--grow", "data=5Gi"]);
    assert!(error.contains("--grow: StatefulSet prod/kv: "), "{error}");
}

#[test]
fn it_is_a_change_of_its_own() {
    for (other, flag) in [
        (&["--image", "kv:2"][..], "--image"),
        (&["--then", "--partition", "0"], "--then"),
        (&["--stages", "x.yaml"], "--stages"),
        (&["--apply", "x.yaml"], "--apply"),
    ] {
        let error = error(&Growing::of_10_gi(), &[&GROW[..], other].concat());
        let says = format!("--grow cannot be combined with other changes: omit {flag}");
        assert!(error.contains(&says), "{error}");
    }
    let explored = error(&Growing::of_10_gi(), &[&GROW[..], &["--explore"]].concat());
    assert!(
        explored.contains("--explore cannot be used with stages"),
        "{explored}"
    );
    let alone = error(
        &Growing::of_10_gi(),
        &["--assume", "sc/fast=expands-offline"],
    );
    assert!(alone.contains("requires --grow"), "{alone}");
}

#[test]
fn the_next_stage_may_not_begin_before_the_claims_have_grown() {
    let folder = program::folder("grow-verified");
    let saved = folder.join("plan.json");
    let saved = saved.to_str().unwrap();
    let (code, _, error) = run(
        &Growing::of_10_gi(),
        &[&GROW[..], &["--save", saved]].concat(),
    );
    assert_eq!(code, 0, "{error}");
    let asking = |has: &str| {
        let has = json!(has);
        Growing::of_10_gi().with(|it| {
            for claim in &mut it.claims {
                claim["spec"]["resources"]["requests"]["storage"] = json!("20Gi");
                claim["status"]["capacity"]["storage"] = has.clone();
            }
        })
    };
    let stage = |input: &Growing| {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": input.objects()});
        let args = [
            "verify",
            saved,
            "-f",
            "-",
            "--now",
            "2026-11-21T12:05:00Z",
            "-o",
            "json",
        ];
        let (_, out, error) = program::feed(&args, &list.to_string());
        let told: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
        told["stage"].clone()
    };
    for (input, may_begin) in [
        (Growing::of_10_gi(), false),
        (asking("10Gi"), false),
        (asking("20Gi"), true),
    ] {
        let stage = stage(&input);
        assert_eq!(stage["number"], 1, "{stage}");
        assert_eq!(stage["next"]["mayBegin"], may_begin, "{stage}");
    }
    let message = stage(&asking("10Gi"))["message"].to_string();
    assert!(message.contains("data-kv-0 and 2 more"), "{message}");
}

#[test]
fn a_runbook_has_the_commands_and_what_to_check() {
    let (code, out, error) = run(
        &Growing::of_10_gi(),
        &[&GROW[..], &["-o", "markdown"]].concat(),
    );
    assert_eq!(code, 0, "{error}");
    for says in [
        "Stage 1: grow the claims",
        "20Gi in status.capacity of data-kv-0, data-kv-1, data-kv-2",
        "kubectl get pvc data-kv-0 data-kv-1 data-kv-2 -o",
        "claims keep the requested size: storage cannot shrink",
        "kubectl delete sts kv --cascade=orphan -n prod",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
}
