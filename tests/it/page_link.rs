//! `--link-page`: the link from a report to the planning page. `browser/playground.rs` follows it.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::read::GzDecoder;
use kubectl_sts_plan::request::Demo;
use serde_json::{Value, json};

use crate::program;

const PAGE: &str = "https://example.com/plan.html";

/// Runs the program in a folder with a dump, `rollout.yaml`, and a manifest, `new.yaml`.
fn run(line: &str) -> (i32, String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page-link");
    fs::create_dir_all(folder.join("manifests")).unwrap();
    let dump = Demo::by_name("healthy").unwrap().dump;
    fs::write(folder.join("rollout.yaml"), dump).unwrap();
    let manifest = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web, namespace: prod}\nspec: {replicas: 2}\n";
    for file in ["new.yaml", "manifests/new.yaml"] {
        fs::write(folder.join(file), manifest).unwrap();
    }
    fs::write(folder.join("policy.yaml"), "fail-on: [blocked]\n").unwrap();
    let args: Vec<&str> = line.split(' ').collect();
    program::run_in(&folder, &args)
}

/// The state that a report's link gives to the page.
fn state(report: &str) -> Value {
    let (_, rest) = report.split_once(&format!("href=\"{PAGE}#plan=")).unwrap();
    let (fragment, _) = rest.split_once('"').unwrap();
    let packed = URL_SAFE_NO_PAD.decode(fragment).unwrap();
    let mut text = String::new();
    GzDecoder::new(&*packed).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_link_has_objects_and_settings() {
    let (code, report, error) = run(&format!(
        "-f rollout.yaml web -n prod --apply new.yaml --apply-mode local --partition 50% \
         --assume web-0=fails --assume web-1=never-ready --drain node-0,node-1 --what-if-fails \
         --kubernetes-version 1.33 -o html --show-values --link-page {PAGE}"
    ));
    assert_eq!((code, error.as_str()), (0, ""));
    let state = state(&report);
    let keys: Vec<&String> = state.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["apply", "input", "sides"]);
    let dump = state["input"].as_str().unwrap();
    assert!(
        dump.contains("sts-plan/sets: \"prod/web\"") && dump.contains("kind: ControllerRevision"),
        "{dump}"
    );
    assert!(state["apply"].as_str().unwrap().contains("replicas: 2"));
    let side = json!({
        "flags": "--drain=node-0,node-1 --assume=web-0=fails --assume=web-1=never-ready --what-if-fails=1",
        "kubernetes-version": "1.33",
        "partition": "50%",
        "set": "prod/web",
    });
    assert_eq!(state["sides"], json!([side]));
}

#[test]
fn a_file_has_the_link_and_a_terminal_has_not() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page-link.html");
    let (code, screen, error) = run(&format!(
        "demo many -n db --report html={} --show-values --link-page {PAGE}",
        file.display()
    ));
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(!screen.contains(PAGE));
    let report = fs::read_to_string(file).unwrap();
    let state = state(&report);
    assert_eq!(state["sides"], json!([{}]));
    let dump = state["input"].as_str().unwrap();
    assert!(
        dump.contains("sts-plan/sets: \"db/orders,db/users\""),
        "{dump}"
    );
    let (_, report, _) = run("demo many -o html --show-values");
    assert!(!report.contains("#plan="));
}

#[test]
fn an_invalid_page_link_is_rejected() {
    for (line, part) in [
        (
            format!("demo healthy -o html --link-page {PAGE}"),
            "--show-values",
        ),
        (
            format!("demo healthy --show-values --link-page {PAGE}"),
            "--link-page requires -o html or --report html=PATH",
        ),
        (
            "demo healthy -o html --show-values --link-page javascript:alert(1)".to_owned(),
            "expected the address of the page",
        ),
        (
            format!("demo healthy -o html --show-values --link-page {PAGE}#a"),
            "expected the address of the page",
        ),
        (
            format!(
                "demo healthy --partition 2 --then --partition 0 -o html --show-values --link-page {PAGE}"
            ),
            "--link-page cannot be used with --policy",
        ),
        (
            format!("demo healthy --policy policy.yaml -o html --show-values --link-page {PAGE}"),
            "--link-page cannot be used with --policy",
        ),
        (
            format!("-f rollout.yaml --apply - -o html --show-values --link-page {PAGE}"),
            "requires the manifest in a file",
        ),
        (
            format!("-f rollout.yaml --apply manifests -o html --show-values --link-page {PAGE}"),
            "requires a single manifest",
        ),
    ] {
        let (code, _, error) = run(&line);
        assert_eq!(code, 1, "{line}: {error}");
        assert!(error.contains(part), "{line}: {error}");
    }
}
