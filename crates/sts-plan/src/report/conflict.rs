//! Server-side apply conflict on a field, and the choices to resolve it.

use serde::{Deserialize, Serialize};

use crate::explain::ConflictChoice;
use sts_controller::apiserver::validation::{FieldOwner, Refused};

/// Field of a server-side apply that another manager owns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportConflict {
    /// Field path in the API server's notation: `.spec.replicas`.
    pub field: String,
    /// Manager that owns the field.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// Subresource of that manager's write; absent for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// Time of that manager's last write; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Choices, the safest first.
    pub choices: Vec<ReportChoice>,
}

/// Choice to resolve a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportChoice {
    /// `omit`, `share` or `force`.
    #[cfg_attr(test, schemars(extend("enum" = ["omit", "share", "force"])))]
    pub choice: ConflictChoice,
    /// Condition and action.
    pub message: String,
}

pub(super) fn conflict(refused: &Refused) -> Option<ReportConflict> {
    let owner = refused.owner.as_ref()?;
    let FieldOwner {
        manager,
        subresource,
        since,
        ..
    } = owner.clone();
    let choices = ConflictChoice::all().map(|choice| ReportChoice {
        choice,
        message: choice.sentence(owner),
    });
    Some(ReportConflict {
        field: refused.field.clone(),
        manager,
        operation: owner.operation().to_owned(),
        subresource,
        since,
        choices: choices.collect(),
    })
}
