//! Errors that end a sync.

use std::fmt;

use super::write::Refusal;

/// The error that ends a sync: one message, or several combined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyncError {
    messages: Vec<String>,
    panics: bool,
    /// True if it is or wraps a conflict.
    conflicts: bool,
}

impl SyncError {
    /// Returns an error with one message.
    pub(super) fn new(message: impl Into<String>) -> Self {
        SyncError {
            messages: vec![message.into()],
            ..SyncError::default()
        }
    }

    /// Returns an error that wraps a refusal: a message in front, and the kind of the refusal.
    pub(super) fn wrapping(message: &str, refusal: &Refusal) -> Self {
        SyncError {
            messages: vec![format!("{message}: {refusal}")],
            conflicts: matches!(refusal, Refusal::Conflict { .. }),
            ..SyncError::default()
        }
    }

    /// `IsConflict`: reports whether an update that fails with it is retried.
    pub(super) fn is_conflict(&self) -> bool {
        self.conflicts
    }

    /// Returns the error of a version whose controller manager panics here, which ends the sync.
    pub(super) fn panic(cause: &str) -> Self {
        SyncError {
            messages: vec![format!(
                "the controller manager of this version panics: {cause}"
            )],
            panics: true,
            ..SyncError::default()
        }
    }

    /// Reports whether it is a panic and not an error.
    pub(super) fn panics(&self) -> bool {
        self.panics
    }

    /// Combines several errors; returns `None` without any.
    pub(super) fn all(errors: Vec<SyncError>) -> Option<Self> {
        let panics = errors.iter().any(SyncError::panics);
        let messages: Vec<String> = errors
            .into_iter()
            .flat_map(|error| error.messages)
            .collect();
        if messages.is_empty() {
            None
        } else {
            Some(SyncError {
                messages,
                panics,
                conflicts: false,
            })
        }
    }
}

impl From<Refusal> for SyncError {
    fn from(refusal: Refusal) -> Self {
        SyncError {
            messages: vec![refusal.to_string()],
            conflicts: matches!(refusal, Refusal::Conflict { .. }),
            ..SyncError::default()
        }
    }
}

impl fmt::Display for SyncError {
    /// One message is printed as it is. Several are deduplicated and printed in brackets, as the API machinery does.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut distinct: Vec<&str> = Vec::new();
        for message in &self.messages {
            if !distinct.contains(&message.as_str()) {
                distinct.push(message);
            }
        }
        match distinct.as_slice() {
            [single] => out.write_str(single),
            several => write!(out, "[{}]", several.join(", ")),
        }
    }
}

impl std::error::Error for SyncError {}
