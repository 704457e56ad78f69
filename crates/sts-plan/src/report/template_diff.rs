//! Differences between a set's template and the templates of its outdated pods.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Report;

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

impl Report {
    /// Returns the fields that differ between the first outdated revision and the template, except those
    /// already listed in the user's change.
    #[must_use]
    pub fn further_template_differences(&self) -> Vec<&FieldDiff> {
        let is_in_change = |field: &&FieldDiff| self.change.iter().any(|it| it.path == field.path);
        let first = self.template_diff.first();
        let fields = first.into_iter().flat_map(|diff| &diff.fields);
        fields.filter(|field| !is_in_change(field)).collect()
    }
}
