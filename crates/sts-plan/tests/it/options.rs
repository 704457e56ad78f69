//! `--options`: what can be done during a rollout, each option simulated.

use serde_json::{Value, json};
use sts_controller::simulate::Action;
use sts_plan::analysis::analyze;
use sts_plan::options::OptionKind;
use sts_plan::plan::{Plan, PlanResult};
use sts_plan::report::{Report, ReportOption, ReportOptions};
use sts_plan::what_if::Questions;
use test_kit::input::{Input, objects};
use test_kit::kv::NOW;

use crate::scenario::{Scenario, plan, plan_after, pod, web};

fn report(plan: &Plan) -> Report {
    let questions = Questions {
        options: true,
        ..Questions::default()
    };
    Report::from(&analyze(plan, &questions))
}

fn options(scenario: &Scenario, version: &str) -> ReportOptions {
    *report(&plan(scenario, version)).options.unwrap()
}

fn of(options: &ReportOptions, kind: OptionKind) -> &ReportOption {
    let found = options.items.iter().find(|option| option.kind == kind);
    found.unwrap_or_else(|| panic!("no {kind}: {options:?}"))
}

fn kinds(options: &ReportOptions) -> Vec<&'static str> {
    options.items.iter().map(|it| it.kind.name()).collect()
}

/// Five pods, the highest of which has moved.
fn one_moved() -> Scenario {
    web(5).rolling_to_v2().pod(pod("web-4").at("v2"))
}

#[test]
fn a_rollout_may_continue_pause_or_roll_back() {
    let told = options(&one_moved(), "1.33");
    assert_eq!(
        kinds(&told),
        ["go-on", "pause", "roll-back", "roll-back-moved"]
    );
    let cost = |kind: OptionKind| {
        let option = of(&told, kind);
        assert_eq!(option.result, PlanResult::Complete);
        (option.after_seconds, option.restarts, option.outdated)
    };
    // Four pods, each gone after 5s and ready after 10s.
    assert_eq!(cost(OptionKind::GoOn), (60, 4, 0));
    assert_eq!(cost(OptionKind::Pause), (0, 0, 4));
    assert_eq!(cost(OptionKind::RollBack), (15, 1, 0));
    assert_eq!(cost(OptionKind::RollBackMoved), (15, 1, 5));
    let commands = |kind: OptionKind| of(&told, kind).commands.clone();
    assert!(commands(OptionKind::GoOn).is_empty());
    assert_eq!(
        commands(OptionKind::Pause),
        [
            r#"kubectl patch sts web --type merge -p '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":4}}}}' -n default"#
        ]
    );
    assert_eq!(
        commands(OptionKind::RollBack),
        ["kubectl rollout undo sts/web --to-revision=1 -n default"]
    );
    let back = commands(OptionKind::RollBackMoved);
    assert!(back[0].contains(r#""partition":5"#), "{back:?}");
    assert_eq!(back[1..], ["kubectl delete pod web-4 -n default"]);
}

/// A pod in progress starts whatever is chosen: a pause stops before the next pod.
#[test]
fn a_pause_lets_the_pod_in_progress_start() {
    let under_way = web(3).rolling_to_v2().pod(pod("web-2").at("v2").pending());
    let told = options(&under_way, "1.33");
    let pause = of(&told, OptionKind::Pause);
    assert!(pause.commands[0].contains(r#""partition":2"#));
    assert_eq!((pause.most_down, pause.lowest_ready), (1, 2));
    assert!(!pause.loses_quorum);
}

#[test]
fn a_held_rollout_continues_by_one_pod_or_by_all() {
    let held = one_moved().partition(4);
    let told = options(&held, "1.33");
    assert_eq!(
        kinds(&told),
        ["go-on", "advance", "resume", "roll-back", "roll-back-moved"]
    );
    assert_eq!(
        of(&told, OptionKind::GoOn).effect,
        "no change; 4 pods outdated"
    );
    let advance = of(&told, OptionKind::Advance);
    assert!(advance.commands[0].contains(r#""partition":3"#));
    assert_eq!((advance.restarts, advance.outdated), (1, 3));
    let resume = of(&told, OptionKind::Resume);
    assert_eq!((resume.restarts, resume.outdated), (4, 0));
}

#[test]
fn the_partition_counts_from_the_first_ordinal() {
    let shifted = web(0)
        .replicas(3)
        .start(5)
        .pod(pod("web-5"))
        .pod(pod("web-6"))
        .pod(pod("web-7").at("v2"))
        .rolling_to_v2();
    let told = options(&shifted, "1.33");
    let pause = of(&told, OptionKind::Pause);
    assert!(pause.commands[0].contains(r#""partition":2"#), "{pause:?}");
}

#[test]
fn under_on_delete_each_pod_is_deleted_in_turn() {
    let waiting = web(3).on_delete().rolling_to_v2();
    let told = options(&waiting, "1.33");
    assert_eq!(kinds(&told), ["go-on", "replace-each", "roll-back"]);
    let each = of(&told, OptionKind::ReplaceEach);
    assert_eq!(
        each.commands,
        ["web-2", "web-1", "web-0"].map(|pod| format!("kubectl delete pod {pod} -n default"))
    );
    assert_eq!((each.after_seconds, each.restarts), (45, 3));
    assert_eq!((each.most_down, each.outdated), (1, 0));
}

/// Under `OnDelete`, a pod that has moved does not return automatically.
#[test]
fn a_rollback_under_on_delete_deletes_moved_pods() {
    let begun = web(3)
        .on_delete()
        .rolling_to_v2()
        .pod(pod("web-2").at("v2"));
    let told = options(&begun, "1.33");
    let back = of(&told, OptionKind::RollBack);
    assert_eq!(back.commands[1..], ["kubectl delete pod web-2 -n default"]);
    assert_eq!((back.restarts, back.outdated), (1, 0));
}

/// More pods at once if the version supports it, but never so many that one more failure loses the quorum.
#[test]
fn more_at_once_leaves_a_spare_member() {
    let gate = "1.36 MaxUnavailableStatefulSet=true";
    let of_seven = web(7).rolling_to_v2();
    let told = options(&of_seven, gate);
    let faster = of(&told, OptionKind::MaxUnavailable);
    assert!(
        faster.commands[0].contains(r#""maxUnavailable":2"#),
        "{faster:?}"
    );
    assert_eq!(faster.most_down, 2);
    assert!(faster.after_seconds < of(&told, OptionKind::GoOn).after_seconds);
    for (scenario, version) in [(web(5).rolling_to_v2(), gate), (of_seven, "1.33")] {
        let told = options(&scenario, version);
        assert!(!kinds(&told).contains(&"max-unavailable"), "{version}");
    }
}

/// Creating many pods is faster in parallel. A rollout is not, and keeps its policy.
#[test]
fn parallel_is_offered_if_it_is_faster() {
    let starting = web(0).replicas(5);
    let told = options(&starting, "1.33");
    let parallel = of(&told, OptionKind::Parallel);
    assert!(parallel.after_seconds < of(&told, OptionKind::GoOn).after_seconds);
    assert!(parallel.commands[0].contains("--cascade=orphan"));
    assert!(parallel.precondition.contains("Parallel"));
    assert!(!kinds(&options(&one_moved(), "1.33")).contains(&"parallel"));
    // A faster scale-down is no reason to recreate a set.
    let down = web(5).replicas(2);
    assert_eq!(kinds(&options(&down, "1.33")), ["go-on"]);
}

/// The advice of the verdict and the options agree.
#[test]
fn a_stuck_set_has_the_same_advice_everywhere() {
    let stuck = web(3)
        .rolling_to_v2()
        .pod(pod("web-2").at("v2").crash_looping());
    let report = report(&plan(&stuck, "1.33"));
    let told = report.options.as_ref().unwrap();
    assert_eq!(told.items[0].result, PlanResult::Blocked);
    let fixes = told.items.iter().filter(|it| it.kind == OptionKind::Fix);
    let fixes: Vec<&Vec<String>> = fixes.map(|it| &it.commands).collect();
    let remedies = report.outcome.blocked_by[0].remedies.iter();
    let advised = remedies.filter(|it| it.helps && !it.looks);
    let advised: Vec<&Vec<String>> = advised.map(|it| &it.commands).collect();
    assert!(!fixes.is_empty());
    assert_eq!(fixes, advised);
    // The template is not the only cause, so it is not offered again as a rollback.
    assert!(!kinds(told).contains(&"roll-back"));
    for fix in told.items.iter().filter(|it| it.kind == OptionKind::Fix) {
        assert_eq!((fix.most_down, fix.lowest_ready), (1, 2), "{fix:?}");
    }
}

/// An operator reverts changes of its set, so none is offered.
#[test]
fn the_set_of_an_operator_is_not_changed() {
    let owner = json!([{"apiVersion": "kafka.strimzi.io/v1", "kind": "StrimziPodSet", "name": "kafka",
        "uid": "owner", "controller": true}]);
    let owned = one_moved().metadata("ownerReferences", owner);
    let told = options(&owned, "1.33");
    assert_eq!(kinds(&told), ["go-on"]);
    assert_eq!(told.managed_by.as_deref(), Some("StrimziPodSet kafka"));
}

#[test]
fn without_a_rollout_there_are_no_options() {
    let idle = options(&web(3), "1.33");
    assert!(idle.items.is_empty());
    assert_eq!(
        idle.skipped.unwrap().name(),
        "no rollout is in progress, and nothing is stuck"
    );
    let deletes = vec![Action::DeletePod("web-0".into())];
    let changed = plan_after(deletes, &one_moved(), "1.33");
    let told = *report(&changed).options.unwrap();
    assert!(told.skipped.unwrap().name().contains("omit the change"));
}

/// The time and author of the last template change, as the objects show.
#[test]
fn the_history_has_revisions_and_the_last_writer() {
    let field = |manager: &str, at: &str, field: &str| {
        json!({"manager": manager, "operation": "Update", "time": at, "apiVersion": "apps/v1",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {field: {}}}})
    };
    let fields = json!([
        field("kubectl-create", "2025-12-31T20:00:00Z", "f:template"),
        field("kubectl-set", "2025-12-31T23:00:00Z", "f:template"),
        field("kubectl-scale", "2025-12-31T23:30:00Z", "f:replicas"),
    ]);
    let scenario = one_moved().metadata("managedFields", fields);
    let history = report(&plan(&scenario, "1.33")).history.unwrap();
    let writer = history.writer.unwrap();
    assert_eq!(
        (writer.manager.as_str(), writer.operation.as_str()),
        ("kubectl-set", "Update")
    );
    let revisions: Vec<_> = history
        .revisions
        .iter()
        .map(|it| (it.number, it.pods, it.update, it.current))
        .collect();
    assert_eq!(revisions, [(2, 1, true, false), (1, 4, false, true)]);
    assert!(
        report(&plan(&web(3), "1.33"))
            .history
            .unwrap()
            .writer
            .is_none()
    );
}

/// In real situations, the options match the verdict's advice, and cost no more than continuing.
#[test]
fn options_match_the_advice_and_cost_no_more() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/trial");
    let (mut fixes, mut others) = (0, 0);
    let pods = |items: &Value| items.as_array().map_or(0, Vec::len);
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|it| it != "yaml") {
            continue;
        }
        let input = Input::of(&objects(&std::fs::read_to_string(&file).unwrap()), NOW);
        let plan = input.asking(|it| it.options = true).json();
        let Some(items) = plan["options"]["items"].as_array() else {
            panic!("{file:?}: no options");
        };
        let Some((going_on, items)) = items.split_first() else {
            assert!(plan["options"]["skipped"].is_string(), "{file:?}");
            continue;
        };
        assert_eq!(going_on["option"], "go-on", "{file:?}");
        let missing = pods(&plan["outcome"]["missing"]);
        assert!(
            going_on["mostDown"].as_u64() >= Some(missing as u64),
            "{file:?}"
        );
        let advised: Vec<&Value> = plan["outcome"]["blockedBy"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|obstacle| obstacle["remedies"].as_array().into_iter().flatten())
            .filter(|remedy| remedy["helps"] == true && remedy["looks"] != true)
            .map(|remedy| &remedy["commands"])
            .collect();
        for option in items {
            if option["option"] == "fix" {
                assert!(advised.contains(&&option["commands"]), "{file:?}: {option}");
                fixes += 1;
                continue;
            }
            others += 1;
            assert_eq!(option["result"], "complete", "{file:?}: {option}");
            assert!(option["losesQuorum"] == false || going_on["losesQuorum"] == true);
            assert!(option["lostClaims"].is_null() || !going_on["lostClaims"].is_null());
            assert!(!option["commands"].as_array().unwrap().is_empty());
        }
    }
    assert!(fixes > 5 && others > 5, "{fixes} fixes, {others} others");
}
