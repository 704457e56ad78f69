//! `--upgrade-to`: the sets of a cluster through several versions of the control plane.

use serde_json::{Value, json};
use test_kit::input::Input;

/// A set of three replicas with these fields of its spec.
fn set(name: &str, spec: Value) -> Value {
    let mut set = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "prod"},
        "spec": {
            "replicas": 3, "serviceName": name,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "app", "image": "app:1"}]},
            },
        },
    });
    for (field, value) in spec.as_object().unwrap() {
        set["spec"][field] = value.clone();
    }
    set
}

/// The upgrade answer for one set.
fn upgrade(spec: Value, from: &str, to: &str) -> Value {
    let input = Input::of(&[set("web", spec)], "2026-11-20T03:00:00Z");
    let plan = input.version(from).upgrade_to(to).json();
    plan["upgrade"].clone()
}

fn changes(stop: &Value) -> Vec<(&str, &str)> {
    let changes = stop["changes"].as_array().into_iter().flatten();
    changes
        .map(|change| {
            let text = |name: &str| change[name].as_str().unwrap();
            (text("change"), text("what"))
        })
        .collect()
}

#[test]
fn the_intermediate_patch_decides_about_restarts() {
    let answer = upgrade(json!({}), "1.33", "1.34.1,1.36");
    assert_eq!(answer["verdict"], "restarts");
    let versions = answer["versions"].as_array().unwrap();
    let names: Vec<&str> = versions
        .iter()
        .map(|it| it["version"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["1.34.1", "1.35", "1.36"]);
    // Changes that concern all sets alike are reported per version.
    let general = changes(&versions[0]);
    assert!(
        general
            .iter()
            .any(|(change, what)| *change == "ends" && what.contains("creationTimestamp: null"))
    );
    let stops = answer["sets"][0]["versions"].as_array().unwrap();
    assert_eq!(stops[0]["version"], "1.34.1");
    let restart = &stops[0]["restart"];
    assert_eq!(
        (&restart["replaced"], &restart["spurious"]),
        (&json!(3), &json!(true))
    );
    assert_eq!(
        (&restart["result"], &restart["lowestReady"]),
        (&json!("complete"), &json!(2))
    );
    // Pods written by 1.34.1 need no further restart.
    assert!(
        stops
            .iter()
            .skip(1)
            .all(|stop| stop.get("restart").is_none()),
        "{stops:?}"
    );

    let answer = upgrade(json!({}), "1.33", "1.36");
    assert_eq!(answer["verdict"], "nothing");
    let stop = &answer["sets"][0]["versions"][0];
    assert_eq!(stop["version"], "1.34");
    assert_eq!(
        stop["patches"],
        json!([{"first": "1.34.0", "last": "1.34.1", "replaced": 3}])
    );
    let advice = answer["advice"][0].as_str().unwrap();
    assert!(
        advice.starts_with("1.34.0 to 1.34.1 would restart 3 pods of 1 set"),
        "{advice}"
    );
}

#[test]
fn a_set_gains_and_loses_behavior_of_its_fields() {
    let several = json!({"minReadySeconds": 30, "podManagementPolicy": "Parallel"});
    let answer = upgrade(several, "1.33", "1.34");
    assert_eq!(answer["verdict"], "changes");
    let stop = &answer["sets"][0]["versions"][0];
    let available = "a rolling update waits until a pod is available, not only ready";
    assert_eq!(changes(stop), [("begins", available)]);
    let seconds = |which: &str| {
        stop["nextRollout"][which]["durationSeconds"]
            .as_i64()
            .unwrap()
    };
    // Of three pods, two are waited for that long, one after the other.
    assert_eq!(seconds("after") - seconds("before"), 60);

    let several = json!({"podManagementPolicy": "Parallel",
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}});
    let answer = upgrade(several.clone(), "1.34", "1.35,1.37");
    let stops = answer["sets"][0]["versions"].as_array().unwrap();
    // 1.35.4 and later have the gate off, and so has 1.36.
    assert_eq!(stops.len(), 1, "{stops:?}");
    assert_eq!(stops[0]["version"], "1.37");
    // Earlier servers dropped it.
    let most = "spec.updateStrategy.rollingUpdate.maxUnavailable";
    assert_eq!(
        stops[0]["fields"],
        json!([{"field": most, "change": "kept"}])
    );
    // It had an effect in 1.35, and no longer has.
    let answer = upgrade(several, "1.35.1", "1.36");
    let stop = &answer["sets"][0]["versions"][0];
    assert!(changes(stop).contains(&("ends", "maxUnavailable takes effect")));
    assert_eq!(
        stop["fields"],
        json!([{"field": most, "change": "dropped"}])
    );
    let lowest = |which: &str| stop["nextRollout"][which]["lowestReady"].as_i64();
    assert_eq!((lowest("before"), lowest("after")), (Some(1), Some(2)));
}

#[test]
fn manifests_that_are_rejected_afterwards_are_named() {
    let dotted = json!({"serviceName": "web.internal"});
    let answer = upgrade(dotted.clone(), "1.32", "1.33");
    assert_eq!(answer["verdict"], "refuses");
    let refused = &answer["sets"][0]["versions"][0]["refused"];
    assert_eq!(
        (&refused[0]["request"], &refused[0]["field"]),
        (&json!("create"), &json!("spec.serviceName"))
    );
    let answer = upgrade(dotted.clone(), "1.33", "1.34");
    let summary = answer["summary"].as_str().unwrap();
    assert!(
        summary.contains("restarts no pods; 1 set is not planned (rejected or deleted)"),
        "{summary}"
    );
    // A template that was accepted before is no new problem.
    let answer = upgrade(dotted, "1.31", "1.32");
    assert_eq!(answer["verdict"], "nothing");
}
