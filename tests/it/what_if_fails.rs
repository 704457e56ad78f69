//! `--what-if-fails` and `--partitions` on the command line and in the formats.

use kubectl_sts_plan::internals::{Format, Style};
use serde_json::Value;
use sts_plan::analysis::analyze;
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

use crate::program;
use crate::render;
use crate::scenario::{plan, web};

/// Branches of the steps are simulated whatever the width; only their column needs room.
#[test]
fn no_width_decides_which_branches_are_simulated() {
    let update = plan(&web(3).rolling_to_v2(), "1.36");
    let questions = Questions {
        step_branches: true,
        ..Questions::default()
    };
    let report = Report::from(&analyze(&update, &questions));
    assert!(report.branches.is_none() && report.step_branches.is_some());
    for (format, width, has_column) in [
        (Format::Table, Some(140), true),
        (Format::Table, Some(139), false),
        (Format::Table, None, false),
        (Format::Markdown, Some(200), false),
        (Format::Html, Some(200), false),
    ] {
        let style = Style {
            width,
            ..Style::default()
        };
        let text = render::text(format, std::slice::from_ref(&report), &style);
        assert_eq!(
            text.contains("IF NEVER READY"),
            has_column,
            "{format} {width:?}"
        );
    }
}

fn run(args: &[&str]) -> Value {
    let usual = ["-o", "json", "--now", "2026-11-21T12:00:00Z"];
    let (code, out, error) = program::run(&[&usual[..], args].concat());
    let plan: Value = serde_json::from_str(&out).unwrap();
    let is_rejected = plan["outcome"]["result"] == "rejected";
    assert_eq!(code, if is_rejected { 4 } else { 0 }, "{error}");
    plan
}

/// A question that does not apply to a plan says so, and one that was not asked has no answer.
#[test]
fn questions_without_an_answer_say_why() {
    let file = "tests/fixtures/on-delete.yaml";
    let asked = run(&["-f", file, "--partitions"]);
    let why = asked["partitions"]["skipped"].as_str().unwrap();
    assert!(why.contains("no partition"), "{why}");
    let rejected = run(&[
        "-f",
        file,
        "--set",
        "spec.serviceName=other",
        "--explore",
        "--partitions",
    ]);
    assert_eq!(rejected["exploration"]["verdict"], "skipped");
    assert!(rejected["partitions"]["skipped"].is_string());
    let plain = run(&["-f", file]);
    for field in ["branches", "partitions", "exploration", "requirements"] {
        assert!(plain.get(field).is_none(), "{field}");
    }
}

/// The flag, its output, and its invalid values.
#[test]
fn the_number_of_failing_pods_is_one_or_two() {
    let file = ["-f", "tests/fixtures/rollout.yaml"];
    let one = run(&[&file[..], &["--what-if-fails"]].concat());
    let items = one["branches"]["items"].as_array().unwrap();
    assert!(items.iter().any(|branch| branch["wasReady"] == true));
    assert!(items.iter().all(|branch| branch["with"].is_null()));
    let two = run(&[&file[..], &["--what-if-fails=2"]].concat());
    let items = two["branches"]["items"].as_array().unwrap();
    assert!(items.iter().all(|branch| branch["with"]["pod"].is_string()));
    assert_eq!(items[0]["losesQuorum"], true);
    for wrong in [
        "--what-if-fails=0",
        "--what-if-fails=3",
        "--what-if-fails=x",
    ] {
        let (code, ..) = program::run(&[&file[..], &[wrong]].concat());
        assert_eq!(code, 1, "{wrong}");
    }
}
