//! Nodes that fail, as the program is asked and answers.

use serde_json::json;

use crate::nodes::{plan, run};
use test_kit::nodes::{REPLICA_SET, cluster, crash_looping, other, set};

#[test]
fn a_loss_before_a_drain_breaks_a_requirement() {
    let args = [
        "--lose",
        "node-7",
        "--drain",
        "node-8",
        "--require",
        "quorum",
    ];
    let (code, screen, _) = run(&cluster(&[]), &args);
    assert_eq!(code, 5, "{screen}");
}

#[test]
fn the_screen_has_the_pods_of_other_owners_on_a_lost_node() {
    let mut objects = cluster(&[]);
    objects.push(other("api-0", REPLICA_SET, "node-7"));
    let (_, screen, _) = run(&objects, &["--lose", "node-7"]);
    assert!(
        screen.contains("prod/api-0 (ReplicaSet pool) down now, replaced after 5m50s"),
        "{screen}"
    );
}

#[test]
fn the_screen_has_the_command_of_a_drain() {
    let (_, screen, _) = run(&crash_looping(), &["--drain", "node-7"]);
    assert!(
        screen.contains("  Command: kubectl drain node-7"),
        "{screen}"
    );
}

#[test]
fn the_table_of_nodes_has_the_flags_and_the_pods_that_are_gone() {
    let mut objects = cluster(&[]);
    let mut scratch = other("api-0", REPLICA_SET, "node-8");
    scratch["spec"]["volumes"] = json!([{"name": "tmp", "emptyDir": {}}]);
    objects.extend([scratch, other("debug", None, "node-9")]);
    let found = plan(&objects, &["-A", "--drain", "each"])["nodes"].clone();
    let row = |at: usize| &found["each"][at];
    assert_eq!(row(1)["flags"][0]["flag"], "--delete-emptydir-data");
    assert_eq!(row(2)["homeless"], json!(["prod/debug"]));
    assert_eq!(row(2)["flags"][0]["flag"], "--force");
    assert!(row(0)["flags"].is_null());
    assert_eq!(
        found["summary"],
        "3 of 3 nodes can be drained alone, for the pods that were read; only with --delete-emptydir-data or --force: node-8, \
         node-9; pods do not come back or a quorum is lost: node-9"
    );
    let (_, screen, _) = run(&objects, &["-A", "--drain", "each"]);
    assert!(screen.contains("needs --force (prod/debug)"), "{screen}");
}

/// A drain that completes only if a pod recovers says so in the table too.
#[test]
fn the_table_of_nodes_has_the_pods_that_have_to_become_ready() {
    let found = plan(&crash_looping(), &["--drain", "each"])["nodes"].clone();
    let rests_on = |at: usize| &found["each"][at]["restsOn"];
    assert_eq!(*rests_on(0), json!(["prod/web-0"]));
    assert!(rests_on(1).is_null() && rests_on(2).is_null(), "{found:#}");
    let alone = plan(&crash_looping(), &["--drain", "node-7"])["nodes"].clone();
    assert_eq!(*rests_on(0), alone["restsOn"]);
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.contains("only if pods that are not ready now become ready: node-7"),
        "{summary}"
    );
    let (_, page, _) = run(&crash_looping(), &["--drain", "each", "-o", "markdown"]);
    let clause = "only if prod/web-0, which is not ready now, becomes ready after its move";
    assert!(page.contains(clause), "{page}");
}

/// The remedies of a lost node are shown once.
#[test]
fn advice_on_a_lost_node_is_not_repeated_below_a_drain() {
    let (_, screen, _) = run(&cluster(&[]), &["--lose", "node-7", "--drain", "node-8"]);
    assert_eq!(
        screen.matches("kubectl delete node node-7").count(),
        1,
        "{screen}"
    );
}

#[test]
fn the_screen_has_one_remedy_for_each_of_several_sets() {
    let mut objects = cluster(&[]);
    objects.extend(set("far", &["node-8"], json!({})));
    let (_, screen, _) = run(&objects, &["-A", "--lose", "node-7,node-8"]);
    assert_eq!(screen.matches("  Do: ").count(), 2, "{screen}");
}
