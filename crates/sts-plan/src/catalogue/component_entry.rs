//! Component of a cluster, as `catalogue/components.yaml` declares it.
//!
//! The build script compiles this file too: it names nothing of the crate.

use serde::Deserialize;

/// A component of a cluster that causes are about. Its pods have one of these containers, or one of these owners.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ComponentEntry {
    /// True if only its pod on the node of the failing pod counts. Of another component, one ready pod is enough.
    #[serde(default)]
    pub on_node: bool,
    /// True if each CSI driver has its own pods.
    #[serde(default)]
    pub of_driver: bool,
    /// Parts of the names of containers that only its pods have.
    #[serde(default)]
    pub containers: Vec<String>,
    /// Parts of the names of its DaemonSets and Deployments; after `=`, the whole name.
    #[serde(default)]
    pub owners: Vec<String>,
    /// The id of the component that its pods need on their node.
    #[serde(default)]
    pub after: String,
    /// The names of the containers of other pods that are not ready without it.
    #[serde(default)]
    pub proxies: Vec<String>,
}
