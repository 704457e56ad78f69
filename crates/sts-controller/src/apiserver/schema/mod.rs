//! The API server's types, and reading JSON through them.
//!
//! The server decodes a manifest into typed structs and encodes those again. What comes out is what
//! revisions are made of, so it has to be known to the byte: which members exist in a minor, which are
//! written although they are empty, and which values are refused. The tables hold those facts, one line a
//! field; [`normalize()`] walks a value along them.
//!
//! Types are as upstream's Go types, names as in JSON. Only what a StatefulSet consists of is described.

mod fields;
mod merge;
mod normalize;
mod path;
mod scalar;
mod tables;
mod time;

pub(in crate::apiserver) use fields::Era;
pub use fields::{Field, Kind, Shape, Zero};
pub use merge::{ListMerge, list_merge};
pub(in crate::apiserver) use path::Path;

pub use normalize::{FieldError, Normalized, UnknownField, nearest, normalize, normalized};
pub(in crate::apiserver) use tables::{
    ListOwnership, is_atomic, is_atomic_map, key_default, list_ownership,
};
pub use tables::{pod_template, stateful_set};

/// The lists of containers of a pod, in the order in which the server goes through all of them.
pub(in crate::apiserver) const CONTAINER_LISTS: [&str; 3] =
    ["initContainers", "containers", "ephemeralContainers"];
