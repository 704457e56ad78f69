//! Whether requirements hold all the way.

use serde::{Deserialize, Serialize};

use crate::requirement::Checked;

/// One requirement.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRequirement {
    /// `unavailable<=1`.
    pub text: String,
    /// Whether it holds at the beginning and after every step.
    pub holds: bool,
    /// Where it breaks first; absent when it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_at: Option<BrokenAt>,
}

/// Where a requirement breaks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BrokenAt {
    /// Whole seconds since the beginning.
    pub at: i64,
    /// The place of the step in `steps`; absent when it is broken before anything happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// What happens there.
    pub event: String,
    /// What the quantity is then.
    pub value: i64,
}

pub(super) fn requirement(checked: &Checked) -> ReportRequirement {
    ReportRequirement {
        text: checked.requirement.to_string(),
        holds: checked.broken.is_none(),
        broken_at: checked.broken.as_ref().map(|broken| BrokenAt {
            at: broken.at.as_secs(),
            step: broken.step,
            event: broken.event.clone(),
            value: broken.value,
        }),
    }
}
