//! Server-side apply as a change to plan.

use serde_json::Value;

use super::kubectl::migrate;
use super::{ApplyError, Conflict, Options, PathElement, Persistence, apply, kubectl_apply};
use crate::apiserver::apply::{
    ChangeError, Edit, Outcome, Request, Verdict, answered, as_answered, change,
    compare_with_stored,
};
use crate::apiserver::validation::{CONFLICT_WITH, Refused, RefusedKind, Rejection};
use crate::version::Behaviour;

/// Applies a manifest to a stored set, or to none, like `kubectl apply --server-side`, followed by the edits. Conflicts
/// are refusals, listed in addition to the changes that they prevent.
///
/// # Errors
/// When the request is invalid, so that no server would be asked.
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
            let forced = apply(stored, manifest, &forced, behaviour);
            let mut outcome = forced.map_err(|error| ChangeError::Refused(error.to_string()))?;
            let taken = &outcome.set;
            let refused = conflicts.0.iter();
            let refused = refused.map(|conflict| refused_conflict(conflict, stored, taken));
            outcome.refused = refused.collect();
            outcome
        }
        Err(ApplyError::Refused(message)) => {
            let verdict = Verdict::Refused {
                message,
                causes: Vec::new(),
            };
            return answered(stored, &verdict, edits, behaviour, |edits| {
                let manifest = Some(manifest.clone());
                change(stored, &Request { manifest, edits }, behaviour)
            });
        }
        Err(ApplyError::Change(error)) => return Err(error),
    };
    if !edits.is_empty() && outcome.refused.is_empty() {
        let request = Request {
            manifest: None,
            edits,
        };
        let edited = change(Some(&outcome.set), &request, behaviour)?;
        outcome = Outcome {
            unknown: outcome.unknown,
            ..edited
        };
    }
    if let Some(stored) = stored {
        compare_with_stored(stored, &mut outcome, behaviour)?;
    }
    Ok(outcome)
}

/// Uses a live server's verdict on a server-side apply. kubectl's subsequent migration and the edits are applied here.
///
/// # Errors
/// When an edit is invalid, or when the set is refused and cannot be decoded.
pub fn answered_server_side(
    stored: Option<&Value>,
    manifest: &Value,
    verdict: &Verdict,
    edits: Vec<Edit>,
    options: &Options<'_>,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let migrated = match verdict {
        Verdict::Accepted(set) => {
            let answer = as_answered(set.clone());
            let persistence = Persistence::Stored;
            let done = migrate(stored, answer, manifest, options, persistence, behaviour);
            done.ok().map(|outcome| Verdict::Accepted(outcome.set))
        }
        Verdict::Refused { .. } => None,
    };
    let verdict = migrated.as_ref().unwrap_or(verdict);
    answered(stored, verdict, edits, behaviour, |edits| {
        change_server_side(stored, manifest, edits, options, behaviour)
    })
}

/// Applies a manifest on the server's side after the stored set of that name was deleted. The changes are those between
/// the two sets.
///
/// # Errors
/// When the request is invalid, so that no server would be asked.
pub fn recreate_server_side(
    stored: &Value,
    manifest: &Value,
    edits: Vec<Edit>,
    options: &Options<'_>,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let mut outcome = change_server_side(None, manifest, edits, options, behaviour)?;
    compare_with_stored(stored, &mut outcome, behaviour)?;
    Ok(outcome)
}

fn refused_conflict(conflict: &Conflict, stored: Option<&Value>, taken: &Value) -> Refused {
    let (path, new) = place(&conflict.path, taken);
    Refused {
        path,
        field: conflict.field(),
        kind: RefusedKind::Conflict,
        rejection: Rejection::Conflict,
        message: format!("{CONFLICT_WITH}{}", conflict.described),
        old: stored.and_then(|stored| place(&conflict.path, stored).1),
        new,
        owner: Some(conflict.owner.clone()),
    }
}

/// Returns a field's path in the form of other refusals, `spec.template.spec.containers[0].image`, and its value.
pub(super) fn place(path: &[PathElement], set: &Value) -> (String, Option<Value>) {
    let mut spelled = String::new();
    let mut value = Some(set);
    for element in path {
        if let PathElement::Field(name) = element {
            let is_plain = name.chars().all(|it| it.is_ascii_alphanumeric());
            spelled += &match (is_plain, spelled.is_empty()) {
                (true, true) => name.clone(),
                (true, false) => format!(".{name}"),
                (false, _) => format!("[\"{name}\"]"),
            };
            value = value.and_then(|value| value.get(name));
            continue;
        }
        let items = value
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let index = items
            .iter()
            .enumerate()
            .find(|(index, item)| match element {
                PathElement::Key(members) => members
                    .iter()
                    .all(|(name, key)| item.get(name) == Some(&key.0)),
                PathElement::Value(value) => **item == value.0,
                PathElement::Index(at) => i64::try_from(*index) == Ok(*at),
                PathElement::Field(_) => false,
            });
        match index {
            Some((index, _)) => spelled += &format!("[{index}]"),
            None => spelled += &element.to_string(),
        }
        value = index.map(|(_, item)| item);
    }
    (spelled, value.cloned())
}
