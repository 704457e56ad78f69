//! A change in several stages: each begins where the previous one has left the set.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::{Assumption, Start};
use sts_plan::plan::{Conditions, PlanResult};
use sts_plan::stages::{Begins, NoWayBack, WayBackEnd};
use test_kit::input::{Input, fixture, objects};
use test_kit::kv::NOW;
use test_kit::stages::{Does, after, conditions, image, partition, staged};

use crate::scenario::web;

#[test]
fn each_stage_begins_when_the_one_before_is_at_rest() {
    let stages = [
        (Begins::default(), partition(5)),
        (Begins::default(), image("app:2")),
        (Begins::default(), partition(4)),
        (Begins::default(), partition(0)),
    ];
    let staged = staged(&web(5), &stages, &conditions("1.33"));
    let starts: Vec<i64> = staged.stages.iter().map(|it| it.start.as_secs()).collect();
    assert_eq!(starts, [0, 0, 0, 15]);
    let restarts: Vec<usize> = staged.stages.iter().map(|it| it.summary.restarts).collect();
    assert_eq!(restarts, [0, 0, 1, 4]);
    assert!(staged.unreached.is_empty());
    assert!(
        staged
            .stages
            .iter()
            .all(|it| it.summary.most_unavailable <= 1)
    );
}

#[test]
fn the_way_back_is_simulated_from_the_end_of_each_stage() {
    let stages = [
        (Begins::default(), partition(3)),
        (Begins::default(), image("app:2")),
        (Begins::default(), partition(1)),
    ];
    let staged = staged(&web(5), &stages, &conditions("1.33"));
    let back = |at: usize| staged.stages[at].back.as_ref().unwrap();
    // Only the partition has changed, and no pod is replaced.
    assert_eq!(back(0).summary.restarts, 0);
    assert_eq!(
        back(0).commands,
        [
            "kubectl patch sts web --type merge -p '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}' -n default"
        ]
    );
    // Two pods have moved, then four.
    for (at, restarts) in [(1, 2), (2, 4)] {
        assert_eq!(back(at).end, WayBackEnd::Back);
        assert_eq!(back(at).summary.restarts, restarts);
        assert_eq!(
            back(at).commands,
            ["kubectl rollout undo sts/web --to-revision=1 -n default"]
        );
        assert!(back(at).keeps_strategy);
    }
}

/// No revision is kept for a rollback.
#[test]
fn the_way_back_names_the_fields_that_differ() {
    let set = |path: &str, value: Value| {
        let path = path.parse().unwrap();
        Does::Edit(Edit::Set { path, value })
    };
    let container = |field: &str| format!("spec.template.spec.containers[0].{field}");
    let annotations = json!({"example.com/team": "shop"});
    let annotated = set("spec.template.metadata.annotations", annotations);
    let args = set(&container("args"), json!(["-v"]));
    for (stages, expected) in [
        (
            vec![image("app:2")],
            "kubectl set image sts/web main=app:v1 -n default",
        ),
        (
            vec![image("app:2"), args],
            r#"kubectl patch sts web --type json -p '[{"op":"test","path":"/spec/template/spec/containers/0/name","value":"main"},{"op":"remove","path":"/spec/template/spec/containers/0/args"},{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"app:v1"}]' -n default"#,
        ),
        (
            vec![annotated],
            r#"kubectl patch sts web --type json -p '[{"op":"remove","path":"/spec/template/metadata/annotations"}]' -n default"#,
        ),
    ] {
        let stages: Vec<_> = stages
            .into_iter()
            .map(|does| (Begins::default(), does))
            .collect();
        let staged = staged(&web(2).history_limit(0), &stages, &conditions("1.33"));
        let back = staged.stages.last().unwrap().back.as_ref().unwrap();
        assert_eq!(back.commands, [expected]);
        assert_eq!(back.end, WayBackEnd::Back);
    }
}

/// A merge keeps fields that it does not name, and the API server rejects a partition with `OnDelete`.
#[test]
fn the_way_back_to_on_delete_removes_the_rolling_update() {
    let rolling = Does::Edit(Edit::update_strategy("RollingUpdate"));
    let stages = [
        (Begins::default(), rolling),
        (Begins::default(), partition(1)),
    ];
    let staged = staged(&web(2).on_delete(), &stages, &conditions("1.33"));
    let back = staged.stages[1].back.as_ref().unwrap();
    assert_eq!(
        back.commands,
        ["kubectl patch sts web --type merge -p \
             '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":null,\"type\":\"OnDelete\"}}}' -n default"]
    );
}

#[test]
fn a_stage_after_a_stuck_one_is_not_reached() {
    let assumed = Assumption {
        start: Start::NeverReady,
        ..Assumption::default()
    };
    let conditions = Conditions {
        assumptions: BTreeMap::from([("web-2".to_owned(), assumed)]),
        ..conditions("1.33")
    };
    let stages = [
        (Begins::default(), partition(2)),
        (Begins::default(), image("app:2")),
        (Begins::default(), partition(0)),
        (Begins::default(), partition(0)),
    ];
    let staged = staged(&web(3), &stages, &conditions);
    let last = staged.last().unwrap();
    assert_eq!(last.summary.result, PlanResult::Blocked);
    assert_eq!((staged.stages.len(), staged.unreached.len()), (2, 2));
    assert!(
        staged
            .unreached
            .iter()
            .all(|it| it.after == PlanResult::Blocked)
    );
    // The pod on the new revision is stuck, and prevents the rollback until it is deleted.
    let back = last.back.as_ref().unwrap();
    assert_eq!(back.end, WayBackEnd::Back);
    assert_eq!(back.deleted_pods, ["web-2"]);
    assert_eq!(
        back.commands,
        [
            "kubectl rollout undo sts/web --to-revision=1 -n default",
            "kubectl delete pod web-2 -n default",
        ]
    );
}

#[test]
fn a_stage_that_changes_nothing_needs_no_way_back() {
    let stages = [
        (Begins::default(), Does::Delete(vec!["web-1".to_owned()])),
        (after(3), Does::Nothing),
    ];
    let staged = staged(&web(2), &stages, &conditions("1.33"));
    assert!(staged.stages[0].is_cut);
    assert_eq!(staged.stages[1].start.as_secs(), 3);
    // The deletion in progress continues: the pod is gone after 5s and its successor ready 15s later.
    assert_eq!(staged.stages[1].summary.seconds, 12);
    for stage in &staged.stages {
        assert_eq!(stage.back.as_ref().unwrap_err(), &NoWayBack::Unchanged);
    }
}

#[test]
fn then_begins_the_next_stage() {
    let canary = Input::of(&objects(&fixture("rollout.yaml")), NOW)
        .edited([
            Edit::Image {
                container: Some("app".to_owned()),
                image: "app:2".to_owned(),
            },
            Edit::partition(2),
        ])
        .then([Edit::partition(1)])
        .then([Edit::partition(0)]);
    let report = canary.json();
    let stages = report["stages"].as_array().unwrap();
    let restarts: Vec<&Value> = stages.iter().map(|it| &it["course"]["restarts"]).collect();
    assert_eq!(restarts, [&json!(1), &json!(1), &json!(1)]);
    let back: Vec<&Value> = stages
        .iter()
        .map(|it| &it["course"]["back"]["restarts"])
        .collect();
    assert_eq!(back, [&json!(1), &json!(2), &json!(3)]);
    // One timeline: all steps, by time.
    let at: Vec<i64> = report["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["at"].as_i64().unwrap())
        .collect();
    assert!(at.is_sorted());
    assert_eq!(report["outcome"]["at"], *at.last().unwrap());
    let pods: Vec<&Value> = report["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["pod"])
        .collect();
    assert_eq!(pods, ["web-2", "web-1", "web-0"]);
    assert_eq!(
        report["summary"],
        "Plan: 3 stages: 3 to replace, 0 to create, 0 to delete; complete after 1m21s"
    );
    // In one request, so that the partition exists when the template changes.
    assert_eq!(
        stages[0]["course"]["commands"],
        json!([
            "kubectl patch sts web --type strategic -p '{\"spec\":{\"template\":{\"spec\":{\"containers\":\
               [{\"image\":\"app:2\",\"name\":\"app\"}]}},\"updateStrategy\":{\"rollingUpdate\":{\"partition\":2}}}}' -n prod"
        ])
    );
}
