//! HorizontalPodAutoscalers.

use std::sync::Arc;

use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// A HorizontalPodAutoscaler, with its target and bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Autoscaler {
    /// Metadata.
    pub meta: Meta,
    /// `spec.scaleTargetRef.kind`.
    pub target_kind: Arc<str>,
    /// `spec.scaleTargetRef.name`.
    pub target_name: Arc<str>,
    /// `spec.minReplicas`; 1 if absent.
    pub min_replicas: i32,
    /// `spec.maxReplicas`.
    pub max_replicas: i32,
}

impl Autoscaler {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        let target = spec.object("scaleTargetRef")?;
        Ok(Autoscaler {
            meta: Meta::read(&fields)?,
            target_kind: target.shared_text("kind")?,
            target_name: target.shared_text("name")?,
            min_replicas: spec.small_integer("minReplicas")?.unwrap_or(1),
            max_replicas: spec.small_integer("maxReplicas")?.unwrap_or(0),
        })
    }

    /// Reports whether it scales the StatefulSet of that name.
    #[must_use]
    pub fn scales(&self, set: &str) -> bool {
        &*self.target_kind == "StatefulSet" && &*self.target_name == set
    }
}
