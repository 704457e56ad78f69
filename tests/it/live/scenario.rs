//! One scenario: the initial objects, the plan, the actions, and the comparison with the prediction.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::{ControlPlane, control_plane};
use super::kubelet::{GONE_AFTER, Kubelet, READY_AFTER, is_ready};
use super::program::{self, Question};
use super::seen::{
    PredictedWrites, Refused, Segment, Witnessed, Write, in_one_order, is_of_claim_owners,
    of_pods_and_claims,
};
use test_kit::replay::equal::difference;

/// Number of times that the cluster may pause without being at rest, before a plan is made.
const RESTS: usize = 30;

/// A scenario. The set is `web`.
pub struct Scenario {
    /// Earlier actions; the cluster comes to rest after each.
    pub before: Vec<Act>,
    /// Changes that are planned and then made in the same cluster, one after another.
    pub stages: Vec<Stage>,
    /// The minors whose servers support the scenario.
    pub minors: RangeInclusive<u32>,
}

/// A change that is planned first and then made.
#[derive(Default)]
pub struct Stage {
    /// Actions just before the plan. The controllers see them, and then no time passes.
    pub just_before: Vec<Act>,
    /// The change for the program, as flags.
    pub flags: Vec<&'static str>,
    /// The change for the program, as an applied manifest.
    pub apply: Option<Value>,
    /// The change for the program if there is no flag for it: an edit of the objects of a dump.
    pub edit: Option<fn(&mut Vec<Value>)>,
    /// True if the program must find the assumptions about pods itself.
    pub unaided: bool,
    /// The change for the cluster.
    pub change: Vec<Act>,
}

/// Runs a scenario in its own namespace, and compares the plans with the events.
pub fn check(name: &str, scenario: Scenario) {
    let Some(plane) = control_plane() else { return };
    if !scenario.minors.contains(&plane.minor()) {
        println!("{name}: not applicable to Kubernetes {}", plane.version);
        return;
    }
    play_all(plane, name, &scenario);
}

/// Runs every stage of a scenario.
pub fn play_all(plane: &ControlPlane, name: &str, scenario: &Scenario) {
    let place = Place::new(plane, &name.replace('_', "-"));
    let applies = scenario.stages.iter().any(|stage| stage.apply.is_some());
    program::grant(&place, "sts-plan", &["-n", &place.namespace], applies);
    let mut assume = Vec::new();
    let mut retried = BTreeSet::new();
    for act in &scenario.before {
        suppose(act, &mut assume);
        place.act(act, &Value::Null);
        come_to_rest(&place, &assume);
    }
    for (index, stage) in (1..).zip(&scenario.stages) {
        play(
            &place,
            &format!("{name}, stage {index}"),
            stage,
            &mut assume,
            &mut retried,
        );
    }
    let asked = program::assert_read_only(plane);
    assert!(asked > 0, "the program sent no request");
}

/// `retried` are writes refused in earlier stages: the controller retries them occasionally, possibly once more before
/// it sees the change.
pub fn play(
    place: &Place,
    name: &str,
    stage: &Stage,
    assume: &mut Vec<String>,
    retried: &mut BTreeSet<Refused>,
) {
    for act in &stage.just_before {
        suppose(act, assume);
        place.act(act, &Value::Null);
        Kubelet::new(place, assume).settle(&[], 0);
    }
    let plan = predict(place, assume, stage);
    let predicted = PredictedWrites::new(&plan);
    let mut kubelet = Kubelet::new(place, assume);
    for act in &stage.change {
        suppose(act, assume);
        place.act(act, &plan);
    }
    let endless = plan["outcome"]["result"] == "livelock";
    let segments = kubelet.run(Some(&predicted), endless);
    let story = || {
        let told =
            |segments: &[Segment]| -> String { segments.iter().map(ToString::to_string).collect() };
        format!(
            "{name}\npredicted:\n{}\nhappened:\n{}",
            told(&predicted.segments),
            told(&segments)
        )
    };

    let concurrent = plan["set"]["podManagementPolicy"] == "Parallel";
    let owners_change = predicted.segments.iter().chain(&segments).any(|segment| {
        let mut writes = segment.writes.iter();
        writes.any(|write| write.resource == "persistentvolumeclaims" && write.verb == "update")
    });
    let order = |segment: &Segment| {
        let writes = segment.writes.clone();
        if predicted.races() {
            of_pods_and_claims(writes)
        } else {
            let mut writes = in_one_order(writes, concurrent);
            if concurrent && owners_change {
                writes.retain(|write| !is_of_claim_owners(write));
            }
            writes
        }
    };
    compare_segments(&predicted.segments, &segments, order)
        .unwrap_or_else(|what| panic!("{what}\n{}", story()));
    assert_eq!(
        new_revisions(&predicted.segments),
        new_revisions(&segments),
        "{}",
        story()
    );
    let Witnessed {
        mut refused, words, ..
    } = kubelet.witnessed();
    refused.retain(|what| predicted.refused.contains(what) || !retried.contains(what));
    let mut expected = predicted.refused.clone();
    if predicted.races() {
        // A status that is sent between two writes of the garbage collector may come too early to be refused.
        for refusals in [&mut expected, &mut refused] {
            refusals.retain(|(_, resource, ..)| resource != "statefulsets/status");
        }
    }
    assert_eq!(expected, refused, "{}\n{words:#?}", story());
    retried.extend(refused);
    compare_sent(&kubelet, &plan, stage.apply.is_some())
        .unwrap_or_else(|what| panic!("{what}\n{}", story()));
    compare_end(place, &plan).unwrap_or_else(|what| panic!("{what}\n{}", story()));
    let count: usize = segments.iter().map(|segment| segment.writes.len()).sum();
    println!(
        "{name}: {} events and {count} writes came as predicted",
        segments.len() - 1
    );
}

fn suppose(act: &Act, assume: &mut Vec<String>) {
    match act {
        Act::Assume(what) => assume.push((*what).to_owned()),
        Act::AssumeNothing => assume.clear(),
        _ => {}
    }
}

/// The plan under assumptions about pods that start from now on. For a ready pod that stays, the program would let it
/// fail now, so that assumption is omitted.
fn predict(place: &Place, assume: &[String], stage: &Stage) -> Value {
    let plan = predict_all(place, assume, stage);
    let sentences = plan["assumptions"].as_array().into_iter().flatten();
    let failing: Vec<String> = sentences
        .filter_map(|sentence| {
            let (pod, _) = sentence
                .as_str()?
                .split_once(" is ready, and is assumed to ")?;
            Some(format!("{}=", pod.strip_prefix("pod ")?))
        })
        .collect();
    if failing.is_empty() {
        return plan;
    }
    let speaks_of = |assumed: &String, pod: &String| assumed.starts_with(pod.as_str());
    let others = assume.iter();
    let others = others.filter(|assumed| !failing.iter().any(|pod| speaks_of(assumed, pod)));
    predict_all(place, &others.cloned().collect::<Vec<String>>(), stage)
}

fn predict_all(place: &Place, assume: &[String], stage: &Stage) -> Value {
    let (ready, gone) = (format!("{READY_AFTER}s"), format!("{GONE_AFTER}s"));
    let mut flags = Vec::new();
    if !stage.unaided {
        flags.extend(["--ready-after", &ready, "--gone-after", &gone]);
        for assumed in assume {
            flags.extend(["--assume", assumed]);
        }
    }
    flags.extend(&stage.flags);
    let question = Question {
        flags,
        apply: stage.apply.as_ref(),
        edit: stage.edit,
    };
    program::plan(place, &question)
}

/// Runs the kubelet until the cluster is at rest and the program predicts nothing more.
pub fn come_to_rest(place: &Place, assume: &[String]) {
    come_to_rest_on(place, assume, |_| "node");
}

/// The same with pods on these nodes, by name.
pub fn come_to_rest_on(place: &Place, assume: &[String], node_of: fn(&str) -> &'static str) {
    let mut left = Value::Null;
    for _ in 0..RESTS {
        let mut kubelet = Kubelet::new(place, assume).on_nodes(node_of);
        kubelet.run(None, false);
        if place.list("statefulsets").is_empty() {
            return;
        }
        let plan = predict(place, assume, &Stage::default());
        let predicted = PredictedWrites::new(&plan);
        if predicted.segments.len() == 1 && predicted.segments[0].writes.is_empty() {
            return;
        }
        left = plan["steps"].clone();
    }
    panic!("{}: does not come to rest: {left:#}", place.namespace);
}

pub fn compare_segments(
    predicted: &[Segment],
    happened: &[Segment],
    order: impl Fn(&Segment) -> Vec<Write>,
) -> Result<(), String> {
    for index in 0..predicted.len().max(happened.len()) {
        let (Some(ours), Some(theirs)) = (predicted.get(index), happened.get(index)) else {
            let (ours, theirs) = (predicted.len() - 1, happened.len() - 1);
            return Err(format!("{ours} events were predicted, {theirs} happened"));
        };
        if ours.event != theirs.event {
            return Err(format!(
                "event {index}: predicted {:?}, happened {:?}",
                ours.event, theirs.event
            ));
        }
        if order(ours) != order(theirs) {
            return Err(format!("predicted and happened differ after event {index}"));
        }
    }
    Ok(())
}

/// The names of the created revisions.
fn new_revisions(segments: &[Segment]) -> BTreeSet<&str> {
    let writes = segments.iter().flat_map(|segment| &segment.writes);
    writes
        .filter(|write| write.verb == "create" && write.resource == "controllerrevisions")
        .map(|write| write.name.as_str())
        .collect()
}

/// Compares the objects that the next sync creates, by the plan, with those that were sent. The set may be new.
fn compare_sent(kubelet: &Kubelet, plan: &Value, is_new: bool) -> Result<(), String> {
    let witnessed = kubelet.witnessed();
    for write in plan["next"]["writes"].as_array().unwrap() {
        if write["verb"] != "create" || write["error"].is_string() {
            continue;
        }
        let is_it = |seen: &Write| {
            seen.verb == "create"
                && write["resource"] == *seen.resource
                && write["name"] == *seen.name
        };
        let (seen, entry) = witnessed
            .writes
            .iter()
            .find(|(seen, _)| is_it(seen))
            .unwrap();
        let mut sent = entry.sent().clone();
        // The log has it with the server's defaults.
        if seen.resource == "pods" {
            sent["spec"]
                .as_object_mut()
                .unwrap()
                .remove("enableServiceLinks");
        }
        let mut predicted = write["object"].clone();
        // A set that does not exist yet has no known uid.
        for object in [&mut sent, &mut predicted] {
            if let Some(owner) = object.pointer_mut("/metadata/ownerReferences/0")
                && is_new
            {
                owner["uid"].take();
            }
        }
        // The path is the one in the vectors, because some lists are unordered there.
        let (ours, theirs) = (json!({"object": predicted}), json!({"object": sent}));
        if let Some(what) = difference(&ours, &theirs, &mut String::new()) {
            return Err(format!("{seen}: {what}"));
        }
    }
    Ok(())
}

/// Compares the plan's outcome with the current objects.
fn compare_end(place: &Place, plan: &Value) -> Result<(), String> {
    let outcome = &plan["outcome"];
    let sets = place.list("statefulsets");
    let set = sets.iter().find(|set| set["metadata"]["name"] == "web");
    // The status of a deleted set is not written.
    let status = set.map_or(&outcome["status"], |set| &set["status"]);
    let pods: BTreeMap<String, Value> = place
        .list("pods")
        .iter()
        .map(|pod| {
            let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
            let revision = &pod["metadata"]["labels"]["controller-revision-hash"];
            let revision = revision.as_str().unwrap_or_default();
            (name, json!({"revision": revision, "ready": is_ready(pod)}))
        })
        // Pods of other sets are ignored.
        .filter(|(name, _)| name.starts_with("web-"))
        .collect();
    let predicted: BTreeMap<String, Value> = outcome["pods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pod| {
            let name = pod["name"].as_str().unwrap().to_owned();
            (
                name,
                json!({"revision": pod["revision"], "ready": pod["ready"]}),
            )
        })
        .collect();
    let mut claims: Vec<Value> = place
        .list("persistentvolumeclaims")
        .iter()
        .map(|claim| claim["metadata"]["name"].clone())
        .collect();
    claims.sort_by_key(Value::to_string);
    let ours = json!({"status": outcome["status"], "pods": predicted, "claims": outcome["claims"]});
    let theirs = json!({"status": status, "pods": pods, "claims": claims});
    difference(&ours, &theirs, &mut "outcome".to_owned()).map_or(Ok(()), Err)
}
