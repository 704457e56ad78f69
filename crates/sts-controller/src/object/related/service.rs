//! Services.

use std::sync::Arc;

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
    /// `spec.clusterIP`; empty if it has none.
    pub cluster_ip: Arc<str>,
    /// True if `spec.clusterIP` is `None`.
    pub is_headless: bool,
    /// `spec.publishNotReadyAddresses`.
    pub publishes_not_ready: bool,
    /// `spec.ports[*].targetPort`: the number or the name of a port of the containers; `port` if it is unset.
    pub targets: Vec<Arc<str>>,
}

impl Service {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        let cluster_ip = spec.text("clusterIP")?;
        let is_headless = cluster_ip == "None";
        Ok(Service {
            meta: Meta::read(&fields)?,
            selector: spec.labels("selector")?,
            cluster_ip: Arc::from(if is_headless { "" } else { cluster_ip }),
            is_headless,
            publishes_not_ready: spec.boolean("publishNotReadyAddresses")?.unwrap_or(false),
            targets: targets(object),
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

/// Returns the targets of the ports that have a number.
fn targets(object: &Value) -> Vec<Arc<str>> {
    let all = object["spec"]["ports"].as_array().into_iter().flatten();
    let read = all.filter_map(|it| {
        let port = it["port"].as_i64()?;
        Some(match &it["targetPort"] {
            Value::String(name) => Arc::from(name.as_str()),
            Value::Number(number) => Arc::from(number.to_string()),
            _ => Arc::from(port.to_string()),
        })
    });
    read.collect()
}
