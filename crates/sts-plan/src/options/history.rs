//! The recorded revisions of a set, and the manager that wrote its template last.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::members::revisions_of;
use crate::plan::{Plan, owns, pods_of};
use sts_controller::object::time;

/// The annotation in which `kubectl --record` and deployment tools say why.
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// The revisions of a set, and who changed its template last.
#[derive(Debug, Clone)]
pub struct History {
    /// The revisions, the newest number first.
    pub revisions: Vec<RecordedRevision>,
    /// The manager that owns fields of the template and wrote last; `None` where `managedFields` do not tell.
    pub writer: Option<Writer>,
}

/// A recorded revision.
#[derive(Debug, Clone)]
pub struct RecordedRevision {
    /// Its name.
    pub name: Arc<str>,
    /// Its number.
    pub number: i64,
    /// When it was recorded first.
    pub created: Option<Timestamp>,
    /// Number of pods on it.
    pub pods: usize,
    /// True if the template is of it.
    pub is_update: bool,
    /// True if it is `status.currentRevision`.
    pub is_current: bool,
    /// The annotation that says why; empty without one.
    pub change_cause: String,
}

/// A field manager that has written to a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// Its name, such as `kubectl-set`.
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    /// When it wrote last.
    pub at: Timestamp,
}

/// Returns the revisions of a plan's set and the last writer of its template.
pub(super) fn history(plan: &Plan) -> History {
    let snapshot = &plan.snapshot;
    let status = &plan.next.status;
    let pods = |revision: &Arc<str>| {
        let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
        pods.filter(|pod| pod.revision == *revision).count()
    };
    let mut revisions: Vec<RecordedRevision> = revisions_of(snapshot)
        .map(|revision| {
            let name = &revision.meta.name;
            let annotations = revision.annotations.as_deref();
            let cause = annotations.and_then(|it| it.get(CHANGE_CAUSE)?.as_str());
            RecordedRevision {
                name: Arc::clone(name),
                number: revision.number,
                created: revision.meta.created,
                pods: pods(name),
                is_update: *name == status.update_revision,
                is_current: *name == status.current_revision,
                change_cause: cause.unwrap_or_default().to_owned(),
            }
        })
        .collect();
    revisions.sort_by(|a, b| (b.number, &b.name).cmp(&(a.number, &a.name)));
    History {
        revisions,
        writer: writer(&snapshot.set.object.open()),
    }
}

/// The newest entry of `managedFields` that owns a field of the template.
fn writer(object: &Value) -> Option<Writer> {
    let entries = object["metadata"]["managedFields"].as_array()?.iter();
    let of_template = entries.filter(|entry| {
        let spec = &entry["fieldsV1"]["f:spec"];
        entry["subresource"].as_str().is_none_or(str::is_empty) && spec.get("f:template").is_some()
    });
    let written = of_template.filter_map(|entry| {
        let text = |key: &str| Some(entry[key].as_str()?.to_owned());
        Some(Writer {
            at: time(entry["time"].as_str()?)?,
            manager: text("manager")?,
            operation: text("operation")?,
        })
    });
    written.max_by_key(|writer| writer.at)
}
