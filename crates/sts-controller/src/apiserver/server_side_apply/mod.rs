//! Server-side apply: the API server's result of `kubectl apply --server-side`, and the ownership of fields.
//!
//! A manifest is merged into the stored set according to the schema. Fields that the manager applied last time but not
//! now are removed, unless another manager owns them. A change of a field that another manager owns is a conflict. The
//! merged set passes through the stages of every request: defaulting, dropped fields, validation.
//!
//! [`apply()`] is one request to the server. [`kubectl_apply`] is the command with its migration, and
//! [`change_server_side`] is the command as a change to plan.

mod change;
mod element;
mod engine;
mod field_set;
mod kubectl;
mod managers;
mod ownership;
mod types;
mod walk;

pub use change::{answered_server_side, change_server_side, recreate_server_side};
pub use element::{KeyValue, PathElement};
pub use kubectl::{Persistence, kubectl_apply};
pub use ownership::{Client, OwnedFields, Ownership};

use std::fmt;

use serde_json::Value;
use thiserror::Error;

use crate::apiserver::apply::{ChangeError, Outcome, submit_applied};
use crate::apiserver::defaults::stored as decode;
use crate::apiserver::schema::{normalized, stateful_set};
use crate::apiserver::validation::{FieldOwner, conflict_message};
use crate::version::Behaviour;

use field_set::FieldPath;
use types::Type;

/// The default manager of `kubectl apply --server-side`.
pub const KUBECTL: &str = "kubectl";

/// Options of a server-side apply.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// Name of the manager.
    pub manager: &'o str,
    /// True to take over fields from other managers.
    pub force: bool,
    /// Time of the request, as in managedFields.
    pub time: Option<&'o str>,
}

/// A field that another manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The other manager.
    pub owner: FieldOwner,
    /// The server's description of the other manager.
    pub described: String,
    /// The field.
    pub path: Vec<PathElement>,
}

impl Conflict {
    /// Returns the field's path, such as `.spec.replicas`.
    #[must_use]
    pub fn field(&self) -> String {
        field_set::spelled(&self.path)
    }
}

/// All conflicts of an apply, in the server's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicts(pub Vec<Conflict>);

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields: Vec<String> = self.0.iter().map(Conflict::field).collect();
        let conflicts = self.0.iter().zip(&fields);
        f.write_str(&conflict_message(conflicts.map(|(conflict, field)| {
            (conflict.described.as_str(), field.as_str())
        })))
    }
}

/// The reason that nothing is stored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ApplyError {
    /// Other managers own fields that would change.
    #[error("{0}")]
    Conflicts(Conflicts),
    /// The server cannot merge the manifest, for this reason.
    #[error("{0}")]
    Refused(String),
    /// The request is invalid.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Returns the set after a server-side apply to a stored set, or to none.
///
/// # Errors
/// When the request fails before validation.
pub fn apply(
    stored: Option<&Value>,
    manifest: &Value,
    options: &Options<'_>,
    behaviour: &Behaviour,
) -> Result<Outcome, ApplyError> {
    let minor = behaviour.defaulting.minor;
    let kind = Type::stateful_set(minor);
    if !manifest.is_object() {
        return Err(ChangeError::NotAnObject.into());
    }
    let metadata = &manifest["metadata"];
    if !metadata["managedFields"].is_null() {
        return Err(ApplyError::Refused(
            "metadata.managedFields must be nil".to_owned(),
        ));
    }
    let manifest = &with_namespace(manifest, stored);
    let empty = normalized(
        &Value::Object(serde_json::Map::new()),
        stateful_set(),
        minor,
    )
    .map_err(ChangeError::WrongType)?;
    let mut live = match stored {
        Some(stored) => {
            decode(stored, &behaviour.defaulting)
                .map_err(ChangeError::StoredWrongType)?
                .set
        }
        None => empty.clone(),
    };
    let managers = managers::parse(&live).map_err(|error| {
        ApplyError::Refused(format!("failed to decode managed fields: {error}"))
    })?;
    if let Some(metadata) = live.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let errors = walk::check(manifest, kind);
    if !errors.is_empty() {
        return Err(ApplyError::Refused(not_typed(manifest, &errors)));
    }
    let applied = engine::apply(&live, &empty, manifest, managers.clone(), options, kind)
        .map_err(|conflicts| ApplyError::Conflicts(Conflicts(conflicts)))?;
    let mut wanted = applied.object.unwrap_or(live);
    if options.manager == KUBECTL {
        engine::renew_last_applied(&mut wanted, manifest);
    }
    let mut outcome = submit_applied(stored, wanted, behaviour)?;
    let same = stored.is_some()
        && outcome.set["spec"] == stored.map_or(Value::Null, |set| set["spec"].clone());
    let managers = match same
        && outcome.changes.is_empty()
        && equal_ignoring_time(&managers, &applied.managers)
    {
        // A request that only changes timestamps has no effect.
        true => managers,
        false => applied.managers,
    };
    managers::write(&mut outcome.set, &managers);
    Ok(outcome)
}

/// Reports whether managers are equal apart from timestamps.
fn equal_ignoring_time(one: &managers::Managers, two: &managers::Managers) -> bool {
    one.len() == two.len()
        && one
            .iter()
            .zip(two)
            .all(|((one_id, one), (two_id, two))| one_id == two_id && one.fields == two.fields)
}

/// Returns the manifest with the namespace of the request, which kubectl adds.
fn with_namespace(manifest: &Value, stored: Option<&Value>) -> Value {
    let mut manifest = manifest.clone();
    if let Some(namespace) = stored.and_then(|stored| stored["metadata"]["namespace"].as_str())
        && let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut)
        && metadata.get("namespace").is_none_or(Value::is_null)
    {
        metadata.insert("namespace".to_owned(), namespace.into());
    }
    manifest
}

fn not_typed(manifest: &Value, errors: &[String]) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &manifest["metadata"];
    let errors = match errors {
        [only] => only.clone(),
        _ => format!("errors:\n  {}", errors.join("\n  ")),
    };
    format!(
        "failed to create typed patch object ({}/{}; apps/v1, Kind=StatefulSet): {errors}",
        text(&metadata["namespace"]),
        text(&metadata["name"])
    )
}
