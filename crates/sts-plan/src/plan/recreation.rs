//! Pods that the controller creates again and again.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Conditions;
use crate::catalogue::events_of_set;
use sts_controller::object::{Event, Phase, Pod, Snapshot};

/// Creations of one pod in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecreationLoop {
    /// Number of creations.
    pub count: i64,
    /// Time of the first creation.
    pub since: Timestamp,
}

/// Counts the creations of each pod that the controller recreates again and again, or that ends at its own deadline.
pub(super) fn recreated(
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> BTreeMap<Arc<str>, RecreationLoop> {
    let mut found = BTreeMap::new();
    // The API server's event limits keep few events of a long loop.
    let events = events_of_set(&snapshot.set, &conditions.related);
    let created = events.filter(|event| {
        matches!(&*event.reason, "SuccessfulCreate" | "RecreatingFailedPod")
            && event.count >= LEAST_LOOP
    });
    for event in created {
        let Some((since, last)) = event.first.zip(event.last) else {
            continue;
        };
        let count = event.count;
        let times = i32::try_from(count).unwrap_or(i32::MAX);
        // `create Pod web-1 in StatefulSet web successful`, `StatefulSet prod/web is recreating failed Pod web-1`
        let name = event.message.split_once("Pod ").map(|(_, rest)| rest);
        if let Some(name) = name.and_then(|rest| rest.split_whitespace().next())
            && let Some(pod) = snapshot.pods.get(name)
            && !is_one_failure(event, pod)
            && (is_of_deadline(pod, last)
                || (count >= LOOP
                    && conditions.now.duration_since(last) <= longest_turn(event)
                    && last.duration_since(since) / times.max(1) <= longest_turn(event)))
        {
            found.insert(Arc::clone(&pod.meta.name), RecreationLoop { count, since });
        }
    }
    found
}

/// Reports whether an event repeats the failure of one pod, which is older than its first report: the controller sends it
/// until the pod is gone.
fn is_one_failure(event: &Event, pod: &Pod) -> bool {
    let created = pod.meta.created;
    let is_older = created
        .zip(event.first)
        .is_some_and(|(created, first)| created < first);
    &*event.reason == "RecreatingFailedPod" && is_older
}

/// Reports whether a pod, created at the time of the last report, ended at its own deadline, which its replacement has too,
/// however long that is.
fn is_of_deadline(pod: &Pod, last: Timestamp) -> bool {
    let created = pod.meta.created;
    let is_of_this = created.is_none_or(|created| created.duration_since(last) <= CREATED_WITHIN);
    is_of_this && pod.phase == Phase::Failed && pod.status_reason().0 == "DeadlineExceeded"
}

/// Time within which the controller creates a pod after it has reported the failed one.
const CREATED_WITHIN: SignedDuration = SignedDuration::from_mins(1);
const LEAST_LOOP: i64 = 2;
/// Minimum number of creations in a loop.
const LOOP: i64 = 10;

/// Returns the maximum time of one turn of a loop. A failed pod may have run for a while; one that was only created may
/// belong to frequent rollouts.
fn longest_turn(event: &Event) -> SignedDuration {
    match &*event.reason {
        "RecreatingFailedPod" => SignedDuration::from_hours(2),
        _ => SignedDuration::from_mins(15),
    }
}
