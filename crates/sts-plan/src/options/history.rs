//! The revision history of a set, and the last manager of its template.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{ReportHistory, ReportRevision, ReportWriter};
use crate::duration;
use crate::members::revisions_of;
use crate::plan::{Plan, owns, pods_of};
use sts_controller::object::time;

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

/// Returns the newest `managedFields` entry that owns a field of the template.
fn writer(object: &Value, now: Timestamp) -> Option<ReportWriter> {
    let entries = object["metadata"]["managedFields"].as_array()?.iter();
    let of_template = entries.filter(|entry| {
        let spec = &entry["fieldsV1"]["f:spec"];
        entry["subresource"].as_str().is_none_or(str::is_empty) && spec.get("f:template").is_some()
    });
    let written = of_template.filter_map(|entry| {
        let text = |key: &str| Some(entry[key].as_str()?.to_owned());
        let at = time(entry["time"].as_str()?)?;
        let writer = ReportWriter {
            manager: text("manager")?,
            operation: text("operation")?,
            at: at.to_string(),
            age: age(now, at),
        };
        Some((at, writer))
    });
    let newest = written.max_by_key(|(at, _)| *at);
    newest.map(|(_, writer)| writer)
}

fn age(now: Timestamp, since: Timestamp) -> String {
    duration::age(now.duration_since(since).max(SignedDuration::ZERO))
}
