//! Admission webhooks and policies.

use std::sync::Arc;

use serde_json::Value;

use crate::object::Meta;
use crate::object::field::{FieldError, Fields};

/// A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookConfiguration {
    /// Metadata.
    pub meta: Meta,
    /// True if it is a MutatingWebhookConfiguration.
    pub is_mutating: bool,
    /// `webhooks`.
    pub webhooks: Vec<Webhook>,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Name, such as `pods.guard.example.com`.
    pub name: Arc<str>,
    /// Namespace and name of its service; `None` for a webhook that is called by URL.
    pub service: Option<(Arc<str>, Arc<str>)>,
    /// `failurePolicy`; empty if absent.
    pub failure_policy: Arc<str>,
}

impl WebhookConfiguration {
    pub(super) fn from_json(object: &Value, is_mutating: bool) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        Ok(WebhookConfiguration {
            meta: Meta::read(&fields)?,
            is_mutating,
            webhooks: fields.list("webhooks", |item, _| {
                let client = item.object("clientConfig")?;
                let service = client.object("service")?;
                Ok(Webhook {
                    name: item.shared_text("name")?,
                    service: match service.present() {
                        true => Some((
                            service.shared_text("namespace")?,
                            service.shared_text("name")?,
                        )),
                        false => None,
                    },
                    failure_policy: item.shared_text("failurePolicy")?,
                })
            })?,
        })
    }

    /// Returns its kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.is_mutating {
            true => "MutatingWebhookConfiguration",
            false => "ValidatingWebhookConfiguration",
        }
    }
}

/// A ValidatingAdmissionPolicy.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmissionPolicy {
    /// Metadata.
    pub meta: Meta,
    /// `spec.failurePolicy`; empty if absent.
    pub failure_policy: Arc<str>,
}

impl AdmissionPolicy {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        Ok(AdmissionPolicy {
            meta: Meta::read(&fields)?,
            failure_policy: fields.object("spec")?.shared_text("failurePolicy")?,
        })
    }
}

/// A ValidatingAdmissionPolicyBinding.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmissionPolicyBinding {
    /// Metadata.
    pub meta: Meta,
    /// `spec.policyName`.
    pub policy: Arc<str>,
    /// `spec.validationActions`: `Deny`, `Warn`, `Audit`.
    pub actions: Vec<Arc<str>>,
}

impl AdmissionPolicyBinding {
    pub(super) fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let spec = fields.object("spec")?;
        let actions = spec.get("validationActions").and_then(Value::as_array);
        Ok(AdmissionPolicyBinding {
            meta: Meta::read(&fields)?,
            policy: spec.shared_text("policyName")?,
            actions: actions
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(Arc::from)
                .collect(),
        })
    }
}
