//! What the user changes, field by field.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::name;
use sts_controller::apiserver::apply::{Effect, FieldChange};

/// One changed field.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Where: `spec.template.spec.containers[0].image`; `pod/web-1` or `statefulset/web` for an object that is
    /// deleted.
    pub path: String,
    /// The value before; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// `rollout`, `scale`, `none`, `delete` or `rejected`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub effect: Effect,
}

pub(super) fn report_change(change: &FieldChange) -> Change {
    Change {
        path: change.path.clone(),
        old: change.old.clone(),
        new: change.new.clone(),
        effect: change.effect,
    }
}
