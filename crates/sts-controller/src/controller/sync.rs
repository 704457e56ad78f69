//! One sync from beginning to end: docs/semantics.md 3.1, 3.4, 3.7 and 3.13.

use std::sync::Arc;

use jiff::Timestamp;

use super::adopt;
use super::adopt::Claiming;
use super::error::SyncError;
use super::event::Event;
use super::hold::Hold;
use super::pass::Pass;
use super::replicas;
use super::replicas::{Places, Step};
use super::revision;
use super::revision::{RevisionMemory, Revisions};
use super::roster::Roster;
use super::write::{ApiServer, Body, Recorder, Write};
use super::{sequential, status, update};
use crate::object::{Pod, Revision, Snapshot, Status};
use crate::version::{Behaviour, PassStyle, Requeue, StatusOnError};

/// What one sync does and says.
#[derive(Debug)]
pub struct Sync {
    /// Its requests, in order.
    pub writes: Vec<Write>,
    /// The events that it records on the set, in order.
    pub events: Vec<Event>,
    /// Where and why it stops or skips.
    pub holds: Vec<Hold>,
    /// The set's status after it.
    pub status: Arc<Status>,
    /// The error that it ends in.
    pub error: Option<SyncError>,
    /// After how many seconds the controller wants to look again, where it asks for that.
    pub requeue_after: Option<i64>,
}

impl Sync {
    /// A sync that finds nothing to do and says nothing, such as one of a set that is not there.
    #[must_use]
    pub fn nothing(snapshot: &Snapshot) -> Self {
        Sync {
            writes: Vec::new(),
            events: Vec::new(),
            holds: Vec::new(),
            status: Arc::clone(&snapshot.status),
            error: None,
            requeue_after: None,
        }
    }
}

/// What the controller of a simulation may keep from one sync to the next. It changes no result: a sync with
/// an empty memory does the same.
#[derive(Debug, Default)]
pub struct Memory {
    revisions: RevisionMemory,
    roster: Option<Roster>,
    touched: Vec<Arc<str>>,
}

impl Memory {
    /// Says that the pod of that name, or a claim of its, came, changed or went.
    pub fn touch(&mut self, pod: &Arc<str>) {
        self.touched.push(Arc::clone(pod));
    }

    /// Says that anything may have changed.
    pub fn forget(&mut self) {
        *self = Memory::default();
    }

    /// What was kept, if it still says who the set's pods are. It is gone from the memory then: a sync that
    /// fails before it has looked at the pods leaves none.
    fn take_kept(&mut self, snapshot: &Snapshot, behaviour: &Behaviour) -> Option<Kept> {
        let mut names = std::mem::take(&mut self.touched);
        names.dedup();
        let roster = self
            .roster
            .take()
            .filter(|roster| roster.is_of(&snapshot.set))?;
        let mut touched = Vec::with_capacity(names.len());
        for name in names {
            let pod = snapshot.pods.get(&name);
            let claiming = pod.map_or(Claiming::Ignore, |pod| {
                adopt::claiming(&snapshot.set, pod, behaviour)
            });
            match claiming {
                Claiming::Ours => touched.push((name, pod.map(Arc::clone))),
                Claiming::Ignore => touched.push((name, None)),
                // Whoever is adopted or released, it begins with going through all pods.
                Claiming::Adopt | Claiming::Release => return None,
            }
        }
        Some(Kept { roster, touched })
    }
}

/// A roster of the sync before, and the pods that have to be looked at again: those that are the set's as they
/// are now, the others as gone.
struct Kept {
    roster: Roster,
    touched: Vec<(Arc<str>, Option<Arc<Pod>>)>,
}

/// What the controller would do with these objects at that moment.
///
/// `server` answers its requests. With `detailed` off, events and holds are not recorded.
pub fn sync(
    snapshot: &Snapshot,
    now: Timestamp,
    behaviour: &Behaviour,
    server: &mut dyn ApiServer,
    memory: &mut Memory,
    detailed: bool,
) -> Sync {
    let mut out = Recorder::new(server, detailed);
    let kept = memory.take_kept(snapshot, behaviour);
    let result = run(snapshot, now, behaviour, kept, memory, &mut out);
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
    }
}

/// `sync`: adopts, claims, updates, and says after how many seconds it wants to be called again.
fn run(
    snapshot: &Snapshot,
    now: Timestamp,
    behaviour: &Behaviour,
    kept: Option<Kept>,
    memory: &mut Memory,
    out: &mut Recorder<'_>,
) -> Result<Option<i64>, SyncError> {
    let set = &snapshot.set;
    if set
        .selector
        .as_ref()
        .is_some_and(|selector| selector.check().is_err())
    {
        // Logged, and never tried again (quirk Q36).
        return Ok(None);
    }
    let listed = revision::list(snapshot, behaviour);
    adopt::adopt_orphan_revisions(snapshot, &listed, out)?;
    let mut pods = match kept {
        Some(kept) => Pods::Kept(kept),
        None => Pods::Claimed(adopt::claim_pods(snapshot, behaviour, out)?),
    };
    let moved = matches!(&pods, Pods::Claimed(claimed) if claimed.changed);
    let result = update_stateful_set(
        snapshot,
        &listed,
        now,
        behaviour,
        &mut pods,
        &mut memory.revisions,
        out,
    );
    if let Pods::Placed(roster) = pods
        && !moved
    {
        memory.roster = Some(roster);
    }
    let status = result?;
    Ok(requeue_after(
        snapshot,
        now,
        behaviour,
        &status,
        out.detailed,
    ))
}

/// The set's pods, as far as a sync has got with them.
enum Pods {
    /// As the sync before left them, with what changed since.
    Kept(Kept),
    /// Claimed in this sync.
    Claimed(adopt::Claimed),
    /// Each in its place.
    Placed(Roster),
}

impl Default for Pods {
    fn default() -> Self {
        Pods::Claimed(adopt::Claimed::default())
    }
}

impl Pods {
    /// Whether any of them is of that revision.
    fn has_revision(&self, name: &Arc<str>) -> bool {
        match self {
            Pods::Placed(roster) => roster.has_revision(name),
            Pods::Claimed(claimed) => claimed.pods.iter().any(|pod| pod.revision == *name),
            // The revisions could not be determined, so nobody looked at the pods that changed.
            Pods::Kept(kept) => {
                kept.roster.has_revision(name)
                    || kept
                        .touched
                        .iter()
                        .flat_map(|(_, pod)| pod)
                        .any(|pod| pod.revision == *name)
            }
        }
    }
}

/// `UpdateStatefulSet`: the history is cut back whether or not the update itself succeeds.
fn update_stateful_set(
    snapshot: &Snapshot,
    listed: &[&Arc<Revision>],
    now: Timestamp,
    behaviour: &Behaviour,
    pods: &mut Pods,
    memory: &mut RevisionMemory,
    out: &mut Recorder<'_>,
) -> Result<Arc<Status>, SyncError> {
    let revisions = revision::determine(snapshot, listed, behaviour, memory, out);
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

/// `performUpdate`: the pass, and the status that comes of it.
fn perform_update(
    snapshot: &Snapshot,
    revisions: &Revisions,
    now: Timestamp,
    behaviour: &Behaviour,
    pods: &mut Pods,
    out: &mut Recorder<'_>,
) -> Result<Arc<Status>, SyncError> {
    let pass = Pass::new(snapshot, revisions, behaviour, now)?;
    let roster = place(&pass, std::mem::take(pods), out)?;
    let mut computed = status::fresh(snapshot, revisions);
    let error = update_pods(&pass, &roster, &mut computed, out);
    *pods = Pods::Placed(roster);
    match (behaviour.status_on_error, error) {
        (StatusOnError::NotWritten, Some(error)) => Err(error),
        (StatusOnError::WrittenAfter, Some(error)) if error.panics() => Err(error),
        (_, error) => {
            let written = status::write(&pass, computed, out);
            error.map_or(written, Err)
        }
    }
}

/// Brings the roster up to date, or makes a new one.
fn place(pass: &Pass<'_>, pods: Pods, out: &mut Recorder<'_>) -> Result<Roster, SyncError> {
    Ok(match pods {
        Pods::Placed(roster) => roster,
        Pods::Claimed(claimed) => Roster::new(pass, claimed.pods),
        Pods::Kept(kept) if !kept.roster.is_for(pass) => {
            // Nothing is adopted or released here: whoever kept the roster has made sure of that.
            Roster::new(
                pass,
                adopt::claim_pods(pass.snapshot, pass.behaviour, out)?.pods,
            )
        }
        Pods::Kept(Kept {
            mut roster,
            touched,
        }) => {
            for (name, pod) in touched {
                roster.refresh(pass, &name, pod);
            }
            roster
        }
    })
}

/// `updateStatefulSet`: slots, condemned pods, update. Fills in the counters; an error does not undo them.
fn update_pods(
    pass: &Pass<'_>,
    roster: &Roster,
    computed: &mut Status,
    out: &mut Recorder<'_>,
) -> Option<SyncError> {
    let sequential = pass.behaviour.pass == PassStyle::Sequential;
    let mut counters = roster.count_claimed();
    if sequential {
        counters.replicas = roster.claimed();
    }
    if pass.set.is_terminating() {
        out.hold(|| Hold::SetBeingDeleted);
        status::set_counters(computed, counters, pass.behaviour);
        return None;
    }
    let mut places = Places::new(roster);
    let step = if sequential {
        sequential::process(pass, &mut places, &mut counters, out)
    } else {
        let step = batched(pass, &mut places, out);
        counters = places.recount();
        step
    };
    status::set_counters(computed, counters, pass.behaviour);
    match step {
        Err(error) => return Some(error),
        Ok(Step::Exit) => return None,
        Ok(Step::Continue) => {}
    }
    let updated = update::update(pass, &places, out);
    // Where the status is written from inside the pass, these deletes are counted on a copy of it (D-10).
    let lost = pass.behaviour.status_on_error == StatusOnError::WrittenInside
        && pass.behaviour.max_unavailable.is_some();
    if !lost {
        computed.current_replicas -= updated.deleted;
    }
    updated.error
}

/// The slots, then the claims of condemned pods, then condemned pods.
fn batched(
    pass: &Pass<'_>,
    places: &mut Places<'_>,
    out: &mut Recorder<'_>,
) -> Result<Step, SyncError> {
    if let Step::Exit = replicas::process_replicas(pass, places, out)? {
        return Ok(Step::Exit);
    }
    replicas::fix_condemned_claims(pass, places.roster, out)?;
    replicas::process_condemned_pods(pass, places.roster, out)
}

/// `truncateHistory`: deletes the oldest revisions that nothing uses, beyond the limit.
fn truncate_history(
    snapshot: &Snapshot,
    listed: &[&Arc<Revision>],
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

/// When the controller wants to look again: docs/semantics.md 3.14.
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
                    adopt::claiming(set, pod, behaviour),
                    Claiming::Ours | Claiming::Adopt
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
