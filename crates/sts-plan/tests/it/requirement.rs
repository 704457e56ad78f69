//! `--require`: what must hold at every moment of a rollout.

use serde_json::json;
use sts_controller::simulate::Bounds;
use sts_plan::requirement::{Requirement, check};
use test_kit::input::{Input, fixture, objects};

use crate::scenario::{Scenario, plan, pod, web};

/// Returns the result of a requirement: `holds`, `at the beginning`, or the second at which it breaks.
fn outcome(scenario: &Scenario, requirement: &str) -> String {
    let requirement: Requirement = requirement.parse().unwrap();
    let checked = check(&plan(scenario, "1.36"), &[requirement]);
    match &checked[0].broken_at {
        None => "holds".to_owned(),
        Some(broken) if broken.step.is_none() => "at the beginning".to_owned(),
        Some(broken) => broken.at.to_string(),
    }
}

#[test]
fn requirements_are_checked_after_every_step() {
    let update = web(3).rolling_to_v2();
    let parallel = web(3).rolling_to_v2().parallel();
    for (scenario, requirement, expected) in [
        (&update, "unavailable<=1", "holds"),
        (&update, "unavailable<1", "0"),
        (&update, "ready>=2", "holds"),
        (&update, "ready>=67%", "0"),
        (&update, "ready>=66%", "holds"),
        (&update, "revision-mix<=1", "5"),
        (&update, "revision-mix<=2", "holds"),
        (&update, "terminating<=1", "holds"),
        (&update, "replicas==3", "5"),
        (&update, "updated<3", "35"),
        (&parallel, "unavailable<=1", "holds"),
        (&update, "quorum", "holds"),
        (&web(2).rolling_to_v2(), "quorum", "0"),
        (&web(1).rolling_to_v2(), "quorum", "0"),
        (&web(5).rolling_to_v2(), "quorum", "holds"),
        (&web(0), "quorum", "holds"),
    ] {
        assert_eq!(outcome(scenario, requirement), expected, "{requirement}");
    }
}

#[test]
fn an_initial_violation_says_so() {
    let first_rollout = web(2).without("web-0").without("web-1");
    assert_eq!(outcome(&first_rollout, "ready>=1"), "at the beginning");
    assert_eq!(outcome(&first_rollout, "unavailable<=2"), "holds");
    let one_is_down = web(2).pod(pod("web-0").not_ready());
    assert_eq!(outcome(&one_is_down, "available>1"), "at the beginning");
}

/// minReadySeconds affects availability, not readiness.
#[test]
fn availability_takes_its_time() {
    let growing = web(1).replicas(2).min_ready(30);
    let waits = |text: &str| {
        let report = check(&plan(&growing, "1.36"), &[text.parse().unwrap()]);
        report[0].broken_at.as_ref().unwrap().at
    };
    assert_eq!(waits("ready<2"), 10);
    assert_eq!(waits("available<2"), 40);
}

/// A requirement of a set that starts with the wrong number of pods, and one of a set without pods.
#[test]
fn percentages_are_of_the_replicas() {
    let none = web(1).replicas(0);
    assert_eq!(outcome(&none, "ready>=100%"), "holds");
    assert_eq!(outcome(&web(4).replicas(2), "ready>=100%"), "holds");
    assert_eq!(
        outcome(&web(4).spec("replicas", json!(5)), "ready>=100%"),
        "at the beginning"
    );
}

/// A word states its meaning. A requirement that breaks without any fault says so before any fault is tried.
#[test]
fn a_quorum_states_its_size_and_breaks_without_a_fault() {
    let explored = |requirement: &str, faults: usize| {
        let input = Input::of(&objects(&fixture("rollout.yaml")), "2026-11-20T03:00:00Z");
        let bounds = Bounds::new(faults, usize::MAX);
        input
            .require(requirement)
            .asking(|it| it.explore = Some(bounds))
            .json()
    };
    let plan = explored("quorum", 2);
    assert_eq!(plan["requirements"][0]["text"], "quorum");
    assert_eq!(plan["requirements"][0]["meaning"], "ready>=2");
    let exploration = &plan["exploration"];
    assert_eq!(exploration["verdict"], "broken");
    assert!(exploration["withoutFault"].is_null());
    let path = exploration["counterexample"]["path"].as_array().unwrap();
    assert!(path.iter().any(|event| event["fault"] == true), "{path:?}");

    let plan = explored("ready>=3", 1);
    let exploration = &plan["exploration"];
    assert_eq!(exploration["withoutFault"], true);
    let summary = exploration["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("without any fault, ready>=3 is violated: ready is 2"),
        "{summary}"
    );
    let path = &exploration["counterexample"]["path"];
    let path = path.as_array().unwrap().iter();
    assert!(path.clone().all(|event| event["fault"].is_null()));
}
