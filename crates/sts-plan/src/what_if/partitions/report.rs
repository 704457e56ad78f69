//! Outcome for every partition.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::PartitionsSkipped;
use crate::plan::PlanResult;

/// Outcomes for every partition.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPartitions {
    /// Partitions, from the number of replicas down to 0.
    pub items: Vec<ReportPartition>,
    /// Number of partitions omitted from the middle.
    pub left_out: usize,
    /// Reason why no partition was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<PartitionsSkipped>,
}

/// Outcome for one partition.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPartition {
    /// Value of `partition`.
    pub partition: i32,
    /// True if this is the planned partition.
    pub planned: bool,
    /// Result of the rollout: `complete`, `blocked` or `livelock`.
    pub result: PlanResult,
    /// Pods at the end of the rollout, highest ordinal first.
    pub pods: Vec<ReportRestingPod>,
}

/// Pod at the end of the rollout.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRestingPod {
    /// Pod name.
    pub name: Arc<str>,
    /// Revision of the pod.
    pub revision: Arc<str>,
    /// Revision of the replacement if the pod is restarted; absent when not tried or not replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comes_back_on: Option<Arc<str>>,
}
