//! ControllerRevisions.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use super::field::{FieldError, Fields};
use super::labels::labels_json;
use super::meta::{Meta, OwnerReference};
use super::packed::Packed;
use super::pool::Pool;

/// A ControllerRevision: one recorded pod template.
#[derive(Debug, Clone)]
pub struct Revision {
    /// Metadata.
    pub meta: Meta,
    /// `.revision`: the position in the history, newest last.
    pub number: i64,
    /// `.data`, raw.
    packed: Packed,
    /// `metadata.annotations` as written.
    pub annotations: Option<Arc<Value>>,
    /// `.data` as a value; computed on demand.
    data: OnceLock<Arc<Value>>,
    /// `.data` as the bytes that the controller compares; computed on demand.
    bytes: OnceLock<Arc<str>>,
    /// The pod template in `.data`, without the patch directive; computed on demand.
    template: OnceLock<Option<Arc<Value>>>,
    /// The template as decoded by the controller; computed on demand.
    decoded: OnceLock<Arc<Value>>,
}

impl Revision {
    /// Reads a revision from its JSON form.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
    pub fn from_json(object: &Value) -> Result<Self, FieldError> {
        Revision::from_part(object, || {
            Packed::of(object.get("data").unwrap_or(&Value::Null))
        })
    }

    /// Reads a revision from its JSON form. `.data` is read from its source on demand.
    ///
    /// # Errors
    /// As [`Revision::from_json`].
    pub fn from_part(object: &Value, data: impl FnOnce() -> Packed) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let meta = Meta::read(&fields)?;
        let number = fields.integer("revision")?.unwrap_or(0);
        let annotations = fields
            .object("metadata")?
            .get("annotations")
            .map(|value| Arc::new(value.clone()));
        Ok(Revision::packed(meta, number, data(), annotations))
    }

    /// Returns a revision with this content.
    #[must_use]
    pub fn new(meta: Meta, number: i64, data: Arc<Value>, annotations: Option<Arc<Value>>) -> Self {
        Revision::packed(meta, number, Packed::shared(data), annotations)
    }

    fn packed(meta: Meta, number: i64, packed: Packed, annotations: Option<Arc<Value>>) -> Self {
        Revision {
            meta,
            number,
            packed,
            annotations,
            data: OnceLock::new(),
            bytes: OnceLock::new(),
            template: OnceLock::new(),
            decoded: OnceLock::new(),
        }
    }

    /// Replaces values by shared copies from the pool.
    pub fn share(&mut self, pool: &mut Pool) {
        pool.share(&mut self.meta);
        pool.pack(&mut self.packed);
    }

    /// Returns a copy without cached values, so that a copy's caches are dropped with it.
    #[must_use]
    pub fn fresh(&self) -> Self {
        let (meta, annotations) = (self.meta.clone(), self.annotations.clone());
        Revision::packed(meta, self.number, self.packed.clone(), annotations)
    }

    /// Returns `.data`, raw.
    pub fn data(&self) -> &Arc<Value> {
        self.data.get_or_init(|| self.packed.open())
    }

    /// Returns the revision with its bytes and template already known.
    #[must_use]
    pub fn with_known(self, bytes: Arc<str>, template: Arc<Value>) -> Self {
        Revision {
            bytes: OnceLock::from(bytes),
            template: OnceLock::from(Some(template)),
            ..self
        }
    }

    /// Returns the revision with another number.
    #[must_use]
    pub fn renumbered(&self, number: i64) -> Self {
        Revision {
            number,
            ..self.clone()
        }
    }

    /// Returns the object as it would be sent.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let meta = &self.meta;
        let mut metadata = Map::new();
        if let Some(annotations) = &self.annotations {
            metadata.insert("annotations".into(), (**annotations).clone());
        }
        if let Some(created) = meta.created {
            metadata.insert("creationTimestamp".into(), Value::from(created.to_string()));
        }
        if !meta.labels.is_empty() {
            metadata.insert("labels".into(), labels_json(&meta.labels));
        }
        metadata.insert("name".into(), Value::from(&*meta.name));
        let mut named = |name: &str, value: &str| {
            if !value.is_empty() {
                metadata.insert(name.into(), Value::from(value));
            }
        };
        named("namespace", &meta.namespace);
        named("resourceVersion", &meta.resource_version);
        named("uid", &meta.uid);
        if !meta.owner_references.is_empty() {
            let owners = meta
                .owner_references
                .iter()
                .map(OwnerReference::to_json)
                .collect();
            metadata.insert("ownerReferences".into(), Value::Array(owners));
        }
        json!({
            "apiVersion": "apps/v1",
            "data": &**self.data(),
            "kind": "ControllerRevision",
            "metadata": metadata,
            "revision": self.number,
        })
    }

    /// Returns `.data` as bytes, encoded once by `encode`.
    pub fn bytes(&self, encode: impl FnOnce(&Value) -> String) -> &Arc<str> {
        self.bytes.get_or_init(|| Arc::from(encode(self.data())))
    }

    /// Returns the recorded pod template, decoded once by `decode`.
    pub fn decoded_template(
        &self,
        decode: impl FnOnce(&Arc<Value>) -> Arc<Value>,
    ) -> Option<&Arc<Value>> {
        let template = self.template()?;
        Some(self.decoded.get_or_init(|| decode(template)))
    }

    /// Reports whether the data replaces the whole pod template, as the controller records it. Other data is merged
    /// into the template of the set.
    #[must_use]
    pub fn replaces_template(&self) -> bool {
        self.data()["spec"]["template"]["$patch"] == "replace"
    }

    /// Returns the recorded pod template; `None` if the data has none.
    pub fn template(&self) -> Option<&Arc<Value>> {
        self.template
            .get_or_init(|| {
                let mut template = self.data().get("spec")?.get("template")?.clone();
                template.as_object_mut()?.remove("$patch");
                Some(Arc::new(template))
            })
            .as_ref()
    }
}
