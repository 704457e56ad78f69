//! Decoding, defaulting and conversion of a manifest by the API server before it stores it.
//!
//! There are three passes, in the server's order. Decoding drops unknown members and normalizes the spelling of values
//! ([`schema`]). Defaulting fills in missing fields. Conversion to the server's internal types and back keeps pairs of
//! old and new names in sync, and does little else. Validation and disabled features are not part of this module.
//!
//! The controller also decodes and defaults for its semantic comparison of revisions: see [`default_spec_template`].

mod claim;
mod container;
mod convert;
mod image;
mod json_fields;
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
    /// The whole object. Metadata and status are copied from the manifest.
    pub set: Value,
    /// Members of the manifest that were dropped.
    pub unknown: Vec<UnknownField>,
}

/// Returns the set that the API server stores for this StatefulSet manifest.
///
/// # Errors
///
/// All values of the wrong type.
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

/// Decodes and defaults the spec of a stored set like a server of this version: only known fields, with their defaults,
/// in canonical spelling. Returns the unknown members. A set that the server has written itself does not change.
///
/// # Errors
///
/// All values of the wrong type.
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

/// Returns a stored pod template as decoded and defaulted by this version: without unknown and empty members, and with
/// canonical quantities. The controller's semantic comparison of revisions uses this form.
///
/// A template that cannot be decoded only gets defaults.
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
