//! What is worth knowing besides.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ReportSource, name};
use crate::lint;
use crate::lint::{RuleId, Severity};

/// Something worth knowing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// Its stable id, such as `STS001`.
    #[serde(serialize_with = "name::display")]
    #[schemars(with = "String")]
    pub id: RuleId,
    /// `info`, `warning` or `error`.
    #[serde(serialize_with = "name::display")]
    #[schemars(with = "String", extend("enum" = ["info", "warning", "error"]))]
    pub severity: Severity,
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

pub(super) fn finding(found: &lint::Finding) -> Finding {
    Finding {
        id: found.id,
        severity: found.severity,
        message: found.message.clone(),
        object: found.object.clone(),
        docs: found.docs.to_owned(),
        source: None,
    }
}
