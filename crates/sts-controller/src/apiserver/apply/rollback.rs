//! The application of a revision to a set, and the choice of the revision for `kubectl rollout undo`.

use std::sync::Arc;

use serde_json::{Value, json};
use thiserror::Error;

use super::{ChangeError, strategic};
use crate::object::Revision;

/// The reason that no template was found to roll back to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RevisionError {
    /// There is no revision before the latest one.
    #[error("no earlier revision to roll back to (revisions: {0})")]
    Previous(usize),
    /// No revision has that number.
    #[error("unknown revision {wanted} (available: {known})")]
    Number {
        /// The requested number.
        wanted: i64,
        /// The existing numbers.
        known: String,
    },
    /// The revision has no template.
    #[error("revision {0:?} has no pod template")]
    NoTemplate(String),
}

/// `ApplyRevision`: returns the set's pod template with the revision applied to it. The data of a revision is a strategic
/// merge patch, which replaces the template only if it says so.
///
/// # Errors
/// When the data is not a valid patch.
pub fn template_with_revision(
    template: &Arc<Value>,
    revision: &Revision,
) -> Result<Arc<Value>, ChangeError> {
    match revision.template() {
        Some(recorded) if revision.replaces_template() => Ok(Arc::clone(recorded)),
        _ => {
            let mut set = with_data(&json!({"spec": {"template": **template}}), revision.data())?;
            Ok(Arc::new(set["spec"]["template"].take()))
        }
    }
}

/// Returns a set with the data of a revision applied to it.
pub(super) fn with_data(set: &Value, data: &Value) -> Result<Value, ChangeError> {
    let (Value::Object(set), Value::Object(data)) = (set, data) else {
        return Err(ChangeError::NotAnObject);
    };
    strategic::apply(set.clone(), data.clone()).map(Value::Object)
}

/// Returns the set's revision with that number; 0 selects the one before the latest.
///
/// # Errors
/// When the revision does not exist, or has no template.
pub fn revision_to_restore(
    revisions: &[Arc<Revision>],
    number: i64,
) -> Result<&Arc<Revision>, RevisionError> {
    let mut sorted: Vec<&Arc<Revision>> = revisions.iter().collect();
    sorted.sort_by(|a, b| (a.number, &a.meta.name).cmp(&(b.number, &b.meta.name)));
    let found = if number == 0 {
        let previous = sorted.len().checked_sub(2).map(|index| sorted[index]);
        previous.ok_or(RevisionError::Previous(sorted.len()))?
    } else {
        let mut matching = sorted.iter().filter(|revision| revision.number == number);
        matching.next().ok_or_else(|| RevisionError::Number {
            wanted: number,
            known: match sorted.len() {
                0 => "none".to_owned(),
                _ => {
                    let known: Vec<String> = sorted
                        .iter()
                        .map(|revision| revision.number.to_string())
                        .collect();
                    known.join(", ")
                }
            },
        })?
    };
    match found.template() {
        Some(_) => Ok(found),
        None => Err(RevisionError::NoTemplate(found.meta.name.to_string())),
    }
}
