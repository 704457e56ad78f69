//! Creations and deletions that the API server persistently refuses, according to the events of the set.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;

use super::Conditions;
use super::evidence::AGAIN_AND_AGAIN;
use super::note::PlanUnknown;
use super::retry::LONGEST_BACKOFF;
use crate::catalogue::{Blames, Catalogue, CauseEntry, Place, TemplatePart, events_of_set};
use sts_controller::controller::{ordinal_of, pod_name};
use sts_controller::object::{Event, Snapshot};

/// Returns the missing desired pods whose creation was refused repeatedly, up to the last possible attempt. Assumed
/// startup times do not apply to them.
pub(super) fn refused_creations(
    snapshot: &Snapshot,
    conditions: &Conditions,
    unknowns: &mut Vec<PlanUnknown>,
) -> Vec<(Arc<str>, Arc<Event>)> {
    let wanted = conditions.behaviour.ordinals(&snapshot.set);
    // The message concerns the spec that the controller has observed.
    let changed = snapshot.set.generation > snapshot.status.observed_generation;
    let refused = snapshot.revisions.get(&snapshot.status.update_revision);
    let refused = refused.and_then(|revision| revision.template());
    let refused = refused.filter(|it| changed && ***it != *snapshot.set.template);
    let mut found: BTreeMap<Arc<str>, Arc<Event>> = BTreeMap::new();
    let events = recent_events(snapshot, conditions)
        .filter(|event| event.is_warning && &*event.reason == "FailedCreate");
    for event in events {
        // A policy gives the same answer again; other refusals may be temporary.
        let is_policy = event.message.contains("denied");
        let is_admission = is_policy || event.message.contains(" is forbidden: ");
        let is_persistent = is_policy || event.count >= AGAIN_AND_AGAIN;
        if !is_persistent || (conditions.ready_after.is_some() && !is_admission) {
            continue;
        }
        // Validation rules cannot judge a template that the server has not validated yet.
        if changed && event.message.contains(" is invalid: ") {
            continue;
        }
        let Some(RefusedCreation { pod: name, claim }) = RefusedCreation::of(event) else {
            continue;
        };
        let ordinal = ordinal_of(name);
        let is_its = wanted.contains(&ordinal) && *name == *pod_name(&snapshot.set, ordinal);
        let is_created = claim.is_some_and(|claim| snapshot.claims.contains_key(claim));
        if !is_its || is_created || snapshot.pods.contains_key(name) {
            continue;
        }
        let words = server_words(event);
        if is_recent(event, words, conditions) {
            continue;
        }
        if let Some(refused) = refused
            && refusal_depends_on_template(conditions.catalogue, words)
            && alters_what_is_refused(conditions.catalogue, words, refused, &snapshot.set.template)
        {
            unknowns.push(PlanUnknown::Admission {
                pod: Arc::from(name),
                message: words.to_owned(),
            });
            continue;
        }
        let last = found
            .entry(Arc::from(name))
            .or_insert_with(|| Arc::clone(event));
        if event.last > last.last {
            *last = Arc::clone(event);
        }
    }
    found.into_iter().collect()
}

/// The object of a creation that was refused.
pub(super) struct RefusedCreation<'e> {
    /// The pod.
    pub(super) pod: &'e str,
    /// Its claim, if that was refused.
    pub(super) claim: Option<&'e str>,
}

impl<'e> RefusedCreation<'e> {
    /// Reads it from an event: `create Pod web-2 in StatefulSet web failed error: ...`, or `create Claim data-web-3 for Pod
    /// web-3 in StatefulSet web failed error: ...`; some versions omit `for`.
    pub(super) fn of(event: &'e Event) -> Option<Self> {
        let mut words = event.message.split_whitespace().skip(1);
        let (kind, name) = (words.next()?, words.next()?);
        match kind {
            "Pod" => Some(RefusedCreation {
                pod: name,
                claim: None,
            }),
            "Claim" => {
                let mut words = words.skip_while(|word| *word == "for");
                let of_pod = words.next().is_some_and(|word| word == "Pod");
                of_pod.then_some(RefusedCreation {
                    pod: words.next()?,
                    claim: Some(name),
                })
            }
            _ => None,
        }
    }
}

/// Reports whether a refusal began so recently that it may pass, by the patience of its cause.
fn is_recent(event: &Event, words: &str, conditions: &Conditions) -> bool {
    let patience = cause_of_refusal(conditions.catalogue, words).map(CauseEntry::patience);
    let since = event
        .first
        .map(|first| conditions.now.duration_since(first));
    patience
        .zip(since)
        .is_some_and(|(patience, since)| since >= SignedDuration::ZERO && since < patience)
}

/// Returns the cause that matches the message of a refused creation.
fn cause_of_refusal(catalogue: Catalogue, words: &str) -> Option<&'static CauseEntry> {
    let found = catalogue.classify(Place::Creation, "", words);
    found.map(|found| found.entry)
}

/// Reports whether a refusal depends on the template, so that another template may be admitted.
pub(crate) fn refusal_depends_on_template(catalogue: Catalogue, words: &str) -> bool {
    cause_of_refusal(catalogue, words).is_none_or(|entry| {
        entry.fixed_by != TemplatePart::Nothing
            && !matches!(entry.blames, Blames::Server | Blames::Cluster)
    })
}

/// Reports whether two templates differ in the fields that a refusal depends on. Quotas and limits depend on
/// resources, other refusals on any field.
fn alters_what_is_refused(
    catalogue: Catalogue,
    words: &str,
    refused: &Value,
    wanted: &Value,
) -> bool {
    let reads_resources = cause_of_refusal(catalogue, words)
        .is_some_and(|entry| entry.fixed_by == TemplatePart::Resources);
    let resources = |template: &Value| -> Vec<Value> {
        let spec = &template["spec"];
        let containers = ["containers", "initContainers"]
            .into_iter()
            .flat_map(|list| spec[list].as_array().into_iter().flatten());
        let mut all: Vec<Value> = containers.map(|it| it["resources"].clone()).collect();
        all.extend(["overhead", "resources", "priorityClassName"].map(|it| spec[it].clone()));
        all
    };
    !reads_resources || resources(refused) != resources(wanted)
}

/// Returns the existing pods whose deletion was repeatedly refused in recent time.
pub(super) fn refused_deletions(
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> BTreeMap<Arc<str>, Arc<Event>> {
    let mut found: BTreeMap<Arc<str>, Arc<Event>> = BTreeMap::new();
    let events = recent_events(snapshot, conditions)
        .filter(|event| event.is_warning && &*event.reason == "FailedDelete");
    for event in events.filter(|event| event.count >= AGAIN_AND_AGAIN) {
        let Some(name) = event.message.split_whitespace().nth(2) else {
            continue;
        };
        if let Some(pod) = snapshot.pods.get(name).filter(|pod| !pod.is_terminating()) {
            found.insert(Arc::clone(&pod.meta.name), Arc::clone(event));
        }
    }
    found
}

/// Returns the events of the set that are not older than its longest wait before a retry.
pub(super) fn recent_events<'c>(
    snapshot: &'c Snapshot,
    conditions: &'c Conditions,
) -> impl Iterator<Item = &'c Arc<Event>> {
    events_of_set(&snapshot.set, &conditions.related).filter(|event| {
        let age = event.last.map(|last| conditions.now.duration_since(last));
        age.is_none_or(|age| age <= LONGEST_BACKOFF)
    })
}

/// Returns the server's message without the controller's prefix.
pub(crate) fn server_words(event: &Event) -> &str {
    let message = &*event.message;
    message
        .split_once(" failed error: ")
        .map_or(message, |(_, words)| words)
}
