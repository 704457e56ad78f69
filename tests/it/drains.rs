//! `--drain` with all pods of the nodes, as the program is asked and answers.

use serde_json::{Value, json};

use crate::nodes::{plan, run};
use test_kit::nodes::{REPLICA_SET, budget, budget_of_others, cluster, local, other};

#[test]
fn the_screen_begins_with_what_holds_a_drain() {
    let mut objects = cluster(&[budget_of_others(json!({"maxUnavailable": 0}))]);
    objects.push(other("api-0", REPLICA_SET, "node-7"));
    objects.push(other("api-1", REPLICA_SET, "node-8"));
    let (code, screen, _) = run(&objects, &["--drain", "node-7", "--fail-on", "blocked"]);
    assert_eq!(code, 3);
    let first = screen.lines().nth(1).unwrap();
    assert!(
        first.contains("HANGS") && first.contains("prod/api-0 (ReplicaSet pool)"),
        "{first}"
    );
    assert!(
        screen.contains("kubectl patch pdb guard -n prod"),
        "{screen}"
    );
}

#[test]
fn a_drain_never_completes_without_a_word_about_pods_that_were_not_read() {
    let (_, screen, _) = run(&cluster(&[]), &["--drain", "node-7"]);
    assert!(
        screen.contains("completes after 5s for the pods that were read"),
        "{screen}"
    );
    // With -A, the assumptions are printed too.
    let (_, screen, _) = run(&cluster(&[]), &["-A", "--drain", "node-7"]);
    assert!(screen.contains("are known (prod)"), "{screen}");
}

#[test]
fn unknown_zones_and_labels_are_errors() {
    let error = |words: &str| run(&cluster(&[]), &["--drain", words]).2;
    assert!(error("zone=z").contains("zone z has no nodes (zones: a, b, c)"));
    assert!(error("pool=one").contains("no node has the label pool=one"));
}

/// The table of all nodes has the answer to the drain of each.
#[test]
fn each_node_is_drained_by_itself() {
    let mut objects = cluster(&[budget_of_others(json!({"maxUnavailable": 0}))]);
    objects.push(other("api-0", REPLICA_SET, "node-8"));
    let list = plan(&objects, &["-A", "--drain", "each"]);
    let rows = list["nodes"]["each"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let alone = plan(&objects, &["-A", "--drain", row["node"].as_str().unwrap()]);
        let alone = &alone["nodes"];
        assert_eq!(
            (&row["verdict"], &row["at"]),
            (&alone["verdict"], &alone["at"]),
            "{row}"
        );
        assert_eq!(row["command"], alone["command"]);
    }
    assert_eq!(list["nodes"]["verdict"], "hangs");
    assert!(
        rows[1]["heldBy"]
            .as_str()
            .unwrap()
            .starts_with("prod/api-0 (ReplicaSet pool): ")
    );
    let (code, screen, _) = run(&objects, &["--drain", "each", "--fail-on", "blocked"]);
    assert_eq!(code, 3, "{screen}");
    let first = screen.lines().nth(1).unwrap();
    assert_eq!(
        first,
        "2 of 3 nodes can be drained alone, for the pods that were read; not: node-8"
    );
    // The plan of the set is the one without a drain.
    let plain = plan(&objects, &[]);
    assert_eq!(list["steps"], plain["steps"]);
    let (code, _, error) = run(&objects, &["--drain", "each,node-7"]);
    assert_eq!(code, 1, "{error}");
}

#[test]
fn flags_of_a_drain_that_make_no_sense_are_rejected() {
    let easy = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    let (code, _, error) = run(&easy, &["--assume", "budgets=ignored-after:1h"]);
    assert_eq!(code, 1);
    assert!(error.contains("--drain"), "{error}");
    for wrong in ["10m,2", "10m,at-once=0", "soon"] {
        let (code, _, error) = run(&local(), &["--drain", "each", "--return-after", wrong]);
        assert_eq!(code, 1, "{error}");
    }
    let (code, _, error) = run(
        &local(),
        &["--drain", "each", "--order", "primary-last=role=primary"],
    );
    assert_eq!(code, 1);
    assert!(error.contains("--return-after"), "{error}");
}

/// Replacing the volumes of a node that goes for good is never the first advice.
#[test]
fn a_node_that_goes_for_good_is_the_last_advice() {
    let mut objects = local();
    objects.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "local"},
        "provisioner": "rancher.io/local-path", "volumeBindingMode": "WaitForFirstConsumer"}));
    let (_, screen, _) = run(&objects, &["--drain", "node-7"]);
    assert!(
        screen.contains("  Or:   if node node-7 goes for good"),
        "{screen}"
    );
}

#[test]
fn a_maintenance_that_stops_fails_a_gate() {
    let words = [
        "--drain",
        "each",
        "--return-after",
        "10m",
        "--assume",
        "web-0=never-ready",
        "--fail-on",
        "blocked",
    ];
    assert_eq!(run(&local(), &words).0, 3);
}

/// The runbook has the commands of each turn, the check before the next, and the way back.
#[test]
fn a_maintenance_is_a_runbook_in_markdown() {
    let (_, page, _) = run(
        &local(),
        &[
            "--drain",
            "each",
            "--return-after",
            "10m",
            "--ready-after",
            "10s",
            "-o",
            "markdown",
        ],
    );
    assert!(page.contains("| evicted |"), "{page}");
    for part in [
        "#### Nodes node-8",
        "when all sets are at rest, 10m15s from now",
        "kubectl drain node-8 --ignore-daemonsets",
        "# the work on node-8, about 10m",
        "kubectl wait --for=condition=Ready node/node-8",
        "kubectl uncordon node-8",
        "kubectl wait --for=jsonpath='{.status.readyReplicas}'=3 sts/web",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_set_that_cannot_be_planned_hides_no_pods_of_others() {
    // A set at rest, and a node without a pod of it.
    let mut objects = test_kit::kv::serving();
    objects[0]["status"] = json!({"observedGeneration": 3, "collisionCount": 0,
        "replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 3, "updatedReplicas": 3,
        "currentRevision": "kv-old", "updateRevision": "kv-old"});
    objects.retain(|object| object["kind"] != "ControllerRevision");
    objects.push(test_kit::kv::node("n-2", "a", true));
    objects.push(other("api-0", REPLICA_SET, "n-2"));
    assert_eq!(plan(&objects, &[])["analysis"]["verdict"], "nothing-to-do");
    let whole = plan(&objects, &["--drain", "each"])["nodes"].clone();
    let last = &whole["each"][1];
    assert_eq!(
        (&last["verdict"], &last["evicted"]),
        (&json!("ends"), &json!(1))
    );
    let mut sets = objects
        .iter()
        .filter(|object| object["kind"] == "StatefulSet");
    let mut too_large = sets.next().unwrap().clone();
    too_large["metadata"]["name"] = json!("a");
    too_large["metadata"]["uid"] = json!("uid-a");
    too_large["spec"]["replicas"] = json!(2_000_000);
    objects.insert(0, too_large);
    let (_, out, error) = run(&objects, &["-A", "--drain", "each", "-o", "json"]);
    let list: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
    assert_eq!(list["nodes"]["each"], whole["each"], "{list:#}");
}
