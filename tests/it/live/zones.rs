//! Zones that lose nodes: predicted by `--lose`, then caused by unrenewed leases. One zone loses three of four nodes, the
//! other two of four.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::{ControlPlane, with_controllers};
use super::leases::{
    NODE_LIFECYCLE, ready_condition, register_in, tolerant_web, wait_for_nodes, with_leases,
};
use super::program::{self, Question};
use super::scenario::come_to_rest_on;
use super::wait_for;

const NODES: [&str; 8] = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"];
const LOST: [&str; 5] = ["a1", "a2", "a3", "b1", "b2"];
/// Usual time between the taints of two nodes of a zone, and its tolerance.
const INTERVAL: i64 = 10;
const SLACK: i64 = 3;

/// The node of a pod of `web`: one of the lost ones each.
fn node_of(pod: &str) -> &'static str {
    let ordinal = pod.rsplit('-').next().unwrap();
    LOST[ordinal.parse::<usize>().unwrap()]
}

#[test]
fn zones_below_and_above_the_threshold_go_as_predicted() {
    let Some(plane) = with_controllers("zones", &NODE_LIFECYCLE) else {
        return;
    };
    for name in NODES {
        register_in(&plane, name, &name[..1]);
    }
    with_leases(&plane, &NODES, &LOST, |lose| check(&plane, lose));
}

fn check(plane: &ControlPlane, lose: &dyn Fn()) {
    let place = Place::new(plane, "lost-zones");
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    let replicas = i32::try_from(LOST.len()).unwrap();
    let mut set = tolerant_web(replicas);
    set["spec"]["podManagementPolicy"] = json!("Parallel");
    place.act(&Act::Create(set), &Value::Null);
    come_to_rest_on(&place, &[], node_of);
    wait_for_nodes(&place);

    let lost = LOST.join(",");
    let question = Question {
        flags: vec!["--lose", &lost],
        ..Question::default()
    };
    let plan = program::plan(&place, &question);
    let steps = plan["steps"].as_array().unwrap().iter();
    let deleted = steps.filter(|it| it["actor"] == "node-lifecycle" && it["event"] == "PodDeleted");
    let predicted: Vec<(i64, &str)> = deleted
        .map(|step| (step["at"].as_i64().unwrap(), step["name"].as_str().unwrap()))
        .collect();
    let [(first, "web-3"), (second, "web-4")] = predicted[..] else {
        panic!("{predicted:?}");
    };
    assert_eq!(second - first, INTERVAL);

    let began = Timestamp::now();
    lose();
    let pods: Vec<String> = (0..LOST.len()).map(|at| format!("web-{at}")).collect();
    wait_for("the pods not to be ready", 90, || {
        let status = pods.iter().map(|pod| ready_condition(&place, pod));
        status
            .into_iter()
            .all(|status| status == Some(json!("False")))
            .then_some(())
    });
    // The times of deletion, in whole seconds, of the pods that are deleted.
    let deletions = || -> BTreeMap<String, i64> {
        let pods = place.list("pods");
        let deleted = pods.iter().filter_map(|pod| {
            let at: Timestamp = pod["metadata"]["deletionTimestamp"]
                .as_str()?
                .parse()
                .ok()?;
            let name = pod["metadata"]["name"].as_str()?.to_owned();
            Some((name, at.duration_since(began).as_secs()))
        });
        deleted.collect()
    };
    wait_for("the pods of zone b to be deleted", 90, || {
        let deleted = deletions();
        (deleted.contains_key("web-3") && deleted.contains_key("web-4")).then_some(())
    });
    // Longer than the taints of three nodes take.
    thread::sleep(Duration::from_secs(35));
    let deleted = deletions();
    let apart = (deleted["web-3"] - deleted["web-4"]).abs();
    assert!((apart - INTERVAL).abs() <= SLACK, "{deleted:?}");
    // Of the zone that is mostly down, at most the pod whose node was noticed first.
    let of_a = deleted
        .keys()
        .filter(|pod| !matches!(pod.as_str(), "web-3" | "web-4"));
    assert!(of_a.count() <= 1, "{deleted:?}");
    program::assert_read_only(plane);
    println!("deleted after {deleted:?} s, predicted {predicted:?}");
}
