//! PersistentVolumeClaims.

use std::sync::Arc;

use serde_json::Value;

use super::field::{FieldError, Fields};
use super::labels::labels_json;
use super::meta::{Meta, OwnerReference, finalizers, set_owners};
use super::packed::Packed;
use super::pool::Pool;
use super::set::ClaimTemplate;

/// Annotation with the node that the scheduler chose for a claim.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// A PersistentVolumeClaim. The controller reads only its metadata.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Metadata.
    pub meta: Meta,
    /// `spec.resources.requests.storage`, such as `10Gi`, of a claim from the input, if it is a string.
    pub storage: Option<Arc<str>>,
    /// `spec.storageClassName` of a claim from the input, if it is a string.
    pub class: Option<Arc<str>>,
    body: Body,
}

/// Source of everything outside the metadata.
#[derive(Debug, Clone)]
enum Body {
    /// The whole object, as read.
    Given(Packed),
    /// The claim template that the claim was created from.
    Template(Arc<Value>),
}

impl Claim {
    /// Reads a claim from its JSON form.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
    pub fn from_json(object: Value) -> Result<Self, FieldError> {
        Claim::from_part(&object, || Packed::of(&object))
    }

    /// Reads a claim from the members of its JSON form that [`Claim`] has fields for. Other members are read from
    /// `whole` on demand.
    ///
    /// # Errors
    /// As [`Claim::from_json`].
    pub fn from_part(object: &Value, whole: impl FnOnce() -> Packed) -> Result<Self, FieldError> {
        let meta = Meta::read(&Fields::root(object)?)?;
        let spec = &object["spec"];
        let text = |value: &Value| value.as_str().map(Arc::from);
        Ok(Claim {
            meta,
            storage: text(&spec["resources"]["requests"]["storage"]),
            class: text(&spec["storageClassName"]),
            body: Body::Given(whole()),
        })
    }

    /// Returns the claim of a template: the template's content under another name.
    #[must_use]
    pub fn from_template(template: &ClaimTemplate, meta: Meta) -> Self {
        Claim {
            meta,
            storage: None,
            class: None,
            body: Body::Template(Arc::clone(&template.object)),
        }
    }

    /// Replaces values by shared copies from the pool.
    pub fn share(&mut self, pool: &mut Pool) {
        pool.share(&mut self.meta);
        if let Body::Given(object) = &mut self.body {
            pool.pack(object);
        }
        for text in [&mut self.storage, &mut self.class].into_iter().flatten() {
            pool.text(text);
        }
    }

    /// Returns `status.phase`, such as `Bound`; empty if unknown.
    #[must_use]
    pub fn phase(&self) -> String {
        let given = self.given();
        let phase = given
            .as_ref()
            .and_then(|object| object["status"]["phase"].as_str());
        phase.unwrap_or_default().to_owned()
    }

    /// Returns `spec.volumeName`: the volume that it is bound to.
    #[must_use]
    pub fn volume_name(&self) -> Option<String> {
        let given = self.given()?;
        let volume = given["spec"]["volumeName"].as_str()?;
        (!volume.is_empty()).then(|| volume.to_owned())
    }

    /// Returns the node that its volume is made for, as the scheduler chose it.
    #[must_use]
    pub fn selected_node(&self) -> Option<String> {
        let given = self.given()?;
        let node = given["metadata"]["annotations"][SELECTED_NODE].as_str()?;
        Some(node.to_owned())
    }

    /// Reports whether the server accepts a new size for the claim, as it does only for a bound one. A claim without a
    /// phase counts as bound.
    #[must_use]
    pub fn can_be_resized(&self) -> bool {
        matches!(self.phase().as_str(), "" | "Bound")
    }

    /// Returns the finalizers.
    #[must_use]
    pub fn finalizers(&self) -> Vec<String> {
        self.given()
            .map_or_else(Vec::new, |object| finalizers(&object))
    }

    /// Reports whether the claim was read, and not planned.
    #[must_use]
    pub fn is_read(&self) -> bool {
        matches!(self.body, Body::Given(_))
    }

    /// Returns the whole object as read, parsed again from its text; `None` for a planned claim.
    #[must_use]
    pub fn given(&self) -> Option<Arc<Value>> {
        match &self.body {
            Body::Given(object) => Some(object.open()),
            Body::Template(_) => None,
        }
    }

    /// Returns the claim as the API server stores it: with a new uid.
    #[must_use]
    pub fn stored(&self, uid: Arc<str>) -> Self {
        let mut claim = self.clone();
        claim.meta.uid = uid;
        claim.meta.resource_version = Arc::default();
        claim
    }

    /// Returns the claim with other owners.
    #[must_use]
    pub fn with_owners(&self, owner_references: Vec<OwnerReference>) -> Self {
        let mut claim = self.clone();
        claim.meta.owner_references = owner_references.into();
        claim
    }

    /// Returns the claim with other content.
    #[must_use]
    pub fn with_object(&self, object: &Value) -> Self {
        let storage = object["spec"]["resources"]["requests"]["storage"].as_str();
        Claim {
            storage: storage.map(Arc::from),
            body: Body::Given(Packed::of(object)),
            ..self.clone()
        }
    }

    /// Returns the object as it would be sent.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object = match &self.body {
            Body::Given(object) => Arc::unwrap_or_clone(object.open()),
            Body::Template(template) => self.build(template),
        };
        set_owners(&mut object, &self.meta.owner_references);
        object
    }

    fn build(&self, template: &Value) -> Value {
        let meta = &self.meta;
        let mut object = template.clone();
        object["apiVersion"] = Value::from("v1");
        object["kind"] = Value::from("PersistentVolumeClaim");
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("name".into(), Value::from(&*meta.name));
            metadata.insert("namespace".into(), Value::from(&*meta.namespace));
            if !meta.labels.is_empty() {
                metadata.insert("labels".into(), labels_json(&meta.labels));
            }
        }
        object
    }
}
