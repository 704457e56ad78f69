//! Unknown fields of a manifest.

use super::{Change, FieldValidation, ManifestRequest};
use crate::conditions::Conditions;
use sts_controller::apiserver::apply::Outcome;
use sts_controller::apiserver::schema::UnknownField;
use sts_controller::apiserver::validation::{Refused, RefusedKind, Rejection};

/// Returns the unknown fields to report. Under strict validation they reject an applied manifest before any other
/// check, so there are none to report.
pub(super) fn unknown_fields(
    change: &Change<'_>,
    conditions: &Conditions,
    outcome: &mut Outcome,
) -> Vec<UnknownField> {
    let unknown = std::mem::take(&mut outcome.unknown);
    if change.validation == FieldValidation::Ignore || unknown.is_empty() {
        return Vec::new();
    }
    let version = conditions.behaviour.version;
    // A newer, unsupported version may have more fields.
    let is_known = version.or_newest() == version;
    let request = change.manifest.map(|manifest| manifest.request);
    let is_applied = request.is_some_and(|it| !matches!(it, ManifestRequest::Create));
    if change.validation == FieldValidation::Strict && is_applied && is_known {
        outcome.refused = unknown.iter().map(refused).collect();
        return Vec::new();
    }
    unknown
}

fn refused(unknown: &UnknownField) -> Refused {
    // The path already precedes it.
    let text = unknown.to_string();
    let message = text.strip_prefix(&unknown.path).unwrap_or(&text);
    let message = message.trim_start_matches(": ");
    Refused {
        path: unknown.path.clone(),
        field: unknown.path.clone(),
        kind: RefusedKind::UnknownField,
        rejection: Rejection::Invalid,
        message: match message.strip_prefix("unknown") {
            Some(rest) => format!("unknown field{rest}"),
            None => format!("unknown field, {message}"),
        },
        old: None,
        new: None,
        owner: None,
    }
}
