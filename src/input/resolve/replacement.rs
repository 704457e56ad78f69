//! A set that replaces one that is deleted without its pods.

use std::sync::Arc;

use serde_json::Value;

use super::{Target, edits, has_finalizers};
use crate::input::{Loaded, SetManifest, read_set};
use crate::request::Change;
use sts_controller::apiserver::apply;
use sts_controller::apiserver::apply::{ChangeError, Edit, Outcome};
use sts_controller::apiserver::server_side_apply::recreate_server_side;
use sts_controller::apiserver::validation::Refused;
use sts_controller::object::{Set, Snapshot};
use sts_controller::simulate::{Action, Cascade};
use sts_controller::version::Behaviour;
use sts_plan::plan::{Conditions, Plan};

/// The set as created after the stored one was deleted: by a manifest, applied as the change says, or as it was, and
/// with these edits.
pub(super) fn recreate(
    stored: &Value,
    manifest: Option<&SetManifest>,
    change: &Change,
    edits: &[Edit],
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    match (manifest, &change.server_side) {
        (Some(manifest), Some(how)) => {
            let options = how.options();
            recreate_server_side(
                stored,
                manifest.value(),
                edits.to_vec(),
                &options,
                behaviour,
            )
        }
        (manifest, _) => {
            apply::recreate(stored, manifest.map(SetManifest::value), edits, behaviour)
        }
    }
}

/// Returns the snapshot before the stored set is deleted. Its replacement may know pods and claims that it did not.
pub(super) fn before_replacement(
    loaded: &Loaded,
    stored: &Snapshot,
    replacement: &Arc<Set>,
) -> Snapshot {
    let status = Arc::clone(&stored.status);
    let mut both = loaded.inventory.around(Arc::clone(replacement), status);
    both.set = Arc::clone(&stored.set);
    both.pods.extend(stored.pods.clone());
    both.claims.extend(stored.claims.clone());
    both.revisions.extend(stored.revisions.clone());
    both
}

/// Reports whether a new set could have what the stored one may not be changed to.
pub(super) fn is_way_round(refused: &[Refused]) -> bool {
    refused.iter().all(Refused::is_unchangeable)
}

/// Plans to delete the set without its pods, and to create it as requested; `None` where the API server would not take
/// it even then.
pub(super) fn way_round(
    target: &Target<'_>,
    change: &Change,
    stored: &Snapshot,
    loaded: &Loaded,
    conditions: &Conditions,
) -> Option<Box<Plan>> {
    if has_finalizers(stored) {
        return None;
    }
    let edits = edits(change, Some(stored), conditions).ok()?;
    let behaviour = &conditions.behaviour;
    let object = &stored.set.object.open();
    let outcome = recreate(object, target.manifest, change, &edits, behaviour).ok()?;
    if !outcome.refused.is_empty() {
        return None;
    }
    let (replacement, _) = read_set(outcome.set).ok()?;
    let replacement = Arc::new(replacement);
    let before = before_replacement(loaded, stored, &replacement);
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
