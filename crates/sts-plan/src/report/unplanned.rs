//! Set that could not be planned, in a list with others.

use serde::{Deserialize, Serialize};

/// Requested set that could not be planned. It shares `metadata`, `outcome` and `summary` with a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unplanned {
    /// Identity of the set.
    pub metadata: UnplannedSet,
    /// Reason why there is no plan.
    pub outcome: UnplannedOutcome,
    /// One-line summary: `ERROR: ` and the message.
    pub summary: String,
}

/// Identity of a set that could not be planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnplannedSet {
    /// Namespace of the set; absent when the set was given by name and found in no namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name of the set.
    pub name: String,
}

/// Result of a set that could not be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnplannedResult {
    /// No plan exists.
    Error,
}

string_schema!(UnplannedResult);

/// Outcome of a set that could not be planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnplannedOutcome {
    /// `error`.
    #[cfg_attr(test, schemars(extend("const" = "error")))]
    pub result: UnplannedResult,
    /// Error and solution.
    pub message: String,
}

impl Unplanned {
    /// Creates the report from an error message. A leading set name in the message is removed.
    #[must_use]
    pub fn new(namespace: &str, name: &str, message: &str) -> Self {
        let named = format!("StatefulSet {namespace}/{name}: ");
        let message = message.strip_prefix(&named).unwrap_or(message);
        Unplanned {
            metadata: UnplannedSet {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            },
            outcome: UnplannedOutcome {
                result: UnplannedResult::Error,
                message: message.to_owned(),
            },
            summary: format!("ERROR: {message}"),
        }
    }

    /// Returns `prod/web`, or `web` without a namespace.
    #[must_use]
    pub fn set(&self) -> String {
        match self.metadata.namespace.as_str() {
            "" => self.metadata.name.clone(),
            namespace => format!("{namespace}/{}", self.metadata.name),
        }
    }
}
