//! Many sets in the CI formats: the most urgent first, within the reader's limits.

use crate::golden;
use crate::program::{self, ended, program};

fn plan(fixtures: &[&str], extra: &[&str]) -> (String, String) {
    let mut command = program();
    for fixture in fixtures {
        let file = golden::root().join(format!("fixtures/{fixture}.yaml"));
        command.arg("-f").arg(file);
    }
    let ran = command
        .args(["--now", "2026-11-21T12:00:00Z"])
        .args(extra)
        .output()
        .unwrap();
    let (_, out, error) = ended(ran);
    (out, error)
}

#[test]
fn annotations_and_tests_of_a_stuck_set_have_its_state_and_age() {
    for format in ["github", "junit"] {
        let (said, _) = plan(&["crashloop"], &["-o", format]);
        assert!(said.contains("BLOCKED 1d9h: web-2"), "{format}: {said}");
    }
}

#[test]
fn annotations_have_no_infos_without_verbose() {
    let (brief, _) = plan(&["rollout"], &["-o", "github"]);
    let (whole, _) = plan(&["rollout"], &["-o", "github", "-v"]);
    assert!(
        !brief.contains("STS002") && whole.contains("STS002"),
        "{brief}{whole}"
    );
}

#[test]
fn ten_annotations_of_a_severity_are_the_most_and_the_stuck_set_comes_first() {
    // Sets with other names, which sort before and after the stuck one.
    let set = std::fs::read_to_string(golden::root().join("fixtures/crashloop.yaml")).unwrap();
    let folder = program::folder("urgency");
    let mut command = program();
    for at in 0..17 {
        let file = folder.join(format!("{at:02}.yaml"));
        let text = set.replace("namespace: prod", &format!("namespace: ns-{at:02}"));
        std::fs::write(&file, text).unwrap();
        command.arg("-f").arg(file);
    }
    let idle = std::fs::read_to_string(golden::root().join("fixtures/on-delete.yaml")).unwrap();
    let file = folder.join("idle.yaml");
    std::fs::write(&file, idle.replace("namespace: prod", "namespace: aaa")).unwrap();
    command.arg("-f").arg(&file);
    command.args(["--now", "2026-11-21T12:00:00Z"]);
    let ran = command.args(["-o", "github"]).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    let errors = said.lines().filter(|line| line.starts_with("::error"));
    assert_eq!(errors.count(), 10, "{said}");
    assert!(said.contains("title=and 8 more"), "{said}");
    let mut summary = program();
    summary.arg("-f").arg(&folder).args(["-o", "summary"]);
    summary.args(["--now", "2026-11-21T12:00:00Z"]);
    let said = String::from_utf8(summary.output().unwrap().stdout).unwrap();
    assert!(said.starts_with("ns-00/web: "), "{said}");
    assert!(
        said.lines().last().unwrap().starts_with("aaa/web: "),
        "{said}"
    );
}

#[test]
fn a_set_of_another_group_is_named_with_its_group() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("kruise.yaml");
    let text =
        "apiVersion: apps.kruise.io/v1beta1\nkind: StatefulSet\nmetadata: {name: d}\nspec: {}\n";
    std::fs::write(&file, text).unwrap();
    let (_, error) = plan(&[], &["-f", file.to_str().unwrap()]);
    assert!(error.contains("(StatefulSet.apps.kruise.io)"), "{error}");
}

#[test]
fn an_endless_wait_in_the_verdict_is_not_in_the_table() {
    let (said, _) = plan(&["crashloop"], &[]);
    assert!(
        said.contains("BLOCKED") && !said.contains("OPERATION"),
        "{said}"
    );
    let (other, _) = plan(&["rollout"], &[]);
    assert!(other.contains("OPERATION"), "{other}");
}

#[test]
fn red_means_not_serving_or_data_loss() {
    const RED: &str = "\u{1b}[31;1m";
    const YELLOW: &str = "\u{1b}[33m";
    let color = ["--color", "always"];
    let stuck = ["--assume", "web-2=never-ready", color[0], color[1]];
    let (blocked, _) = plan(&["rollout"], &stuck);
    let row = |of: &str, words: &str| {
        let mut lines = of.lines();
        let row = lines.find(|line| line.contains(words));
        row.unwrap_or_else(|| panic!("{of}")).to_owned()
    };
    let ready = row(&blocked, "ready, stays outdated");
    assert!(ready.contains(YELLOW) && !ready.contains(RED), "{ready:?}");
    let (crashing, _) = plan(&["crashloop"], &color);
    let crashing = row(&crashing, "CrashLoopBackOff, stays outdated");
    assert!(crashing.contains(RED), "{crashing:?}");
    let (losing, _) = plan(&["scale-down"], &color);
    let lost = row(&losing, "LOST data-web-4");
    assert!(lost.contains(RED), "{lost:?}");
}
