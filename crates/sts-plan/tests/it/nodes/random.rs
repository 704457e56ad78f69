//! Properties of the answers for small clusters, numbered.

use serde_json::{Value, json};
use test_kit::nodes::{REPLICA_SET, budget, budget_of_others, node, other, set, three_nodes};

use super::on;
use super::other_pods::{names, term};

/// The worse a drain ends, the higher.
fn badness(nodes: &Value) -> (usize, usize) {
    let verdicts = ["ends", "unknown", "fails", "hangs"];
    let verdict = verdicts
        .iter()
        .position(|it| nodes["verdict"] == *it)
        .unwrap();
    let sets = nodes["sets"].as_array().unwrap().iter();
    (verdict, sets.map(|set| names(&set["homeless"]).len()).sum())
}

/// Small clusters, numbered: nodes of some size, two sets and others with some budgets.
fn world(number: u64) -> Vec<Value> {
    let mut state = number
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    let mut below = |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % most).unwrap()
    };
    let names = ["node-7", "node-8", "node-9"];
    let affinity = match below(3) {
        0 => term("podAntiAffinity", "web"),
        _ => json!({}),
    };
    let mut objects = three_nodes();
    for object in &mut objects {
        object["status"]["allocatable"]["cpu"] = json!(["2", "4", "8"][below(3)]);
    }
    for name in ["web", "db"] {
        let at: Vec<&str> = (0..1 + below(3)).map(|_| names[below(3)]).collect();
        objects.extend(set(name, &at, affinity.clone()));
    }
    for number in 0..below(3) {
        let owner = [REPLICA_SET, None, Some(("apps/v1", "StatefulSet"))][below(3)];
        objects.push(other(&format!("other-{number}"), owner, names[below(3)]));
    }
    match below(4) {
        0 => objects.push(budget(json!({"maxUnavailable": below(3)}))),
        1 => objects.push(budget_of_others(json!({"minAvailable": below(3)}))),
        _ => {}
    }
    objects
}

const WORLDS: u64 = 24;

/// The answer without its assumptions, which count the pods.
fn answer(objects: &[Value], drain: &str) -> Value {
    let mut nodes = on(objects).drain(drain).json()["nodes"].clone();
    nodes.as_object_mut().unwrap().remove("assumed");
    nodes
}

#[test]
fn what_has_nothing_to_do_with_the_drain_changes_nothing() {
    for number in 0..WORLDS {
        let objects = world(number);
        let mut more = objects.clone();
        let mut apart = node("apart", "z");
        apart["spec"] = json!({"taints": [{"key": "apart", "effect": "NoSchedule"}]});
        more.push(apart);
        let mut stranger = other("stranger", REPLICA_SET, "apart");
        stranger["metadata"]["namespace"] = json!("elsewhere");
        stranger["metadata"]["ownerReferences"][0]["uid"] = json!("uid-stranger");
        more.push(stranger);
        let (before, after) = (answer(&objects, "node-7"), answer(&more, "node-7"));
        let homeless = |nodes: &Value| badness(nodes);
        assert_eq!(homeless(&before), homeless(&after), "world {number}");
        assert_eq!(before["otherPods"], after["otherPods"], "world {number}");
        assert_eq!(
            before["sets"][0]["evictions"], after["sets"][0]["evictions"],
            "world {number}"
        );
    }
}

#[test]
fn more_nodes_are_never_worse() {
    for number in 0..WORLDS {
        let objects = world(number);
        let mut more = objects.clone();
        more.push(node("node-10", "c"));
        let (before, after) = (answer(&objects, "node-7"), answer(&more, "node-7"));
        assert!(
            badness(&after) <= badness(&before),
            "world {number}: {before:#} {after:#}"
        );
    }
}

/// A maintenance that completes leaves every set as it was, moves pods from where they are, and counts all moves.
#[test]
fn a_maintenance_that_completes_leaves_all_pods_ready() {
    let mut completed = 0;
    for number in 0..WORLDS {
        let objects = world(number);
        let asked = on(&objects).drain("each").return_after(10, 1);
        let nodes = asked.json()["nodes"].clone();
        let maintenance = &nodes["maintenance"];
        let sets = nodes["sets"].as_array().unwrap();
        let of_sets = sets
            .iter()
            .map(|set| set["evictions"].as_array().unwrap().len());
        let of_others = nodes["otherPods"].as_array().into_iter().flatten();
        let of_others = of_others.filter(|pod| pod["at"].is_i64()).count();
        let moves = usize::try_from(maintenance["moves"].as_u64().unwrap()).unwrap();
        assert_eq!(
            of_sets.sum::<usize>() + of_others,
            moves,
            "world {number}: {nodes:#}"
        );
        let place = |name: &Value| {
            let mut pods = objects.iter().filter(|it| it["kind"] == "Pod");
            let pod = pods.find(|it| it["metadata"]["name"] == *name).unwrap();
            pod["spec"]["nodeName"].clone()
        };
        for pod in maintenance["pods"].as_array().unwrap() {
            let mut at = place(&pod["pod"]);
            for step in pod["moves"].as_array().unwrap() {
                assert_eq!(step["from"], at, "world {number}: {pod}");
                at = step["to"].clone();
            }
        }
        if nodes["verdict"] == "ends" {
            completed += 1;
            for set in sets {
                assert!(set["homeless"].is_null(), "world {number}: {set:#}");
            }
            let ends = maintenance["rounds"][2]["atRestAt"].as_i64();
            assert_eq!(ends, nodes["at"].as_i64(), "world {number}");
        }
    }
    assert!(completed > 10, "{completed} completed");
}

/// Budgets and pods that wait for each other aside, the order of the nodes changes only the order of the evictions.
#[test]
fn two_orders_of_nodes_end_alike() {
    for number in 0..WORLDS {
        let mut objects = world(number);
        objects.retain(|object| object["kind"] != "PodDisruptionBudget");
        let sets = objects
            .iter_mut()
            .filter(|object| object["kind"] == "StatefulSet");
        for set in sets {
            set["spec"]["podManagementPolicy"] = json!("Parallel");
        }
        let (one, other) = (
            answer(&objects, "node-7,node-8"),
            answer(&objects, "node-8,node-7"),
        );
        assert_eq!(
            badness(&one),
            badness(&other),
            "world {number}: {one:#} {other:#}"
        );
    }
}

/// A pod of an unknown owner is never a reason for a better answer.
#[test]
fn a_pod_of_an_unknown_owner_makes_no_answer_better() {
    for number in 0..WORLDS {
        let objects = world(number);
        let mut more = objects.clone();
        let owner = Some(("example.com/v1", "Database"));
        let mut unknown = other("unknown", owner, "node-7");
        unknown["metadata"]["ownerReferences"][0]["uid"] = json!("uid-unknown");
        unknown["metadata"]["labels"] = json!({"app": "unknown"});
        unknown["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "1"}});
        more.push(unknown);
        let (before, after) = (answer(&objects, "node-7"), answer(&more, "node-7"));
        assert!(
            badness(&after) >= badness(&before),
            "world {number}: {before:#} {after:#}"
        );
        let doubts = |nodes: &Value| {
            let sets = nodes["sets"].as_array().unwrap().iter();
            sets.map(|set| names(&set["uncertain"]).len() + names(&set["homeless"]).len())
                .sum::<usize>()
        };
        assert!(doubts(&after) >= doubts(&before), "world {number}");
    }
}
