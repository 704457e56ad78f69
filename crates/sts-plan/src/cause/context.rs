//! Causes around a set that no pod shows: its owner, and an inactive controller.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::catalogue::{CauseEntry, CauseTrait, Place, Situation, events_of_set};
use crate::members::{owns, pods_of};
use crate::plan::{Obstacle, Plan, Unobserved, deploying_tool, server_words};
use sts_controller::controller::{Hold, Resource, Verb};
use sts_controller::object::Event;

/// A cause in the surroundings of the set.
#[derive(Debug, Clone, PartialEq)]
pub struct CauseContext {
    /// Entry in the catalogue.
    pub entry: &'static CauseEntry,
    /// The object or tool that shows it, such as `Elasticsearch logs` or `Argo CD`.
    pub shown_by: String,
}

/// Time for which a missing pod does not indicate an inactive controller.
const SILENT: SignedDuration = SignedDuration::from_secs(60);

/// Returns the causes around a set, in the order of the catalogue.
#[must_use]
pub fn context(plan: &Plan) -> Vec<CauseContext> {
    let set = &plan.snapshot.set;
    let unobserved = plan.unobserved().filter(Unobserved::is_late);
    let behind = unobserved.map(|it| format!("observedGeneration {}", it.observed));
    let mut autoscalers = plan.related.autoscalers(&set.meta.namespace);
    let scaler = autoscalers.find(|scaler| scaler.scales(&set.meta.name));
    let all = [
        (Situation::ControllerBehind, behind),
        (Situation::ControllerSilent, silent(plan)),
        (Situation::Operator, plan.operator()),
        (
            Situation::DeployingTool,
            deploying_tool(plan).map(|(tool, _)| tool),
        ),
        (
            Situation::Autoscaler,
            scaler.map(|it| it.meta.name.to_string()),
        ),
    ];
    all.into_iter()
        .filter_map(|(situation, shown_by)| {
            // The catalogue is read when it is first asked, and most sets need none of it.
            let shown_by = shown_by?;
            let entry = plan.conditions.catalogue.of_situation(situation)?;
            Some(CauseContext { entry, shown_by })
        })
        .collect()
}

/// Returns a missing pod that a running controller would create immediately, if nothing has happened for a while and no
/// event explains it.
pub(crate) fn silent(plan: &Plan) -> Option<String> {
    let (set, status) = (&plan.snapshot.set, &plan.snapshot.status);
    let is_stored = plan.actions.is_empty() && plan.change.is_empty();
    let is_behind = plan.unobserved().is_some() || status.observed_generation == 0;
    if !is_stored || is_behind || !plan.related.has_events() || set.meta.is_terminating() {
        return None;
    }
    let created = plan.next.writes.iter().find(|write| {
        (write.resource, write.verb) == (Resource::Pods, Verb::Create)
            && write.refused.is_none()
            && !plan.snapshot.pods.contains_key(&write.name)
    })?;
    if is_explained(plan, &created.name) {
        return None;
    }
    let now = plan.conditions.now;
    let last = last_event(plan, &created.name)?;
    (now.duration_since(last) > SILENT).then(|| created.name.to_string())
}

/// Returns the cause of an obstacle that no pod shows.
#[must_use]
pub(crate) fn entry_of_set(plan: &Plan, obstacle: &Obstacle) -> Option<&'static CauseEntry> {
    match obstacle {
        Obstacle::Inactive(_) => {
            let catalogue = plan.conditions.catalogue;
            catalogue.of_situation(Situation::ControllerBehind)
        }
        Obstacle::Hold(Hold::SetBeingDeleted { .. }) => leaving_namespace(plan),
        _ => None,
    }
}

/// Returns the cause of a set whose namespace is being deleted, by the event of a creation that was refused for it.
fn leaving_namespace(plan: &Plan) -> Option<&'static CauseEntry> {
    let mut causes = refused_creations(plan).filter_map(|event| {
        let catalogue = plan.conditions.catalogue;
        catalogue.classify(Place::Creation, "", server_words(event))
    });
    let found = causes.find(|found| found.entry.has(CauseTrait::NamespaceGoes));
    found.map(|found| found.entry)
}

/// Reports whether an event says why a pod is missing: its creation or that of its claim was refused.
fn is_explained(plan: &Plan, missing: &str) -> bool {
    refused_creations(plan).any(|event| {
        let mut words = event.message.split_whitespace();
        words.any(|word| word == missing)
    })
}

/// Returns the events of creations for the set that the API server refused.
fn refused_creations(plan: &Plan) -> impl Iterator<Item = &Arc<Event>> {
    let events = events_of_set(&plan.snapshot.set, &plan.related);
    events.filter(|event| &*event.reason == "FailedCreate")
}

/// Returns the time of the last event of the set or its pods; `None` if unknown.
fn last_event(plan: &Plan, missing: &str) -> Option<Timestamp> {
    let snapshot = &plan.snapshot;
    let meta = &snapshot.set.meta;
    let events = |kind, name| {
        let events = plan.related.events(&meta.namespace, kind, name).iter();
        events.filter_map(|event| event.last)
    };
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    let of_pods = pods.flat_map(|pod| {
        let deleted = pod.meta.deleted;
        let ready = pod.ready.and_then(|ready| ready.since);
        [pod.meta.created, deleted, ready].into_iter().flatten()
    });
    events("StatefulSet", &meta.name)
        .chain(events("Pod", missing))
        .chain(of_pods)
        .max()
}
