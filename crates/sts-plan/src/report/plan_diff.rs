//! The differences between two plans of one set, as a program reads them.

use serde::Serialize;
use serde_json::Value;

use super::API_VERSION;

/// The differences between two plans of one set.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanDiff {
    /// `sts-plan/v1`.
    pub api_version: &'static str,
    /// `PlanDiff`.
    #[cfg_attr(test, schemars(extend("const" = "PlanDiff")))]
    pub kind: &'static str,
    /// The set's namespace.
    pub namespace: String,
    /// The set's name.
    pub name: String,
    /// The verdict on the differences.
    pub verdict: DiffVerdict,
    /// The differences, the most important first.
    pub differences: Vec<PlanDifference>,
    /// The whole in one line.
    pub summary: String,
}

/// Several of them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanDiffList<'r> {
    /// `sts-plan/v1`.
    pub api_version: &'static str,
    /// `PlanDiffList`.
    #[cfg_attr(test, schemars(extend("const" = "PlanDiffList")))]
    pub kind: &'static str,
    /// By namespace and name.
    pub items: &'r [PlanDiff],
}

impl<'r> PlanDiffList<'r> {
    /// A list of differences.
    #[must_use]
    pub fn new(items: &'r [PlanDiff]) -> Self {
        PlanDiffList {
            api_version: API_VERSION,
            kind: "PlanDiffList",
            items,
        }
    }
}

/// The verdict on the differences between two plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DiffVerdict {
    /// Nothing differs.
    Same,
    /// Something is worse and nothing is better.
    Worse,
    /// Something is better and nothing is worse.
    Better,
    /// Something is worse, and something else is better.
    Mixed,
    /// Something differs, and is neither worse nor better.
    Different,
    /// The set is planned only in the first.
    OnlyFirst,
    /// The set is planned only in the second.
    OnlySecond,
}

impl DiffVerdict {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            DiffVerdict::Same => "same",
            DiffVerdict::Worse => "worse",
            DiffVerdict::Better => "better",
            DiffVerdict::Mixed => "better and worse",
            DiffVerdict::Different => "different",
            DiffVerdict::OnlyFirst => "not planned any more",
            DiffVerdict::OnlySecond => "new",
        }
    }
}

/// The impact of a difference on the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Impact {
    /// More is lost, down or slow.
    Worse,
    /// Less is.
    Better,
    /// Neither.
    Other,
}

/// One thing that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanDifference {
    /// The subject: `result`, `duration`, `downtime`, `quorum`, `unavailable`, `pods`, `claims`, `requirement`,
    /// `finding`, `change`, `controller` or `assumption`.
    pub about: &'static str,
    /// The impact on the set.
    pub effect: Impact,
    /// One clause.
    pub message: String,
    /// The value in the first plan.
    pub old: Value,
    /// The value in the second.
    pub new: Value,
}
