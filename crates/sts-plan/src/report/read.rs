//! The objects that a plan was made from, as far as it takes to know them again.

use schemars::JsonSchema;
use serde::Serialize;

use super::name;
use crate::plan::{pods_of, revisions_of};
use sts_controller::controller::Resource;
use sts_controller::object::{Meta, Snapshot};

/// An object that was read besides the set.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadObject {
    /// `pods`, `persistentvolumeclaims` or `controllerrevisions`.
    #[serde(serialize_with = "name::display")]
    #[schemars(with = "String")]
    pub resource: Resource,
    /// The object's name.
    pub name: String,
    /// The object's uid; absent when the input has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The resourceVersion that was read; absent when the input has none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
}

/// The pods, claims and revisions that the plan is about, each kind by name.
pub(super) fn objects(snapshot: &Snapshot) -> Vec<ReadObject> {
    let pods = pods_of(snapshot).map(|pod| object(Resource::Pods, &pod.meta));
    let claims = snapshot.claims.values();
    let claims = claims.map(|claim| object(Resource::Claims, &claim.meta));
    let revisions =
        revisions_of(snapshot).map(|revision| object(Resource::Revisions, &revision.meta));
    pods.chain(claims).chain(revisions).collect()
}

fn object(resource: Resource, meta: &Meta) -> ReadObject {
    ReadObject {
        resource,
        name: meta.name.to_string(),
        uid: meta.uid.to_string(),
        resource_version: meta.resource_version.to_string(),
    }
}
