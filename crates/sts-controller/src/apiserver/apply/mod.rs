//! A user's change of a set, made to its JSON here, so that its effect can be planned.
//!
//! A change is a manifest, as `kubectl apply` would apply it ([`Request::manifest`]), or edits of the stored set
//! ([`Edit`]), or one after the other. The result goes the way of a request to the API server of the version:
//! decoded and defaulted, fields of disabled features dropped, its generation counted, validated. The answer
//! is an [`Outcome`]: the set as it would be stored, what that changes, and what would be refused about it.
//!
//! Nothing but the set changes here. Deleting pods, or the set itself, is the simulator's business
//! ([`crate::simulate::Action`]); [`recreate`] is for a set that takes the place of a deleted one.
//!
//! # What differs from a server
//!
//! If a server has been asked, [`answered`] takes its word. Otherwise no admission runs: neither webhooks nor
//! validation policies. `resourceVersion` and `managedFields` stay as they are stored, and conflicts over fields that
//! other managers own do not happen.

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
pub use edit::{Edit, partition_of};
pub(in crate::apiserver) use effect::parts as path_parts;
pub use effect::{Effect, FieldChange};
pub use manifest::{LAST_APPLIED, apply, three_way};
pub use path::{Path, PathError};
pub use rollback::{RevisionError, template_of_revision};
pub use submit::PLANNED_UID;
pub(in crate::apiserver) use submit::{compare as compare_with_stored, submit as submit_applied};

use serde_json::Value;
use thiserror::Error;

use crate::apiserver::schema::UnknownField;
use crate::apiserver::validation::{Dropped, Refused, server_message};
use crate::object::{FieldError, Set};
use crate::version::Behaviour;

/// A requested change of the set. The edits come after the manifest.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A manifest to apply.
    pub manifest: Option<Value>,
    /// Changes of single fields, in order.
    pub edits: Vec<Edit>,
}

/// The outcome of a request.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The set as it would be stored, if nothing is refused; otherwise the set that is refused.
    pub set: Value,
    /// In what it differs from the stored set: labels, annotations and spec, by path. Empty for a set that is
    /// created, in which all is new. The annotation with the last applied manifest is left out.
    pub changes: Vec<FieldChange>,
    /// Refusals of the API server; empty if it would accept the change.
    pub refused: Vec<Refused>,
    /// Warnings of the server itself, in its words.
    pub server_warnings: Vec<String>,
    /// Warnings of the server, and of what it would do silently though a user might care.
    pub warnings: Vec<String>,
    /// Checks that were not made, in sentences: a later minor refuses something, and no server of this one was asked.
    pub not_checked: Vec<String>,
    /// Fields that the server would drop without a word, since their feature gate is off.
    pub dropped: Vec<Dropped>,
    /// Members that this version does not know, and drops.
    pub unknown: Vec<UnknownField>,
}

/// The reason that a change cannot even be sent to the server.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ChangeError {
    /// There is neither a stored set nor a manifest.
    #[error("there is no set to change: give a manifest")]
    NothingToChange,
    /// The manifest is not an object.
    #[error("the manifest is not an object")]
    NotAnObject,
    /// The annotation with the last applied manifest cannot be read.
    #[error("annotation {LAST_APPLIED} of the stored set holds no JSON object: {0}")]
    LastApplied(String),
    /// An element of a list that is merged by a member lacks that member.
    #[error("{path} has no {key}, by which kubectl merges this list: add it")]
    NoMergeKey {
        /// The element.
        path: String,
        /// The member.
        key: &'static str,
    },
    /// A directive of a strategic merge patch says something else than a patch can say there.
    #[error("{path} is a directive of patches that cannot be followed here: remove it")]
    Directive {
        /// The directive.
        path: String,
    },
    /// A list that is merged has elements of several types, or none that could be merged.
    #[error("{path} has elements of different types, which kubectl cannot merge: make them alike")]
    MixedList {
        /// The list.
        path: String,
    },
    /// The change has values of a wrong type, which the server does not decode.
    #[error("the change has values of a wrong type: {}", list(.0))]
    WrongType(Vec<FieldError>),
    /// The stored set has values of a wrong type.
    #[error("the stored set has values of a wrong type: {}", list(.0))]
    StoredWrongType(Vec<FieldError>),
    /// The server refuses a set of which nothing can be shown, since it cannot be read here either.
    #[error("the API server refuses it: {0}")]
    Refused(String),
    /// A path leads nowhere.
    #[error(transparent)]
    Path(#[from] PathError),
    /// No container has that name.
    #[error("there is no container {wanted:?}; there are: {known}")]
    NoSuchContainer {
        /// The name that was given.
        wanted: String,
        /// The names that there are.
        known: String,
    },
    /// No container was named, and there are several or none.
    #[error("which container is meant? write CONTAINER=IMAGE; there are: {known}")]
    WhichContainer {
        /// The names that there are.
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
/// When the request makes no sense, so that no server would be asked.
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

/// Returns the outcome for a stored set when a client sends another in its place, as `kubectl replace` does.
///
/// # Errors
/// When the other cannot be read, so that no server would look at it.
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

/// Returns the outcome of creating a manifest unchanged but for these edits: without the annotation that
/// `kubectl apply` adds.
///
/// # Errors
/// When the manifest or an edit makes no sense, so that no server would be asked.
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

/// Returns the outcome of applying a manifest, with edits, after the stored set of that name was deleted; without a
/// manifest, of creating the stored set again with the edits. The changes are those between the two sets, though the
/// server no longer compares them.
///
/// # Errors
/// When the manifest or an edit makes no sense, so that no server would be asked.
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

/// A stored set with a field changed.
///
/// # Errors
/// The server's answer where it refuses the change.
pub fn edited(stored: &Set, edit: &Edit, behaviour: &Behaviour) -> Result<Set, String> {
    let request = Request {
        manifest: None,
        edits: vec![edit.clone()],
    };
    let object = stored.object.open();
    stored_set(stored, change(Some(&object), &request, behaviour))
}

/// A set with a field changed, created after the stored one was deleted.
///
/// # Errors
/// The server's answer where it refuses the creation.
pub fn recreated(stored: &Set, edit: &Edit, behaviour: &Behaviour) -> Result<Set, String> {
    let edits = std::slice::from_ref(edit);
    let object = stored.object.open();
    stored_set(stored, recreate(&object, None, edits, behaviour))
}

/// The set that the server stores, or its answer.
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
/// When the manifest makes no sense, so that no server would be asked.
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
