//! Strategic merge patches: `CreateThreeWayMergePatch`, with which kubectl computes one, and `StrategicMergeMapPatch`,
//! with which the server applies it.
//!
//! Both follow upstream function by function, since what they make of doubled keys and of patch directives is nobody's
//! intention and everybody's result.

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

/// The patch that kubectl sends: what the manifest has other than the stored object, and what it no longer has of the
/// manifest applied last. Empty where nothing is to be sent.
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

/// The object that the server makes of a stored one and a patch.
pub(super) fn apply(stored: Members, patch: Members) -> Result<Members, ChangeError> {
    Merge { applies: true }.maps(stored, patch, "")
}
