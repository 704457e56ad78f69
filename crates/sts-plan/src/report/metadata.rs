//! Identity of the planned set and of the controller.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::MadeBy;
use crate::plan::VersionSource;
use sts_controller::object::Set;
use sts_controller::version::Gate;

/// Identity of the planned set.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// UID of the set; absent when it was never stored.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// resourceVersion of the set as read; absent when it was never stored.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// Planned generation: the next one if the specification changes; absent when unknown.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub generation: i64,
    /// resourceVersion of each list read from the cluster, by resource; absent for objects from files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub observed: BTreeMap<String, String>,
    /// SHA-256 of the rest of a saved plan, with which `verify` detects edits; absent unless the plan is saved.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// Program version and command line; absent unless the plan is saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<MadeBy>,
}

impl Metadata {
    pub(crate) fn of(set: &Set) -> Self {
        Metadata {
            namespace: set.meta.namespace.to_string(),
            name: set.meta.name.to_string(),
            uid: set.meta.uid.to_string(),
            resource_version: set.meta.resource_version.to_string(),
            generation: set.generation,
            ..Metadata::default()
        }
    }
}

/// Version and feature gates of the simulated controller.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Kubernetes {
    /// Kubernetes version: `1.36` or a patch of it.
    pub version: String,
    /// Source of the version: `flag`, `server`, `kubelets`, `revisions` or `default`.
    pub source: VersionSource,
    /// Feature gates that the StatefulSet code consults in that version, with their values.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, bool>"))]
    pub feature_gates: BTreeMap<Gate, bool>,
    /// Feature gates set explicitly; absent when empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, bool>"))]
    pub feature_gates_set: BTreeMap<Gate, bool>,
}
