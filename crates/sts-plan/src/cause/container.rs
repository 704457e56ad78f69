//! Container failures.

use std::sync::Arc;

use serde_json::Value;

use super::{Blames, CauseEntry, CauseTrait, Facts, Rank, Symptom};
use crate::catalogue::{decisive_line, failed_container, other_failures};
use crate::plan::Plan;
use crate::words::names_in;
use sts_controller::controller::{ordinal_of, pod_name};
use sts_controller::object::{Phase, Pod};

pub use crate::catalogue::ContainerFailure;

/// Returns the failure of the container that the pod's status names, or of the one that it needs in vain: because it calls
/// it, or because that one provides what it misses.
pub(super) fn failing(plan: &Plan, pod: &Pod) -> Option<(Symptom, Facts)> {
    let (mut symptom, mut failure) = failed_container(pod)?;
    let entry_of = |symptom, failure: &ContainerFailure| {
        let catalogue = plan.conditions.catalogue;
        let found = catalogue.of_failure(symptom, pod, &plan.related, failure);
        found.map(|found| found.entry)
    };
    let has = |entry: Option<&CauseEntry>, it| entry.is_some_and(|entry| entry.has(it));
    let needs = |entry| has(entry, CauseTrait::WithinPod) || has(entry, CauseTrait::FedByPod);
    let mut entry = entry_of(symptom, &failure);
    if needs(entry) {
        let calls = has(entry, CauseTrait::WithinPod);
        let others = other_failures(pod, &failure.container).into_iter();
        let mut others = others.map(|(symptom, failure)| {
            let entry = entry_of(symptom, &failure);
            (entry, symptom, failure)
        });
        // One that itself needs another container provides nothing.
        if let Some(needed) = others.find(|(entry, ..)| calls || !needs(*entry)) {
            (entry, symptom, failure) = needed;
        }
    }
    let later = match symptom {
        Symptom::CrashLoop => later_pod(plan, pod, &failure, entry),
        _ => None,
    };
    if later.is_some() {
        symptom = Symptom::LaterPod;
    }
    let facts = Facts {
        failure: Some(failure),
        later,
        ..Facts::default()
    };
    Some((symptom, facts))
}

/// Returns the pod that a container calls in vain because the controller creates it only once this one is ready. What is
/// not recognized may well be about that pod, but not what has another cause.
fn later_pod(
    plan: &Plan,
    pod: &Pod,
    failure: &ContainerFailure,
    entry: Option<&CauseEntry>,
) -> Option<Arc<str>> {
    let (set, behaviour) = (&plan.snapshot.set, &plan.conditions.behaviour);
    if !set.is_monotonic() {
        return None;
    }
    let calls = [Blames::Dependency, Blames::Network];
    if entry.is_some_and(|it| it.rank != Rank::Generic && !calls.contains(&it.blames)) {
        return None;
    }
    let line = decisive_line(&failure.last_words, entry);
    let later = names_in(&line).find(|word| {
        let ordinal = ordinal_of(word);
        ordinal > ordinal_of(&pod.meta.name)
            && behaviour.ordinals(set).contains(&ordinal)
            && pod_name(set, ordinal) == **word
            && !plan.snapshot.pods.contains_key(*word)
    });
    later.map(Arc::from)
}

/// Returns the reason that a pod without a failing container is not ready.
pub(super) fn waiting(pod: &Pod) -> (Symptom, Facts) {
    let statuses = pod.containers();
    let is_begun = pod.phase == Phase::Running || !statuses.is_empty();
    if !is_begun {
        let given = pod.given();
        let scheduler = given
            .as_ref()
            .map(|object| &object["spec"]["schedulerName"]);
        let facts = Facts {
            scheduler: scheduler
                .and_then(Value::as_str)
                .unwrap_or("default-scheduler")
                .to_owned(),
            ..Facts::default()
        };
        return match pod.node() {
            Some(_) => (Symptom::KubeletSilent, facts),
            None => (Symptom::SchedulerSilent, facts),
        };
    }
    let of = |containers: Vec<String>, reason: &str| Facts {
        containers,
        reason: reason.to_owned(),
        ..Facts::default()
    };
    let running_init = statuses
        .iter()
        .find(|status| status.init && !status.ready && status.waiting.is_none());
    if let Some(init) = running_init.filter(|_| pod.phase != Phase::Running) {
        return (Symptom::InitContainer, of(vec![init.name.clone()], ""));
    }
    let waiting = statuses
        .iter()
        .find_map(|status| status.waiting.as_ref().map(|(reason, _)| (status, reason)));
    if let Some((status, reason)) = waiting {
        return (Symptom::NotStarting, of(vec![status.name.clone()], reason));
    }
    let not_ready = statuses
        .iter()
        .filter(|status| !status.init && !status.ready);
    let not_ready = not_ready.map(|status| status.name.clone()).collect();
    (Symptom::NotReady, of(not_ready, ""))
}
