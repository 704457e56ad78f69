//! Verdict on the template of a stuck pod.

use serde::{Deserialize, Serialize};

/// The verdict on the pod's template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    /// The pod is on the update revision, and only pods on other revisions are ready.
    Template,
    /// Other pods on the same revision are ready.
    Pod,
    /// No other pod gives evidence.
    Unknown,
}
