//! Positions in the input.

use serde::{Deserialize, Serialize};

/// Position of a manifest or field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportSource {
    /// File name as given.
    pub file: String,
    /// Line at which the object or the rejected field begins, from 1.
    pub line: usize,
    /// Column at which the rejected field begins, from 1; absent for objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

/// Position of a rejected field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPlace {
    /// File position, for annotations; `None` for standard input.
    pub source: Option<ReportSource>,
    /// Position in words: `web.yaml: document 1, line 7, column 3`.
    pub words: String,
}
