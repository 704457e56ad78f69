//! Services.

use serde_json::Value;

use crate::object::field::{FieldError, Fields};
use crate::object::{Labels, Meta};

/// A Service, with the fields that affect the DNS names of pods.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Metadata.
    pub meta: Meta,
    /// `spec.selector`; an empty one matches nothing.
    pub selector: Labels,
    /// True if `spec.clusterIP` is `None`.
    pub is_headless: bool,
    /// `spec.publishNotReadyAddresses`.
    pub publishes_not_ready: bool,
}

impl Service {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        Ok(Service {
            meta: Meta::read(&fields)?,
            selector: spec.labels("selector")?,
            is_headless: spec.text("clusterIP")? == "None",
            publishes_not_ready: spec.boolean("publishNotReadyAddresses")?.unwrap_or(false),
        })
    }

    /// Reports whether the Service selects pods with these labels.
    #[must_use]
    pub fn selects(&self, labels: &Labels) -> bool {
        !self.selector.is_empty()
            && self
                .selector
                .iter()
                .all(|(key, value)| labels.get(key) == Some(value))
    }
}
