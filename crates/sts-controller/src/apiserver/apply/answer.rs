//! What becomes of a set when a live server has said what it would store.

use serde_json::Value;

use super::effect::changes;
use super::{ChangeError, Edit, Outcome, Request, change};
use crate::apiserver::validation::{Refused, RefusedKind, Rejection};
use crate::version::Behaviour;

/// What the server made of a set that is about to be applied.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It would be stored like this.
    Accepted(Value),
    /// It is refused.
    Refused {
        /// The server's words.
        message: String,
        /// What it says of single fields.
        causes: Vec<Cause>,
    },
}

/// What the server says of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The field's path; empty where it names none.
    pub field: String,
    /// The reason, such as `FieldValueInvalid`.
    pub reason: String,
    /// The words.
    pub message: String,
}

/// What becomes of a stored set, or of none, by a server's verdict on a manifest. Edits come after it, and are
/// made here.
///
/// # Errors
/// When an edit makes no sense, or when the set is refused and cannot be read.
pub fn answered(
    stored: Option<&Value>,
    manifest: &Value,
    verdict: &Verdict,
    edits: Vec<Edit>,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    match verdict {
        Verdict::Accepted(set) => accepted(stored, set, edits, behaviour),
        Verdict::Refused { message, causes } => {
            let request = Request {
                manifest: Some(manifest.clone()),
                edits,
            };
            // What would be refused here tells the old and the new values, which the server does not.
            let outcome = match (change(stored, &request, behaviour), stored) {
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

fn unchanged(set: Value) -> Outcome {
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

/// The server's words, with the paths and values that were found here where they are about the same field.
fn refusals(message: &str, causes: &[Cause], here: &[Refused]) -> Vec<Refused> {
    let mut refused = Vec::new();
    for cause in causes {
        let same: Vec<Refused> = here
            .iter()
            .filter(|refused| refused.field == cause.field)
            .map(|refused| Refused {
                message: cause.message.clone(),
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
            });
        }
        refused.extend(same);
    }
    if refused.is_empty() {
        refused.push(Refused {
            path: String::new(),
            field: String::new(),
            kind: RefusedKind::Denied,
            rejection: Rejection::Invalid,
            message: message.to_owned(),
            old: None,
            new: None,
        });
    }
    refused
}

fn kind(reason: &str) -> RefusedKind {
    match reason {
        "FieldValueRequired" => RefusedKind::Required,
        "FieldValueDuplicate" => RefusedKind::Duplicate,
        "FieldValueNotFound" => RefusedKind::NotFound,
        "FieldValueForbidden" => RefusedKind::Forbidden,
        "FieldValueNotSupported" => RefusedKind::NotSupported,
        "FieldValueTooLong" => RefusedKind::TooLong,
        "FieldValueInvalid" | "FieldValueTypeInvalid" | "FieldValueTooMany" => RefusedKind::Invalid,
        _ => RefusedKind::Denied,
    }
}
