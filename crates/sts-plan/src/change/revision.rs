//! The update revision of a set whose input has no ControllerRevisions, as `kubectl get sts,pods -o yaml` prints it.

use std::sync::Arc;

use crate::conditions::{Conditions, InputKind};
use sts_controller::controller::revision_of_template;
use sts_controller::object::Snapshot;

/// Returns the objects with the update revision that the status names, if the input has no revision of the set. A
/// controller that has observed the latest generation has stored its template under that name. Templates of other revisions
/// stay unknown.
pub(super) fn with_update_revision(
    stored: &Snapshot,
    conditions: &Conditions,
) -> Option<(Snapshot, Arc<str>)> {
    let (set, status) = (&stored.set, &stored.status);
    let is_known = conditions.input == InputKind::Files
        && stored.revisions.is_empty()
        && status.observed_generation == set.generation
        && !status.update_revision.is_empty();
    if !is_known {
        return None;
    }
    let number = match status.current_revision == status.update_revision {
        true => 1,
        false => 2,
    };
    let name = Arc::clone(&status.update_revision);
    let revision = revision_of_template(set, &name, number, &conditions.behaviour);
    let mut filled = stored.clone();
    let revisions = &mut filled.revisions;
    revisions.insert(Arc::clone(&name), Arc::new(revision));
    Some((filled, name))
}
