//! Time after which a pod that is not ready counts as stuck: by the starts of the other pods, or by a probe that fails
//! again and again.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::pace::StartedPod;
use super::{Conditions, owns, pods_of};
use crate::catalogue::readiness_failures;
use sts_controller::object::{Pod, Snapshot};

/// Minimum time before an unready pod is overdue.
const LEAST_START: SignedDuration = SignedDuration::from_mins(10);
/// Slowdown relative to the slowest ready pod at which a pod is overdue.
const TIMES_SLOWEST: i32 = 3;
/// Minimum number of failures of a probe that count as repeated.
const OFTEN_FAILED: i64 = 20;
/// Maximum age of the last failure of a probe that still fails.
const STILL_FAILS: SignedDuration = SignedDuration::from_mins(2);

/// The two slowest starts of a set, the slowest first: one pod is judged by the others.
pub(super) struct SlowestStarts<'s>(Vec<(&'s Arc<str>, SignedDuration)>);

impl<'s> SlowestStarts<'s> {
    pub(super) fn of(snapshot: &'s Snapshot) -> Self {
        let mut slowest: Vec<(&'s Arc<str>, SignedDuration)> = Vec::new();
        let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
        for started in pods.filter_map(StartedPod::of) {
            slowest.push((&started.pod.meta.name, started.took()));
            slowest.sort_by_key(|(_, took)| Reverse(*took));
            slowest.truncate(2);
        }
        SlowestStarts(slowest)
    }

    /// Returns the time after which a pod is overdue by the other pods.
    pub(super) fn patience_for(&self, pod: &Pod) -> SignedDuration {
        let mut others = self.0.iter().filter(|(name, _)| **name != pod.meta.name);
        let slowest = others
            .next()
            .map_or(SignedDuration::ZERO, |(_, took)| *took);
        let longer = slowest.checked_mul(TIMES_SLOWEST);
        LEAST_START
            .max(longer.unwrap_or(SignedDuration::MAX))
            .max(pod.startup_allowance())
    }
}

/// Reports whether a pod is on the new revision of a rollout.
pub(super) fn is_on_new_revision(pod: &Pod, snapshot: &Snapshot) -> bool {
    let status = &snapshot.status;
    status.current_revision != status.update_revision && pod.revision == status.update_revision
}

/// Returns since when the readiness probe of a pod on the new revision of a rollout fails again and again, if it still does.
pub(super) fn flaps_since(
    pod: &Pod,
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Option<Timestamp> {
    if !is_on_new_revision(pod, snapshot) {
        return None;
    }
    let mut failures = readiness_failures(pod, &conditions.related);
    let repeated = failures.find(|event| {
        let age = event.last.map(|last| conditions.now.duration_since(last));
        event.count >= OFTEN_FAILED && age.is_some_and(|age| age < STILL_FAILS)
    });
    repeated?.first
}
