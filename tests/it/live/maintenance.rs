//! Drains and maintenance on the real control plane: evictions as foretold, and the server's answers to dry runs.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::{control_plane, with_controllers};
use super::drains::{bare, budget, counted, evict};
use super::kubelet::{GONE_AFTER, Kubelet, READY_AFTER};
use super::leases::register;
use super::program::{self, Question};
use super::reality::web;
use super::scenario::{come_to_rest, come_to_rest_on};
use super::wait_for;

fn policy(minor: u32) -> &'static str {
    match minor {
        ..22 => "policy/v1beta1",
        _ => "policy/v1",
    }
}

/// A Deployment of two pods whose budget allows nothing, and a bare pod, beside the set.
#[test]
fn the_server_answers_the_evictions_of_a_drain_as_foretold() {
    let Some(plane) = with_controllers("asked", &["replicaset", "deployment"]) else {
        return;
    };
    register(&plane, "node");
    let place = Place::new(&plane, "asked");
    place.act(&Act::Create(web(1)), &Value::Null);
    let labels = json!({"app": "api"});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}},
    });
    let space = &place.namespace;
    let create = |path: &str, object: &Value| {
        place.rest.create(path, object).unwrap();
    };
    create(
        &format!("/apis/apps/v1/namespaces/{space}/deployments"),
        &deployment,
    );
    create(&place.path("pods"), &bare("bare-0"));
    wait_for("the pods of the Deployment", 30, || {
        (place.list("pods").len() == 4).then_some(())
    });
    // With the rights for dry runs, and for the pods of other namespaces.
    program::grant(&place, "sts-plan", &["-n", space], true);
    come_to_rest(&place, &[]);
    let version = policy(plane.minor());
    let budgets = format!("/apis/{version}/namespaces/{space}/poddisruptionbudgets");
    let mut guard = budget(version, 0);
    guard["spec"] = json!({"maxUnavailable": 0, "selector": {"matchLabels": labels}});
    create(&budgets, &guard);
    counted(&place, &format!("{budgets}/guard"), 2, 0);

    let question = Question {
        flags: vec!["--drain", "node", "--dry-run=server"],
        ..Question::default()
    };
    let nodes = program::plan(&place, &question)["nodes"].clone();
    assert_eq!(
        (&nodes["verdict"], &nodes["allPodsRead"]),
        (&json!("hangs"), &json!(true)),
        "{nodes:#}"
    );
    let answers = nodes["server"].as_array().unwrap();
    assert_eq!(answers.len(), 4, "{nodes:#}");
    for answer in answers {
        let is_held = answer["pod"].as_str().unwrap().starts_with("api-");
        let told = if is_held { "refused" } else { "granted" };
        assert_eq!(
            (&answer["foretold"], &answer["answer"]),
            (&json!(!is_held), &json!(told)),
            "{answer:#}"
        );
    }
    // Nothing was evicted.
    let pods = place.list("pods");
    assert!(
        pods.iter()
            .all(|pod| pod["metadata"]["deletionTimestamp"].is_null())
    );
    assert_eq!(pods.len(), 4);
    let forced = nodes["flags"].as_array().unwrap().iter();
    let forced: Vec<&Value> = forced.filter(|flag| flag["flag"] == "--force").collect();
    assert_eq!(forced[0]["pods"], json!([format!("{space}/bare-0")]));
    // The bare pod leaves for good, and the pod of the set comes back.
    for pod in ["bare-0", "web-0"] {
        evict(&place, version, pod);
    }
    Kubelet::new(&place, &[]).run(None, false);
    let names: Vec<Value> = place
        .list("pods")
        .iter()
        .map(|pod| pod["metadata"]["name"].clone())
        .collect();
    assert!(
        names.contains(&json!("web-0")) && !names.contains(&json!("bare-0")),
        "{names:?}"
    );
    program::assert_read_only(&plane);
}

const NODES: [&str; 3] = ["node-1", "node-2", "node-3"];
/// The node that each pod is bound to next.
static PLACES: Mutex<BTreeMap<String, &'static str>> = Mutex::new(BTreeMap::new());

fn place_of(pod: &str) -> &'static str {
    let places = PLACES.lock().unwrap();
    places.get(pod).copied().unwrap_or_else(|| {
        let ordinal = pod.rsplit('-').next().unwrap();
        NODES[ordinal.parse::<usize>().unwrap()]
    })
}

/// Adds the nodes and a budget that keeps two of three pods.
fn with_nodes(items: &mut Vec<Value>) {
    let namespace = items[0]["metadata"]["namespace"].clone();
    for name in NODES {
        items.push(json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"conditions": [{"type": "Ready", "status": "True"}],
                "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}));
    }
    let mut guard = budget("policy/v1", 2);
    guard["metadata"]["namespace"] = namespace;
    items.push(guard);
}

/// Each node in turn: its pods are evicted in the foretold order as the budget allows, and land where the plan assumes.
#[test]
fn a_rolling_maintenance_goes_as_predicted() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "rolling-maintenance");
    place.act(&Act::Create(web(3)), &Value::Null);
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    come_to_rest_on(&place, &[], place_of);
    let version = policy(plane.minor());
    let budgets = format!(
        "/apis/{version}/namespaces/{}/poddisruptionbudgets",
        place.namespace
    );
    let guard = format!("{budgets}/guard");
    place.rest.create(&budgets, &budget(version, 2)).unwrap();
    let (ready, gone) = (format!("{READY_AFTER}s"), format!("{GONE_AFTER}s"));
    let question = Question {
        flags: vec![
            "--drain",
            "each",
            "--return-after",
            "10m",
            "--ready-after",
            &ready,
            "--gone-after",
            &gone,
        ],
        apply: None,
        edit: Some(with_nodes),
    };
    let nodes = program::plan(&place, &question)["nodes"].clone();
    assert_eq!(nodes["verdict"], "ends", "{nodes:#}");
    let evictions = nodes["sets"][0]["evictions"].as_array().unwrap();
    let mut moves: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for pod in nodes["maintenance"]["pods"].as_array().unwrap() {
        let steps = pod["moves"].as_array().unwrap().iter().rev().collect();
        moves.insert(pod["pod"].as_str().unwrap(), steps);
    }
    let node_of = |pod: &str| {
        let pod = place.rest.get(&place.path(&format!("pods/{pod}"))).unwrap();
        pod["spec"]["nodeName"].as_str().unwrap().to_owned()
    };
    for eviction in evictions {
        let pod = eviction["pod"].as_str().unwrap();
        // The pod is where the plan says, and the budget allows its eviction at that time.
        assert_eq!(
            node_of(pod),
            eviction["node"].as_str().unwrap(),
            "{eviction}"
        );
        counted(&place, &guard, 3, 1);
        let step = moves.get_mut(pod).unwrap().pop().unwrap();
        let to = NODES.iter().find(|node| step["to"] == **node).unwrap();
        PLACES.lock().unwrap().insert(pod.to_owned(), to);
        evict(&place, version, pod);
        counted(&place, &guard, 2, 0);
        Kubelet::new(&place, &[])
            .on_nodes(place_of)
            .run(None, false);
    }
    counted(&place, &guard, 3, 1);
    assert!(moves.values().all(Vec::is_empty), "{moves:?}");
    // No node kept a pod through its own drain: each pod left its node in that node's turn.
    let rounds = nodes["maintenance"]["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), NODES.len());
    println!(
        "{} evictions of a rolling maintenance as predicted",
        evictions.len()
    );
}
