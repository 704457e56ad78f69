//! What each format makes of a report.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use serde_json::{Value, json};
use sts_plan::controller::{Gates, Rules, Version};
use sts_plan::plan::{Conditions, Plan, VersionSource};
use sts_plan::render::{Format, Style, render};
use sts_plan::report::Report;
use sts_plan::simulate::{Assumption, Start};
use sts_plan::snapshot::Snapshot;

use crate::fixtures::{self, of_kind, snapshot, snapshot_of};
use crate::golden;

fn conditions() -> Conditions {
    let version = Version::NEWEST;
    let gates = Gates::new(version, &BTreeMap::new()).unwrap();
    Conditions {
        now: fixtures::now(),
        rules: Rules::new(version, &gates),
        gates,
        version_source: VersionSource::Default,
        ready_after: None,
        gone_after: SignedDuration::from_secs(5),
        assumptions: BTreeMap::new(),
    }
}

fn report(snapshot: Snapshot) -> Report {
    Report::new(&Plan::new(snapshot, conditions()))
}

/// A report under an assumption on one pod.
fn report_if(snapshot: Snapshot, pod: &str, start: Start) -> Report {
    let assumption = Assumption {
        start,
        ..Assumption::default()
    };
    let conditions = Conditions {
        assumptions: [(pod.to_owned(), assumption)].into(),
        ..conditions()
    };
    Report::new(&Plan::new(snapshot, conditions))
}

fn text(format: Format, reports: &[Report], style: &Style) -> String {
    let mut out = Vec::new();
    render(format, reports, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn terminal(width: usize) -> Style {
    Style {
        width: Some(width),
        ..Style::default()
    }
}

/// The set alone, nothing of it there yet.
fn first_rollout() -> Snapshot {
    let mut items = fixtures::items("rollout");
    items.truncate(1);
    of_kind(&mut items, "StatefulSet").remove("status");
    snapshot_of(items)
}

fn scenarios() -> Vec<(&'static str, Report)> {
    vec![
        ("first-rollout", report(first_rollout())),
        ("rollout", report(snapshot("rollout"))),
        (
            "rollout-never-ready",
            report_if(snapshot("rollout"), "web-2", Start::NeverReady),
        ),
        ("partition", report(snapshot("partition"))),
        ("crashloop", report(snapshot("crashloop"))),
        ("scale-down", report(snapshot("scale-down"))),
        ("on-delete", report(snapshot("on-delete"))),
        ("parallel", report(snapshot("parallel"))),
        (
            "livelock",
            report_if(first_rollout(), "web-0", Start::Fails),
        ),
    ]
}

#[test]
fn screens() {
    for (name, report) in scenarios() {
        let reports = [report];
        for width in [80, 160] {
            let actual = text(Format::Table, &reports, &terminal(width));
            let file = format!("golden/{name}.{width}.txt");
            golden::check(&golden::root().join(file), &actual);
        }
    }
}
