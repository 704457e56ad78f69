//! Descriptions of a deletion of the set.

use std::collections::BTreeSet;

use crate::plan::Plan;
use crate::words::plural;
use sts_controller::simulate::{Actor, Cascade, ObjectEvent, StepAction};

/// Describes the deletion of the set; `None` if it is not deleted.
pub(super) fn first(plan: &Plan) -> Option<String> {
    let cascade = plan.deletion()?;
    let (mut pods, mut claims, mut revisions) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for step in &plan.progression.steps {
        match &step.action {
            StepAction::Object(Actor::GarbageCollector, event, name) => match event {
                ObjectEvent::PodDeleted => pods.insert(name),
                ObjectEvent::ClaimDeleted => claims.insert(name),
                ObjectEvent::RevisionRemoved => revisions.insert(name),
                _ => false,
            },
            StepAction::ClaimRemoved(name) => claims.insert(name),
            _ => false,
        };
    }
    let deleted = list_counts(&[
        (pods.len(), "pod"),
        (claims.len(), "claim"),
        (revisions.len(), "revision"),
    ]);
    Some(match (cascade, deleted) {
        (Cascade::Background, None) => {
            "Next: delete the StatefulSet; nothing is deleted with it".to_owned()
        }
        (Cascade::Background, Some(deleted)) => {
            format!("Next: delete the StatefulSet; the garbage collector deletes {deleted}")
        }
        (Cascade::Foreground, None) => {
            "Next: delete the StatefulSet; nothing has to be deleted first".to_owned()
        }
        (Cascade::Foreground, Some(deleted)) => format!(
            "Next: the garbage collector deletes {deleted}; the StatefulSet is removed once its pods are gone"
        ),
        (Cascade::Orphan, _) => {
            "Next: delete the StatefulSet; keep its pods and claims (orphaned)".to_owned()
        }
    })
}

/// Lists the retained objects for the summary; `None` if there are none or the set is not deleted.
pub(super) fn retained(plan: &Plan) -> Option<String> {
    let left = plan.left_behind();
    list_counts(&[(left.pods.len(), "pod"), (left.claims.len(), "claim")])
}

/// `3 pods, 1 claim`.
fn list_counts(counts: &[(usize, &str)]) -> Option<String> {
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| plural(*count, kind, &format!("{kind}s")))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
