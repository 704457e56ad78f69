//! `-o json`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::layout::{Layout, document, serialize};

/// Writes a value on one line.
pub(super) fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    document(value, Layout::compact(), out)
}

/// Converts a value to a tree.
///
/// # Errors
/// When a nested value has no JSON representation.
pub fn tree(value: &impl Serialize) -> io::Result<Value> {
    Ok(serde_json::from_slice(&bytes(value)?)?)
}

/// Serializes a value as JSON on one line.
pub(super) fn bytes(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    serialize(value, Layout::compact(), &mut bytes)?;
    Ok(bytes)
}
