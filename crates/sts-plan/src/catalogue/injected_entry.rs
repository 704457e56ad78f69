//! Containers that a webhook adds to pods, as `catalogue/injected.yaml` declares them.
//!
//! The build script compiles this file too: it names nothing of the crate.

use serde::Deserialize;

/// The containers that a webhook adds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InjectedEntry {
    /// Their names.
    pub containers: Vec<String>,
    /// The start of the annotations of a template that asks for them.
    pub asked_by: String,
    /// The settings of their requests and limits, as part of a sentence.
    pub resources: String,
    /// The documentation that says so.
    pub source: String,
}
