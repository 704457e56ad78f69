//! Enums as the output has them, by the names that they display, and texts that are shared with the objects.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Serializer;

/// Serializes what a value displays.
pub(super) fn display<T: Display, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(value)
}

/// Serializes what a value displays; it is skipped where there is none.
#[expect(clippy::ref_option, reason = "the shape that serde asks for")]
pub(super) fn display_some<T: Display, S: Serializer>(
    value: &Option<T>,
    out: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => out.collect_str(value),
        None => out.serialize_none(),
    }
}

/// Serializes what each of several values displays.
pub(super) fn display_all<T: Display, S: Serializer>(
    values: &[T],
    out: S,
) -> Result<S::Ok, S::Error> {
    out.collect_seq(values.iter().map(ToString::to_string))
}

/// Serializes a map under what its keys display.
pub(super) fn display_keys<K: Display, S: Serializer>(
    map: &BTreeMap<K, bool>,
    out: S,
) -> Result<S::Ok, S::Error> {
    out.collect_map(map.iter().map(|(key, value)| (key.to_string(), value)))
}
