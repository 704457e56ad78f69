//! The course of the rollout if a pod never becomes ready.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::name;
use crate::plan::{Failure, ObstacleReason, PlanResult};
use crate::what_if::Recovery;

/// The courses of the rollout if pods fail, one at a time or two.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportBranches {
    /// One branch a pod and revision, in the order in which they become ready in the plan, then one for each pod that
    /// is ready now; or pairs of them, the worst first.
    pub items: Vec<ReportBranch>,
    /// Number of branches in the middle that were not looked at; absent when none was left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde asks for"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The course of the rollout if one pod never becomes ready on a revision, or is ready now and stops being; or two.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportBranch {
    /// The pod.
    pub pod: String,
    /// The revision on which it never becomes ready.
    pub revision: String,
    /// When it should have become ready: whole seconds since the beginning.
    pub at: i64,
    /// True if the pod is ready now and stops being so, until another takes its place; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_ready: bool,
    /// The other pod that fails, of a pair; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<FailedPod>,
    /// Lowest number of wanted pods that are ready at one moment.
    pub lowest_ready: usize,
    /// True if that is less than a majority of three replicas or more; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses_quorum: bool,
    /// `complete`, `blocked` or `livelock`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub result: PlanResult,
    /// When nothing is left to happen: whole seconds since the beginning.
    pub ends_at: i64,
    /// The reason of what the rollout is stuck at; absent when it is not stuck.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub reason: Option<ObstacleReason>,
    /// The obstacle that it is stuck at, in one sentence; absent when it is not stuck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Number of pods that serve at that end, by revision.
    pub ready: BTreeMap<String, usize>,
    /// The pods that are not of the update revision at that end.
    pub outdated: Vec<String>,
    /// The pods that are wanted and do not exist at that end; absent when all exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// `not-needed`, `revert-alone`, `revert-and-delete`, `delete-alone` or `neither`: what it takes to complete then,
    /// by the simulation.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub recovery: Recovery,
}

/// The other pod of a pair that fails.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FailedPod {
    /// The pod.
    pub pod: String,
    /// The revision on which it never becomes ready.
    pub revision: String,
    /// When it should have become ready: whole seconds since the beginning.
    pub at: i64,
    /// True if the pod is ready now and stops being so; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_ready: bool,
}

impl From<&Failure> for FailedPod {
    fn from(failure: &Failure) -> Self {
        FailedPod {
            pod: failure.pod.to_string(),
            revision: failure.revision.to_string(),
            at: failure.at.as_secs(),
            was_ready: failure.was_ready,
        }
    }
}
