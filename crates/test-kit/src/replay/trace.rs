//! Comparison with one recorded progression.

use serde_json::{Map, Value, json};
use sts_controller::controller::has_available_replicas;
use sts_controller::object::PodManagement;
use sts_controller::simulate::{Assumption, Kubelet, Start, Step, StepAction, World, run};

use super::equal::difference;
use crate::cached;
use jiff::{SignedDuration, Timestamp};

pub fn compare(case: &mut Value) -> Result<(), String> {
    let behaviour = super::behaviour(case)?;
    let snapshot = super::snapshot(case)?;
    let now: Timestamp = case["now"]
        .as_str()
        .unwrap_or_default()
        .parse()
        .map_err(|error| format!("{error}"))?;
    let scenario = &case["scenario"];
    let seconds = |name: &str| SignedDuration::from_secs(scenario[name].as_i64().unwrap_or(0));
    let mut kubelet = Kubelet {
        ready_after: seconds("readyAfter"),
        gone_after: seconds("goneAfter"),
        ..Kubelet::default()
    };
    let mut assume = |name: &str, change: fn(&mut Assumption)| {
        for pod in scenario[name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            change(kubelet.assumptions.entry(pod.to_owned()).or_default());
        }
    };
    assume("neverReady", |assumed| assumed.start = Start::NeverReady);
    assume("neverGone", |assumed| assumed.never_gone = true);

    let concurrent = snapshot.set.pod_management == PodManagement::Parallel;
    let world = World::new(snapshot, now, kubelet).as_recorded();
    let world = cached::world(world);
    let ours = run(world, &behaviour);
    let steps: Vec<Value> = ours.steps.iter().map(|step| step_json(step, now)).collect();
    let theirs = case["steps"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for (index, step) in theirs.iter().enumerate() {
        match steps.get(index) {
            None => return Err(format!("step {index}: ours absent, theirs {step}")),
            Some(ours) if !same_step(ours, step, concurrent) => {
                return Err(format!("step {index}: ours {ours}, theirs {step}"));
            }
            Some(_) => {}
        }
    }
    if let Some(step) = steps.get(theirs.len()) {
        return Err(format!("step {}: ours {step}, theirs absent", theirs.len()));
    }
    let end = ours.world.snapshot();
    let status = end
        .status
        .to_json(has_available_replicas(&end.status, &behaviour));
    let pods: Map<String, Value> = end
        .pods
        .values()
        .map(|pod| (pod.meta.name.to_string(), Value::from(&*pod.revision)))
        .collect();
    let claims: Vec<&str> = end.claims.keys().map(|name| &**name).collect();
    let ours = json!({"status": status, "pods": pods, "claims": claims, "syncs": ours.syncs});
    match difference(&ours, &case["final"], &mut String::new()) {
        Some(what) => Err(format!("final{what}")),
        None => Ok(()),
    }
}

/// Returns a step in the form of a vector.
fn step_json(step: &Step, start: Timestamp) -> Value {
    let at = step.at.duration_since(start).as_secs();
    match &step.action {
        StepAction::Pod(event, pod) => json!({"at": at, "event": event.name(), "name": &**pod}),
        StepAction::ClaimRemoved(claim) => {
            json!({"at": at, "event": "ClaimRemoved", "name": &**claim})
        }
        StepAction::Object(_, event, name) => {
            json!({"at": at, "event": event.name(), "name": &**name})
        }
        StepAction::Controller(writes) => {
            let writes: Vec<Value> = writes
                .iter()
                .map(|write| {
                    let mut out = json!({
                        "verb": write.verb.name(),
                        "resource": write.resource.name(),
                        "name": &*write.name,
                    });
                    if let Some(revision) = &write.revision {
                        out["revision"] = Value::from(&**revision);
                    }
                    if let Some(refusal) = &write.refused {
                        out["error"] = refusal.reason().name().into();
                    }
                    out
                })
                .collect();
            json!({"at": at, "writes": writes})
        }
    }
}

/// Compares two steps. Consecutive claim creations and owner patches may come in any order, and so may all writes of a
/// parallel set in one sync.
fn same_step(ours: &Value, theirs: &Value, concurrent: bool) -> bool {
    let sorted = |step: &Value| {
        let mut step = step.clone();
        if let Some(writes) = step["writes"].as_array_mut() {
            let in_any_order = |write: &Value| {
                concurrent
                    || write["verb"] == "patch"
                    || (write["verb"] == "create" && write["resource"] == "persistentvolumeclaims")
            };
            for run in writes.chunk_by_mut(|a, b| in_any_order(a) && in_any_order(b)) {
                run.sort_by_key(ToString::to_string);
            }
        }
        step
    };
    difference(&sorted(ours), &sorted(theirs), &mut String::new()).is_none()
}
