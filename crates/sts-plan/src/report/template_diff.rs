//! What tells the template of a set from those that its outdated pods were made of.

use serde::Serialize;
use serde_json::Value;

use crate::analysis::TemplateChange;
use sts_controller::apiserver::validation::Difference;

/// What tells a revision from the one that the template asks for.
#[derive(Debug, Clone, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FieldDiff {
    /// Where: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The value before; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

impl From<&TemplateChange> for TemplateDiff {
    fn from(change: &TemplateChange) -> Self {
        TemplateDiff {
            from: change.from.to_string(),
            to: change.to.to_string(),
            fields: change.fields.iter().map(FieldDiff::from).collect(),
        }
    }
}

impl From<&Difference> for FieldDiff {
    fn from(difference: &Difference) -> Self {
        FieldDiff {
            path: difference.path.clone(),
            old: difference.old.clone(),
            new: difference.new.clone(),
        }
    }
}
