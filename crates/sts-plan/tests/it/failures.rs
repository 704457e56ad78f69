//! `--what-if-fails`: the course of a rollout with failing pods.

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::{Assumption, Start};
use sts_plan::analysis::analyze;
use sts_plan::plan::Plan;
use sts_plan::report::Report;
use sts_plan::what_if::{Failures, Questions, Recovery, WhatIfAnswers};
use test_kit::input::{Input, fixture, objects};
use test_kit::kv::NOW;

use crate::scenario::{Scenario, plan, plan_assuming, pod, web};

fn asked(plan: &Plan) -> WhatIfAnswers {
    let questions = Questions {
        failures: Failures::Starts,
        ..Questions::default()
    };
    WhatIfAnswers::of(plan, &questions)
}

/// `pod result recovery, outdated pods` of each branch.
fn branches(scenario: &Scenario, version: &str) -> Vec<String> {
    let branches = asked(&plan(scenario, version)).branches.unwrap();
    let told = branches.items.iter().map(|branch| {
        let recovery = branch.recovery.name();
        format!(
            "{} {} {recovery} {}",
            branch.pod,
            branch.result,
            branch.outdated.join(",")
        )
    });
    told.map(|line| line.trim_end().to_owned()).collect()
}

/// The forced rollback of k/k#67250: after a revert, an ordered set does not recover, and a parallel one does.
#[test]
fn a_revert_alone_helps_parallel_sets_only() {
    let update = web(3).rolling_to_v2();
    assert_eq!(
        branches(&update, "1.36"),
        [
            "web-2 blocked revert-and-delete web-0,web-1",
            "web-1 blocked revert-and-delete web-0",
            "web-0 blocked revert-and-delete",
        ]
    );
    assert_eq!(
        branches(&update.parallel(), "1.36"),
        [
            "web-2 blocked revert-alone web-0,web-1",
            "web-1 blocked revert-alone web-0",
            "web-0 blocked revert-alone",
        ]
    );
}

#[test]
fn a_first_rollout_has_no_template_to_roll_back_to() {
    let first = web(2).without("web-0").without("web-1").no_revisions();
    let first = first.status_revisions("", "").status("replicas", 0);
    for line in branches(&first, "1.36") {
        assert!(line.contains("revert-and-delete"), "{line}");
    }
}

/// If all pods were deleted, they come back one by one. Pods after one that never becomes ready stay missing.
#[test]
fn pods_that_are_not_created_do_not_count_as_updated() {
    let gone = web(3).without("web-0").without("web-1").without("web-2");
    let told = asked(&plan(&gone, "1.36")).branches.unwrap();
    let missing: Vec<String> = told
        .items
        .iter()
        .map(|branch| format!("{}: {}", branch.pod, branch.missing.join(",")))
        .collect();
    assert_eq!(missing, ["web-0: web-1,web-2", "web-1: web-2", "web-2: "]);
}

fn file(name: &str) -> Input {
    Input::of(&objects(&fixture(name)), NOW)
}

/// `Recreate` deletes them all at once, and after a revert, a pod that never becomes ready is replaced with the others.
#[test]
fn under_recreate_a_revert_alone_helps() {
    let recreate = file("rollout.yaml").version("1.37 StatefulSetRecreateStrategy=true");
    let recreate = recreate.edited([Edit::update_strategy("Recreate")]);
    let plan = recreate.asking(|it| it.failures = Failures::Each).json();
    let branches = plan["branches"]["items"].as_array().unwrap().iter();
    let told: Vec<Value> = branches
        .filter(|branch| branch["wasReady"].is_null())
        .map(|branch| json!([branch["pod"], branch["missing"], branch["recovery"]]))
        .collect();
    assert_eq!(
        told,
        [
            json!(["web-0", ["web-1", "web-2"], "revert-alone"]),
            json!(["web-1", ["web-2"], "revert-alone"]),
            json!(["web-2", null, "revert-alone"]),
        ]
    );
}

#[test]
fn a_set_at_rest_has_no_branches() {
    assert!(branches(&web(3), "1.36").is_empty());
}

/// A branch equals the plan with the corresponding flag, if a flag can express it: for a pod that is created once.
#[test]
fn a_branch_is_the_plan_with_that_assumption() {
    for scenario in [
        web(3).without("web-1").without("web-2"),
        web(3).without("web-1").without("web-2").parallel(),
        web(2).replicas(4),
    ] {
        let branches = asked(&plan(&scenario, "1.36")).branches.unwrap();
        assert!(branches.items.len() == 2, "{branches:?}");
        for branch in branches.items {
            let assumption = Assumption {
                start: Start::NeverReady,
                ..Assumption::default()
            };
            let assumed =
                plan_assuming(&[(&*branch.pod, assumption)], Vec::new(), &scenario, "1.36");
            assert_eq!(branch.result, assumed.outcome.result());
            assert_eq!(branch.ends_at, assumed.duration().as_secs());
            let ready = assumed
                .final_pods()
                .filter(|pod| pod.is_running_and_ready());
            assert_eq!(branch.ready.values().sum::<usize>(), ready.count());
            assert_ne!(branch.recovery, Recovery::NotNeeded);
        }
    }
}

/// A large set is answered in part, and the answer says so.
#[test]
fn large_sets_omit_the_middle() {
    let large = (0..300).fold(web(0).replicas(300), |web, ordinal| {
        web.pod(pod(&format!("web-{ordinal}")))
    });
    let outlook = asked(&plan(&large.rolling_to_v2(), "1.36"));
    let branches = outlook.branches.unwrap();
    assert_eq!(branches.items.len() + branches.left_out, 300);
    assert!(branches.left_out > 200);
}

/// `pod[ now][ + pod[ now]] result recovery lowest[ quorum lost]` of each branch.
fn failing(scenario: &Scenario, failures: Failures) -> Vec<String> {
    let questions = Questions {
        failures,
        ..Questions::default()
    };
    let outlook = WhatIfAnswers::of(&plan(scenario, "1.36"), &questions);
    let told = |pod: &str, was_ready: bool| match was_ready {
        true => format!("{pod} now"),
        false => pod.to_owned(),
    };
    let branches = outlook.branches.unwrap();
    assert_eq!(branches.left_out, 0);
    let lines = branches.items.iter().map(|branch| {
        let with = branch.with.as_ref();
        let with = with.map_or_else(String::new, |with| {
            format!(" + {}", told(&with.pod, with.was_ready))
        });
        let quorum = match branch.loses_quorum {
            true => ", quorum lost",
            false => "",
        };
        format!(
            "{}{with}: {} {} {}{quorum}",
            told(&branch.pod, branch.was_ready),
            branch.result.name(),
            branch.recovery.name(),
            branch.lowest_ready
        )
    });
    lines.collect()
}

/// A pod that is ready now may fail too. At rest, the set waits only for that pod, and a rollout that reaches it
/// replaces it.
#[test]
fn pods_that_are_ready_now_may_fail() {
    assert_eq!(
        failing(&web(3), Failures::Each),
        [
            "web-0 now: blocked delete-alone 2",
            "web-1 now: blocked delete-alone 2",
            "web-2 now: blocked delete-alone 2",
        ]
    );
    let rolling = failing(&web(3).rolling_to_v2(), Failures::Each);
    assert_eq!(rolling.len(), 6, "{rolling:?}");
    // The controller waits for a pod that is not ready before it deletes another.
    assert_eq!(rolling[3], "web-0 now: blocked delete-alone 2");
}

#[test]
fn pairs_are_sorted_worst_first() {
    let pairs = failing(&web(3), Failures::Pairs);
    assert_eq!(pairs.len(), 3, "{pairs:?}");
    assert!(
        pairs.iter().all(|pair| pair.ends_with("1, quorum lost")),
        "{pairs:?}"
    );
    assert!(
        pairs[0].starts_with("web-0 now + web-1 now: blocked delete-alone"),
        "{pairs:?}"
    );
    // Of three pods in a rollout, two that are ready now are the majority, as are one of them and one that starts. Of a
    // pair that the rollout meets one by one, the first stops it.
    let rolling = failing(&web(3).rolling_to_v2(), Failures::Pairs);
    assert_eq!(rolling.len(), 12);
    assert_eq!(
        rolling[0],
        "web-0 now + web-2: blocked revert-and-delete 1, quorum lost"
    );
    let lost = |pair: &String| pair.contains("quorum lost");
    assert_eq!(rolling.iter().filter(|pair| lost(pair)).count(), 6);
    let first_kept = rolling.iter().position(|pair| !lost(pair)).unwrap();
    assert!(first_kept > 0, "{rolling:?}");
    assert!(!rolling[first_kept..].iter().any(lost), "{rolling:?}");
    // Of five, no pair is a majority.
    assert!(!failing(&web(5), Failures::Pairs).iter().any(lost));
}

#[test]
fn pairs_of_large_sets_are_checked_in_part() {
    let large = (0..60).fold(web(0).replicas(60), |web, ordinal| {
        web.pod(pod(&format!("web-{ordinal}")))
    });
    let questions = Questions {
        failures: Failures::Pairs,
        ..Questions::default()
    };
    let outlook = WhatIfAnswers::of(&plan(&large, "1.36"), &questions);
    let branches = outlook.branches.unwrap();
    assert_eq!(branches.items.len() + branches.left_out, 60 * 59 / 2);
    assert!((50..=120).contains(&branches.items.len()));
}

/// A pod that has not failed when the rollout stops is healthy, and no recovery deletes it.
#[test]
fn the_recovery_of_a_pair_deletes_only_what_has_failed() {
    let two = file("rollout.yaml")
        .asking(|it| it.failures = Failures::Pairs)
        .json();
    let items = two["branches"]["items"].as_array().unwrap();
    let mut compared = 0;
    for branch in items.iter().filter(|branch| branch["result"] == "blocked") {
        let deletes: Vec<&str> = branch["deletes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_str())
            .collect();
        let needs =
            ["delete-alone", "revert-and-delete"].contains(&branch["recovery"].as_str().unwrap());
        assert_eq!(needs, !deletes.is_empty(), "{branch:#}");
        let ready = branch["ready"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(|count| count.as_u64())
            .sum::<u64>();
        // The rollout stops at the first failure: the other pods are ready.
        if branch["wasReady"] == true && branch["with"]["wasReady"].is_null() && ready == 2 {
            assert_eq!(deletes, [branch["pod"].as_str().unwrap()], "{branch:#}");
            assert_eq!(branch["recovery"], "delete-alone");
            compared += 1;
        }
    }
    assert!(compared > 0, "{items:#?}");
}

/// A table of steps has branches of its own, and a question that was asked has a table of its own.
#[test]
fn branches_of_the_steps_are_not_those_of_the_question() {
    let update = plan(&web(3).rolling_to_v2(), "1.36");
    let questions = Questions {
        step_branches: true,
        ..Questions::default()
    };
    let report = Report::from(&analyze(&update, &questions));
    assert!(report.branches.is_none() && report.step_branches.is_some());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["branches"], Value::Null);
    let asked = Questions {
        failures: Failures::Each,
        ..questions
    };
    assert!(WhatIfAnswers::of(&update, &asked).step_branches.is_none());
}

/// Pods that are ready now fail when the rollout is at its weakest, unless it has replaced them by then.
#[test]
fn a_ready_pod_of_a_pair_fails_while_the_other_starts() {
    let of = |web: &Scenario| {
        let questions = Questions {
            failures: Failures::Pairs,
            ..Questions::default()
        };
        WhatIfAnswers::of(&plan(web, "1.36"), &questions).branches
    };
    let items = of(&web(3).rolling_to_v2()).unwrap().items;
    let row = |first: &str, second: &str| {
        let mut rows = items.iter().filter(|branch| {
            let with = branch.with.as_ref().unwrap();
            branch.pod == first && branch.was_ready && with.pod == second && !with.was_ready
        });
        rows.next().unwrap()
    };
    let (worst, replaced) = (row("web-0", "web-2"), row("web-2", "web-1"));
    assert_eq!(
        (worst.at, worst.lowest_ready, worst.stops_before),
        (15, 1, false)
    );
    assert_eq!(worst.deletes, ["web-0", "web-2"]);
    assert_eq!(
        (replaced.at, replaced.lowest_ready, replaced.stops_before),
        (0, 2, true)
    );
}
