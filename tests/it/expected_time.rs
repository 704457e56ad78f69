//! Expected times: the evidence for an estimate, and the time at which it is no longer shown.

use std::fs;
use std::path::PathBuf;

use crate::golden;
use crate::program;

/// The table of a plan of this input.
fn table(input: &str, args: &[&str]) -> String {
    let usual = ["-f", input, "--now", "2026-11-20T03:00:00Z"];
    program::run(&[&usual[..], args].concat()).1
}

fn rollout() -> String {
    let file = golden::root().join("fixtures/rollout.yaml");
    file.to_string_lossy().into_owned()
}

#[test]
fn an_estimate_is_seen_given_or_assumed() {
    let told = |args: &[&str]| {
        let table = table(&rollout(), args);
        let line = table.lines().find(|line| line.starts_with("ETA:"));
        line.unwrap_or_else(|| panic!("{table}")).to_owned()
    };
    assert!(told(&[]).contains("ready 20s-24s seen"), "{}", told(&[]));
    let given = told(&["--ready-after", "5m"]);
    assert!(given.contains("ready 5m0s given"), "{given}");
}

/// The set of `rollout.yaml` without its change, with a web-2 of this age that is not ready.
fn starting(test: &str, created: &str) -> String {
    let text = fs::read_to_string(rollout()).unwrap();
    let text = text.replace("web:1.5.0", "web:1.4.2");
    let (others, last) = text.split_once("    name: web-2\n").unwrap();
    let (before, metadata) = others
        .rsplit_once("creationTimestamp: \"2026-11-18T03:00:00Z\"")
        .unwrap();
    let last = last
        .replace(
            "status: \"True\"\n      type: Ready",
            "status: \"False\"\n      type: Ready",
        )
        .replace("2026-11-18T03:00:24Z", created);
    let name = format!("expected-time-{test}.yaml");
    let file: PathBuf = [env!("CARGO_TARGET_TMPDIR"), &name].iter().collect();
    let text = format!("{before}creationTimestamp: \"{created}\"{metadata}    name: web-2\n{last}");
    fs::write(&file, text).unwrap();
    file.into_os_string().into_string().unwrap()
}

#[test]
fn a_beaten_estimate_is_not_repeated() {
    let early = table(&starting("early", "2026-11-20T02:59:50Z"), &[]);
    assert!(
        early.contains("aiting for web-2 to become ready"),
        "{early}"
    );
    assert!(early.contains("; expected in "), "{early}");
    let late = table(&starting("late", "2026-11-20T02:59:00Z"), &[]);
    assert!(late.contains("aiting for web-2 to become ready"), "{late}");
    assert!(!late.contains("expected in"), "{late}");
    // The user's value counts, however late the pod is.
    let told = table(
        &starting("told", "2026-11-20T02:59:00Z"),
        &["--ready-after", "40s"],
    );
    assert!(told.contains("; expected in 40s"), "{told}");
}
