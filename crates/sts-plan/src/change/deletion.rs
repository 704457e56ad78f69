//! Deletions before the controller looks.

use std::sync::Arc;

use super::Change;
use crate::members::belongs;
use sts_controller::apiserver::apply::FieldChange;
use sts_controller::object::{Pod, Snapshot};

/// The pods of a set that are to be deleted, each once, in the order in which they were named.
pub(super) fn deleted_pods<'s>(
    change: &'s Change<'_>,
    snapshot: &'s Snapshot,
) -> impl Iterator<Item = &'s Arc<Pod>> {
    let names = change.deleted_pods;
    let first = names
        .iter()
        .enumerate()
        .filter(|(at, name)| !names[..*at].contains(name));
    let pods = first.filter_map(|(_, name)| snapshot.pods.get(name.as_str()));
    pods.filter(|pod| belongs(snapshot, pod))
}

/// Returns the deletions, as the change of a plan lists them.
pub(super) fn deletions(change: &Change<'_>, snapshot: &Snapshot) -> Vec<FieldChange> {
    let pods = deleted_pods(change, snapshot);
    let mut out: Vec<FieldChange> = pods
        .map(|pod| FieldChange::deletion("pod", &pod.meta.name, None))
        .collect();
    out.extend(change.delete.map(|cascade| {
        let policy = Some(cascade.policy());
        FieldChange::deletion("statefulset", &snapshot.set.meta.name, policy)
    }));
    out
}

/// Reports whether something else than a deletion's cascade keeps the set when it is deleted.
pub(super) fn has_finalizers(snapshot: &Snapshot) -> bool {
    !snapshot.set.finalizers().is_empty()
}
