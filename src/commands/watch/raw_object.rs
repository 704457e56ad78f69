//! Objects as the API server sends them: whole, since what the planner copies must not lose a field.

use std::borrow::Cow;

use kube::Resource;
use kube::core::{ApiResource, DynamicResourceScope, ObjectMeta};
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;

/// An object with its metadata read, which the watching needs, and everything else as it was sent.
#[derive(Debug, Clone)]
pub(super) struct RawObject {
    meta: ObjectMeta,
    pub(super) object: Value,
}

impl RawObject {
    /// The object's name.
    pub(super) fn name(&self) -> &str {
        self.meta.name.as_deref().unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = Value::deserialize(deserializer)?;
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            // The larger part of many objects, and of no use here.
            metadata.remove("managedFields");
        }
        let meta = object.get("metadata").cloned().unwrap_or_default();
        let meta = serde_json::from_value(meta).map_err(D::Error::custom)?;
        Ok(RawObject { meta, object })
    }
}

impl Resource for RawObject {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.kind)
    }

    fn group(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.group)
    }

    fn version(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.version)
    }

    fn plural(resource: &ApiResource) -> Cow<'_, str> {
        Cow::Borrowed(&resource.plural)
    }

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}
