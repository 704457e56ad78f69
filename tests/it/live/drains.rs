//! A drain under a budget: predicted, then executed by evictions through the API while the disruption controller
//! counts.

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::control_plane;
use super::kubelet::{GONE_AFTER, Kubelet, READY_AFTER};
use super::program::{self, Question};
use super::reality::web;
use super::scenario::come_to_rest;
use super::wait_for;

/// Adds nodes, and a budget that keeps two of three pods.
fn keeping_two(items: &mut Vec<Value>) {
    around(items, 2);
}

/// The same with a budget that keeps all pods.
fn keeping_all(items: &mut Vec<Value>) {
    around(items, 3);
}

fn around(items: &mut Vec<Value>, least: i64) {
    for name in ["node", "other"] {
        items.push(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}));
    }
    let namespace = items[0]["metadata"]["namespace"].clone();
    let mut budget = budget("policy/v1", least);
    budget["metadata"]["namespace"] = namespace;
    items.push(budget);
}

fn budget(version: &str, least: i64) -> Value {
    json!({
        "apiVersion": version, "kind": "PodDisruptionBudget", "metadata": {"name": "guard"},
        "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": "web"}}},
    })
}

/// Evicts a pod that the budget allows. A refused eviction gives 429, and the client of these tests would retry
/// forever. For those pods, the tests check the budget's status, which the eviction API uses.
fn evict(place: &Place<'_>, version: &str, pod: &str) {
    let eviction = json!({"apiVersion": version, "kind": "Eviction", "metadata": {"name": pod}});
    let path = place.path(&format!("pods/{pod}/eviction"));
    place.rest.create(&path, &eviction).unwrap();
}

/// Waits until the disruption controller has counted this many healthy pods and allows this many disruptions.
fn counted(place: &Place<'_>, path: &str, healthy: i64, allowed: i64) {
    wait_for("the budget's status", 30, || {
        let budget = place.rest.get(path).ok()?;
        let status = &budget["status"];
        let seen = status["observedGeneration"] == budget["metadata"]["generation"];
        (seen && status["currentHealthy"] == healthy && status["disruptionsAllowed"] == allowed)
            .then_some(())
    });
}

#[test]
fn a_drain_under_a_budget_goes_as_predicted() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "drain-under-a-budget");
    place.act(&Act::Create(web(3)), &Value::Null);
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    come_to_rest(&place, &[]);
    let (ready, gone) = (format!("{READY_AFTER}s"), format!("{GONE_AFTER}s"));
    let flags = vec![
        "--drain",
        "node",
        "--ready-after",
        &ready,
        "--gone-after",
        &gone,
    ];
    let predict = |edit: fn(&mut Vec<Value>)| {
        let question = Question {
            flags: flags.clone(),
            apply: None,
            edit: Some(edit),
        };
        program::plan(&place, &question)["nodes"].clone()
    };
    let version = match plane.minor() {
        ..22 => "policy/v1beta1",
        _ => "policy/v1",
    };
    let budgets = format!(
        "/apis/{version}/namespaces/{}/poddisruptionbudgets",
        place.namespace
    );
    let guard = format!("{budgets}/guard");
    place.rest.create(&budgets, &budget(version, 2)).unwrap();

    let nodes = predict(keeping_two);
    assert_eq!(nodes["verdict"], "ends", "{nodes}");
    let evictions = nodes["sets"][0]["evictions"].as_array().unwrap().clone();
    assert_eq!(evictions.len(), 3, "{nodes}");
    for eviction in &evictions {
        counted(&place, &guard, 3, 1);
        evict(&place, version, eviction["pod"].as_str().unwrap());
        // No other eviction is granted until its successor is ready.
        counted(&place, &guard, 2, 0);
        Kubelet::new(&place, &[]).run(None, false);
    }
    counted(&place, &guard, 3, 1);

    // If all three are kept, no pod is ever evicted.
    let nodes = predict(keeping_all);
    assert_eq!(nodes["verdict"], "hangs", "{nodes}");
    let stranded = nodes["sets"][0]["stranded"].as_array().unwrap();
    assert_eq!(stranded.len(), 3);
    assert_eq!(
        (
            &stranded[0]["desiredHealthy"],
            &stranded[0]["currentHealthy"]
        ),
        (&json!(3), &json!(3))
    );
    place
        .rest
        .merge(&guard, &json!({"spec": {"minAvailable": 3}}))
        .unwrap();
    counted(&place, &guard, 3, 0);
}
