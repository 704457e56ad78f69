//! Outcome of a change from the verdict of a live server.

use serde_json::Value;

use super::effect::changes;
use super::{ChangeError, Edit, Outcome, Request, change};
use crate::apiserver::validation::{FieldOwner, Refused, RefusedKind, Rejection};
use crate::version::Behaviour;

/// Verdict of a live server on a set to be applied.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Accepted; the server would store this set.
    Accepted(Value),
    /// Refused.
    Refused {
        /// The server's message.
        message: String,
        /// The causes in the server's response, by field.
        causes: Vec<Cause>,
    },
}

/// A cause of a refusal: field, reason and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The field's path; empty if the cause names none.
    pub field: String,
    /// The reason, such as `FieldValueInvalid`.
    pub reason: String,
    /// The message.
    pub message: String,
}

/// Returns the outcome of a manifest for a stored set, or for none, from the server's verdict. Edits are applied here,
/// after the verdict. `here` computes the outcome without a server, to get the old and new values of refused fields,
/// which the server does not return.
///
/// # Errors
/// When an edit is invalid, or when the set is refused and cannot be decoded.
pub fn answered(
    stored: Option<&Value>,
    verdict: &Verdict,
    edits: Vec<Edit>,
    behaviour: &Behaviour,
    here: impl FnOnce(Vec<Edit>) -> Result<Outcome, ChangeError>,
) -> Result<Outcome, ChangeError> {
    match verdict {
        Verdict::Accepted(set) => accepted(stored, set, edits, behaviour),
        Verdict::Refused { message, causes } => {
            let outcome = match (here(edits), stored) {
                (Ok(outcome), _) => outcome,
                (Err(_), Some(stored)) => unchanged(stored.clone()),
                (Err(_), None) => return Err(ChangeError::Refused(message.clone())),
            };
            let refused = refusals(message, causes, &outcome.refused);
            let changes = match stored {
                Some(stored) => changes(stored, &outcome.set, &refused, behaviour.defaulting.minor),
                None => Vec::new(),
            };
            Ok(Outcome {
                refused,
                changes,
                server_warnings: Vec::new(),
                warnings: Vec::new(),
                not_checked: Vec::new(),
                dropped: Vec::new(),
                unknown: Vec::new(),
                ..outcome
            })
        }
    }
}

/// Returns the outcome of an unchanged set without warnings.
pub(in crate::apiserver) fn unchanged(set: Value) -> Outcome {
    Outcome {
        set,
        changes: Vec::new(),
        refused: Vec::new(),
        server_warnings: Vec::new(),
        warnings: Vec::new(),
        not_checked: Vec::new(),
        dropped: Vec::new(),
        unknown: Vec::new(),
    }
}

fn accepted(
    stored: Option<&Value>,
    set: &Value,
    edits: Vec<Edit>,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let mut outcome = if edits.is_empty() {
        unchanged(set.clone())
    } else {
        let request = Request {
            manifest: None,
            edits,
        };
        change(Some(set), &request, behaviour)?
    };
    outcome.changes = match stored {
        Some(stored) => changes(
            stored,
            &outcome.set,
            &outcome.refused,
            behaviour.defaulting.minor,
        ),
        None => Vec::new(),
    };
    Ok(outcome)
}

/// Returns the server's refusals, with the paths and values found here for the same fields.
fn refusals(message: &str, causes: &[Cause], here: &[Refused]) -> Vec<Refused> {
    let mut refused = Vec::new();
    for cause in causes {
        let owner = FieldOwner::of_answer(&cause.message);
        let same: Vec<Refused> = here
            .iter()
            .filter(|refused| refused.field == cause.field)
            .map(|refused| Refused {
                message: cause.message.clone(),
                owner: owner
                    .clone()
                    .map(|owner| owner.since_as(refused.owner.as_ref())),
                ..refused.clone()
            })
            .collect();
        if same.is_empty() {
            let kind = kind(&cause.reason);
            refused.push(Refused {
                path: cause.field.clone(),
                field: cause.field.clone(),
                kind,
                rejection: Rejection::of_answer(kind, &cause.field, &cause.message),
                message: cause.message.clone(),
                old: None,
                new: None,
                owner,
            });
        }
        refused.extend(same);
    }
    if refused.is_empty() {
        refused.push(Refused {
            path: untyped_path(message).unwrap_or_default(),
            field: String::new(),
            kind: RefusedKind::Denied,
            rejection: Rejection::Invalid,
            message: message.to_owned(),
            old: None,
            new: None,
            owner: None,
        });
    }
    refused
}

/// Returns the path of the first field that a server-side apply cannot merge. The answer has no cause for it, only the
/// message: `failed to create typed patch object (ns/web; apps/v1, Kind=StatefulSet): .spec.ordinals: field not declared in
/// schema`. The path ends before a list element that is named by its key.
fn untyped_path(message: &str) -> Option<String> {
    let (_, errors) = message
        .strip_prefix("failed to create typed patch object (")?
        .split_once("): ")?;
    let first = errors
        .strip_prefix("errors:")
        .unwrap_or(errors)
        .trim_start();
    let (path, _) = first.strip_prefix('.')?.split_once(": ")?;
    let keyed = path.find("[name=").or_else(|| path.find("[containerPort="));
    Some(path[..keyed.unwrap_or(path.len())].to_owned())
}

fn kind(reason: &str) -> RefusedKind {
    match reason {
        "FieldValueRequired" => RefusedKind::Required,
        "FieldValueDuplicate" => RefusedKind::Duplicate,
        "FieldValueNotFound" => RefusedKind::NotFound,
        "FieldManagerConflict" => RefusedKind::Conflict,
        "FieldValueForbidden" => RefusedKind::Forbidden,
        "FieldValueNotSupported" => RefusedKind::NotSupported,
        "FieldValueTooLong" => RefusedKind::TooLong,
        "FieldValueInvalid" | "FieldValueTypeInvalid" | "FieldValueTooMany" => RefusedKind::Invalid,
        _ => RefusedKind::Denied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_that_cannot_be_merged() {
        let path = |errors: &str| {
            untyped_path(&format!(
                "failed to create typed patch object (ns/web; apps/v1, Kind=StatefulSet): {errors}"
            ))
        };
        let ordinals = ".spec.ordinals: field not declared in schema";
        assert_eq!(path(ordinals).as_deref(), Some("spec.ordinals"));
        let two = format!("errors:\n  {ordinals}\n  .spec.size: field not declared in schema");
        assert_eq!(path(&two).as_deref(), Some("spec.ordinals"));
        let keyed = ".spec.template.spec.containers[name=\"app\"].image: expected string, got 3";
        assert_eq!(
            path(keyed).as_deref(),
            Some("spec.template.spec.containers")
        );
        assert_eq!(
            untyped_path("admission webhook \"a\" denied: .spec: no"),
            None
        );
    }
}
