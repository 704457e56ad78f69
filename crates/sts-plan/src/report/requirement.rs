//! Requirements, and the moments at which they break.

use serde::{Deserialize, Serialize};

/// One requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRequirement {
    /// `unavailable<=1`, or `quorum`.
    pub text: String,
    /// The comparison that a word stands for in this set, such as `ready>=2`; absent where `text` is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// True if it holds at the beginning and after every step.
    pub holds: bool,
    /// The moment at which it breaks first; absent when it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_at: Option<BrokenAt>,
}

/// The moment at which a requirement breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BrokenAt {
    /// Whole seconds since the beginning.
    pub at: i64,
    /// The place of the step in `steps`; absent when it is broken before anything happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The event at that moment.
    pub event: String,
    /// The value of the quantity at that moment.
    pub value: i64,
}
