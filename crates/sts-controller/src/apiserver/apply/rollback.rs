//! The template of an earlier revision, as `kubectl rollout undo` chooses it.

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

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

/// Returns the template of the set's revision with that number; 0 selects the one before the latest.
///
/// # Errors
/// When the revision does not exist, or has no template.
pub fn template_of_revision(
    revisions: &[Arc<Revision>],
    number: i64,
) -> Result<Arc<Value>, RevisionError> {
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
    let template = found.template().cloned();
    template.ok_or_else(|| RevisionError::NoTemplate(found.meta.name.to_string()))
}
