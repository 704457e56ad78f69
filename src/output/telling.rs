//! What a step does, in words.

use std::collections::BTreeMap;

use super::style::escape;
use super::words::{short_revision, spaced};
use sts_plan::report::{Report, ReportStep, ReportWrite};

/// How many names a sentence has before it counts.
const NAMES: usize = 4;

/// Who does something, as a reader calls him.
pub(super) fn actor(step: &ReportStep) -> &'static str {
    match step.actor {
        "garbage-collector" => "garbage collector",
        "api-server" => "API server",
        "user" => "you",
        other => other,
    }
}

/// What a step does, in a line that may be shown.
pub(super) fn step(report: &Report, step: &ReportStep) -> String {
    let name = escape(step.name.as_deref().unwrap_or_default());
    match step.event {
        Some("PodRemoved") => format!("{name} is gone"),
        Some("PodReady") => format!("{name} becomes ready"),
        Some("PodFailed") => format!("{name} fails"),
        Some("PodAvailable") => format!("{name} has been ready for long enough"),
        Some("PodDeleted") => format!("{name} is deleted"),
        Some("PodOrphaned") => format!("{name} loses its owner and stays"),
        Some("ClaimRemoved") => format!("claim {name} is gone, with its data"),
        Some("ClaimDeleted") => format!("claim {name} is deleted"),
        Some("ClaimOrphaned") => format!("claim {name} loses its owner and stays"),
        Some("RevisionRemoved") => format!("revision {name} is gone"),
        Some("RevisionOrphaned") => format!("revision {name} loses its owner and stays"),
        Some("SetDeleted") => "the set is deleted".to_owned(),
        Some("SetRemoved") => "the set is gone".to_owned(),
        Some("SetCreated") => "the set is created again".to_owned(),
        Some(other) => format!("{other} {name}"),
        None => writes(report, step),
    }
}

/// The writes of a sync: what is done to the same kind of object in the same way is one clause.
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
    let told: Vec<String> = clauses
        .iter()
        .map(|clause| match names.get(clause).map(Vec::as_slice) {
            None | Some([]) => clause.replace("{}", ""),
            Some(names) => clause.replace("{}", &listed(names)),
        })
        .collect();
    told.join(", ")
}

/// What a write does, with a place for the names of what it is done to.
fn clause(report: &Report, write: &ReportWrite) -> (String, Option<String>) {
    let revision = write.revision.as_deref().unwrap_or_default();
    let revision = escape(short_revision(revision, &report.metadata.name)).into_owned();
    let on = match revision.as_str() {
        "" => String::new(),
        revision => format!(" on {}", revision.replace("{}", "{ }")),
    };
    let clause = match (write.resource, write.verb) {
        ("statefulsets/status", _) => "write the status".to_owned(),
        ("pods", "create") => format!("create {{}}{on}"),
        ("pods", "delete") => "delete {}".to_owned(),
        ("pods", "update") => "bring {} in line".to_owned(),
        ("pods", "patch") => "take or leave {}".to_owned(),
        ("persistentvolumeclaims", verb) => format!("{verb} claim {{}}"),
        ("controllerrevisions", "create") => "record revision {}".to_owned(),
        ("controllerrevisions", "delete") => "drop revision {}".to_owned(),
        ("controllerrevisions", _) => "renumber revision {}".to_owned(),
        (resource, verb) => format!("{verb} {resource} {{}}"),
    };
    let clause = match write.error {
        Some(error) => format!("{clause} (refused: {error})"),
        None => clause,
    };
    let is_named = clause.contains("{}");
    let name = is_named.then(|| escape(&write.name).into_owned());
    (clause, name)
}

fn listed(names: &[String]) -> String {
    match names.len().checked_sub(NAMES) {
        Some(more @ 1..) => format!("{} and {} more", names[..NAMES].join(", "), spaced(more)),
        _ => names.join(", "),
    }
}
