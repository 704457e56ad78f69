//! Requirements, and the time at which they fail.

use serde::{Deserialize, Serialize};

/// Requirement and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRequirement {
    /// Requirement as written: `unavailable<=1`, `quorum`.
    pub text: String,
    /// Comparison behind a named requirement, such as `ready>=2`; absent when `text` is a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// True if it holds at the start and after every step.
    pub holds: bool,
    /// First violation; absent when the requirement holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_at: Option<BrokenAt>,
}

/// First violation of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BrokenAt {
    /// Whole seconds since the start.
    pub at: i64,
    /// Index in `steps`; absent when violated at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Event at that time.
    pub event: String,
    /// Value of the quantity at that time.
    pub value: i64,
}
