//! Identity of the objects that a plan was made from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::plan::{PlanAssumptions, pods_of, revisions_of};
use sts_controller::controller::Resource;
use sts_controller::object::{Meta, Snapshot};

/// Object read in addition to the set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadObject {
    /// `pods`, `persistentvolumeclaims` or `controllerrevisions`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub resource: Resource,
    /// Object name.
    pub name: Arc<str>,
    /// UID of the object; absent when the input has none.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub uid: Arc<str>,
    /// resourceVersion of the object; absent when the input has none.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub resource_version: Arc<str>,
}

/// Returns the relevant pods, claims and revisions that were read, each kind by name.
pub(super) fn objects(snapshot: &Snapshot, assumptions: &PlanAssumptions) -> Vec<ReadObject> {
    let pods = pods_of(snapshot).map(|pod| object(Resource::Pods, &pod.meta));
    let claims = snapshot.claims.values();
    let claims = claims.map(|claim| object(Resource::Claims, &claim.meta));
    let revisions =
        revisions_of(snapshot).map(|revision| object(Resource::Revisions, &revision.meta));
    let unread = assumptions.unread();
    let all = pods.chain(claims).chain(revisions);
    all.filter(|object| !unread.contains(&object.name))
        .collect()
}

fn object(resource: Resource, meta: &Meta) -> ReadObject {
    ReadObject {
        resource,
        name: Arc::clone(&meta.name),
        uid: Arc::clone(&meta.uid),
        resource_version: Arc::clone(&meta.resource_version),
    }
}
