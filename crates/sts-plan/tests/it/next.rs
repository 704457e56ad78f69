//! `--next`: the one command that may be run now, or the reason why none may.

use std::sync::Arc;

use serde_json::{Value, json};
use sts_controller::object::{RelatedKind, RelatedObjects};
use sts_plan::analysis::analyze;
use sts_plan::next::{Held, Next, Waiting, next};
use sts_plan::next::{next_command, next_text};
use sts_plan::options::Order;
use sts_plan::plan::{Conditions, Plan};
use sts_plan::requirement::Requirement;
use sts_plan::what_if::Questions;

use crate::scenario::{Scenario, plan, pod, web};

fn order(label: &str) -> Order {
    format!("primary-last={label}").parse().unwrap()
}

fn asked_with(plan: &Plan, order: &Order, requirements: &[&str]) -> (Next, String) {
    let requirements: Vec<Requirement> =
        requirements.iter().map(|it| it.parse().unwrap()).collect();
    let analysis = analyze(plan, &Questions::default());
    let found = next(&analysis, order, &requirements);
    let text = match &found {
        Next::Run(one) => next_command(&analysis, one).unwrap(),
        other => next_text(&analysis, other),
    };
    (found, text)
}

fn asked(scenario: &Scenario) -> (Next, String) {
    asked_with(&plan(scenario, "1.33"), &Order::default(), &[])
}

fn waiting() -> Scenario {
    web(3).on_delete().rolling_to_v2()
}

/// The pods that the loop in the help replaces, in order. It ends when nothing is left, and fails if it is held back.
fn loop_of(scenario: &Scenario, order: &Order) -> Vec<String> {
    let mut plan = plan(scenario, "1.33");
    let mut replaced = Vec::new();
    loop {
        let analysis = analyze(&plan, &Questions::default());
        let snapshot = match next(&analysis, order, &["unavailable<=1".parse().unwrap()]) {
            Next::Run(one) => {
                replaced.push(one.pod.to_string());
                let mut world = plan.initial_world().0;
                let action = sts_controller::simulate::Action::DeletePod(Arc::clone(&one.pod));
                world.perform(&action, &plan.conditions.behaviour).unwrap();
                // A moment later, only the deletion has happened.
                world.snapshot().clone()
            }
            Next::Wait(Waiting::UnderWay) => plan.progression.world.snapshot().clone(),
            Next::Done => return replaced,
            other => panic!("{other:?} after {replaced:?}"),
        };
        let conditions = Conditions {
            now: plan.progression.world.now(),
            ..plan.conditions.clone()
        };
        plan = Plan::new(snapshot, conditions);
        assert!(replaced.len() < 20);
    }
}

#[test]
fn the_loop_replaces_each_pod_once_and_ends() {
    assert_eq!(
        loop_of(&waiting(), &Order::default()),
        ["web-2", "web-1", "web-0"]
    );
    let labelled = waiting().pod(pod("web-2").label("role", "primary"));
    assert_eq!(
        loop_of(&labelled, &order("role=primary")),
        ["web-1", "web-0", "web-2"]
    );
}

#[test]
fn nothing_is_run_while_a_pod_is_in_progress() {
    for under_way in [
        waiting().pod(pod("web-2").at("v2").pending()),
        waiting().pod(pod("web-2").terminating()),
        waiting().without("web-2"),
        // The controller has not observed the new template.
        waiting().metadata("generation", json!(2)),
    ] {
        let (found, text) = asked(&under_way);
        assert!(matches!(found, Next::Wait(_)), "{found:?}");
        assert!(text.starts_with("wait: "), "{text}");
    }
    let (found, text) = asked(&waiting());
    assert!(matches!(found, Next::Run(_)));
    assert_eq!(text, "kubectl delete pod web-2 -n default");
}

/// A new revision that does not become ready stops the rollout: no other pod is risked.
#[test]
fn a_broken_new_revision_blocks_the_rollout() {
    let broken = waiting().pod(pod("web-2").at("v2").crash_looping());
    let (found, text) = asked(&broken);
    assert!(matches!(found, Next::Held(Held::Stuck)), "{found:?}");
    assert!(text.contains("web-2"), "{text}");
}

#[test]
fn requirements_quorum_and_budgets_hold_it_back() {
    let plan = plan(&waiting(), "1.33");
    let (found, text) = asked_with(&plan, &Order::default(), &["ready>=3"]);
    assert!(
        matches!(found, Next::Held(Held::Requirement(..))),
        "{found:?}"
    );
    assert!(text.contains("would violate ready>=3"), "{text}");
    let (found, _) = asked_with(&plan, &Order::default(), &["quorum", "unavailable<=1"]);
    assert!(matches!(found, Next::Run(_)), "{found:?}");

    let guarded = |spec: Value| {
        let budget = json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "guard", "namespace": "default"}, "spec": spec,
        });
        let mut related = RelatedObjects::default();
        related.insert(RelatedKind::Budget.read(&budget).unwrap());
        let conditions = Conditions {
            related: Arc::new(related),
            ..plan.conditions.clone()
        };
        Plan::new(plan.snapshot.clone(), conditions)
    };
    let selector = json!({"matchLabels": {"app": "web"}});
    let all = guarded(json!({"minAvailable": 3, "selector": selector}));
    let (found, text) = asked_with(&all, &Order::default(), &[]);
    assert!(matches!(found, Next::Held(Held::Budget(..))), "{found:?}");
    assert!(text.contains("PodDisruptionBudget guard allows no disruption"));
    let two = guarded(json!({"minAvailable": 2, "selector": selector}));
    assert!(matches!(
        asked_with(&two, &Order::default(), &[]).0,
        Next::Run(_)
    ));
}

/// Without a known primary, any pod might be the primary.
#[test]
fn without_a_primary_nothing_is_run() {
    let (found, text) = asked_with(&plan(&waiting(), "1.33"), &order("role=primary"), &[]);
    assert!(
        matches!(found, Next::Wait(Waiting::NoneLast(_))),
        "{found:?}"
    );
    assert!(text.contains("role=primary"), "{text}");
    for wrong in ["role=primary", "primary-last=role", "primary-last==x", ""] {
        assert!(wrong.parse::<Order>().is_err(), "{wrong}");
    }
}

#[test]
fn a_partition_is_lowered_by_one_pod() {
    let held = web(5)
        .rolling_to_v2()
        .pod(pod("web-4").at("v2"))
        .partition(4);
    let (found, text) = asked(&held);
    assert!(matches!(found, Next::Run(_)), "{found:?}");
    assert!(text.contains(r#"{"partition":3}"#), "{text}");
    let (found, text) = asked(&web(3));
    assert!(matches!(found, Next::Done));
    assert!(text.starts_with("done: 3 pods ready on web-"), "{text}");
    // The controller does this itself, so the answer is to wait.
    assert!(matches!(
        asked(&web(3).rolling_to_v2()).0,
        Next::Wait(Waiting::UnderWay)
    ));
}
