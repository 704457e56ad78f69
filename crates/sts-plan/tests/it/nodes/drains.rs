//! The effect of nodes on one set: the end of a drain, and what helps if it hangs.

use serde_json::{Value, json};
use sts_controller::simulate::Action;
use test_kit::input::Input;
use test_kit::nodes::{budget, cluster, node, set, three_nodes};

use super::on;

#[test]
fn a_drain_that_completes_says_when_and_what_it_evicts() {
    let objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    let answer = on(&objects).drain("node-7").json();
    let nodes = &answer["nodes"];
    assert_eq!(nodes["verdict"], "ends");
    assert_eq!(
        nodes["drain"],
        json!([{"node": "node-7", "at": nodes["at"]}])
    );
    let own = &nodes["sets"][0];
    assert_eq!(own["evictions"][0]["pod"], "web-0");
    assert_eq!(
        (&own["lowestReady"], &own["losesQuorum"]),
        (&json!(2), &json!(false))
    );
    assert!(own["homeless"].is_null());
    let steps = answer["steps"].as_array().unwrap();
    let evicted = steps
        .iter()
        .find(|step| step["actor"] == "eviction-api")
        .unwrap();
    assert_eq!(
        (&evicted["event"], &evicted["name"]),
        (&json!("PodDeleted"), &json!("web-0"))
    );
    assert_eq!(answer["outcome"]["result"], "complete");
    let summary = nodes["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("Drain of node-7 completes after"),
        "{summary}"
    );
}

#[test]
fn a_drain_that_hangs_names_the_budget_and_what_helps() {
    let objects = cluster(&[budget(json!({"minAvailable": "100%"}))]);
    let nodes = on(&objects).drain("node-7").json()["nodes"].clone();
    let summary = nodes["summary"].as_str().unwrap();
    assert!(
        summary.starts_with(
            "Drain of node-7 HANGS immediately, at prod/web-0: PodDisruptionBudget guard"
        ),
        "{summary}"
    );
    let commands = nodes["advice"][0]["commands"].to_string();
    assert!(
        commands.contains("kubectl patch pdb guard -n prod"),
        "{commands}"
    );
    let stranded = &nodes["sets"][0]["stranded"][0];
    assert_eq!(stranded["budgets"], json!(["guard"]));
    assert_eq!(
        (&stranded["desiredHealthy"], &stranded["currentHealthy"]),
        (&json!(3), &json!(3))
    );
    assert!(nodes["drain"][0]["at"].is_null());
    let advice = nodes["advice"][0]["effect"].as_str().unwrap();
    assert!(advice.starts_with("the drain completes after"), "{advice}");
}

/// Following the advice gives the predicted result.
#[test]
fn the_advice_is_right() {
    let hangs = cluster(&[budget(json!({"minAvailable": 3}))]);
    let advice = on(&hangs).drain("node-7").json()["nodes"]["advice"][0].clone();
    let command = advice["commands"][0].as_str().unwrap();
    let patch = command.split('\'').nth(1).unwrap();
    let patch: Value = serde_json::from_str(patch).unwrap();
    let mut spec = patch["spec"].clone();
    spec.as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    let after = on(&cluster(&[budget(spec)])).drain("node-7").json();
    let ends = format!("the drain completes after {}s", after["nodes"]["at"]);
    assert_eq!(advice["effect"], json!(ends));
}

#[test]
fn a_pod_that_no_other_node_accepts_does_not_come_back() {
    let affinity = json!({"affinity": {"podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"set": "web"}}}]}}});
    let mut objects = set("web", &["node-7", "node-8", "node-9"], affinity);
    objects.extend(three_nodes());
    let answer = on(&objects).drain("node-7").json();
    let homeless = &answer["nodes"]["sets"][0]["homeless"][0];
    assert_eq!(homeless["pod"], "web-0", "{}", answer["nodes"]);
    assert_eq!(answer["outcome"]["result"], "blocked");
    assert!(
        answer["nodes"]["summary"]
            .as_str()
            .unwrap()
            .contains("does not come back")
    );
    // One more node like the first accepts it.
    let answer = on(&objects).drain("node-7").more_nodes(1, "node-7").json();
    assert!(
        answer["nodes"]["sets"][0]["homeless"].is_null(),
        "{}",
        answer["nodes"]
    );
    assert_eq!(answer["outcome"]["result"], "complete");
}

/// A pod of another owner that requests this much CPU.
fn stranger(name: &str, node: &str, cpu: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "other", "uid": name, "ownerReferences": [{
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "api", "uid": "uid-api", "controller": true}]},
        "spec": {"nodeName": node, "containers": [{"name": "api", "image": "api:1",
            "resources": {"requests": {"cpu": cpu}}}]},
        "status": {"phase": "Running"},
    })
}

/// The pods of a set request what its template requests.
fn asking(mut objects: Vec<Value>) -> Vec<Value> {
    for object in &mut objects {
        if object["kind"] == "Pod" {
            object["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "1"}});
        }
    }
    objects
}

/// The pods that do not come back from a drain of node-7, with their reasons.
fn homeless(input: Input) -> Vec<String> {
    let answer = input.drain("node-7").json();
    let homeless = answer["nodes"]["sets"][0]["homeless"].as_array().cloned();
    let homeless = homeless.unwrap_or_default();
    let result = if homeless.is_empty() {
        "complete"
    } else {
        "blocked"
    };
    assert_eq!(answer["outcome"]["result"], result, "{answer:#}");
    let told = homeless
        .iter()
        .map(|one| one["message"].as_str().unwrap().to_owned());
    told.collect()
}

#[test]
fn pods_on_other_nodes_take_their_room() {
    // Nodes have 4 CPU each, and the set's own pod requests one.
    let with = |cpu: &str, change: fn(&mut Value)| {
        let mut objects = asking(cluster(&[]));
        for (name, node) in [("api-a", "node-8"), ("api-b", "node-9")] {
            let mut pod = stranger(name, node, cpu);
            change(&mut pod);
            objects.push(pod);
        }
        objects
    };
    assert_eq!(homeless(on(&with("2", |_| {}))), [""; 0]);
    let full = with("2500m", |_| {});
    assert_eq!(
        homeless(on(&full)),
        [
            "web-0 cannot be scheduled: 1 node is cordoned (node-7), 2 nodes have less cpu left than the 1 requested \
             (node-8, node-9)"
        ]
    );
    assert_eq!(homeless(on(&full).more_nodes(1, "node-8")), [""; 0]);
    // A pod that is finished, terminating or preempted takes no room.
    for change in [
        (|pod| pod["status"]["phase"] = json!("Succeeded")) as fn(&mut Value),
        |pod| pod["metadata"]["deletionTimestamp"] = json!("2026-11-20T03:00:10Z"),
        |pod| pod["spec"]["priority"] = json!(-10),
    ] {
        assert_eq!(homeless(on(&with("2500m", change))), [""; 0]);
    }
    // Without a node flag, room is not counted.
    let delete = || Action::DeletePod("web-0".into());
    let plain = on(&full).after([delete()]).json();
    assert_eq!(plain["outcome"]["result"], "complete");
    let cordoned = on(&full).cordon("node-7").after([delete()]).json();
    assert_eq!(cordoned["outcome"]["result"], "blocked");
    // A node also has a maximum number of pods.
    let mut objects = with("10m", |_| {});
    for object in &mut objects {
        if object["kind"] == "Node" {
            object["status"]["allocatable"]["pods"] = json!("2");
        }
    }
    assert_eq!(
        homeless(on(&objects)),
        [
            "web-0 cannot be scheduled: 1 node is cordoned (node-7), 2 nodes have as many pods as fit (node-8, node-9)"
        ]
    );
    let sentences = on(&full).drain("node-7").json()["assumptions"].to_string();
    assert!(
        sentences.contains("only the 5 pods in the input are known (other, prod)"),
        "{sentences}"
    );
}

#[test]
fn evicted_pods_take_room_from_each_other() {
    let mut objects = set("web", &["node-7", "node-7", "node-8"], json!({}));
    objects = asking(objects);
    objects.extend([node("node-7", "a"), node("node-8", "b")]);
    assert_eq!(homeless(on(&objects)), [""; 0]);
    objects.push(stranger("api-a", "node-8", "2"));
    let told = homeless(on(&objects));
    assert!(
        told.len() == 1 && told[0].starts_with("web-1 cannot be scheduled"),
        "{told:?}"
    );
}

#[test]
fn several_nodes_go_one_after_the_other() {
    let objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    let nodes = on(&objects).drain("node-7,node-8").json()["nodes"].clone();
    assert_eq!(nodes["verdict"], "ends");
    let at = |place: usize| nodes["drain"][place]["at"].as_i64().unwrap();
    assert!(at(0) < at(1), "{nodes}");
    assert_eq!(nodes["sets"][0]["evictions"].as_array().unwrap().len(), 2);
}

#[test]
fn a_lost_node_is_noticed_late_and_keeps_its_pod() {
    let objects = cluster(&[]);
    for (version, grace) in [("1.31", 40), ("1.32", 50)] {
        let answer = on(&objects).version(version).lose("node-7").json();
        let steps = answer["steps"].as_array().unwrap();
        let of = |event: &str| {
            let step = steps
                .iter()
                .find(|step| step["event"] == event && step["actor"] == "node-lifecycle");
            step.unwrap_or_else(|| panic!("{event}: {steps:?}"))["at"]
                .as_i64()
                .unwrap()
        };
        assert_eq!(of("PodNotReady"), grace);
        assert_eq!(of("PodDeleted"), grace + 300);
        assert_eq!(answer["outcome"]["result"], "blocked");
        let nodes = &answer["nodes"];
        assert_eq!(nodes["verdict"], "no-drain");
        let homeless = nodes["sets"][0]["homeless"][0]["message"].as_str().unwrap();
        assert!(homeless.contains("stuck terminating"), "{homeless}");
        let advice = nodes["advice"].as_array().unwrap();
        assert_eq!(advice.len(), 3);
        assert!(
            advice.iter().all(|one| one["effect"]
                .as_str()
                .unwrap()
                .starts_with("the rollout completes after")),
            "{advice:?}"
        );
    }
}

#[test]
fn a_zone_is_all_of_its_nodes() {
    let objects = cluster(&[]);
    let nodes = on(&objects).lose("zone=b").json()["nodes"].clone();
    assert_eq!(nodes["sets"][0]["homeless"][0]["pod"], "web-1");
}

#[test]
fn a_cordon_alone_evicts_nothing() {
    let objects = cluster(&[]);
    let answer = on(&objects).cordon("node-7").json();
    assert_eq!(answer["nodes"]["verdict"], "no-drain");
    let steps = answer["steps"].as_array().unwrap().iter();
    let mut writes = steps.flat_map(|step| step["writes"].as_array().into_iter().flatten());
    assert!(writes.all(|write| write["resource"] != "pods"));
    // A deleted pod cannot return to it, and a pod that only this node accepts is unschedulable.
    let answer = on(&objects)
        .cordon("node-7,node-8,node-9")
        .after([Action::DeletePod("web-0".into())])
        .json();
    assert_eq!(
        answer["nodes"]["sets"][0]["homeless"][0]["pod"], "web-0",
        "{}",
        answer["nodes"]
    );
}

/// The plain command answers "Why does my drain hang?".
#[test]
fn a_cordoned_node_whose_pod_a_budget_keeps_is_a_finding() {
    let found = |budgets: &[Value], cordoned: bool| {
        let mut objects = cluster(budgets);
        for object in &mut objects {
            if object["kind"] == "Node" && object["metadata"]["name"] == "node-7" {
                object["spec"] = json!({"unschedulable": cordoned});
            }
        }
        let findings = on(&objects).json()["findings"].as_array().unwrap().clone();
        let found = findings
            .into_iter()
            .find(|finding| finding["id"] == "STS049");
        found.map(|finding| format!("{}: {}", finding["severity"], finding["message"]))
    };
    let none = budget(json!({"maxUnavailable": 0}));
    let message = found(std::slice::from_ref(&none), true).unwrap();
    assert!(
        message.contains("warning")
            && message.contains(
                "a drain of cordoned node node-7 hangs on web-0: PodDisruptionBudget guard"
            ),
        "{message}"
    );
    assert_eq!(found(&[none], false), None);
    assert_eq!(found(&[budget(json!({"maxUnavailable": 1}))], true), None);
    assert_eq!(found(&[], true), None);
}

/// One budget covers both sets, so no two evictions happen at the same time.
#[test]
fn sets_under_one_budget_are_evicted_in_turns() {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    objects.extend(set("api", &["node-7", "node-7"], json!({})));
    let list = on(&objects).drain("node-7").json();
    let sets = list["nodes"]["sets"].as_array().unwrap();
    assert_eq!(sets.len(), 2);
    let mut at: Vec<i64> = sets
        .iter()
        .flat_map(|set| set["evictions"].as_array().unwrap())
        .map(|eviction| eviction["at"].as_i64().unwrap())
        .collect();
    at.sort_unstable();
    let evictions = at.len();
    at.dedup();
    assert_eq!((evictions, at.len()), (3, 3), "{list}");
    assert_eq!(
        list["items"][0]["nodes"]["sets"].as_array().unwrap().len(),
        1
    );
}
