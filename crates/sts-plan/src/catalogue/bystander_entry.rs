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
    /// The ways in which its objects concern a pod.
    #[serde(default)]
    pub concerns: Vec<Concern>,
    /// The field with the name of what it concerns, with dots; without one, its own name is that name.
    #[serde(default)]
    pub by: String,
    /// The ends of the names of the CSI drivers whose storage it is a part of.
    #[serde(default)]
    pub drivers: Vec<String>,
    /// The beginnings of the names of the resources that nodes have of it.
    #[serde(default)]
    pub resources: Vec<String>,
    /// The id of the component that acts on it.
    #[serde(default)]
    pub served_by: String,
    /// True if the advice for a cause says more of the part of it that is needed.
    #[serde(default)]
    pub is_wide: bool,
    /// The states in which it is in trouble, beside those that all kinds have. The first one counts.
    #[serde(default)]
    pub troubles: Vec<TroubleEntry>,
    /// The cure of any other trouble of it.
    #[serde(default)]
    pub cure: String,
}

/// The way in which an object concerns a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Concern {
    /// It stands for the volume of one of its claims.
    Volume,
    /// It is a part of the storage of its volumes on its node.
    NodeStorage,
    /// It is a part of the storage of its volumes.
    Storage,
    /// A new volume is a copy of it.
    Source,
    /// Its address comes from it.
    Addresses,
    /// The addresses of the pods of its node come from it.
    NodeAddresses,
    /// It makes a Secret or ConfigMap that the pod reads.
    Making,
    /// Its node comes from it.
    Placement,
    /// The devices of its node come from it.
    Devices,
    /// It deploys the set of the pod.
    Deployment,
    /// It restricts the connections of the pod.
    Egress,
    /// It sets the requests of the pod.
    Scaling,
    /// It asks for the certificate of a kubelet.
    Registration,
}

/// A state in which an object is in trouble.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TroubleEntry {
    /// The field that shows it, with dots.
    pub at: String,
    /// Its values in that state, or the names of its members.
    pub is: Vec<String>,
    /// The end of the sentence about the object: `is faulted: all its replicas have failed`.
    pub says: String,
    /// The field with the details, with dots.
    #[serde(default)]
    pub details: String,
    /// The cure.
    pub cure: String,
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
