//! Replacement of a set that is deleted without its pods.

use std::sync::Arc;

use serde_json::Value;

use super::{Change, ManifestRequest, has_finalizers, read_set};
use crate::conditions::Conditions;
use crate::plan::Plan;
use sts_controller::apiserver::apply;
use sts_controller::apiserver::apply::{ChangeError, Outcome};
use sts_controller::apiserver::server_side_apply::recreate_server_side;
use sts_controller::apiserver::validation::Refused;
use sts_controller::object::{Set, Snapshot, Status};
use sts_controller::simulate::{Action, Cascade};
use sts_controller::version::Behaviour;

/// Creates the set after the deletion of the stored one: from the manifest or as it was, with the change's edits.
pub(super) fn recreate(
    stored: &Value,
    change: &Change<'_>,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let edits = change.edits.as_slice();
    match change.manifest {
        Some(manifest) if let ManifestRequest::ApplyServerSide(options) = manifest.request => {
            recreate_server_side(stored, manifest.value, edits.to_vec(), &options, behaviour)
        }
        manifest => {
            let manifest = manifest.map(|manifest| manifest.value);
            apply::recreate(stored, manifest, edits, behaviour)
        }
    }
}

/// Returns the snapshot before the deletion. The new set may use pods and claims that the old one did not.
pub(super) fn before_replacement(
    stored: &Snapshot,
    replacement: &Arc<Set>,
    around: &dyn Fn(Arc<Set>, Arc<Status>) -> Snapshot,
) -> Snapshot {
    let mut both = around(Arc::clone(replacement), Arc::clone(&stored.status));
    both.set = Arc::clone(&stored.set);
    both.pods.extend(stored.pods.clone());
    both.claims.extend(stored.claims.clone());
    both.revisions.extend(stored.revisions.clone());
    both
}

/// Reports whether a new set could have the values that the stored one cannot change to.
pub(super) fn can_recreate(refused: &[Refused]) -> bool {
    refused.iter().all(Refused::is_unchangeable)
}

/// Plans to recreate the set as requested and keep its pods; `None` if the API server would still reject it.
pub(super) fn workaround(
    stored: &Snapshot,
    change: &Change<'_>,
    around: &dyn Fn(Arc<Set>, Arc<Status>) -> Snapshot,
    conditions: &Conditions,
) -> Option<Box<Plan>> {
    if has_finalizers(stored) {
        return None;
    }
    let object = &stored.set.object.open();
    let outcome = recreate(object, change, &conditions.behaviour).ok()?;
    if !outcome.refused.is_empty() {
        return None;
    }
    let (replacement, _) = read_set(outcome.set).ok()?;
    let replacement = Arc::new(replacement);
    let before = before_replacement(stored, &replacement, around);
    let actions = vec![
        Action::DeleteSet(Cascade::Orphan),
        Action::CreateSet(replacement),
    ];
    Some(Box::new(Plan::with_actions(
        actions,
        before,
        conditions.clone(),
    )))
}
