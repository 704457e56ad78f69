//! The types, compiled from `schema/types.txt` of this crate. `schema/generate` writes that file.
#![expect(
    non_upper_case_globals,
    reason = "types have the names of upstream's Go types"
)]

use super::fields::{Era, Field, Kind, ListOwnership, Shape, Zero};
use super::merge::ListMerge;

include!(concat!(env!("OUT_DIR"), "/types.rs"));

/// `apps/v1 StatefulSet`.
#[must_use]
pub fn stateful_set() -> &'static Shape {
    &StatefulSet
}

/// `v1 PodTemplateSpec`.
#[must_use]
pub fn pod_template() -> &'static Shape {
    &PodTemplateSpec
}

/// Returns the merge strategy of the lists of that name. `build.rs` refuses types of the newest minor in which they differ.
#[must_use]
pub fn list_merge(name: &str) -> ListMerge {
    let found = MERGED.binary_search_by_key(&name, |(merged, _)| merged);
    let found = found.ok().and_then(|at| MERGED.get(at));
    found.map_or(ListMerge::Replaced, |(_, merge)| *merge)
}
