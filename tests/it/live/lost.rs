//! A node that stops responding: predicted by `--lose`, then caused by unrenewed leases, with the real node lifecycle
//! controller.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::audit::Entry;
use super::control_plane::{ControlPlane, with_controllers};
use super::kubelet::{GONE_AFTER, Kubelet, READY_AFTER};
use super::program::{self, Question};
use super::reality::web;
use super::scenario::{Stage, come_to_rest_on, compare_segments, play};
use super::seen::{Event, PredictedWrites, Segment, Write, in_one_order};
use super::wait_for;

/// Interval of lease renewals.
pub(super) const RENEWAL: Duration = Duration::from_secs(3);
/// Seconds for which the pods tolerate an unreachable node.
pub(super) const TOLERATED: i64 = 10;
/// Maximum delay of the node lifecycle controller in seconds: it checks nodes every five, and knows of a renewal only
/// since its last check.
const LATE: i64 = 12;
pub(super) const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

pub(super) fn lease(node: &str) -> Value {
    let now = format!("{:.6}", Timestamp::now());
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": node},
        "spec": {"holderIdentity": node, "leaseDurationSeconds": 40, "renewTime": now},
    })
}

/// Registers a node as its kubelet does.
pub(super) fn register(plane: &ControlPlane, name: &str) {
    register_in(plane, name, "");
}

/// Registers a node of a zone; of none if it is empty.
pub(super) fn register_in(plane: &ControlPlane, name: &str, zone: &str) {
    let mut labels = json!({"kubernetes.io/hostname": name});
    if !zone.is_empty() {
        labels["topology.kubernetes.io/zone"] = zone.into();
    }
    let node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "KubeletReady",
                "lastHeartbeatTime": Timestamp::from_second(Timestamp::now().as_second()).unwrap().to_string(),
            }],
        },
    });
    let rest = plane.admin();
    rest.create("/api/v1/nodes", &node).unwrap();
    rest.create(LEASES, &lease(name)).unwrap();
}

/// Renews leases, and one less after each message, until the sender is dropped.
fn renew(plane: &ControlPlane, mut nodes: Vec<&str>, lost: &Receiver<()>) {
    let rest = plane.admin();
    loop {
        match lost.recv_timeout(RENEWAL) {
            Ok(()) => drop(nodes.pop()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        for node in &nodes {
            let path = format!("{LEASES}/{node}");
            rest.merge(&path, &lease(node)).unwrap();
        }
    }
}

/// The set `web` with a pod on each node, with a short grace period.
fn set() -> Value {
    let mut set = web(2);
    let pod = &mut set["spec"]["template"]["spec"];
    pod["terminationGracePeriodSeconds"] = json!(1);
    pod["tolerations"] = json!([{
        "key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute",
        "tolerationSeconds": TOLERATED,
    }]);
    set
}

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

pub(super) fn ready_condition(place: &Place<'_>, pod: &str) -> Option<Value> {
    let pod = place.rest.get(&place.path(&format!("pods/{pod}"))).ok()?;
    let conditions = pod["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|one| one["type"] == "Ready")?;
    Some(ready["status"].clone())
}

/// Removes the pod of the lost node from a dump: the world after its forced deletion.
fn without_the_pod(items: &mut Vec<Value>) {
    items.retain(|item| item["kind"] != "Pod" || item["metadata"]["name"] != "web-1");
}

#[test]
fn a_lost_node_goes_as_predicted() {
    // The names in old versions and in new ones, which evict in a separate controller.
    let more = [
        "nodelifecycle",
        "node-lifecycle-controller",
        "taint-eviction-controller",
    ];
    let Some(plane) = with_controllers("lost", &more) else {
        return;
    };
    for name in ["node", "lost"] {
        register(&plane, name);
    }
    let (lose, lost) = channel();
    thread::scope(|scope| {
        let plane = &plane;
        scope.spawn(move || renew(plane, vec!["node", "lost"], &lost));
        // It is dropped with this closure, which ends the renewal.
        let lose = lose;
        check(plane, || lose.send(()).unwrap());
    });
}

fn check(plane: &ControlPlane, lose: impl Fn()) {
    let place = Place::new(plane, "lost-node");
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    place.act(&Act::Create(set()), &Value::Null);
    let node_of = |pod: &str| if pod == "web-1" { "lost" } else { "node" };
    come_to_rest_on(&place, &[], node_of);
    wait_for("both nodes to take pods", 30, || {
        let nodes = place.rest.list("/api/v1/nodes");
        let is_open = |node: &Value| node["spec"]["taints"].is_null();
        nodes.iter().all(is_open).then_some(())
    });

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
