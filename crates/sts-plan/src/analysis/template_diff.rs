//! Differences between a set's template and the templates of its outdated pods, as data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Differences between an outdated revision and the template.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TemplateDiff {
    /// Revision of the outdated pods.
    pub from: String,
    /// Revision of the template.
    pub to: String,
    /// Differing fields.
    pub fields: Vec<FieldDiff>,
}

/// Differing field of the template.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FieldDiff {
    /// Path of the field: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// Path within the pod, with list elements by name: `containers[app].image`.
    pub field: String,
    /// Previous value; absent when the field was unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// New value; absent when the field is unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}
