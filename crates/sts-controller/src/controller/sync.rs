//! One sync from beginning to end: docs/semantics.md 3.1, 3.4, 3.7 and 3.13.

use std::sync::Arc;

use jiff::Timestamp;

use super::adopt;
use super::adopt::ClaimDecision;
use super::cache::{Cache, ClaimedPods, PodIndex, RevisionCache};
use super::context::SyncContext;
use super::error::SyncError;
use super::event::Event;
use super::hold::Hold;
use super::recorder::Recorder;
use super::replicas;
use super::replicas::{Slots, Step};
use super::revision::Revisions;
use super::write::{ApiServer, Body, Write};
use super::{recreate, sequential, set_revisions, status, update};
use crate::object::{Revision, Selector, Snapshot, Status};
use crate::version::{Behaviour, PassStyle, Requeue, StatusOnError};

/// Outcome of one sync.
#[derive(Debug)]
pub struct Sync {
    /// Requests, in order.
    pub writes: Vec<Write>,
    /// Events recorded on the set, in order.
    pub events: Vec<Event>,
    /// Places where the sync stops or skips, with the reasons.
    pub holds: Vec<Hold>,
    /// The set's status after the sync.
    pub status: Arc<Status>,
    /// The error that ended the sync.
    pub error: Option<SyncError>,
    /// Seconds until the requested requeue, if there is one.
    pub requeue_after: Option<i64>,
    /// Number of pods that the sync looked at one by one.
    pub looked_at: u64,
}

impl Sync {
    /// Returns a sync without effect, such as that of a set that does not exist.
    #[must_use]
    pub fn nothing(snapshot: &Snapshot) -> Self {
        Sync {
            writes: Vec::new(),
            events: Vec::new(),
            holds: Vec::new(),
            status: Arc::clone(&snapshot.status),
            error: None,
            requeue_after: None,
            looked_at: 0,
        }
    }
}

/// Runs one sync on these objects at that time, and returns everything that the controller would do.
///
/// `server` answers its requests. `cache` comes from the previous sync. With `detailed` off, events and holds are not
/// recorded.
pub fn sync(
    snapshot: &Snapshot,
    now: Timestamp,
    behaviour: &Behaviour,
    server: &mut dyn ApiServer,
    cache: &mut Cache,
    detailed: bool,
) -> Sync {
    let mut out = Recorder::new(server, detailed);
    let result = sync_stateful_set(snapshot, now, behaviour, cache, &mut out);
    let written = out.writes.iter().rev().find_map(|write| match &write.body {
        Body::Status(status, _) if write.refused.is_none() => Some(Arc::clone(status)),
        _ => None,
    });
    let (error, requeue_after) = match result {
        Ok(requeue_after) => (None, requeue_after),
        Err(error) => (Some(error), None),
    };
    Sync {
        status: written.unwrap_or_else(|| Arc::clone(&snapshot.status)),
        writes: out.writes,
        events: out.events,
        holds: out.holds,
        error,
        requeue_after,
        looked_at: out.looked_at,
    }
}

/// `sync` and `syncStatefulSet`: adopts, claims and updates. Returns the seconds until the requested requeue.
fn sync_stateful_set(
    snapshot: &Snapshot,
    now: Timestamp,
    behaviour: &Behaviour,
    cache: &mut Cache,
    out: &mut Recorder<'_>,
) -> Result<Option<i64>, SyncError> {
    let selector = snapshot.set.selector.as_ref();
    let is_wrong = |selector: &Selector| selector.check().is_err();
    if !cache.has_pods_of(&snapshot.set) && selector.is_some_and(is_wrong) {
        // Logged, and never retried (quirk Q36).
        return Ok(None);
    }
    let listed = cache.revisions.list(snapshot, behaviour);
    adopt::adopt_orphan_revisions(snapshot, &listed, out)?;
    let mut pods = cache.claim_pods(snapshot, behaviour, out)?;
    let revisions = &mut cache.revisions;
    let result = update_stateful_set(snapshot, &listed, now, behaviour, &mut pods, revisions, out);
    cache.keep(pods);
    let status = result?;
    Ok(requeue_after(
        snapshot,
        now,
        behaviour,
        &status,
        out.detailed,
    ))
}

/// `UpdateStatefulSet`: truncates the history even if the update fails.
fn update_stateful_set(
    snapshot: &Snapshot,
    listed: &Arc<[Arc<Revision>]>,
    now: Timestamp,
    behaviour: &Behaviour,
    pods: &mut ClaimedPods,
    cache: &mut RevisionCache,
    out: &mut Recorder<'_>,
) -> Result<Arc<Status>, SyncError> {
    let revisions = set_revisions::determine(snapshot, listed, behaviour, cache, out);
    let (result, names) = match &revisions {
        Ok(revisions) => {
            let names = [&revisions.current.meta.name, &revisions.update.meta.name];
            (
                perform_update(snapshot, revisions, now, behaviour, pods, out),
                Some(names),
            )
        }
        Err(error) => (Err(error.clone()), None),
    };
    if let Err(error) = &result
        && error.panics()
    {
        return Err(error.clone());
    }
    let is_live = |name: &Arc<str>| {
        names.is_some_and(|names| names.contains(&name)) || pods.has_revision(name)
    };
    let truncated = truncate_history(snapshot, listed, is_live, behaviour, out);
    match (result, truncated) {
        (Ok(status), Ok(())) => Ok(status),
        (Ok(_), Err(error)) | (Err(error), Ok(())) => Err(error),
        (Err(error), Err(other)) => Err(SyncError::all(vec![error, other]).unwrap_or_default()),
    }
}

/// `performUpdate`: runs the pass and writes the resulting status.
fn perform_update(
    snapshot: &Snapshot,
    revisions: &Revisions,
    now: Timestamp,
    behaviour: &Behaviour,
    pods: &mut ClaimedPods,
    out: &mut Recorder<'_>,
) -> Result<Arc<Status>, SyncError> {
    let context = SyncContext::new(snapshot, revisions, behaviour, now)?;
    recreate::check(&context, out)?;
    let index = pods.index(&context, out)?;
    let mut computed = status::fresh(snapshot, revisions, behaviour);
    let error = update_pods(&context, index, &mut computed, out);
    match (behaviour.status_on_error, error) {
        (StatusOnError::NotWritten, Some(error)) => Err(error),
        (StatusOnError::WrittenAfter, Some(error)) if error.panics() => Err(error),
        (_, error) => {
            let written = status::write(&context, computed, out);
            error.map_or(written, Err)
        }
    }
}

/// `updateStatefulSet`: slots, condemned pods, update. Fills in the counters; an error does not undo them.
fn update_pods(
    context: &SyncContext<'_>,
    index: &PodIndex,
    computed: &mut Status,
    out: &mut Recorder<'_>,
) -> Option<SyncError> {
    let sequential = context.behaviour.pass == PassStyle::Sequential;
    let mut counters = index.count_claimed();
    if sequential {
        counters.replicas = index.claimed();
    }
    if context.set.is_terminating() {
        out.hold(|| Hold::SetBeingDeleted);
        status::set_counters(computed, counters, context.behaviour);
        return None;
    }
    let mut slots = Slots::new(index);
    if recreate::applies(context) {
        match recreate::delete_outdated(context, index, computed, out) {
            Ok(Step::Continue) => {}
            stopped => {
                status::set_counters(computed, slots.recount(), context.behaviour);
                return stopped.err();
            }
        }
    }
    let step = if sequential {
        sequential::process(context, &mut slots, &mut counters, out)
    } else {
        let step = batched(context, &mut slots, out);
        counters = slots.recount();
        step
    };
    status::set_counters(computed, counters, context.behaviour);
    match step {
        Err(error) => return Some(error),
        Ok(Step::Exit) => return None,
        Ok(Step::Continue) => {}
    }
    let updated = update::update(context, &slots, out);
    // A status written from inside the pass subtracts these deletes from a copy of itself (D-10).
    let lost = context.behaviour.status_on_error == StatusOnError::WrittenInside
        && context.behaviour.max_unavailable.is_some();
    if !lost {
        computed.current_replicas -= updated.deleted;
    }
    updated.error
}

/// Processes the slots, then the claims of condemned pods, then the condemned pods.
fn batched(
    context: &SyncContext<'_>,
    slots: &mut Slots<'_>,
    out: &mut Recorder<'_>,
) -> Result<Step, SyncError> {
    if let Step::Exit = replicas::process_replicas(context, slots, out)? {
        return Ok(Step::Exit);
    }
    replicas::fix_condemned_claims(context, slots.index, out)?;
    replicas::process_condemned_pods(context, slots.index, out)
}

/// `truncateHistory`: deletes the oldest unused revisions beyond the limit.
fn truncate_history(
    snapshot: &Snapshot,
    listed: &[Arc<Revision>],
    is_live: impl Fn(&Arc<str>) -> bool,
    behaviour: &Behaviour,
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    let unused: Vec<_> = listed
        .iter()
        .filter(|revision| !is_live(&revision.meta.name))
        .collect();
    let excess = match usize::try_from(snapshot.set.revision_history_limit) {
        Ok(limit) => unused.len().saturating_sub(limit),
        Err(_) if behaviour.negative_history_limit_keeps_all => 0,
        Err(_) => return Err(SyncError::panic("spec.revisionHistoryLimit is negative")),
    };
    for revision in unused.into_iter().take(excess) {
        out.delete_revision(revision)?;
    }
    Ok(())
}

/// Returns the seconds until the requested requeue: docs/semantics.md 3.14.
fn requeue_after(
    snapshot: &Snapshot,
    now: Timestamp,
    behaviour: &Behaviour,
    status: &Status,
    detailed: bool,
) -> Option<i64> {
    let set = &snapshot.set;
    let min_ready = set.min_ready_seconds;
    if !detailed || min_ready <= 0 {
        return None;
    }
    match behaviour.requeue {
        Requeue::Never => None,
        Requeue::AfterMinReadySeconds => {
            (status.available_replicas != i64::from(set.replicas)).then_some(i64::from(min_ready))
        }
        Requeue::WhenNextAvailable if status.ready_replicas == status.available_replicas => None,
        Requeue::WhenNextAvailable => {
            let owned = snapshot.pods.values().filter(|pod| {
                matches!(
                    adopt::claim_decision(set, pod, behaviour),
                    ClaimDecision::Ours | ClaimDecision::Adopt
                )
            });
            let due = owned
                .filter_map(|pod| pod.available_at(min_ready))
                .filter(|at| *at > now);
            let seconds = due.map(|at| at.duration_since(now).as_secs()).min();
            Some(seconds.unwrap_or(i64::from(min_ready)))
        }
    }
}
