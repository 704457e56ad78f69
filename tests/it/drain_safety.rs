//! A drain over a set that is stuck already: nothing that serves is deleted, no gate is green by a row that nobody reads.

use serde_json::{Value, json};
use test_kit::kv::{DAY, node, pod, set};

use crate::program;

fn run(objects: &[Value], args: &[&str]) -> (i32, String, String) {
    program::run_on(objects, &[&["--kubernetes-version", "1.33"], args].concat())
}

#[test]
fn no_remedy_deletes_a_pod_that_only_the_drain_takes_down() {
    // web-2 crash-loops on the new revision.
    let demo = |args: &[&str]| program::run(&[&["demo", "blocked"], args].concat()).1;
    let whole = demo(&[]);
    assert!(whole.contains("kubectl delete pod web-2"), "{whole}");
    for args in [
        &["--drain", "node-0"][..],
        &["--drain", "node-0,node-1"],
        &["--delete-pod", "web-0"],
        &["--drain", "node-0", "--return-after", "5m"],
        &["--drain", "node-0", "-o", "markdown"],
    ] {
        let out = demo(args);
        for pod in ["web-0", "web-1"] {
            assert!(
                !out.contains(&format!("delete pod {pod}")),
                "{args:?}\n{out}"
            );
        }
    }
    let out = demo(&["--drain", "node-0"]);
    assert!(
        out.contains("Do:   repair web-2 first: roll back to"),
        "{out}"
    );
    assert!(out.contains("kubectl delete pod web-2"), "{out}");
}

#[test]
fn the_drains_of_single_nodes_pass_no_gate_that_one_of_them_fails() {
    let each = ["--drain", "each", "--fail-on"];
    let demo = [&["demo", "blocked"], &each[..], &["quorum"]].concat();
    let (code, _, error) = program::run(&demo);
    assert!(
        code == 5 && error.contains("when node-0 is drained, it loses its quorum"),
        "{code} {error}"
    );
    // One pod, which comes back: it is down for a while.
    let mut one = set(1, "OrderedReady", "kv-old");
    // Nothing but the drain takes it down.
    one[0]["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    one.extend(pod(0, "kv-old", DAY, DAY, "n-0"));
    one.extend([node("n-0", "a", true), node("n-1", "a", true)]);
    let (code, _, error) = run(&one, &[&each[..], &["downtime"]].concat());
    assert!(
        error.contains("when n-0 is drained, it has no ready pod"),
        "{error}"
    );
    assert_eq!(code, 5);
    let (code, _, error) = run(&one, &[&each[..], &["quorum"]].concat());
    assert!(code == 5, "{error}");
    let (code, ..) = run(&one, &[&each[..], &["blocked"]].concat());
    assert_eq!(code, 0);
    // A pod that nobody creates again is not of the set whose name it begins with.
    let mut debug = pod(9, "kv-old", DAY, DAY, "n-0").remove(0);
    debug["metadata"] = json!({"name": "kv-debug", "namespace": "prod", "uid": "debug"});
    debug["spec"]["volumes"] = json!([]);
    one.push(debug);
    let (_, out, _) = run(&one, &["--drain", "each", "-o", "json"]);
    assert!(out.contains("prod/kv-debug"), "{out}");
    let (code, _, error) = run(&one, &[&each[..], &["blocked"]].concat());
    assert_eq!(code, 0, "{error}");
}

/// A question that is not tried is refused.
#[test]
fn questions_that_a_drain_does_not_answer_are_refused() {
    let objects = [
        set(1, "OrderedReady", "kv-old"),
        vec![node("n-0", "a", true)],
    ]
    .concat();
    for (args, word) in [
        (&["--drain", "each", "--require", "quorum"][..], "--require"),
        (&["--drain", "n-0", "--explore"], "--explore"),
        (&["--lose", "n-0", "--explore"], "--explore"),
    ] {
        let (code, _, error) = run(&objects, args);
        assert!(code == 1 && error.contains(word), "{args:?} {error}");
    }
}

/// A pod of a maintenance that finds no place is no fault of its template.
#[test]
fn a_maintenance_that_hangs_asks_for_no_other_template() {
    let mut objects = set(3, "OrderedReady", "kv-old");
    for ordinal in 0..3 {
        let name = format!("n-{ordinal}");
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, &name));
        objects.push(node(&name, "a", true));
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": format!("pv-{ordinal}")},
            "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3", "local": {"path": "/d"},
                "claimRef": {"namespace": "prod", "name": format!("data-kv-{ordinal}"), "uid": "u"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}]}]}}},
            "status": {"phase": "Bound"}}));
    }
    objects.push(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "kv", "namespace": "prod", "generation": 1},
        "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "kv"}}},
        "status": {"observedGeneration": 1, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3,
            "disruptionsAllowed": 1}}));
    let (_, out, error) = run(
        &objects,
        &["--drain", "n-0,n-1", "--return-after", "10m,at-once=2"],
    );
    assert!(out.contains("HANGS"), "{out}{error}");
    assert!(!out.contains("pod template"), "{out}");
    assert!(!out.contains("kubectl delete pod"), "{out}");
}

/// With a stricter budget, the drain only waits at another of its pods.
#[test]
fn a_budget_that_allows_less_is_no_way_past_it() {
    let mut objects = set(5, "Parallel", "kv-old");
    for ordinal in 0..5 {
        let name = format!("n-{ordinal}");
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, &name));
        objects.push(node(&name, "a", true));
    }
    objects.push(node("n-5", "a", true));
    let anti = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "kv"}}}]}});
    for object in &mut objects {
        match object["kind"].as_str() {
            Some("Pod") => object["spec"]["affinity"] = anti.clone(),
            Some("StatefulSet") => object["spec"]["template"]["spec"]["affinity"] = anti.clone(),
            Some("ControllerRevision") => {
                object["data"]["spec"]["template"]["spec"]["affinity"] = anti.clone();
            }
            _ => {}
        }
    }
    objects.push(json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "kv", "namespace": "prod", "generation": 1},
        "spec": {"maxUnavailable": 2, "selector": {"matchLabels": {"app": "kv"}}},
        "status": {"observedGeneration": 1, "currentHealthy": 5, "desiredHealthy": 3, "expectedPods": 5,
            "disruptionsAllowed": 2}}));
    let (_, out, error) = run(&objects, &["--drain", "n-0,n-1,n-2,n-3"]);
    assert!(out.contains("HANGS"), "{out}{error}");
    assert!(!out.contains("patch pdb"), "{out}");
}
