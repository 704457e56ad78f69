//! Course of the rollout if pods never become ready.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Recovery;
use crate::plan::{Failure, ObstacleReason, PlanResult};

/// Courses of the rollout if pods fail, one or two at a time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportBranches {
    /// Branches: first one per pod and revision, in the order of readiness in the plan, then one per pod that
    /// is ready now. For pairs, the worst first.
    pub items: Vec<ReportBranch>,
    /// Number of branches omitted from the middle; absent when none are.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub left_out: usize,
}

/// Course of the rollout if one pod, or a pair, fails: it never becomes ready on a revision, or loses its
/// readiness.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportBranch {
    /// Pod that fails.
    pub pod: String,
    /// Revision on which the pod never becomes ready.
    pub revision: String,
    /// Predicted time of readiness, or of the failure of a pod that is ready now: whole seconds since the start.
    pub at: i64,
    /// True if the pod is ready now and stays unready until it is replaced; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_ready: bool,
    /// Second pod of a pair; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<FailedPod>,
    /// True if the rollout stops before the second pod of a pair starts, as if the first failed alone; absent
    /// otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stops_before: bool,
    /// Minimum number of desired pods that are ready at once.
    pub lowest_ready: usize,
    /// True if `lowestReady` is below the majority of three or more replicas; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses_quorum: bool,
    /// `complete`, `blocked` or `livelock`.
    pub result: PlanResult,
    /// Time at which nothing is left to happen: whole seconds since the start.
    pub ends_at: i64,
    /// Reason of the obstacle that blocks the rollout; absent when it is not stuck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ObstacleReason>,
    /// Obstacle that blocks the rollout, in one sentence; absent when it is not stuck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Number of ready pods at the end, by revision.
    pub ready: BTreeMap<String, usize>,
    /// Pods that are not on the update revision at the end.
    pub outdated: Vec<String>,
    /// Desired pods that do not exist at the end; absent when all exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Recovery that completes the rollout, by simulation: `not-needed`, `revert-alone`, `revert-and-delete`,
    /// `delete-alone` or `neither`.
    pub recovery: Recovery,
    /// Pods that this recovery deletes, all of which have failed by then; absent when none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deletes: Vec<String>,
}

/// Second pod of a pair that fails.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FailedPod {
    /// Pod that fails.
    pub pod: String,
    /// Revision on which the pod never becomes ready.
    pub revision: String,
    /// Predicted time of readiness, or of the failure of a pod that is ready now: whole seconds since the start.
    pub at: i64,
    /// True if the pod is ready now and loses its readiness; absent otherwise.
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
