//! What is worth knowing besides.

use schemars::JsonSchema;
use serde::Serialize;

use super::ReportSource;
use crate::lint;

/// Something worth knowing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// Its stable id, such as `STS001`.
    pub id: &'static str,
    /// `info`, `warning` or `error`.
    #[schemars(extend("enum" = ["info", "warning", "error"]))]
    pub severity: &'static str,
    /// One line.
    pub message: String,
    /// The object that it is about.
    pub object: String,
    /// Where to read on.
    pub docs: String,
    /// Where the object stands, or the field; absent where that is in no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ReportSource>,
}

pub(super) fn finding(found: lint::Finding) -> Finding {
    Finding {
        id: found.id,
        severity: found.severity.name(),
        message: found.message,
        object: found.object,
        docs: found.docs.to_owned(),
        source: None,
    }
}
