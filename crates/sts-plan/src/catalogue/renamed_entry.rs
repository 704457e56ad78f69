//! Settings that new versions of a program no longer accept, as `catalogue/renamed.yaml` declares them.
//!
//! The build script compiles this file too: it names nothing of the crate.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The settings that new versions of a program no longer accept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenamedEntry {
    /// Parts of the names of its images; empty for all programs.
    pub images: Vec<String>,
    /// The documentation that says so.
    pub source: String,
    /// The successor of each setting, or the reason why it is gone.
    pub names: BTreeMap<String, String>,
}
