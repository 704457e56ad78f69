//! Differences between the template of a set and those that its outdated pods were made of.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Report;

/// The differences between a revision and the one that the template asks for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TemplateDiff {
    /// The revision that pods are on.
    pub from: String,
    /// The revision that the template asks for.
    pub to: String,
    /// Field by field.
    pub fields: Vec<FieldDiff>,
}

/// A field of the template that differs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FieldDiff {
    /// Path of the field: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The same within the pod, list elements by name: `containers[app].image`.
    pub field: String,
    /// The value before; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

impl Report {
    /// The fields that differ between the pods' first outdated revision and the template, but for those that the
    /// user's change has told already.
    #[must_use]
    pub fn untold_differences(&self) -> Vec<&FieldDiff> {
        let is_told = |field: &&FieldDiff| self.change.iter().any(|it| it.path == field.path);
        let first = self.template_diff.first();
        let fields = first.into_iter().flat_map(|diff| &diff.fields);
        fields.filter(|field| !is_told(field)).collect()
    }
}
