//! Pods that are up now and have not stayed so before: they crash in between, become ready after they were overdue, or are
//! recreated again and again.

use std::cell::LazyCell;
use std::sync::Arc;

use jiff::SignedDuration;

use super::assumption::{PlanAssumption, Setback};
use super::evidence::Evidence;
use super::patience::{SlowestStarts, is_on_new_revision};
use super::{Conditions, owns, pods_of};
use crate::catalogue::readiness_failures;
use sts_controller::object::{Event, Phase, Pod, Snapshot};

/// Minimum number of restarts that count as repeated.
const OFTEN: i64 = 3;
/// Multiple of the mean time between two crashes after which a process counts as stable.
const STABLE: i32 = 3;
/// Time for which a pod that was overdue has to be ready.
const SETTLED: SignedDuration = SignedDuration::from_mins(2);

/// Returns the assumptions that pods of a set stay up, although they have not done so before.
pub(super) fn unsteady<'s>(
    snapshot: &'s Snapshot,
    conditions: &'s Conditions,
    evidence: &'s Evidence,
) -> impl Iterator<Item = PlanAssumption> + use<'s> {
    let slowest = LazyCell::new(|| SlowestStarts::of(snapshot));
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod) && !pod.is_terminating());
    let free = pods.filter(|pod| !conditions.assumptions.contains_key(&*pod.meta.name));
    free.filter_map(move |pod| {
        let setback = recreated(pod, evidence)
            .or_else(|| crashes(pod, snapshot, conditions))
            .or_else(|| was_overdue(pod, &slowest, snapshot, conditions))?;
        Some(PlanAssumption::StaysUp {
            pod: Arc::clone(&pod.meta.name),
            setback,
        })
    })
}

/// Returns the earlier failures of a pod that the controller has created again after each.
fn recreated(pod: &Pod, evidence: &Evidence) -> Option<Setback> {
    let found = evidence.recreated.get(&pod.meta.name)?;
    (pod.phase != Phase::Failed).then(|| Setback::Recreated {
        count: found.count,
        author: found.author.clone(),
    })
}

/// Returns the crashes of a pod on the new revision of a rollout, if it has not been up for longer than before them.
fn crashes(pod: &Arc<Pod>, snapshot: &Snapshot, conditions: &Conditions) -> Option<Setback> {
    if !is_on_new_revision(pod, snapshot) || !pod.is_running_and_ready() {
        return None;
    }
    let created = pod.meta.created?;
    pod.containers().into_iter().find_map(|container| {
        let ended = container.ended?.at?;
        let restarts = i32::try_from(container.restarts).unwrap_or(i32::MAX);
        if container.restarts < OFTEN {
            return None;
        }
        let between = ended.duration_since(created) / restarts;
        let up = conditions.now.duration_since(ended);
        (up < between.saturating_mul(STABLE)).then_some(Setback::Restarted {
            container: container.name,
            count: container.restarts,
            last: up,
        })
    })
}

/// Returns the start of a pod that was overdue until a moment ago, while its readiness probe failed. A ready pod of a
/// set at rest has started before, so that failures of its probe were a blip. So was a failure in a life that was longer
/// than the failures: the pod was ready in between.
fn was_overdue(
    pod: &Arc<Pod>,
    slowest: &SlowestStarts<'_>,
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Option<Setback> {
    let since = pod.ready.filter(|ready| ready.is_true)?.since?;
    let delay = SignedDuration::from_secs(snapshot.set.min_ready_seconds.into());
    let up = conditions.now.duration_since(since);
    if up >= delay.max(SETTLED) || is_at_rest(snapshot) {
        return None;
    }
    let created = pod.meta.created?;
    let is_of_start = |event: &&Arc<Event>| {
        let last = event.last.map(|last| since.duration_since(last));
        last.is_some_and(|before| before < SETTLED)
    };
    let failures: Vec<&Arc<Event>> = readiness_failures(pod, &conditions.related)
        .filter(is_of_start)
        .collect();
    let last = failures.iter().filter_map(|event| event.last).max()?;
    // The failures of a start are one event, which has the time of the first.
    let first = failures.iter().filter_map(|event| event.first).min();
    let began = first.map_or(created, |first| first.max(created));
    let took = since.duration_since(began);
    (took > slowest.patience_for(pod)).then(|| Setback::Unready {
        took,
        last: conditions.now.duration_since(last),
    })
}

/// Reports whether all replicas of a set are ready on its only revision.
fn is_at_rest(snapshot: &Snapshot) -> bool {
    let status = &snapshot.status;
    let is_ready = |pod: &&Arc<Pod>| {
        pod.is_running_and_ready()
            && !pod.is_terminating()
            && pod.revision == status.update_revision
    };
    let ready = pods_of(snapshot).filter(is_ready).count();
    status.current_revision == status.update_revision
        && i64::try_from(ready).is_ok_and(|ready| ready >= i64::from(snapshot.set.replicas))
}
