//! Object metadata and owner references.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::field::{FieldError, Fields};
use super::labels::Labels;

/// The part of `metadata` that the algorithm reads, common to all objects. Cheap to clone: labels and owners are
/// shared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meta {
    /// `metadata.name`.
    pub name: Arc<str>,
    /// `metadata.namespace`.
    pub namespace: Arc<str>,
    /// `metadata.uid`; empty for an object that was never stored.
    pub uid: Arc<str>,
    /// `metadata.resourceVersion`; empty for an object that was never stored.
    pub resource_version: Arc<str>,
    /// `metadata.labels`.
    pub labels: Arc<Labels>,
    /// `metadata.ownerReferences`, in stored order.
    pub owner_references: Arc<[OwnerReference]>,
    /// `metadata.creationTimestamp`.
    pub created: Option<Timestamp>,
    /// `metadata.deletionTimestamp`, set on a terminating object.
    pub deleted: Option<Timestamp>,
}

impl Meta {
    pub(super) fn read(object: &Fields<'_>) -> Result<Self, FieldError> {
        let meta = object.object("metadata")?;
        Ok(Meta {
            name: meta.shared_text("name")?,
            namespace: meta.shared_text("namespace")?,
            uid: meta.shared_text("uid")?,
            resource_version: meta.shared_text("resourceVersion")?,
            labels: Arc::new(meta.labels("labels")?),
            owner_references: meta
                .list("ownerReferences", |owner, _| OwnerReference::read(owner))?
                .into(),
            created: meta.time("creationTimestamp")?,
            deleted: meta.time("deletionTimestamp")?,
        })
    }

    /// Reports whether `metadata.deletionTimestamp` is set.
    #[must_use]
    pub fn is_terminating(&self) -> bool {
        self.deleted.is_some()
    }

    /// Reports whether the API server refuses to create the object, since its `metadata.resourceVersion` is that of a
    /// stored object.
    #[must_use]
    pub fn has_stored_version(&self) -> bool {
        is_stored_version(&self.resource_version)
    }

    /// Returns the reference to the object's controller, if it has one.
    #[must_use]
    pub fn controller(&self) -> Option<&OwnerReference> {
        controller_of(&self.owner_references)
    }
}

/// Reports whether a `resourceVersion` is that of a stored object: a nonzero number. The storage ignores all other
/// values.
pub(super) fn is_stored_version(version: &str) -> bool {
    version.parse::<u64>().is_ok_and(|version| version != 0)
}

/// Returns the first owner reference with `controller: true`.
#[must_use]
pub fn controller_of(owners: &[OwnerReference]) -> Option<&OwnerReference> {
    owners.iter().find(|owner| owner.controller == Some(true))
}

/// One entry of `metadata.ownerReferences`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerReference {
    /// API version, such as `apps/v1`.
    pub api_version: Arc<str>,
    /// Kind, such as `StatefulSet`.
    pub kind: Arc<str>,
    /// The owner's name.
    pub name: Arc<str>,
    /// The owner's uid.
    pub uid: Arc<str>,
    /// True if the owner is the object's controller; absent is false.
    pub controller: Option<bool>,
    /// True if a foreground deletion of the owner waits for the object; absent is false.
    pub block_owner_deletion: Option<bool>,
}

impl OwnerReference {
    pub(super) fn read(owner: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(OwnerReference {
            api_version: owner.shared_text("apiVersion")?,
            kind: owner.shared_text("kind")?,
            name: owner.shared_text("name")?,
            uid: owner.shared_text("uid")?,
            controller: owner.boolean("controller")?,
            block_owner_deletion: owner.boolean("blockOwnerDeletion")?,
        })
    }

    /// Reports whether the reference has this API version, kind and name, whatever its uid.
    #[must_use]
    pub fn names(&self, api_version: &str, kind: &str, name: &str) -> bool {
        &*self.name == name && &*self.kind == kind && &*self.api_version == api_version
    }

    /// Returns the reference in its JSON form.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("apiVersion".into(), Value::from(&*self.api_version));
        if let Some(block) = self.block_owner_deletion {
            out.insert("blockOwnerDeletion".into(), Value::from(block));
        }
        if let Some(controller) = self.controller {
            out.insert("controller".into(), Value::from(controller));
        }
        out.insert("kind".into(), Value::from(&*self.kind));
        out.insert("name".into(), Value::from(&*self.name));
        out.insert("uid".into(), Value::from(&*self.uid));
        Value::Object(out)
    }
}

/// Returns the finalizers of an object of any kind.
pub(super) fn finalizers(object: &Value) -> Vec<String> {
    let finalizers = object["metadata"]["finalizers"].as_array();
    let finalizers = finalizers.into_iter().flatten();
    finalizers
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Writes owner references into an object's metadata. An empty list removes the member.
pub(super) fn set_owners(object: &mut Value, owners: &[OwnerReference]) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        if owners.is_empty() {
            metadata.remove("ownerReferences");
        } else {
            let owners = owners.iter().map(OwnerReference::to_json).collect();
            metadata.insert("ownerReferences".into(), Value::Array(owners));
        }
    }
}
