//! Program version and command line of a saved plan.

use serde::{Deserialize, Serialize};

/// Program version and command line of a saved plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MadeBy {
    /// Version of kubectl-sts-plan.
    pub version: String,
    /// Arguments of the command line, without secrets.
    pub command_line: Vec<String>,
}
