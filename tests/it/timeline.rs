//! The state of each pod at each step, read from a report and compared with its plan.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sts_controller::object::Snapshot;
use sts_plan::analysis::MOST_OBSERVED;
use sts_plan::plan::Plan;
use sts_plan::report::timeline::{Lane, State, Timeline, waits};
use sts_plan::report::{PodFate, Report, ReportPod};

use crate::fixtures::{observed, snapshot};
use crate::render::{conditions, first_rollout, scenarios};
use crate::worlds::{self, cases, scenario};

/// Asserts that the timeline ends like the plan: each pod exists or not, on its revision, ready or not.
pub fn check_end(report: &Report) {
    let timeline = Timeline::new(report);
    // A released pod may not belong to the set at the end, but it exists.
    let released = |lane: &&Lane<'_>| {
        let mut pods = report.set.pods.iter();
        pods.any(|pod| *pod.name == *lane.pod && pod.fate == PodFate::Released)
    };
    let lanes = || timeline.lanes.iter().filter(|lane| !released(lane));
    let end = lanes().filter_map(|lane| {
        let last = lane.after(timeline.steps)?;
        Some((
            lane.pod.as_str(),
            last.revision,
            matches!(last.state, State::Available | State::Ready),
            last.state == State::Terminating,
        ))
    });
    let kept = lanes().map(|lane| lane.pod.as_str());
    let kept: BTreeSet<&str> = kept.collect();
    let expected: BTreeMap<&str, &ReportPod> = report
        .outcome
        .pods
        .iter()
        .filter(|pod| kept.contains(&*pod.name))
        .map(|pod| (&*pod.name, pod))
        .collect();
    let mut seen = 0;
    for (pod, revision, ready, terminating) in end {
        let expected = expected
            .get(pod)
            .unwrap_or_else(|| panic!("{pod} is missing at the end"));
        assert_eq!(revision, &*expected.revision, "{pod}");
        // A pod that is being deleted may be ready until it is gone.
        assert!(
            ready == expected.ready || terminating,
            "{expected:?}: {:?}, {:?}",
            report.set.pods,
            report.steps
        );
        seen += 1;
    }
    assert_eq!(seen, expected.len());
    for lane in &timeline.lanes {
        for pair in lane.spans.windows(2) {
            assert!(pair[0].to.is_some_and(|to| to <= pair[1].from), "{lane:?}");
        }
        for span in &lane.spans {
            assert!(span.to.is_none_or(|to| to > span.from), "{lane:?}");
        }
    }
}

#[test]
fn a_timeline_ends_as_its_plan_does() {
    for (name, report) in scenarios() {
        println!("{name}");
        check_end(&report);
    }
}

fn with_looks(snapshot: Snapshot) -> (Plan, Report) {
    let plan = Plan::new(snapshot, conditions());
    let report = observed(&plan);
    (plan, report)
}

#[test]
fn states_match_the_plan() {
    for name in [
        "rollout",
        "partition",
        "crashloop",
        "scale-down",
        "on-delete",
        "parallel",
    ] {
        let (plan, report) = with_looks(snapshot(name));
        assert_eq!(report.sync_findings.len(), plan.progression.syncs, "{name}");
        let last = report.sync_findings.last().unwrap();
        assert_eq!(last.steps, report.steps.len(), "{name}");
        assert_eq!(last.status, report.outcome.status, "{name}");
        let holds = last.holds.iter().map(|hold| hold.reason);
        let expected = plan.last.holds.iter().filter(|hold| !hold.is_intended());
        assert!(holds.eq(expected.map(|hold| hold.reason())), "{name}");
    }
}

#[test]
fn a_rollout_waits_for_one_thing_after_the_other() {
    let (_, report) = with_looks(snapshot("rollout"));
    let told: Vec<String> = waits(&report)
        .iter()
        .map(|wait| {
            let hold = wait.hold().unwrap();
            let pod = hold.pod.as_deref().unwrap_or_default();
            format!("{} {pod} {}-{:?}", hold.reason, wait.from, wait.to)
        })
        .collect();
    assert_eq!(
        told,
        [
            "WaitingForPodTermination web-2 0-Some(5)",
            "WaitingForPodReady web-2 5-Some(27)",
            "WaitingForPodTermination web-1 27-Some(32)",
            "WaitingForPodReady web-1 32-Some(54)",
            "WaitingForPodTermination web-0 54-Some(59)",
            "WaitingForPodReady web-0 59-Some(81)",
        ]
    );
    let (_, stuck) = with_looks(snapshot("crashloop"));
    let stuck = waits(&stuck).last().map(|wait| (wait.from, wait.to));
    assert_eq!(stuck, Some((0, None)));
}

#[test]
fn unavailable_pods_are_counted_at_every_second() {
    let (_, report) = with_looks(snapshot("parallel"));
    let timeline = Timeline::new(&report);
    assert_eq!(timeline.unavailable(), [(0, 2), (41, 1), (133, 0)]);
    let (_, report) = with_looks(first_rollout());
    let timeline = Timeline::new(&report);
    assert_eq!(timeline.unavailable(), [(0, 3), (10, 2), (20, 1), (30, 0)]);
    // Pods that are scaled down are no loss.
    let (_, report) = with_looks(snapshot("scale-down"));
    assert_eq!(Timeline::new(&report).unavailable(), [(0, 0)]);
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn the_timeline_of_any_world_ends_as_its_plan_does(scenario in scenario()) {
        let plan = Plan::new(scenario.snapshot(), worlds::conditions(&scenario));
        let report = observed(&plan);
        check_end(&report);
        if report.steps.len() < MOST_OBSERVED {
            prop_assert_eq!(report.sync_findings.len(), plan.progression.syncs);
        }
        for wait in waits(&report) {
            prop_assert!(wait.to.is_none_or(|to| to > wait.from));
        }
    }
}
