//! A server-side apply as a change that is planned.

use serde_json::Value;

use super::{ApplyError, Conflict, Options, Persistence, apply, kubectl_apply};
use crate::apiserver::apply::{
    ChangeError, Edit, Outcome, Request, Verdict, answered, change, compare_with_stored,
};
use crate::apiserver::validation::{Refused, RefusedKind};
use crate::version::Behaviour;

/// What becomes of a stored set, or of none, when kubectl applies a manifest on the server's side, and of the edits
/// after it. Conflicts are refusals, beside the changes that they keep from being made.
///
/// # Errors
/// When the request makes no sense, so that no server would be asked.
pub fn change_server_side(
    stored: Option<&Value>,
    manifest: &Value,
    edits: Vec<Edit>,
    options: &Options<'_>,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let answer = kubectl_apply(stored, manifest, options, Persistence::Stored, behaviour);
    let mut outcome = match answer {
        Ok(outcome) => outcome,
        Err(ApplyError::Conflicts(conflicts)) => {
            let forced = Options {
                force: true,
                ..*options
            };
            match apply(stored, manifest, &forced, behaviour) {
                Ok(outcome) => Outcome {
                    refused: conflicts.0.iter().map(refused).collect(),
                    ..outcome
                },
                Err(error) => return Err(ChangeError::Refused(error.to_string())),
            }
        }
        Err(ApplyError::Refused(message)) => {
            let verdict = Verdict::Refused {
                message,
                causes: Vec::new(),
            };
            return answered(stored, manifest, &verdict, edits, behaviour);
        }
        Err(ApplyError::Change(error)) => return Err(error),
    };
    if !edits.is_empty() && outcome.refused.is_empty() {
        let request = Request {
            manifest: None,
            edits,
        };
        outcome = change(Some(&outcome.set), &request, behaviour)?;
    }
    if let Some(stored) = stored {
        compare_with_stored(stored, &mut outcome, behaviour)?;
    }
    Ok(outcome)
}

fn refused(conflict: &Conflict) -> Refused {
    Refused {
        path: conflict.field(),
        field: conflict.field(),
        kind: RefusedKind::Conflict {
            since: conflict.since.as_ref().and_then(|time| time.parse().ok()),
        },
        message: format!("conflict with {}", conflict.described),
        old: None,
        new: None,
    }
}
