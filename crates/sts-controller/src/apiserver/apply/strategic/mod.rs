//! Strategic merge patches: `CreateThreeWayMergePatch`, which kubectl uses to compute one, and
//! `StrategicMergeMapPatch`, which the server uses to apply it.
//!
//! Both follow upstream function by function, since their results for duplicate keys and patch directives are
//! accidental but relied upon.

mod diff;
mod elements;
mod merge;
mod stored_list;

use serde_json::{Map, Value};

use super::ChangeError;
use diff::Diff;
use merge::Merge;

type Members = Map<String, Value>;

const DIRECTIVE: &str = "$patch";
const DELETE: &str = "delete";
const REPLACE: &str = "replace";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";
const ELEMENT_ORDER: &str = "$setElementOrder/";

/// Returns the patch that kubectl sends: differences of the manifest from the stored object, and removals since the
/// last applied manifest. Empty if there is nothing to send.
pub(super) fn create(
    original: &Members,
    modified: &Members,
    current: &Members,
) -> Result<Members, ChangeError> {
    let delta = Diff {
        additions: true,
        deletions: false,
        retain_keys: false,
    };
    let delta = delta.maps(current, modified, "")?;
    let deletions = Diff {
        additions: false,
        deletions: true,
        retain_keys: false,
    };
    let deletions = deletions.maps(original, modified, "")?;
    Merge { applies: false }.maps(deletions, delta, "")
}

/// Returns the object that the server stores for a stored one and a patch.
pub(super) fn apply(stored: Members, patch: Members) -> Result<Members, ChangeError> {
    Merge { applies: true }.maps(stored, patch, "")
}
