//! The program and command line that made a saved plan.

use serde::{Deserialize, Serialize};

/// The program and command line that made a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MadeBy {
    /// The version of kubectl-sts-plan.
    pub version: String,
    /// The words of the command line, without secrets.
    pub command_line: Vec<String>,
}
