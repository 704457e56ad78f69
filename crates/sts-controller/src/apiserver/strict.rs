//! Strict decoding: what a server says to fields that it does not know, or that come twice.

use super::schema::UnknownField;

/// The server's refusal of an object with such fields, as it is asked for by `kubectl apply` unless told
/// otherwise (`--validate=strict`); none where there are none. `duplicate` are the paths of fields that come more
/// than once, which only the reader of the text has seen.
#[must_use]
pub fn strict_decoding_error(unknown: &[UnknownField], duplicate: &[String]) -> Option<String> {
    let unknown = unknown
        .iter()
        .map(|field| format!("unknown field \"{}\"", field.path));
    let twice = duplicate
        .iter()
        .map(|path| format!("duplicate field \"{path}\""));
    let all: Vec<String> = unknown.chain(twice).collect();
    (!all.is_empty()).then(|| {
        format!(
            "StatefulSet in version \"v1\" cannot be handled as a StatefulSet: strict decoding error: {}",
            all.join(", ")
        )
    })
}
