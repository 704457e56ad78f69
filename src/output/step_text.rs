//! Descriptions of steps.

use std::collections::BTreeMap;

use super::style::escape;
use super::words::{listed, short_revision};
use sts_plan::report::{
    Actor, ObjectEvent, PodEvent, Report, ReportStep, ReportWrite, Resource, StepEvent, Verb,
};

/// Maximum number of names in a sentence.
const NAMES: usize = 4;

pub(super) fn actor(step: &ReportStep) -> &'static str {
    match step.actor {
        Actor::GarbageCollector => "garbage collector",
        Actor::Eviction => "eviction API",
        Actor::NodeLifecycle => "node lifecycle",
        Actor::ApiServer => "API server",
        Actor::User => "you",
        Actor::Controller | Actor::Kubelet | Actor::Clock => step.actor.name(),
    }
}

/// Reports whether a step is a sync that writes nothing but the status.
pub(super) fn is_status_alone(step: &ReportStep) -> bool {
    let mut writes = step.writes.iter().flatten().peekable();
    step.event.is_none()
        && writes.peek().is_some()
        && writes.all(|write| write.resource == Resource::Status)
}

/// Describes a step in an escaped line.
pub(super) fn step(report: &Report, step: &ReportStep) -> String {
    let name = escape(step.name.as_deref().unwrap_or_default());
    let Some(event) = step.event else {
        return writes(report, step);
    };
    match event {
        StepEvent::Pod(PodEvent::Removed) => format!("{name} is gone"),
        StepEvent::Pod(PodEvent::Ready) => format!("{name} becomes ready"),
        StepEvent::Pod(PodEvent::Failed) => format!("{name} fails"),
        StepEvent::Pod(PodEvent::Available) => format!("{name} becomes available"),
        StepEvent::ClaimRemoved => format!("claim {name} is gone with its data"),
        StepEvent::Object(event) => match event {
            ObjectEvent::PodDeleted if step.actor == Actor::Eviction => {
                format!("{name} is evicted")
            }
            ObjectEvent::PodDeleted => format!("{name} is deleted"),
            ObjectEvent::PodNotReady => {
                format!("{name} becomes not ready (node unreachable)")
            }
            ObjectEvent::PodOrphaned => format!("{name} is orphaned"),
            ObjectEvent::ClaimDeleted => format!("claim {name} is deleted"),
            ObjectEvent::ClaimOrphaned => format!("claim {name} is orphaned"),
            ObjectEvent::ClaimResizing => format!("claim {name} requests more storage"),
            ObjectEvent::ClaimResized => format!("claim {name} is resized"),
            ObjectEvent::RevisionRemoved => format!("revision {name} is gone"),
            ObjectEvent::RevisionOrphaned => format!("revision {name} is orphaned"),
            ObjectEvent::SetDeleted => "the set is deleted".to_owned(),
            ObjectEvent::SetRemoved => "the set is gone".to_owned(),
            ObjectEvent::SetCreated => "the set is recreated".to_owned(),
        },
    }
}

/// Describes the writes of a sync: writes with the same verb and resource share a clause.
fn writes(report: &Report, step: &ReportStep) -> String {
    let mut clauses: Vec<String> = Vec::new();
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for write in step.writes.iter().flatten() {
        let (clause, name) = clause(report, write);
        if !names.contains_key(&clause) {
            clauses.push(clause.clone());
        }
        names.entry(clause).or_default().extend(name);
    }
    let texts: Vec<String> = clauses
        .iter()
        .map(|clause| match names.get(clause).map(Vec::as_slice) {
            None | Some([]) => clause.replace("{}", ""),
            Some(names) => clause.replace("{}", &listed(names, NAMES)),
        })
        .collect();
    texts.join(", ")
}

/// Describes a write, with a placeholder for the object names.
fn clause(report: &Report, write: &ReportWrite) -> (String, Option<String>) {
    let revision = write.revision.as_deref().unwrap_or_default();
    let revision = escape(short_revision(revision, &report.metadata.name)).into_owned();
    let on = match revision.as_str() {
        "" => String::new(),
        revision => format!(" on {}", revision.replace("{}", "{ }")),
    };
    let clause = match (write.resource, write.verb) {
        (Resource::Status, _) => "update status".to_owned(),
        (Resource::Pods, Verb::Create) => format!("create {{}}{on}"),
        (Resource::Pods, Verb::Delete) => "delete {}".to_owned(),
        (Resource::Pods, Verb::Update) => "update {}".to_owned(),
        (Resource::Pods, Verb::Patch) => "adopt or release {}".to_owned(),
        (Resource::Claims, verb) => format!("{verb} claim {{}}"),
        (Resource::Revisions, Verb::Create) => "create revision {}".to_owned(),
        (Resource::Revisions, Verb::Delete) => "delete revision {}".to_owned(),
        (Resource::Revisions, Verb::Update | Verb::Patch) => "reuse revision {}".to_owned(),
    };
    let clause = match write.error {
        Some(error) => format!("{clause} (refused: {error})"),
        None => clause,
    };
    let is_named = clause.contains("{}");
    let name = is_named.then(|| escape(&write.name).into_owned());
    (clause, name)
}
