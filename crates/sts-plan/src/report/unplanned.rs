//! A set that could not be planned, where others were.

use serde::{Deserialize, Serialize};

/// A set that was asked for and could not be planned. It has the members of a plan that say which set it is of and
/// how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unplanned {
    /// The set.
    pub metadata: UnplannedSet,
    /// The reason that there is no plan of it.
    pub outcome: UnplannedOutcome,
    /// The whole in one line: `ERROR: ` and the message.
    pub summary: String,
}

/// A set that could not be planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnplannedSet {
    /// The set's namespace; absent where it was only named, and no namespace has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The set's name.
    pub name: String,
}

/// The result of a set that could not be planned, in the place of a plan's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnplannedResult {
    /// There is no plan.
    Error,
}

/// The outcome of planning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UnplannedOutcome {
    /// `error`.
    #[cfg_attr(test, schemars(with = "String", extend("const" = "error")))]
    pub result: UnplannedResult,
    /// The error, and what to do.
    pub message: String,
}

impl Unplanned {
    /// Creates the report on a set from an error. If the message begins with the set's name, that is removed.
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

    /// `prod/web`, or `web` where no namespace has it.
    #[must_use]
    pub fn set(&self) -> String {
        match self.metadata.namespace.as_str() {
            "" => self.metadata.name.clone(),
            namespace => format!("{namespace}/{}", self.metadata.name),
        }
    }
}
