//! The user's changes, field by field.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use sts_controller::apiserver::apply::{Effect, FieldChange};
use sts_controller::apiserver::validation::Rejection;

/// Changed field.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Path of the field, such as `spec.template.spec.containers[0].image`; `pod/web-1` or `statefulset/web`
    /// for a deleted object.
    pub path: String,
    /// Previous value; absent when the field was unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// New value; absent when the field is unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// Effect: `rollout`, `scale`, `none`, `delete` or `rejected`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub effect: Effect,
    /// Reason for `rejected`: `immutable` (only a new set can have another value), `conflict` (another manager
    /// owns the field) or `invalid` (no set can have this value).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub rejection: Option<Rejection>,
}

pub(super) fn report_change(change: &FieldChange) -> Change {
    Change {
        path: change.path.clone(),
        old: change.old.clone(),
        new: change.new.clone(),
        effect: change.effect,
        rejection: match change.effect {
            Effect::Rejected(rejection) => Some(rejection),
            _ => None,
        },
    }
}
