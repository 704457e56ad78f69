//! Decoding, defaulting and conversion of a manifest by the API server before it stores it.
//!
//! Three passes, in the server's order. Decoding drops unknown members and spells values canonically
//! ([`schema`]); defaulting fills in what was left out; conversion to the server's internal
//! types and back, which is nearly nothing, keeps pairs of old and new names in step. What the server would
//! refuse for other reasons than a wrong type, and which fields a disabled feature drops, is not looked at.
//!
//! The controller decodes and defaults too, when it compares revisions by meaning: see [`default_spec_template`].

mod claim;
mod container;
mod convert;
mod image;
mod members;
mod pod;
mod set;
mod volume;

use serde_json::Value;

use super::schema;
use super::schema::{FieldError, Normalized, UnknownField};
use crate::version::Defaulting;

/// A set as the server stores it.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The whole object. Its metadata and status are as the manifest has them.
    pub set: Value,
    /// Members of the manifest that did not make it.
    pub unknown: Vec<UnknownField>,
}

/// Returns the set that the API server stores for this StatefulSet manifest.
///
/// # Errors
///
/// Values of a wrong type, all of them.
pub fn stored(manifest: &Value, rules: &Defaulting) -> Result<Stored, Vec<FieldError>> {
    let Normalized { mut value, unknown } =
        schema::normalize(manifest, schema::stateful_set(), rules.minor)?;
    if let Some(set) = value.as_object_mut() {
        set::default_set(set, rules);
        convert::convert_set(set);
    }
    Ok(Stored {
        set: value,
        unknown,
    })
}

/// Replaces the spec of a stored set by what a server of this version reads: only what its types have, with their
/// defaults, spelled as it spells them. Returns the members that it does not know. A set that it has written itself is
/// unchanged.
///
/// # Errors
///
/// Values of a wrong type, all of them.
pub fn reread(set: &mut Value, rules: &Defaulting) -> Result<Vec<UnknownField>, Vec<FieldError>> {
    let read = stored(set, rules)?;
    if read.set["spec"] != set["spec"]
        && let Value::Object(mut members) = read.set
        && let (Some(spec), Some(set)) = (members.remove("spec"), set.as_object_mut())
    {
        set.insert("spec".to_owned(), spec);
    }
    let mut unknown = read.unknown;
    unknown.retain(|field| field.path.starts_with("spec."));
    Ok(unknown)
}

/// A stored pod template after a trip through the types of this version, with its defaults: without members that it
/// does not know, empty ones that it does not write, and quantities spelled otherwise. It is what the controller
/// compares with when it compares revisions by meaning.
///
/// A template that cannot be decoded stays as it is, but for defaults.
#[must_use]
pub fn default_spec_template(template: &Value, rules: &Defaulting) -> Value {
    let decoded = schema::normalized(template, schema::pod_template(), rules.minor);
    let mut template = decoded.unwrap_or_else(|_| template.clone());
    if let Some(template) = template.as_object_mut() {
        if !rules.creation_timestamp_null {
            pod::drop_null_timestamps(template);
        }
        pod::default_template(template, rules);
    }
    template
}
