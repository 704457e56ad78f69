//! The API server's types, and decoding of JSON by them.
//!
//! The server decodes a manifest into typed structs and encodes those again. Revisions consist of the result, so it
//! must be exact to the byte: the members of each minor, the empty members that are written, and the values that are
//! rejected. `schema/types.txt` of this crate holds those facts, one line for each field, and `build.rs` compiles it into
//! statics. [`normalize()`] walks a value along them.
//!
//! Types have the names of upstream's Go types, fields their JSON names. Only the types of a StatefulSet are described.

mod fields;
mod merge;
mod normalize;
mod path;
mod scalar;
mod time;
mod types;

pub(in crate::apiserver) use fields::{Era, ListOwnership};
pub use fields::{Field, Kind, Shape, Zero};
pub use merge::ListMerge;
pub(in crate::apiserver) use path::Path;

pub use normalize::{FieldError, Normalized, UnknownField, nearest, normalize, normalized};
pub use types::{list_merge, pod_template, stateful_set};

/// A pod's lists of containers, in the server's order.
pub(in crate::apiserver) const CONTAINER_LISTS: [&str; 3] =
    ["initContainers", "containers", "ephemeralContainers"];
