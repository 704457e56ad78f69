//! Remedies as data.

use serde::{Deserialize, Serialize};

/// Remedy and its simulated effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRemedy {
    /// Commands, in order.
    pub commands: Vec<String>,
    /// True if the commands only diagnose and change nothing; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looks: bool,
    /// True if the user has to change a manifest first, as the fix of the obstacle says; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edits: bool,
    /// Condition for the remedy; absent when it always applies.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub precondition: String,
    /// Risk; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub risk: String,
    /// Simulated effect.
    pub effect: String,
    /// True if the effect is only that the set reaches its desired state, or its next obstacle in the list; absent
    /// otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub obvious: bool,
    /// True if the remedy removes this obstacle.
    pub helps: bool,
    /// Seconds until the set reaches its desired state; absent when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completes_after_seconds: Option<i64>,
}
