//! Problems with StatefulSets that users reported, one test per report, named after its issue (`kk` is
//! kubernetes/kubernetes): the program's output before the problem, and after.

mod changes;
mod rollouts;
mod storage;
mod stuck;

use kubectl_sts_plan::internals::{Format, Style, render};
use sts_plan::fleet::ReportList;
use sts_plan::plan::{Conditions, Plan};
use sts_plan::report::Report;

use crate::scenario::{Scenario, plan};
use test_kit::findings::{lines, never_ready};

/// The complete output about a plan: the screen with -v, unwrapped.
fn screen(plan: &Plan) -> String {
    let style = Style {
        verbose: true,
        ..Style::default()
    };
    let mut out = Vec::new();
    let reports = [Report::new(plan)];
    render(Format::Table, &ReportList::new(&reports), &style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The plan in which a pod's error state counts as evidence.
fn believing(scenario: &Scenario, version: &str) -> Plan {
    let plan = plan(scenario, version);
    let conditions = Conditions {
        ready_after: None,
        ..plan.conditions
    };
    Plan::new(plan.snapshot, conditions)
}

/// Checks that the output contains each of these.
#[track_caller]
fn says(plan: &Plan, sentences: &[&str]) {
    let screen = screen(plan);
    for sentence in sentences {
        assert!(screen.contains(sentence), "{sentence}\nis not in\n{screen}");
    }
}

/// Checks that the rule has no finding.
#[track_caller]
fn does_not_find(plan: &Plan, id: &str) {
    let lines = lines(&[plan]);
    assert!(!lines.iter().any(|line| line.starts_with(id)), "{lines:#?}");
}

#[test]
fn every_report_has_a_test() {
    let sources = [
        include_str!("changes.rs"),
        include_str!("rollouts.rs"),
        include_str!("storage.rs"),
        include_str!("stuck.rs"),
    ];
    let mut found: Vec<u32> = sources
        .iter()
        .flat_map(|source| source.lines())
        .filter_map(|line| line.strip_prefix("fn p"))
        .filter_map(|name| name.split('_').next()?.parse().ok())
        .collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, (1..=37).collect::<Vec<u32>>());
}
