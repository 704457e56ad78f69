//! Secret or ConfigMap that was written between the start of the ready pods and that of the failing one.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::recent;
use super::{Rank, Recognized, Symptom};
use crate::catalogue::{Blames, CauseTrait};
use crate::duration::age;
use crate::foresight::needs;
use crate::plan::Plan;
use sts_controller::object::{Bystander, Pod};

/// A Secret or ConfigMap that was written before a pod began to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The object with the time: `Secret db was written 1h ago, after web-0 started and before web-1 did`.
    pub told: String,
    /// True if ready pods still run with what it was.
    pub others_differ: bool,
}

/// Returns the object that a failing pod reads otherwise than the ready ones: `Secret db was written 1h ago, after web-0 has
/// started, and before web-1`.
pub(super) fn rewritten(
    plan: &Plan,
    pod: &Pod,
    symptom: Symptom,
    recognized: Option<&Recognized>,
) -> Option<Rewritten> {
    let reads = [
        Symptom::CrashLoop,
        Symptom::CheckFails,
        Symptom::InitContainer,
        Symptom::ContainerConfig,
        Symptom::NotReady,
    ];
    // The volume is one of an object that lacks what the pod wants of it.
    let is_of_object = symptom == Symptom::VolumeNotAttached
        && recognized.is_some_and(|found| found.entry.blames == Blames::Object);
    let is_reader = reads.contains(&symptom) && recognized.is_none_or(is_of_configuration);
    if !is_reader && !is_of_object {
        return None;
    }
    let given = pod.given()?;
    let (failed, began) = (last_start(pod)?, unready_since(pod)?);
    if plan.observed().ready().next().is_none() {
        return before_all(plan, pod, began);
    }
    let ready = plan
        .observed()
        .ready()
        .filter(|it| it.meta.name != pod.meta.name);
    let earlier = ready.filter_map(|it| Some((first_start(it)?, &it.meta.name)));
    let (sibling_start, sibling) = earlier.max_by_key(|(at, _)| *at)?;
    let mut objects = plan.related.bystanders(&pod.meta.namespace);
    let found = objects.find(|it| {
        let is_between = it
            .written
            .is_some_and(|at| sibling_start < at && at <= failed && at <= began.max(created(pod)));
        is_between && is_read(it, &given["spec"])
    })?;
    let (written, pod) = (recent::written(plan, found)?, &pod.meta.name);
    Some(Rewritten {
        told: format!("{written}, after {sibling} started and before {pod} did"),
        others_differ: true,
    })
}

/// Time after which pods that fail have another reason than an object that was written.
const SOON: SignedDuration = SignedDuration::from_mins(30);

/// Returns the only object that was written shortly before a pod began to fail, if no pod of the set is ready: `Secret db was
/// written 1h ago, 2m before web-0 failed`.
fn before_all(plan: &Plan, pod: &Pod, began: Timestamp) -> Option<Rewritten> {
    let given = pod.given()?;
    let objects = plan.related.bystanders(&pod.meta.namespace);
    let mut all = objects.filter(|it| {
        let is_soon = it
            .written
            .is_some_and(|at| created(pod) < at && at <= began && began.duration_since(at) <= SOON);
        is_soon && is_read(it, &given["spec"])
    });
    let found = all.next()?;
    if all.next().is_some() {
        return None;
    }
    let before = age(began.duration_since(found.written?));
    let (written, pod) = (recent::written(plan, found)?, &pod.meta.name);
    Some(Rewritten {
        told: format!("{written}, {before} before {pod} failed"),
        others_differ: false,
    })
}

/// Reports whether an object is a Secret or ConfigMap that a pod with this specification reads.
fn is_read(object: &Bystander, spec: &Value) -> bool {
    let is_kind = matches!(&*object.kind, "Secret" | "ConfigMap") && object.group.is_empty();
    is_kind && needs(spec, &format!("{} {}", object.kind, object.meta.name))
}

/// Reports whether what a pod reads at its start can be the reason for a failure.
fn is_of_configuration(found: &Recognized) -> bool {
    let is_blamed = matches!(
        found.entry.blames,
        Blames::Template | Blames::Object | Blames::Unknown
    );
    let is_open = found.entry.rank == Rank::Generic;
    is_blamed || is_open || found.entry.has(CauseTrait::OfIdentity)
}

fn created(pod: &Pod) -> Timestamp {
    pod.meta.created.unwrap_or(Timestamp::MIN)
}

fn unready_since(pod: &Pod) -> Option<Timestamp> {
    pod.ready.as_ref().and_then(|ready| ready.since)
}

/// Returns the last start of a process of a pod that has failed.
fn last_start(pod: &Pod) -> Option<Timestamp> {
    let statuses = pod.containers();
    let ended = statuses.iter().filter_map(|it| it.ended.as_ref());
    ended
        .filter_map(|it| it.started.or(it.at))
        .max()
        .or(pod.meta.created)
}

/// Returns the start of the processes of a ready pod, or its creation.
fn first_start(pod: &Pod) -> Option<Timestamp> {
    let given = pod.given()?;
    let statuses = given["status"]["containerStatuses"].as_array();
    let started = statuses.into_iter().flatten().filter_map(|it| {
        let text = it["state"]["running"]["startedAt"].as_str()?;
        text.parse::<Timestamp>().ok()
    });
    started.max().or(pod.meta.created)
}
