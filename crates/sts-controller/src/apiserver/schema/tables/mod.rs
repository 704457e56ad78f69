//! The types, one area a file.
//!
//! Facts about the published API of 1.19 to 1.37: names, types and minors as in its OpenAPI documents, and
//! how each field behaves when it is empty. Alphabetical within a type, outer types first.
//!
//! A new minor is a comparison of its OpenAPI document with the one before: fields that came get `since`,
//! fields that went get `until`. Whether a field is a pointer is not in that document; where an empty value
//! would be refused anyway it makes no difference.

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
