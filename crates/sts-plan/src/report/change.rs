//! The user's changes, field by field.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::name;
use sts_controller::apiserver::apply::{Effect, FieldChange};
use sts_controller::apiserver::validation::Rejection;

/// One changed field.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Path of the field: `spec.template.spec.containers[0].image`; `pod/web-1` or `statefulset/web` for an object that
    /// is deleted.
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
    /// Of a rejected field, `immutable` where only a new set may have another value, `conflict` where another manager
    /// owns it, or `invalid` where no set may have this value.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
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
