//! What happens next, in the first line that anybody reads.

use std::collections::BTreeSet;

use super::hold::ended;
use super::{deletion, hold, obstacle, plural};
use crate::plan::{Outcome, Plan};
use sts_controller::apiserver::validation::server_message;
use sts_controller::controller::{Body, DeleteReason, OwnerChange, Resource, Verb, Write};
use sts_controller::object::Pod;

/// What happens next in one sentence, or why nothing does.
#[must_use]
pub fn headline(plan: &Plan) -> String {
    if let Outcome::Rejected(refused) = &plan.outcome {
        // One line: the first of the server's words; the others stand below, each with its path.
        let first = server_message(
            &plan.snapshot.set.meta.name,
            &refused[..refused.len().min(1)],
        );
        let distinct: BTreeSet<_> = refused
            .iter()
            .map(|refused| (&refused.field, &refused.message))
            .collect();
        return match distinct.len() {
            0 | 1 => format!("REJECTED: {first}"),
            several => format!("REJECTED: {first} (and {} more)", several - 1),
        };
    }
    if let Some(text) = deletion::first(plan) {
        return text;
    }
    let snapshot = &plan.snapshot;
    let waits = || {
        plan.next
            .holds
            .iter()
            .find(|hold| !hold.is_intended())
            .map(|found| hold(found, snapshot))
    };
    // A stuck plan that touches no pod is stuck now, whatever it still writes down.
    if let Outcome::Blocked(obstacles) = &plan.outcome
        && !plan.touches_pods()
        && let Some(first) = obstacles.first()
    {
        return format!("BLOCKED: {}", obstacle(first, snapshot).2);
    }
    let next = next_writes(plan);
    if !next.is_empty() {
        let mut text = format!("Next: {}", next.join(", "));
        if let Some(wait) = waits() {
            text.push_str(&format!("; {wait}"));
        }
        return text;
    }
    if let Some(error) = &plan.next.error
        && waits().is_none()
    {
        return format!("Failing: {error}");
    }
    match waits() {
        Some(wait) => capitalised(&wait),
        None => match plan.next.holds.len() {
            0 if plan.has_work() => "Next: the status is written".to_owned(),
            0 => "Nothing to do: the set is where its specification wants it".to_owned(),
            held => {
                let intended = plan.next.holds.first().map(|first| hold(first, snapshot));
                let more = if held > 1 {
                    format!(" (and {} more)", held - 1)
                } else {
                    String::new()
                };
                format!("Nothing to do: {}{more}", intended.unwrap_or_default())
            }
        },
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

/// The writes of the next sync that a reader wants to hear of first: those on pods and revisions, three at
/// most, each with its reason.
fn next_writes(plan: &Plan) -> Vec<String> {
    const SHOWN: usize = 3;
    let writes: Vec<&Write> = plan
        .next
        .writes
        .iter()
        .filter(|write| write.refused.is_none())
        .filter(|write| matches!(write.resource, Resource::Pods | Resource::Revisions))
        .collect();
    let mut sentences: Vec<String> = writes
        .iter()
        .filter_map(|write| sentence(plan, write))
        .collect();
    if sentences.len() > SHOWN {
        let more = sentences.len() - SHOWN + 1;
        sentences.truncate(SHOWN - 1);
        sentences.push(format!("{more} more writes"));
    }
    sentences
}

fn sentence(plan: &Plan, write: &Write) -> Option<String> {
    let name = &write.name;
    Some(match (write.resource, write.verb, &write.body) {
        (Resource::Pods, Verb::Create, Body::Pod(pod)) => {
            format!("create {name} on {}", pod.revision)
        }
        (Resource::Pods, Verb::Delete, Body::Pod(pod)) => {
            format!("delete {name} ({})", reason_to_delete(plan, write, pod))
        }
        (Resource::Pods, Verb::Update, _) => format!("update {name} (identity, volumes or claims)"),
        (Resource::Revisions, Verb::Create, _) => format!("record revision {name}"),
        (Resource::Revisions, Verb::Update, _) => format!("make {name} the newest revision again"),
        (_, Verb::Patch, Body::Owners { change, .. }) => match change {
            OwnerChange::Adopt(_) => format!("adopt {name}"),
            OwnerChange::Release(_) => format!("release {name}"),
        },
        // The end of an old revision is housekeeping.
        _ => return None,
    })
}

fn reason_to_delete(plan: &Plan, write: &Write, pod: &Pod) -> String {
    match write.reason {
        Some(DeleteReason::ScaledDown) => {
            let replicas = usize::try_from(plan.snapshot.set.replicas).unwrap_or(0);
            let wanted = plural(replicas, "replica is", "replicas are");
            format!("scaled away: {wanted} wanted")
        }
        Some(DeleteReason::Failed | DeleteReason::Succeeded) => ended(pod),
        Some(DeleteReason::Outdated | DeleteReason::HistoryLimit) | None => {
            "outdated, highest first".to_owned()
        }
    }
}
