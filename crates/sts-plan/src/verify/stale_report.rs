//! The reason why a saved plan is stale.

use serde::{Deserialize, Serialize};

use super::{Prediction, Stale, StaleKind};

/// Reason why a plan is stale.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StaleReason {
    /// `gone`, `replaced`, `beingDeleted` or `changed`.
    pub reason: StaleKind,
    /// Reason in one sentence.
    pub message: String,
    /// Fields that differ from the plan.
    pub fields: Vec<StaleField>,
}

/// Field that differs from the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StaleField {
    /// Path of the field: `spec.replicas`.
    pub path: String,
    /// Planned value; absent when unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<String>,
    /// Current value; absent when unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

pub(super) fn stale_reason(prediction: &Prediction, stale: &Stale) -> StaleReason {
    let (message, fields) = match stale {
        Stale::Gone => ("the StatefulSet is gone".to_owned(), &[][..]),
        Stale::Replaced => (
            "the StatefulSet was deleted and recreated (different UID)".to_owned(),
            &[][..],
        ),
        Stale::BeingDeleted => ("the StatefulSet is being deleted".to_owned(), &[][..]),
        Stale::Changed(fields) => (changed_message(prediction, fields), &fields[..]),
    };
    StaleReason {
        reason: stale.kind(),
        message,
        fields: fields.to_vec(),
    }
}

fn changed_message(prediction: &Prediction, fields: &[StaleField]) -> String {
    let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "the default".to_owned());
    let one = |field: &StaleField| {
        format!(
            "{} is {}, planned {}",
            field.path,
            shown(&field.found),
            shown(&field.planned)
        )
    };
    let fields: Vec<String> = fields.iter().map(one).collect();
    let who = if prediction.plan.change.is_empty() {
        "the specification was changed"
    } else {
        "the specification differs from the plan"
    };
    format!("{who}: {}", fields.join("; "))
}
