//! A node that stops responding: predicted by `--lose`, then caused by unrenewed leases, with the real node lifecycle
//! controller.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::audit::Entry;
use super::control_plane::{ControlPlane, with_controllers};
use super::kubelet::{GONE_AFTER, Kubelet, READY_AFTER};
use super::leases::{
    NODE_LIFECYCLE, RENEWAL, TOLERATED, ready_condition, register, tolerant_web, wait_for_nodes,
    with_leases,
};
use super::program::{self, Question};
use super::scenario::{Stage, come_to_rest_on, compare_segments, play};
use super::seen::{Event, PredictedWrites, Segment, Write, in_one_order};
use super::wait_for;

/// Maximum delay of the node lifecycle controller in seconds: it checks nodes every five, and knows of a renewal only
/// since its last check.
const LATE: i64 = 12;
/// Reports whether a status patch announces an eviction: before it deletes a pod, taint eviction sets the condition
/// `DisruptionTarget`, from 1.26 on.
pub fn announces_eviction(sent: &Value) -> bool {
    let conditions = sent["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    conditions
        .into_iter()
        .any(|one| one["type"] == "DisruptionTarget")
}

/// Splits the writes at those of the node lifecycle controller, which are the events of the pods.
fn segments(writes: Vec<(Write, Arc<Entry>)>) -> Vec<Segment> {
    let mut segments = vec![Segment::default()];
    for (write, entry) in writes {
        // It is part of the deletion that follows.
        if write.resource == "pods/status" && announces_eviction(entry.sent()) {
            continue;
        }
        if write.actor != "node-lifecycle" {
            segments.last_mut().unwrap().writes.push(write);
            continue;
        }
        let event = match (write.verb.as_str(), write.resource.as_str()) {
            ("patch" | "update", "pods/status") => "PodNotReady",
            ("delete", "pods") => "PodDeleted",
            _ => panic!("what is {write}?"),
        };
        segments.push(Segment {
            event: Some(Event {
                at: 0,
                event: event.to_owned(),
                name: write.name,
            }),
            writes: Vec::new(),
        });
    }
    segments
}

/// Removes the times from the prediction.
fn times(segments: &mut [Segment]) -> Vec<i64> {
    let events = segments
        .iter_mut()
        .filter_map(|segment| segment.event.as_mut());
    events.map(|event| std::mem::take(&mut event.at)).collect()
}

/// Removes the pod of the lost node from a dump: the world after its forced deletion.
fn without_the_pod(items: &mut Vec<Value>) {
    items.retain(|item| item["kind"] != "Pod" || item["metadata"]["name"] != "web-1");
}

#[test]
fn a_lost_node_goes_as_predicted() {
    let Some(plane) = with_controllers("lost", &NODE_LIFECYCLE) else {
        return;
    };
    for name in ["node", "lost"] {
        register(&plane, name);
    }
    with_leases(&plane, &["node", "lost"], &["lost"], |lose| {
        check(&plane, lose);
    });
}

fn check(plane: &ControlPlane, lose: &dyn Fn()) {
    let place = Place::new(plane, "lost-node");
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    place.act(&Act::Create(tolerant_web(2)), &Value::Null);
    let node_of = |pod: &str| if pod == "web-1" { "lost" } else { "node" };
    come_to_rest_on(&place, &[], node_of);
    wait_for_nodes(&place);

    let (ready, gone) = (format!("{READY_AFTER}s"), format!("{GONE_AFTER}s"));
    let question = Question {
        flags: vec![
            "--lose",
            "lost",
            "--ready-after",
            &ready,
            "--gone-after",
            &gone,
        ],
        ..Question::default()
    };
    let plan = program::plan(&place, &question);
    assert_eq!(plan["outcome"]["result"], "blocked");
    let answer = &plan["nodes"]["sets"][0];
    assert_eq!(answer["homeless"][0]["pod"], "web-1", "{answer:#}");
    let mut predicted = PredictedWrites::new(&plan).segments;
    let told = times(&mut predicted);

    let kubelet = Kubelet::new(&place, &[]);
    let began = Timestamp::now();
    let since = || Timestamp::now().duration_since(began).as_secs();
    lose();
    wait_for("the pod not to be ready", 90, || {
        ready_condition(&place, "web-1").filter(|status| status == "False")
    });
    let noticed = since();
    let node = place.rest.get("/api/v1/nodes/lost").unwrap();
    let conditions = node["status"]["conditions"].as_array().unwrap();
    let ready = conditions.iter().find(|one| one["type"] == "Ready");
    assert_eq!(ready.unwrap()["status"], "Unknown", "{node:#}");
    wait_for("the taint", 20, || {
        let node = place.rest.get("/api/v1/nodes/lost").ok()?;
        let mut taints = node["spec"]["taints"].as_array()?.iter();
        taints
            .find(|taint| {
                taint["key"] == "node.kubernetes.io/unreachable" && taint["effect"] == "NoExecute"
            })
            .cloned()
    });
    let pod = place.path("pods/web-1");
    let uid = place.rest.get(&pod).unwrap()["metadata"]["uid"].clone();
    wait_for("the pod to be deleted", 60, || {
        let pod = place.rest.get(&pod).ok()?;
        pod["metadata"]["deletionTimestamp"]
            .is_string()
            .then_some(())
    });
    let deleted = since();

    // Much longer than its grace period: nothing ends the pod, and nothing replaces it.
    thread::sleep(Duration::from_secs(10));
    let writes = kubelet.settle(&[], 0);
    let stays = place.rest.get(&pod).unwrap();
    assert_eq!(stays["metadata"]["uid"], uid);
    let happened = segments(writes);
    let story =
        |segments: &[Segment]| -> String { segments.iter().map(ToString::to_string).collect() };
    let both = || {
        format!(
            "predicted at {told:?}:\n{}\nhappened at {noticed}, {deleted}:\n{}",
            story(&predicted),
            story(&happened)
        )
    };
    let order = |segment: &Segment| in_one_order(segment.writes.clone(), false);
    compare_segments(&predicted, &happened, order)
        .unwrap_or_else(|what| panic!("{what}\n{}", both()));
    let [not_ready, taken] = told[..] else {
        panic!("{}", both());
    };
    // The last renewal may be slightly older than the loss.
    let renewal = i64::try_from(RENEWAL.as_secs()).unwrap();
    let around = (not_ready - renewal)..=(not_ready + LATE);
    assert!(around.contains(&noticed), "{}", both());
    let tolerated = taken - not_ready;
    assert_eq!(tolerated, TOLERATED);
    let around = (tolerated - 1)..=(tolerated + LATE);
    assert!(around.contains(&(deleted - noticed)), "{}", both());

    // The advice that unblocks the set.
    let advice = plan["nodes"]["advice"].as_array().unwrap();
    let force = |one: &&Value| one["commands"].to_string().contains("--force");
    let force = advice.iter().find(force);
    let force = force.unwrap_or_else(|| panic!("{advice:#?}"));
    assert_eq!(
        force["commands"],
        json!([format!(
            "kubectl delete pod web-1 --grace-period=0 --force -n {}",
            place.namespace
        )])
    );
    let effect = force["effect"].as_str().unwrap();
    assert!(
        effect.starts_with(&format!("the rollout completes after {READY_AFTER}s;")),
        "{effect}"
    );
    let stage = Stage {
        edit: Some(without_the_pod),
        change: vec![Act::Force("pods/web-1")],
        ..Stage::default()
    };
    play(
        &place,
        "force",
        &stage,
        &mut Vec::new(),
        &mut BTreeSet::new(),
    );
    let successor = place.rest.get(&pod).unwrap();
    assert_ne!(successor["metadata"]["uid"], uid);
    assert_eq!(successor["spec"]["nodeName"], "node");
    assert_eq!(ready_condition(&place, "web-1"), Some(json!("True")));
    program::assert_read_only(plane);
    println!(
        "a lost node: noticed after {noticed} s and its pod deleted after {deleted} s, predicted {told:?}"
    );
}
