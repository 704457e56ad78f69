//! The differences between two plans of one set, as a program reads them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ApiVersion, DocumentKind};

/// The differences between two plans of one set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanDiff {
    /// `sts-plan/v1`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub api_version: ApiVersion,
    /// `PlanDiff`.
    #[cfg_attr(test, schemars(with = "String", extend("const" = "PlanDiff")))]
    pub kind: DocumentKind,
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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanDiffList<'r> {
    /// `sts-plan/v1`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub api_version: ApiVersion,
    /// `PlanDiffList`.
    #[cfg_attr(test, schemars(with = "String", extend("const" = "PlanDiffList")))]
    pub kind: DocumentKind,
    /// By namespace and name.
    pub items: Cow<'r, [PlanDiff]>,
}

impl<'r> PlanDiffList<'r> {
    /// A list of differences.
    #[must_use]
    pub fn new(items: &'r [PlanDiff]) -> Self {
        PlanDiffList {
            api_version: ApiVersion::V1,
            kind: DocumentKind::PlanDiffList,
            items: Cow::Borrowed(items),
        }
    }
}

/// The verdict on the differences between two plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// The subject of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiffTopic {
    /// The result of the rollout.
    Result,
    /// The time that it takes.
    Duration,
    /// The time without a ready pod.
    Downtime,
    /// The time without a majority of ready pods.
    Quorum,
    /// The most pods that are not ready at a time.
    Unavailable,
    /// The operations on pods.
    Pods,
    /// The claims whose data is lost.
    Claims,
    /// A requirement.
    Requirement,
    /// A finding.
    Finding,
    /// A changed field.
    Change,
    /// The controller's version, and its feature gates.
    Controller,
    /// An assumption.
    Assumption,
}

/// One thing that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanDifference {
    /// The subject: `result`, `duration`, `downtime`, `quorum`, `unavailable`, `pods`, `claims`, `requirement`,
    /// `finding`, `change`, `controller` or `assumption`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub about: DiffTopic,
    /// The impact on the set.
    pub effect: Impact,
    /// One clause.
    pub message: String,
    /// The value in the first plan.
    pub old: Value,
    /// The value in the second.
    pub new: Value,
}
