//! The outcome of every partition.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::name;
use crate::plan::PlanResult;
use crate::what_if::PartitionsSkipped;

/// The outcomes of the partitions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPartitions {
    /// From the number of replicas down to 0.
    pub items: Vec<ReportPartition>,
    /// Number of partitions in between that were not tried.
    pub left_out: usize,
    /// The reason that none was tried.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub skipped: Option<PartitionsSkipped>,
}

/// The outcome of one partition.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPartition {
    /// The partition.
    pub partition: i32,
    /// True if it is the planned one.
    pub planned: bool,
    /// The result of the rollout: `complete`, `blocked` or `livelock`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub result: PlanResult,
    /// The set's pods when it is at rest, the highest ordinal first.
    pub pods: Vec<ReportRestingPod>,
}

/// A pod when the rollout is at rest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRestingPod {
    /// Its name.
    pub name: Arc<str>,
    /// Its revision.
    pub revision: Arc<str>,
    /// The revision of the pod that takes its place when it is restarted; absent when that was not tried, or when none
    /// does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comes_back_on: Option<Arc<str>>,
}
