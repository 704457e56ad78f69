//! A user's change of a set, applied to its JSON so that its effect can be planned.
//!
//! A change is a manifest for `kubectl apply` ([`Request::manifest`]), edits of the stored set ([`Edit`]), or a
//! manifest followed by edits. The result passes through the stages of a request to the API server of that version:
//! decoding, defaulting, removal of disabled fields, generation, validation. The result is an [`Outcome`]: the set as
//! stored, its changes, and any refusals.
//!
//! Only the set changes here. The simulator deletes pods and sets ([`crate::simulate::Action`]). [`recreate`] is for a
//! set that replaces a deleted one.
//!
//! # Differences from a server
//!
//! If a live server has been asked, [`answered`] uses its verdict. Otherwise no admission runs: neither webhooks nor
//! validation policies. `resourceVersion` and `managedFields` stay as stored, and there are no conflicts over fields of
//! other managers.

mod answer;
mod edit;
mod effect;
mod manifest;
mod path;
mod rollback;
mod strategic;
mod submit;

pub(in crate::apiserver) use answer::unchanged as as_answered;
pub use answer::{Cause, Verdict, answered};
pub use edit::{Edit, only_container, partition_of};
pub(in crate::apiserver) use effect::parts as path_parts;
pub use effect::{Effect, FieldChange};
pub use manifest::{LAST_APPLIED, apply, three_way};
pub use path::{Path, PathError};
pub use rollback::{RevisionError, revision_to_restore, template_with_revision};
pub use submit::PLANNED_UID;
pub(in crate::apiserver) use submit::{compare as compare_with_stored, submit as submit_applied};

use serde_json::Value;
use thiserror::Error;

use crate::apiserver::schema::UnknownField;
use crate::apiserver::validation::{Dropped, Refused, server_message};
use crate::object::{FieldError, Set};
use crate::version::Behaviour;

/// A requested change of the set. Edits follow the manifest.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A manifest to apply.
    pub manifest: Option<Value>,
    /// Changes of single fields, in order.
    pub edits: Vec<Edit>,
}

/// Outcome of a request.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The set as it would be stored, or the refused set.
    pub set: Value,
    /// Differences from the stored set in labels, annotations and spec, by path, without the last-applied annotation.
    /// Empty for a created set.
    pub changes: Vec<FieldChange>,
    /// The API server's refusals; empty if it accepts the change.
    pub refused: Vec<Refused>,
    /// The server's own warnings, verbatim.
    pub server_warnings: Vec<String>,
    /// The server's warnings, and notes on silent changes that a user may care about.
    pub warnings: Vec<String>,
    /// Checks that were not made: a later minor rejects something, and this one was not compared with a server.
    pub not_checked: Vec<String>,
    /// Fields that the server would drop silently, since their feature gate is off.
    pub dropped: Vec<Dropped>,
    /// Members that this version does not know and drops.
    pub unknown: Vec<UnknownField>,
}

/// The reason that a change cannot be sent to the server.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ChangeError {
    /// There is neither a stored set nor a manifest.
    #[error("no stored set to change: provide a manifest")]
    NothingToChange,
    /// The manifest is not an object.
    #[error("the manifest is not an object")]
    NotAnObject,
    /// The last-applied annotation cannot be parsed.
    #[error("annotation {LAST_APPLIED} of the stored set is not a JSON object: {0}")]
    LastApplied(String),
    /// An element of a list that is merged by key lacks that key.
    #[error("{path} has no {key}, the merge key of this list: add it")]
    NoMergeKey {
        /// The element.
        path: String,
        /// The member.
        key: &'static str,
    },
    /// A patch directive has an invalid value.
    #[error("{path} is an invalid patch directive: remove it")]
    Directive {
        /// The directive.
        path: String,
    },
    /// A merged list has elements of several types, or of a type that cannot be merged.
    #[error("{path} has elements of different types, which kubectl cannot merge: use one type")]
    MixedList {
        /// The list.
        path: String,
    },
    /// Values of the wrong type, which the server does not decode.
    #[error("the change has values of the wrong type: {}", list(.0))]
    WrongType(Vec<FieldError>),
    /// Values of the wrong type in the stored set.
    #[error("the stored set has values of the wrong type: {}", list(.0))]
    StoredWrongType(Vec<FieldError>),
    /// The server refuses the set, which cannot be decoded here either.
    #[error("refused by the API server: {0}")]
    Refused(String),
    /// An invalid path.
    #[error(transparent)]
    Path(#[from] PathError),
    /// No container has that name.
    #[error("unknown container {wanted:?} (available: {known})")]
    NoSuchContainer {
        /// The given name.
        wanted: String,
        /// The existing names.
        known: String,
    },
    /// No container was named, and there are several or none.
    #[error("missing container name: write CONTAINER=IMAGE (available: {known})")]
    WhichContainer {
        /// The existing names.
        known: String,
    },
}

fn list(errors: &[FieldError]) -> String {
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    errors.join("; ")
}

/// Returns the outcome of a request for a stored set, or for none, at the API server of a version.
///
/// # Errors
/// When the request is invalid, so that no server would be asked.
pub fn change(
    stored: Option<&Value>,
    request: &Request,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let mut wanted = match (&request.manifest, stored) {
        (Some(manifest), stored) => apply(stored, manifest)?,
        (None, Some(stored)) => stored.clone(),
        (None, None) => return Err(ChangeError::NothingToChange),
    };
    for edit in &request.edits {
        edit.make(&mut wanted)?;
    }
    submit::submit(stored, wanted, behaviour)
}

/// Returns the outcome for a stored set that a client replaces, as with `kubectl replace`.
///
/// # Errors
/// When the new set cannot be decoded, so that no server would validate it.
pub fn replace(
    stored: &Value,
    wanted: &Value,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    if !wanted.is_object() {
        return Err(ChangeError::NotAnObject);
    }
    submit::submit(Some(stored), wanted.clone(), behaviour)
}

/// Returns the outcome of creating a manifest, with these edits only: `kubectl create` adds no last-applied annotation.
///
/// # Errors
/// When the manifest or an edit is invalid, so that no server would be asked.
pub fn create(
    manifest: &Value,
    edits: &[Edit],
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let mut wanted = manifest.clone();
    if !wanted.is_object() {
        return Err(ChangeError::NotAnObject);
    }
    for edit in edits {
        edit.make(&mut wanted)?;
    }
    submit::submit(None, wanted, behaviour)
}

/// Returns the outcome of applying a manifest, with edits, after the stored set of that name was deleted. Without a
/// manifest, the stored set is created again with the edits. The changes are those between the two sets, though the
/// server does not compare them.
///
/// # Errors
/// When the manifest or an edit is invalid, so that no server would be asked.
pub fn recreate(
    stored: &Value,
    manifest: Option<&Value>,
    edits: &[Edit],
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let mut wanted = match manifest {
        Some(manifest) => apply(None, manifest)?,
        None => stored.clone(),
    };
    for edit in edits {
        edit.make(&mut wanted)?;
    }
    let mut outcome = submit::submit(None, wanted, behaviour)?;
    submit::compare(stored, &mut outcome, behaviour)?;
    Ok(outcome)
}

/// Returns a stored set with a field changed.
///
/// # Errors
/// The server's message if it refuses the change.
pub fn edited(stored: &Set, edit: &Edit, behaviour: &Behaviour) -> Result<Set, String> {
    let request = Request {
        manifest: None,
        edits: vec![edit.clone()],
    };
    let object = stored.object.open();
    stored_set(stored, change(Some(&object), &request, behaviour))
}

/// Returns a set with a field changed, created after the stored one was deleted.
///
/// # Errors
/// The server's message if it refuses the creation.
pub fn recreated(stored: &Set, edit: &Edit, behaviour: &Behaviour) -> Result<Set, String> {
    let edits = std::slice::from_ref(edit);
    let object = stored.object.open();
    stored_set(stored, recreate(&object, None, edits, behaviour))
}

/// Returns the stored set, or the server's message.
fn stored_set(set: &Set, outcome: Result<Outcome, ChangeError>) -> Result<Set, String> {
    let outcome = outcome.map_err(|error| error.to_string())?;
    if !outcome.refused.is_empty() {
        return Err(server_message(&set.meta.name, &outcome.refused));
    }
    Set::from_json(outcome.set).map_err(|error| error.to_string())
}

/// Returns the outcome of applying a manifest to a stored set, or to none. See [`change()`].
///
/// # Errors
/// When the manifest is invalid, so that no server would be asked.
pub fn apply_manifest(
    stored: Option<&Value>,
    manifest: &Value,
    behaviour: &Behaviour,
) -> Result<Outcome, ChangeError> {
    let request = Request {
        manifest: Some(manifest.clone()),
        edits: Vec::new(),
    };
    change(stored, &request, behaviour)
}
