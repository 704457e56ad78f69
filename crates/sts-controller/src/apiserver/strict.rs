//! Strict decoding: what a server says to fields that it does not know.
//!
//! Fields that come twice are none of its business: kubectl reads the last of them, and sends that one.

use super::schema::UnknownField;

/// The server's refusal of an object with such fields, as it is asked for by `kubectl apply` unless told
/// otherwise (`--validate=strict`); none where there are none.
#[must_use]
pub fn strict_decoding_error(unknown: &[UnknownField]) -> Option<String> {
    sentence(unknown.iter().map(|field| field.path.as_str()))
}

/// The same of the paths of the fields.
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
