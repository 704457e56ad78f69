//! PersistentVolumeClaims.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::field::{FieldError, Fields};
use super::meta::{Meta, OwnerReference};
use super::set::ClaimTemplate;

/// A PersistentVolumeClaim. The controller reads nothing but its metadata.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Its metadata.
    pub meta: Meta,
    /// The whole object as it was read or built; `meta` has the last word on owner references.
    object: Arc<Value>,
}

impl Claim {
    /// Reads a claim from its JSON form.
    ///
    /// # Errors
    /// When a field that is read has a value of another type than the API gives it.
    pub fn from_json(object: Value) -> Result<Self, FieldError> {
        let meta = Meta::read(&Fields::root(&object)?)?;
        Ok(Claim {
            meta,
            object: Arc::new(object),
        })
    }

    /// The claim that a template makes: the template's own content under another name.
    #[must_use]
    pub fn from_template(
        template: &ClaimTemplate,
        name: Arc<str>,
        namespace: Arc<str>,
        labels: BTreeMap<String, String>,
    ) -> Self {
        let mut object = (*template.object).clone();
        if let Some(members) = object.as_object_mut() {
            members.insert("apiVersion".into(), Value::from("v1"));
            members.insert("kind".into(), Value::from("PersistentVolumeClaim"));
        }
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("name".into(), Value::from(&*name));
            metadata.insert("namespace".into(), Value::from(&*namespace));
            if !labels.is_empty() {
                metadata.insert("labels".into(), json!(labels));
            }
        }
        Claim {
            meta: Meta {
                name,
                namespace,
                labels,
                ..Meta::default()
            },
            object: Arc::new(object),
        }
    }

    /// The same claim as the API server stores it: with a uid of its own.
    #[must_use]
    pub fn stored(&self, uid: Arc<str>) -> Self {
        Claim {
            meta: Meta {
                uid,
                ..self.meta.clone()
            },
            object: Arc::clone(&self.object),
        }
    }

    /// The same claim with other owners.
    #[must_use]
    pub fn with_owners(&self, owner_references: Vec<OwnerReference>) -> Self {
        Claim {
            meta: Meta {
                owner_references,
                ..self.meta.clone()
            },
            object: Arc::clone(&self.object),
        }
    }

    /// The object as it would be sent.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = (*self.object).clone();
        set_owners(&mut object, &self.meta.owner_references);
        object
    }
}

/// Writes owner references into an object's metadata; none at all removes the member.
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
