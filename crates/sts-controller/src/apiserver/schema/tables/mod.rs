//! The types, one area per file.
//!
//! These are facts of the published API of 1.19 to 1.37: names, types and minors from its OpenAPI documents, and the
//! encoding of empty values. Fields are in alphabetical order within a type, and outer types come first.
//!
//! For a new minor, compare its OpenAPI document with the previous one: new fields get `since`, removed fields get
//! `until`. The document does not show whether a field is a pointer. That makes no difference for a field whose empty
//! value is rejected anyway.

mod claim;
mod container;
mod meta;
mod ownership;
mod pod;
mod projection;
mod volume;
mod workload;

use super::fields::Shape;

pub(in crate::apiserver) use ownership::{
    ListOwnership, is_atomic, is_atomic_map, key_default, list_ownership,
};

/// `apps/v1 StatefulSet`.
#[must_use]
pub fn stateful_set() -> &'static Shape {
    &workload::STATEFUL_SET
}

/// `v1 PodTemplateSpec`.
#[must_use]
pub fn pod_template() -> &'static Shape {
    &pod::POD_TEMPLATE_SPEC
}
