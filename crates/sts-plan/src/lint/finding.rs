//! Findings as data.

use serde::{Deserialize, Serialize};

use super::{RuleId, Severity};
use crate::source::ReportSource;

/// Finding on a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// Stable id, such as `STS001`.
    pub id: RuleId,
    /// `info`, `warning` or `error`.
    #[cfg_attr(test, schemars(extend("enum" = ["info", "warning", "error"])))]
    pub severity: Severity,
    /// One-line message.
    pub message: String,
    /// True if the headline or its details already state the finding; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_headline: bool,
    /// Object concerned, such as `pod/web-0`.
    pub object: String,
    /// Link to a public issue or document.
    pub docs: String,
    /// Position of the object or the field; absent when it is in no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ReportSource>,
    /// Number of other objects with the same finding; the message names them.
    #[serde(skip)]
    pub others: usize,
}
