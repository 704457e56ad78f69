//! The outcome of every partition.

use serde::Serialize;

use super::name;
use crate::plan::PlanResult;
use crate::what_if::{Partition, Partitions, PartitionsSkipped};

/// The outcomes of the partitions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPartitions {
    /// From the number of replicas down to 0.
    pub items: Vec<ReportPartition>,
    /// Number of partitions in between that were not tried.
    pub left_out: usize,
    /// The reason that none was tried.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "name::optional::serialize"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub skipped: Option<PartitionsSkipped>,
}

/// The outcome of one partition.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportPartition {
    /// The partition.
    pub partition: i32,
    /// True if it is the planned one.
    pub planned: bool,
    /// The result of the rollout: `complete`, `blocked` or `livelock`.
    #[serde(serialize_with = "name::serialize")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub result: PlanResult,
    /// The set's pods when it is at rest, the highest ordinal first.
    pub pods: Vec<ReportRestingPod>,
}

/// A pod when the rollout is at rest.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRestingPod {
    /// Its name.
    pub name: String,
    /// Its revision.
    pub revision: String,
    /// The revision of the pod that takes its place when it is restarted; absent when that was not tried, or when none
    /// does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comes_back_on: Option<String>,
}

pub(super) fn partitions(partitions: &Partitions) -> ReportPartitions {
    match partitions {
        Partitions::Tried(tried, left_out) => ReportPartitions {
            items: tried.iter().map(partition).collect(),
            left_out: *left_out,
            skipped: None,
        },
        Partitions::Skipped(why) => ReportPartitions {
            items: Vec::new(),
            left_out: 0,
            skipped: Some(*why),
        },
    }
}

fn partition(tried: &Partition) -> ReportPartition {
    ReportPartition {
        partition: tried.partition,
        planned: tried.is_planned,
        result: tried.result,
        pods: tried
            .pods
            .iter()
            .map(|pod| ReportRestingPod {
                name: pod.name.to_string(),
                revision: pod.revision.to_string(),
                comes_back_on: pod.comes_back_on.as_ref().map(ToString::to_string),
            })
            .collect(),
    }
}
