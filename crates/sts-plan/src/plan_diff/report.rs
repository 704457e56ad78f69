//! Differences between two plans of one set.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::{ApiVersion, DocumentKind};

/// Differences between two plans of one set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanDiff {
    /// `sts-plan/v1`.
    pub api_version: ApiVersion,
    /// `PlanDiff`.
    #[cfg_attr(test, schemars(extend("const" = "PlanDiff")))]
    pub kind: DocumentKind,
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// Overall verdict.
    pub verdict: DiffVerdict,
    /// Differences, the most important first.
    pub differences: Vec<PlanDifference>,
    /// One-line summary.
    pub summary: String,
}

/// Differences of several plans.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlanDiffList<'r> {
    /// `sts-plan/v1`.
    pub api_version: ApiVersion,
    /// `PlanDiffList`.
    #[cfg_attr(test, schemars(extend("const" = "PlanDiffList")))]
    pub kind: DocumentKind,
    /// Items, by namespace and name.
    pub items: Cow<'r, [PlanDiff]>,
}

impl<'r> PlanDiffList<'r> {
    /// Creates a list of differences.
    #[must_use]
    pub fn new(items: &'r [PlanDiff]) -> Self {
        PlanDiffList {
            api_version: ApiVersion::V1,
            kind: DocumentKind::PlanDiffList,
            items: Cow::Borrowed(items),
        }
    }
}

/// Overall verdict on the differences between two plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DiffVerdict {
    /// No difference.
    Same,
    /// Something is worse, nothing is better.
    Worse,
    /// Something is better, nothing is worse.
    Better,
    /// Something is worse, something else is better.
    Mixed,
    /// The differences are neither better nor worse.
    Different,
    /// Only the first plan contains the set.
    OnlyFirst,
    /// Only the second plan contains the set.
    OnlySecond,
}

impl DiffVerdict {
    /// Returns the verdict in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            DiffVerdict::Same => "same",
            DiffVerdict::Worse => "worse",
            DiffVerdict::Better => "better",
            DiffVerdict::Mixed => "better and worse",
            DiffVerdict::Different => "different",
            DiffVerdict::OnlyFirst => "no longer planned",
            DiffVerdict::OnlySecond => "new",
        }
    }
}

/// Impact of a difference on the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Impact {
    /// More data loss, unavailability or time.
    Worse,
    /// Less data loss, unavailability or time.
    Better,
    /// Neutral.
    Other,
}

/// Subject of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiffTopic {
    /// Result of the rollout.
    Result,
    /// Duration of the rollout.
    Duration,
    /// Time without a ready pod.
    Downtime,
    /// Time without a majority of ready pods.
    Quorum,
    /// Maximum number of unready pods at once.
    Unavailable,
    /// Operations on pods.
    Pods,
    /// Claims whose data is lost.
    Claims,
    /// Requirement.
    Requirement,
    /// Finding.
    Finding,
    /// Changed field.
    Change,
    /// Version or feature gates of the controller.
    Controller,
    /// Assumption.
    Assumption,
}

string_schema!(DiffTopic);

/// Difference between two plans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanDifference {
    /// Subject: `result`, `duration`, `downtime`, `quorum`, `unavailable`, `pods`, `claims`, `requirement`,
    /// `finding`, `change`, `controller` or `assumption`.
    pub about: DiffTopic,
    /// Impact on the set.
    pub effect: Impact,
    /// Difference in one clause.
    pub message: String,
    /// Value in the first plan.
    pub old: Value,
    /// Value in the second plan.
    pub new: Value,
}
