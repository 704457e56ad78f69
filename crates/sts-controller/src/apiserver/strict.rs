//! Strict decoding: the server's error for unknown fields.
//!
//! Duplicate fields are not covered: kubectl keeps the last of them, and sends only that one.

use super::schema::UnknownField;

/// Returns the server's error for unknown fields under strict validation, the default of `kubectl apply`
/// (`--validate=strict`); `None` without such fields.
#[must_use]
pub fn strict_decoding_error(unknown: &[UnknownField]) -> Option<String> {
    sentence(unknown.iter().map(|field| field.path.as_str()))
}

/// Returns the error for the paths of unknown fields.
pub(super) fn sentence<'p>(unknown: impl Iterator<Item = &'p str>) -> Option<String> {
    let unknown: Vec<String> = unknown
        .map(|path| format!("unknown field \"{path}\""))
        .collect();
    (!unknown.is_empty()).then(|| {
        format!(
            "StatefulSet in version \"v1\" cannot be handled as a StatefulSet: strict decoding error: {}",
            unknown.join(", ")
        )
    })
}
