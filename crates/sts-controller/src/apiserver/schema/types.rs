//! The types, compiled from `schema/types.txt` of this crate. `schema/generate` writes that file.
#![expect(
    non_upper_case_globals,
    reason = "types have the names of upstream's Go types"
)]

use super::fields::{Field, Kind, Shape, Zero};

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
