//! Nodes that return one after the other, or go for good.

use serde_json::{Value, json};
use sts_controller::simulate::{Assumption, Start};
use test_kit::nodes::{budget, cluster, local, set, three_nodes};

use super::on;

fn numbers(rounds: &Value, key: &str) -> Vec<Option<i64>> {
    let rounds = rounds.as_array().unwrap().iter();
    rounds.map(|round| round[key].as_i64()).collect()
}

/// A pod with a local volume waits for its node, and the next node waits for the pod.
#[test]
fn a_rolling_maintenance_waits_for_each_node_and_its_pods() {
    let objects = local();
    // Without a return, the second drain hangs: web-0 does not come back.
    let gone = on(&objects).drain("node-7,node-8,node-9").json()["nodes"].clone();
    assert_eq!(gone["verdict"], "hangs");
    let asked = on(&objects).drain("each").return_after(10, 1);
    let report = asked.ready_after(30).json();
    let nodes = &report["nodes"];
    assert_eq!(
        (&nodes["verdict"], &nodes["at"]),
        (&json!("ends"), &json!(3 * 635)),
        "{nodes:#}"
    );
    let rounds = &nodes["maintenance"]["rounds"];
    assert_eq!(numbers(rounds, "at"), [Some(0), Some(635), Some(1270)]);
    assert_eq!(
        numbers(rounds, "drainedAt"),
        [Some(5), Some(640), Some(1275)]
    );
    assert_eq!(
        numbers(rounds, "returnedAt"),
        [Some(605), Some(1240), Some(1875)]
    );
    assert_eq!(
        numbers(rounds, "atRestAt"),
        [Some(635), Some(1270), Some(1905)]
    );
    assert_eq!(nodes["maintenance"]["moves"], 3);
    let stays = &nodes["maintenance"]["pods"][1]["moves"];
    assert_eq!(*stays, json!([{"from": "node-8", "to": "node-8"}]));
    assert!(nodes["maintenance"]["betterOrder"].is_null());
    assert_eq!(
        (
            &nodes["sets"][0]["lowestReady"],
            &nodes["sets"][0]["losesQuorum"]
        ),
        (&json!(2), &json!(false))
    );
    // The plan of the set has the same course.
    let deleted: Vec<(i64, String)> = evictions(&report);
    let expected = [(0, "web-0"), (635, "web-1"), (1270, "web-2")];
    assert_eq!(deleted, expected.map(|(at, pod)| (at, pod.to_owned())));
    assert_eq!(
        report["outcome"]["result"], "complete",
        "{:#}",
        report["outcome"]
    );
}

/// The evictions of a plan, each with its time.
fn evictions(report: &Value) -> Vec<(i64, String)> {
    let steps = report["steps"].as_array().unwrap().iter();
    let steps = steps.filter(|step| step["actor"] == "eviction-api");
    steps
        .map(|step| {
            (
                step["at"].as_i64().unwrap(),
                step["name"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[test]
fn several_nodes_at_once_take_less_time_and_more_pods() {
    let mut objects = local();
    objects.retain(|object| object["kind"] != "PodDisruptionBudget");
    let maintained = |at_once: usize| {
        let asked = on(&objects).drain("each").return_after(10, at_once);
        asked.json()["nodes"].clone()
    };
    let (one, two) = (maintained(1), maintained(2));
    assert_eq!(one["sets"][0]["losesQuorum"], false);
    assert_eq!(two["sets"][0]["losesQuorum"], true, "{two:#}");
    assert!(two["at"].as_i64() < one["at"].as_i64());
    let rounds = &two["maintenance"]["rounds"];
    assert_eq!(rounds[0]["nodes"], json!(["node-7", "node-8"]));
    assert_eq!(
        rounds[0]["commands"][0],
        "kubectl drain node-7 node-8 --ignore-daemonsets"
    );
    // With the budget, two at once hang: one at a time was tried, and nothing is to be repaired.
    let objects = local();
    let hangs = on(&objects).drain("each").return_after(10, 2).json()["nodes"].clone();
    assert_eq!(hangs["verdict"], "hangs", "{hangs:#}");
    assert_eq!(
        hangs["advice"][0]["when"],
        "one node at a time completes after 31m15s: --return-after 10m0s"
    );
    let one = on(&objects).drain("each").return_after(10, 1).json()["nodes"].clone();
    assert_eq!(
        (&one["verdict"], &one["at"]),
        (&json!("ends"), &json!(1875))
    );
    assert!(!hangs["advice"].to_string().contains("repair"), "{hangs:#}");
}

/// Claim, pod, volume, in this order, for each pod whose volume no other node can use.
#[test]
fn local_volumes_of_a_node_that_goes_for_good_are_replaced_in_order() {
    let mut objects = local();
    objects.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "local"},
        "provisioner": "rancher.io/local-path", "volumeBindingMode": "WaitForFirstConsumer"}));
    let found = on(&objects).drain("node-7").json()["nodes"].clone();
    let steps = &found["sets"][0]["forGood"];
    let commands = json!([
        "kubectl delete pvc data-web-0 --wait=false -n prod",
        "kubectl drain node-7 --pod-selector=statefulset.kubernetes.io/pod-name=web-0 --ignore-daemonsets",
        "kubectl delete pv pv-0",
        "kubectl wait --for=condition=Ready pod/web-0 --timeout=10m -n prod"
    ]);
    assert_eq!(steps[0]["commands"], commands, "{steps:#}");
    assert_eq!(steps.as_array().unwrap().len(), 1);
    let effect = steps[0]["effect"].as_str().unwrap();
    assert!(
        effect.starts_with("web-0 is ready on new volumes after "),
        "{effect}"
    );
    assert!(
        steps[0]["risk"]
            .as_str()
            .unwrap()
            .contains("data-web-0 is lost")
    );
    // A class that provisions nothing.
    objects.last_mut().unwrap()["provisioner"] = json!("kubernetes.io/no-provisioner");
    let effect =
        on(&objects).drain("node-7").json()["nodes"]["sets"][0]["forGood"][0]["effect"].clone();
    assert_eq!(
        effect,
        "web-0 finds no new volume: provide one on another node first"
    );
    // A node that comes back, and a volume that other nodes can use, need none.
    let back = on(&objects).drain("node-7").return_after(10, 1).json()["nodes"].clone();
    assert!(back["sets"][0]["forGood"].is_null());
    assert!(on(&cluster(&[])).drain("node-7").json()["nodes"]["sets"][0]["forGood"].is_null());
    // So does a volume of a zone, which a new node there can use, although none is there now.
    for item in &mut objects {
        if item["kind"] == "PersistentVolume" {
            item["spec"]["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "example.com/zone", "operator": "In", "values": [item["metadata"]["name"]]}]}]}});
        }
        if item["kind"] == "Node" && item["metadata"]["name"] == "node-7" {
            item["metadata"]["labels"]["example.com/zone"] = json!("pv-0");
        }
    }
    let zonal = on(&objects).drain("node-7").json()["nodes"].clone();
    assert_eq!(zonal["sets"][0]["homeless"][0]["pod"], "web-0", "{zonal:#}");
    assert!(zonal["sets"][0]["forGood"].is_null(), "{zonal:#}");
}

/// The next node does not begin while a pod is missing.
#[test]
fn a_maintenance_stops_at_a_pod_that_is_not_ready_again() {
    let never = Assumption {
        start: Start::NeverReady,
        ..Assumption::default()
    };
    let asked = on(&local()).drain("each").return_after(10, 1);
    let nodes = asked.assuming("web-0", never).json()["nodes"].clone();
    assert_eq!(nodes["verdict"], "hangs");
    assert_eq!(
        nodes["maintenance"]["waitsFor"],
        "prod/web-0 is not ready again, so node-8, node-9 are not begun"
    );
    assert_eq!(nodes["maintenance"]["rounds"].as_array().unwrap().len(), 1);
}

/// Empty nodes first: the pods that move find them, and move once.
#[test]
fn the_better_order_moves_fewer_pods() {
    let mut objects = set("web", &["node-7", "node-7", "node-7"], json!({}));
    objects.extend(set("db", &["node-8", "node-8", "node-8"], json!({})));
    objects.extend(three_nodes());
    let moves = |order: &str| {
        let nodes = on(&objects).drain(order).return_after(10, 1).json()["nodes"].clone();
        nodes["maintenance"].clone()
    };
    let asked = moves("node-7,node-8,node-9");
    let better = &asked["betterOrder"];
    let order: Vec<&str> = better["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    let found = moves(&order.join(","));
    assert_eq!(found["moves"], better["moves"], "{better}");
    assert!(found["moves"].as_u64() < asked["moves"].as_u64());
    assert!(found["betterOrder"].is_null(), "{found:#}");
}

#[test]
fn a_maintenance_counts_switchovers_of_named_primaries() {
    let mut objects = local();
    objects[1]["metadata"]["labels"]["role"] = json!("primary");
    let asked = on(&objects).drain("each").return_after(10, 1);
    let asked = asked.order("primary-last=role=primary");
    let found = asked.json()["nodes"].clone();
    let maintenance = &found["maintenance"];
    // web-0 is first, and any later pod may be the primary then.
    assert_eq!(maintenance["switchovers"], json!({"least": 1, "most": 3}));
    let better = &maintenance["betterOrder"];
    assert_eq!(
        better["switchovers"],
        json!({"least": 1, "most": 1}),
        "{found:#}"
    );
    assert_eq!(better["nodes"][2], "node-7");
}

/// A provider that ignores budgets after a time.
#[test]
fn a_drain_may_ignore_budgets_after_a_time() {
    let mut objects = set("web", &["node-7", "node-7", "node-8"], json!({}));
    objects.extend(three_nodes());
    objects.push(budget(json!({"maxUnavailable": 0})));
    let found = on(&objects).drain("node-7").budgets_ignored_after(1).json()["nodes"].clone();
    assert_eq!(
        (&found["verdict"], &found["at"]),
        (&json!("ends"), &json!(3605)),
        "{found:#}"
    );
    let steps = found["sets"][0]["evictions"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    for step in steps {
        assert_eq!((&step["at"], &step["forced"]), (&json!(3600), &json!(true)));
    }
    assert_eq!(found["sets"][0]["lowestReady"], 1);
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.contains("2 pods deleted despite a budget (prod/web-0, prod/web-1)"),
        "{summary}"
    );
    // A drain that needs no force is the same.
    let easy = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    let plain = on(&easy).drain("node-7").json()["nodes"].clone();
    let mut assumed = on(&easy).drain("node-7").budgets_ignored_after(1).json()["nodes"].clone();
    assert!(
        assumed["assumed"]
            .to_string()
            .contains("whatever their budgets")
    );
    assumed["assumed"] = plain["assumed"].clone();
    assert_eq!(plain, assumed);
}
