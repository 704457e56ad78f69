//! A drain under a budget: predicted, then executed by evictions through the API while the disruption controller
//! counts.

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::{control_plane, with_controllers};
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

pub(super) fn budget(version: &str, least: i64) -> Value {
    json!({
        "apiVersion": version, "kind": "PodDisruptionBudget", "metadata": {"name": "guard"},
        "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": "web"}}},
    })
}

/// Evicts a pod that the budget allows. A refused eviction gives 429, and the client of these tests would retry
/// forever. For those pods, the tests check the budget's status, which the eviction API uses.
pub(super) fn evict(place: &Place<'_>, version: &str, pod: &str) {
    let eviction = json!({"apiVersion": version, "kind": "Eviction", "metadata": {"name": pod}});
    let path = place.path(&format!("pods/{pod}/eviction"));
    place.rest.create(&path, &eviction).unwrap();
}

/// Waits until the disruption controller has counted this many healthy pods and allows this many disruptions.
pub(super) fn counted(place: &Place<'_>, path: &str, healthy: i64, allowed: i64) {
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

const REPLICAS: i64 = 2;

/// A workload of `apps` or `batch` whose pods have the label `app: NAME`.
fn workload(version: &str, kind: &str, name: &str) -> Value {
    let labels = json!({"app": name});
    let template = json!({
        "metadata": {"labels": labels},
        "spec": {"restartPolicy": if kind == "Job" { "Never" } else { "Always" },
            "containers": [{"name": "app", "image": "app:1"}]},
    });
    let mut spec = json!({"template": template});
    if kind == "ReplicaSet" {
        spec["replicas"] = json!(REPLICAS);
        spec["selector"] = json!({"matchLabels": labels});
    }
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec})
}

pub(super) fn bare(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "bare"}},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "app", "image": "app:1"}]},
    })
}

fn budget_over(version: &str, app: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["selector"] = json!({"matchLabels": {"app": app}});
    json!({"apiVersion": version, "kind": "PodDisruptionBudget", "metadata": {"name": app}, "spec": spec})
}

/// Adds the nodes and the budgets of the test of other owners.
fn with_budgets_of_others(items: &mut Vec<Value>) {
    for name in ["node", "other"] {
        items.push(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}));
    }
    let namespace = items[0]["metadata"]["namespace"].clone();
    for (app, spec) in budgets_of_others() {
        let mut budget = budget_over("policy/v1", app, spec);
        budget["metadata"]["namespace"] = namespace.clone();
        items.push(budget);
    }
}

/// A ReplicaSet's pods may not be disrupted, the pod of a Job has an owner without a scale, and one of two bare pods may.
fn budgets_of_others() -> [(&'static str, Value); 3] {
    [
        ("api", json!({"maxUnavailable": 0})),
        ("job", json!({"maxUnavailable": 1})),
        ("bare", json!({"minAvailable": 1})),
    ]
}

/// Budgets over pods of a ReplicaSet, a Job and nobody hold a drain as the disruption controller's status says.
#[test]
fn budgets_of_other_owners_hold_a_drain_as_predicted() {
    let Some(plane) = with_controllers("drains-of-others", &["replicaset", "job"]) else {
        return;
    };
    let place = Place::new(&plane, "drain-of-others");
    place.act(&Act::Create(web(1)), &Value::Null);
    let create = |path: &str, object: &Value| {
        place.rest.create(path, object).unwrap();
    };
    let space = &place.namespace;
    create(
        &format!("/apis/apps/v1/namespaces/{space}/replicasets"),
        &workload("apps/v1", "ReplicaSet", "api"),
    );
    create(
        &format!("/apis/batch/v1/namespaces/{space}/jobs"),
        &workload("batch/v1", "Job", "job"),
    );
    for name in ["bare-0", "bare-1"] {
        create(&place.path("pods"), &bare(name));
    }
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    come_to_rest(&place, &[]);
    let version = match plane.minor() {
        ..22 => "policy/v1beta1",
        _ => "policy/v1",
    };
    let budgets = format!("/apis/{version}/namespaces/{space}/poddisruptionbudgets");
    for (app, spec) in budgets_of_others() {
        create(&budgets, &budget_over(version, app, spec));
    }

    let question = Question {
        flags: vec!["--drain", "node"],
        apply: None,
        edit: Some(with_budgets_of_others),
    };
    let nodes = program::plan(&place, &question)["nodes"].clone();
    assert_eq!(nodes["verdict"], "hangs", "{nodes:#}");
    let rows = nodes["otherPods"].as_array().unwrap();
    let (mut evicted, mut held) = (Vec::new(), Vec::new());
    for row in rows {
        let labels = ["api", "job", "bare"];
        let pod = row["pod"].as_str().unwrap();
        let app = labels.iter().find(|app| pod.starts_with(**app)).unwrap();
        match row["stranded"].is_null() {
            true => evicted.push(*app),
            false => held.push(*app),
        }
    }
    evicted.sort_unstable();
    held.sort_unstable();
    assert_eq!(
        (evicted, held),
        (vec!["bare"], vec!["api", "api", "bare", "job"])
    );
    let forced = nodes["flags"].as_array().unwrap().iter();
    let forced = forced.filter(|flag| flag["flag"] == "--force");
    assert_eq!(forced.count(), 1, "{nodes:#}");

    // The eviction API reads this.
    let allows = |app: &str, allowed: i64| {
        wait_for("the budget's status", 30, || {
            let budget = place.rest.get(&format!("{budgets}/{app}")).ok()?;
            let status = &budget["status"];
            // A controller that cannot count writes no generation.
            let is_counted = app == "job" || status["expectedPods"] == REPLICAS;
            (is_counted && status["disruptionsAllowed"] == allowed).then_some(())
        });
    };
    allows("api", 0);
    allows("job", 0);
    allows("bare", 1);
    evict(&place, version, "bare-0");
    Kubelet::new(&place, &[]).run(None, false);
    // Nobody creates the bare pod again.
    let pods = place.list("pods");
    assert!(pods.iter().all(|pod| pod["metadata"]["name"] != "bare-0"));
    wait_for("the budget's status", 30, || {
        let budget = place.rest.get(&format!("{budgets}/bare")).ok()?;
        (budget["status"]["disruptionsAllowed"] == 0).then_some(())
    });
}
