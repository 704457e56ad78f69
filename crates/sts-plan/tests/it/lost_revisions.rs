//! Deleted ControllerRevisions: the controller does not watch them.

use serde_json::Value;
use sts_plan::analysis::analyze;
use sts_plan::plan::Plan;
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

use crate::scenario::{Scenario, plan, pod, web};

const SAYS: &str = " at the controller's next resync (no event triggers one)";

/// The next sync of a plan, as reported.
fn next(plan: &Plan) -> Value {
    let analysis = analyze(plan, &Questions::default());
    serde_json::to_value(Report::from(&analysis)).unwrap()["next"].take()
}

/// The plan of a set without the revisions of these numbers.
fn without(scenario: &Scenario, numbers: &[i64]) -> Plan {
    let complete = plan(scenario, "1.36");
    let mut snapshot = complete.snapshot.clone();
    snapshot
        .revisions
        .retain(|_, revision| !numbers.contains(&revision.number));
    Plan::new(snapshot, complete.conditions.clone())
}

#[test]
fn nothing_triggers_a_sync_for_a_deleted_revision() {
    let lost = next(&without(&web(2), &[1]));
    let summary = lost["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("Next: record revision") && summary.contains(SAYS),
        "{summary}"
    );
    assert_eq!(lost["untriggered"], true);
    // The old revision of a rollout held by a partition is replaced only in the status.
    let held = web(2).rolling_to_v2().on_delete();
    let lost = next(&without(&held, &[1]));
    assert_eq!(lost["untriggered"], true, "{lost}");
}

#[test]
fn a_change_of_the_set_or_a_pod_triggers_a_sync() {
    let quiet = [
        plan(&web(2), "1.36"),
        plan(&web(2).rolling_to_v2(), "1.36"),
        without(&web(2).pod(pod("web-1").not_ready()), &[1]),
        without(&web(2).without("web-1"), &[1]),
        without(&web(2).metadata("generation", 2.into()), &[1]),
    ];
    for plan in &quiet {
        let next = next(plan);
        let summary = next["summary"].as_str().unwrap();
        assert!(!summary.contains(SAYS), "{summary}");
        assert_eq!(next["untriggered"], Value::Null, "{summary}");
    }
}
