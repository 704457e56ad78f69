//! What the user changes, field by field.

use serde::Serialize;
use serde_json::Value;

use super::name;
use sts_controller::apiserver::apply::{Effect, FieldChange};
use sts_controller::apiserver::validation::Rejection;

/// One changed field.
#[derive(Debug, Clone, Serialize)]
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
    #[serde(serialize_with = "name::display")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub effect: Effect,
    /// Of a rejected field, `immutable` where only a new set may have another value, or `invalid` where none may
    /// have this one.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "name::display_some"
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
