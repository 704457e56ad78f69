//! Services.

use serde_json::Value;

use crate::object::field::{FieldError, Fields};
use crate::object::{Labels, Meta};

/// A Service, as far as it gives pods their names.
#[derive(Debug, Clone, PartialEq)]
pub struct Service {
    /// Its metadata.
    pub meta: Meta,
    /// `spec.selector`; empty selects nothing.
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

    /// Reports whether it selects pods with these labels.
    #[must_use]
    pub fn selects(&self, labels: &Labels) -> bool {
        !self.selector.is_empty()
            && self
                .selector
                .iter()
                .all(|(key, value)| labels.get(key) == Some(value))
    }
}
