//! The recorded revisions of a set, and who changed its template last.

use serde::{Deserialize, Serialize};

/// The recorded revisions of a set, and who changed its template last.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportHistory {
    /// The revisions, the newest number first.
    pub revisions: Vec<ReportRevision>,
    /// The manager that owns fields of the template and wrote last; absent where `managedFields` do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<ReportWriter>,
}

/// A recorded revision.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRevision {
    /// Its name.
    pub name: String,
    /// Its number, which `kubectl rollout undo --to-revision` takes.
    pub number: i64,
    /// When it was recorded first; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// For how long it has been recorded, such as `38m`; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// Number of pods on it.
    pub pods: usize,
    /// True if the template is of it; absent when it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub update: bool,
    /// True if it is `status.currentRevision`; absent when it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub current: bool,
    /// The annotation `kubernetes.io/change-cause`; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub change_cause: String,
}

/// A field manager that has written to a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportWriter {
    /// Its name, such as `kubectl-set`.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// When it wrote last.
    pub at: String,
    /// The time since then, such as `38m`.
    pub age: String,
}
