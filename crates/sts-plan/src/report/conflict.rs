//! A field that another manager owns, and the choices that leaves.

use serde::{Deserialize, Serialize};

use super::name;
use crate::explain::ConflictChoice;
use sts_controller::apiserver::validation::{FieldOwner, Refused};

/// A field of a server-side apply that another manager owns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportConflict {
    /// The field, as the API server names it: `.spec.replicas`.
    pub field: String,
    /// The manager that owns it.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// The subresource through which that manager wrote it; absent for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// The time of that manager's last change; absent where nothing tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The ways out, the safest first.
    pub choices: Vec<ReportChoice>,
}

/// A way out of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportChoice {
    /// `omit`, `share` or `force`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["omit", "share", "force"])))]
    pub choice: ConflictChoice,
    /// When it is the right one, and what to do.
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
