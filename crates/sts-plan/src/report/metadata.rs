//! The set and the controller that a plan is of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{MadeBy, name};
use crate::plan::VersionSource;
use sts_controller::object::Set;
use sts_controller::version::Gate;

/// The set that a plan is of.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The set's namespace.
    pub namespace: String,
    /// The set's name.
    pub name: String,
    /// The set's uid; absent when the set was never stored.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The resourceVersion that was read; absent when the set was never stored.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// The generation that is planned: the next one where the specification is changed; absent when unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub generation: i64,
    /// The resourceVersion of each list of a cluster that was read, by resource; absent for objects of files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub observed: BTreeMap<String, String>,
    /// The SHA-256 of the rest of a saved plan, by which `verify` knows that it was not edited; absent where a plan is
    /// printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The program and command line that made a saved plan; absent where a plan is printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<MadeBy>,
}

impl Metadata {
    pub(super) fn of(set: &Set) -> Self {
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

/// The controller that a plan is of.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Kubernetes {
    /// `1.36`, or a patch of it.
    pub version: String,
    /// `flag`, `server` or `default`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub source: VersionSource,
    /// The gates that StatefulSet code consults in that version, with their values.
    #[serde(with = "name::keys")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, bool>"))]
    pub feature_gates: BTreeMap<Gate, bool>,
    /// Those of them that were set by hand; absent when none was.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        with = "name::keys"
    )]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, bool>"))]
    pub feature_gates_set: BTreeMap<Gate, bool>,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}
