//! The revision history of a set, and the last manager of its template.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{ReportHistory, ReportRevision, ReportWriter};
use crate::duration;
use crate::members::revisions_of;
use crate::plan::{Plan, TemplateWriter, owns, pods_of};

/// The annotation with the reason of a change, set by `kubectl --record` and deployment tools.
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// Returns the revisions of a plan's set and the last manager of its template.
pub(crate) fn history(plan: &Plan) -> ReportHistory {
    let now = plan.conditions.now;
    let snapshot = &plan.snapshot;
    let status = &plan.next.status;
    let pods = |revision: &Arc<str>| {
        let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
        pods.filter(|pod| pod.revision == *revision).count()
    };
    let mut revisions: Vec<ReportRevision> = revisions_of(snapshot)
        .map(|revision| {
            let name = &revision.meta.name;
            let annotations = revision.annotations.as_deref();
            let cause = annotations.and_then(|it| it.get(CHANGE_CAUSE)?.as_str());
            ReportRevision {
                name: name.to_string(),
                number: revision.number,
                created: revision.meta.created.map(|at| at.to_string()),
                age: revision.meta.created.map(|at| age(now, at)),
                pods: pods(name),
                update: *name == status.update_revision,
                current: *name == status.current_revision,
                change_cause: cause.unwrap_or_default().to_owned(),
            }
        })
        .collect();
    revisions.sort_by(|a, b| (b.number, &b.name).cmp(&(a.number, &a.name)));
    ReportHistory {
        revisions,
        writer: writer(&snapshot.set.object.open(), now),
    }
}

/// Returns the manager that wrote the template last.
fn writer(object: &Value, now: Timestamp) -> Option<ReportWriter> {
    let writer = TemplateWriter::of(object)?;
    Some(ReportWriter {
        at: writer.at.to_string(),
        age: age(now, writer.at),
        manager: writer.manager,
        operation: writer.operation,
    })
}

fn age(now: Timestamp, since: Timestamp) -> String {
    duration::age(now.duration_since(since).max(SignedDuration::ZERO))
}
