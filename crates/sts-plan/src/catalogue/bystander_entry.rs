//! Kind of objects that explain failures, as `catalogue/bystanders.yaml` declares it.
//!
//! The build script compiles this file too: it names nothing of the crate.

use serde::Deserialize;

/// A kind of objects that explain failures.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BystanderEntry {
    /// The kind, such as `Certificate`.
    pub kind: String,
    /// The API group; empty for the core.
    #[serde(default)]
    pub group: String,
    /// True if its objects have no namespace.
    #[serde(default)]
    pub of_cluster: bool,
    /// The kinds of objects that it makes.
    #[serde(default)]
    pub makes: Vec<Made>,
    /// The field of `spec` with the name of what it makes, with dots; without one, what it makes has its own name.
    #[serde(default)]
    pub named: String,
}

/// A kind of object that another one makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Made {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
    /// A node.
    Node,
}
