//! Revision history of a set and the last writer of its template.

use serde::{Deserialize, Serialize};

/// Revision history of a set and the last writer of its template.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportHistory {
    /// Revisions, the newest first.
    pub revisions: Vec<ReportRevision>,
    /// Last manager to write fields of the template; absent when `managedFields` do not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<ReportWriter>,
}

/// Stored revision.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRevision {
    /// Name of the ControllerRevision.
    pub name: String,
    /// Revision number for `kubectl rollout undo --to-revision`.
    pub number: i64,
    /// Creation time; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// Age, such as `38m`; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// Number of pods on the revision.
    pub pods: usize,
    /// True if it matches the current template; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub update: bool,
    /// True if it is `status.currentRevision`; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub current: bool,
    /// Annotation `kubernetes.io/change-cause`; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub change_cause: String,
}

/// Field manager that wrote to a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportWriter {
    /// Manager name, such as `kubectl-set`.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// Time of the last write.
    pub at: String,
    /// Time since the last write, such as `38m`.
    pub age: String,
}
