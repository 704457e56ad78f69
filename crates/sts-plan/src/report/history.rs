//! The recorded revisions of a set, and who changed its template last.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::duration;
use crate::options::{History, RecordedRevision, Writer};
use crate::plan::Plan;

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

pub(super) fn history(plan: &Plan, history: &History) -> ReportHistory {
    let now = plan.conditions.now;
    let revisions = history.revisions.iter();
    ReportHistory {
        revisions: revisions.map(|it| revision(it, now)).collect(),
        writer: history.writer.as_ref().map(|it| writer(it, now)),
    }
}

fn age(now: Timestamp, since: Timestamp) -> String {
    duration::age(now.duration_since(since).max(SignedDuration::ZERO))
}

fn revision(recorded: &RecordedRevision, now: Timestamp) -> ReportRevision {
    ReportRevision {
        name: recorded.name.to_string(),
        number: recorded.number,
        created: recorded.created.map(|at| at.to_string()),
        age: recorded.created.map(|at| age(now, at)),
        pods: recorded.pods,
        update: recorded.is_update,
        current: recorded.is_current,
        change_cause: recorded.change_cause.clone(),
    }
}

fn writer(writer: &Writer, now: Timestamp) -> ReportWriter {
    ReportWriter {
        manager: writer.manager.clone(),
        operation: writer.operation.clone(),
        at: writer.at.to_string(),
        age: age(now, writer.at),
    }
}
