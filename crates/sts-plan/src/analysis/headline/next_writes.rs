//! Short descriptions of the next sync's writes.

use crate::explain::with_message;
use crate::plan::Plan;
use crate::words::plural;
use sts_controller::controller::{Body, DeleteReason, OwnerChange, Resource, Verb, Write};
use sts_controller::object::{Pod, Strategy};

/// Describes the next sync's writes to pods and revisions with their reasons: at most three.
pub(super) fn next_writes(plan: &Plan) -> Vec<String> {
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
        let described: Vec<&Write> = writes
            .iter()
            .copied()
            .filter(|write| sentence(plan, write).is_some())
            .collect();
        sentences.truncate(SHOWN - 1);
        sentences.extend(others(&described[SHOWN - 1..]));
    }
    sentences
}

/// Counts the remaining writes by verb.
fn others(writes: &[&Write]) -> Vec<String> {
    let of = |resource: Resource, verb: Verb| {
        let same = writes
            .iter()
            .filter(|write| (write.resource, write.verb) == (resource, verb));
        same.count()
    };
    let deleted = of(Resource::Pods, Verb::Delete);
    let created = of(Resource::Pods, Verb::Create);
    let rest = writes.len() - deleted - created;
    let mut out = Vec::new();
    if deleted > 0 {
        out.push(format!(
            "delete {}",
            plural(deleted, "more pod", "more pods")
        ));
    }
    if created > 0 {
        out.push(format!(
            "create {}",
            plural(created, "more pod", "more pods")
        ));
    }
    if rest > 0 {
        out.push(plural(rest, "more write", "more writes"));
    }
    out
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
        (Resource::Revisions, Verb::Update, _) => format!("reuse revision {name}"),
        (_, Verb::Patch, Body::Owners { change, .. }) => match change {
            OwnerChange::Adopt(_) => format!("adopt {name}"),
            OwnerChange::Release(_) => format!("release {name}"),
        },
        // Deleting an old revision is housekeeping.
        _ => return None,
    })
}

fn reason_to_delete(plan: &Plan, write: &Write, pod: &Pod) -> String {
    match write.reason {
        Some(DeleteReason::ScaledDown) => format!("scale down to {}", plan.snapshot.set.replicas),
        Some(DeleteReason::Failed | DeleteReason::Succeeded) => {
            let (reason, message) = pod.status_reason();
            let ended = with_message(&reason, message.trim().trim_end_matches('.'));
            with_message(pod.phase.name(), &ended)
        }
        Some(DeleteReason::Outdated)
            if matches!(plan.snapshot.set.strategy, Strategy::Recreate(_)) =>
        {
            "outdated, all at once".to_owned()
        }
        Some(DeleteReason::Outdated | DeleteReason::HistoryLimit) | None => {
            "outdated, highest first".to_owned()
        }
    }
}
