//! Effects of deleting the set, in words.

use std::collections::BTreeSet;

use super::plural;
use crate::plan::Plan;
use sts_controller::simulate::{Actor, Cascade, ObjectEvent, StepAction};

/// Tells the first effect of deleting the set; `None` when it is not deleted.
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
    let going = things(&[
        (pods.len(), "pod"),
        (claims.len(), "claim"),
        (revisions.len(), "revision"),
    ]);
    Some(match (cascade, going) {
        (Cascade::Background, None) => {
            "Next: the set is deleted at once; nothing is deleted with it".to_owned()
        }
        (Cascade::Background, Some(going)) => {
            format!("Next: the set is deleted at once; the garbage collector deletes {going}")
        }
        (Cascade::Foreground, None) => {
            "Next: the set is deleted; nothing has to be deleted before it".to_owned()
        }
        (Cascade::Foreground, Some(going)) => format!(
            "Next: the garbage collector deletes {going}; the set stays, being deleted, until its pods are gone"
        ),
        (Cascade::Orphan, _) => {
            "Next: the set is deleted at once; what it owned stays, without an owner".to_owned()
        }
    })
}

/// Lists what stays behind, for the last line; `None` when nothing does or the set is not deleted.
pub(super) fn left(plan: &Plan) -> Option<String> {
    let left = plan.left_behind();
    things(&[(left.pods.len(), "pod"), (left.claims.len(), "claim")])
}

/// `3 pods, 1 claim`.
fn things(counts: &[(usize, &str)]) -> Option<String> {
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, thing)| plural(*count, thing, &format!("{thing}s")))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
