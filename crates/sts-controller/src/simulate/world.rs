//! The world that the controller acts on: the stored objects, the clock, and the pending events.

mod claims;
mod cycles;
mod outside;
mod restore;
#[cfg(test)]
mod tests;
mod variant;
mod writes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::action::NodeChange;
use super::agenda::Agenda;
use super::allowance::Allowance;
use super::api_server::is_removed_at_once;
use super::cascade::DeletionState;
use super::digest;
use super::event_queue::{EventQueue, PodEvent, ScheduledEvent};
use super::expansion::Expansions;
use super::kubelet::{Forbidden, Foreseen, Kubelet, Start};
use super::pvc_protection::ProtectedClaims;
use super::verdict::PodVerdicts;
use crate::controller::{Cache, is_member};
use crate::object::{Claim, Phase, Pod, Ready, Snapshot};

/// A simulated cluster. [`World::enabled`] lists the events that may happen; [`World::apply`] makes one happen.
pub struct World {
    /// The stored objects.
    pub(super) snapshot: Snapshot,
    /// The simulated time.
    pub(super) now: Timestamp,
    /// The cache that the controller keeps between syncs.
    pub(super) cache: Cache,
    /// The progress of the set's deletion, if it is being deleted.
    pub(super) deletion: DeletionState,
    pub(super) kubelet: Kubelet,
    /// Scheduled actions of other actors.
    pub(super) agenda: Agenda,
    /// Volume expansions in progress.
    pub(super) expansions: Expansions,
    min_ready: SignedDuration,
    event_queue: EventQueue,
    /// When ready pods become available. Includes terminating pods, which count as well.
    becoming_available: BTreeSet<(Timestamp, Arc<str>)>,
    /// Claims that a pod owns, by the pod's uid.
    dependents: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// Pods that the current sync created; they get their nodes at its end.
    unscheduled: Vec<Arc<str>>,
    /// Claims that are gone as soon as no pod uses them.
    pub(super) protected: ProtectedClaims,
    /// Validation results of the API server for pods.
    pub(super) verdicts: PodVerdicts,
    /// True if the API server and the claim cache behave as in the recordings.
    pub(super) as_recorded: bool,
    /// A digest of all objects.
    digest: u64,
    uids: u64,
    /// Names of changed pods and claims, if tracked.
    changed: Option<Vec<Arc<str>>>,
    /// Work that the question that simulates this world may do.
    pub(super) allowance: Allowance,
}

impl World {
    /// Returns the world of a snapshot at a point in time.
    #[must_use]
    pub fn new(snapshot: Snapshot, now: Timestamp, kubelet: Kubelet) -> Self {
        let mut world = World {
            now,
            cache: Cache::default(),
            deletion: DeletionState::of(&snapshot.set),
            kubelet,
            agenda: Agenda::default(),
            expansions: Expansions::default(),
            min_ready: SignedDuration::from_secs(i64::from(snapshot.set.min_ready_seconds)),
            event_queue: EventQueue::default(),
            becoming_available: BTreeSet::new(),
            dependents: BTreeMap::new(),
            unscheduled: Vec::new(),
            protected: ProtectedClaims::of(&snapshot),
            verdicts: PodVerdicts::default(),
            as_recorded: false,
            digest: digest::of_status(&snapshot.status),
            uids: planned_uids(&snapshot),
            changed: None,
            allowance: Allowance::default(),
            snapshot,
        };
        for pod in world.snapshot.pods.values() {
            world.digest ^= digest::of_pod(pod);
        }
        for revision in world.snapshot.revisions.values() {
            world.digest ^= digest::of_revision(revision);
        }
        let claims: Vec<Arc<Claim>> = world.snapshot.claims.values().map(Arc::clone).collect();
        for claim in claims {
            world.digest ^= digest::of_claim(&claim);
            world.index_owners(&claim, true);
        }
        let pods: Vec<Arc<Pod>> = world.snapshot.pods.values().map(Arc::clone).collect();
        for pod in pods {
            world.schedule_next(&pod);
        }
        world
    }

    /// Returns the same world with the controller's cache off: slower, with the same results.
    #[must_use]
    pub fn without_cache(mut self) -> World {
        self.cache = Cache::off();
        self
    }

    /// Returns the same world with the API server and cache of the recordings.
    ///
    /// That server accepts every status. A real one refuses a negative count, and the controller usually counts
    /// differently on the retry. That claim cache does not change during a sync, so a `Parallel` set's claims are
    /// written later than by a real controller, and twice.
    #[must_use]
    pub fn as_recorded(mut self) -> World {
        self.as_recorded = true;
        self
    }

    /// Returns a world for a trial: the same time, other objects and another kubelet.
    #[must_use]
    pub fn fork(&self, snapshot: Snapshot, kubelet: Kubelet) -> World {
        World {
            deletion: self.deletion.clone(),
            uids: self.uids,
            cache: self.cache.emptied(),
            as_recorded: self.as_recorded,
            ..World::new(snapshot, self.now, kubelet)
        }
        .within(&self.allowance)
    }

    /// Returns the same world, whose simulation counts as work of a question.
    #[must_use]
    pub fn within(mut self, allowance: &Allowance) -> World {
        // All pods were copied.
        allowance.spend(u64::try_from(self.snapshot.pods.len()).unwrap_or(u64::MAX));
        self.allowance = allowance.clone();
        self
    }

    /// Returns the same world with another world's cached results about the templates of the same set.
    #[must_use]
    pub fn recalling(mut self, other: &World) -> World {
        self.cache.recall(&other.cache);
        self.verdicts = other.verdicts.clone();
        self
    }

    /// Sets the foreseen outcomes of pods that are still to be created.
    pub fn foresee(&mut self, foreseen: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Foreseen>>) {
        self.kubelet.foreseen = foreseen;
    }

    /// Adds pods and claims whose creation the API server refuses from now on.
    pub fn forbid(&mut self, forbidden: Forbidden) {
        self.kubelet.forbidden.add(forbidden);
    }

    /// Changes the pods that find a place. Those that have waited for one start now.
    pub(super) fn change_nodes(&mut self, change: &NodeChange) {
        let waits = |pod: &&Arc<Pod>| {
            pod.node.is_none()
                && !pod.is_ready()
                && !pod.is_terminating()
                && self.kubelet.start(pod).is_none()
        };
        let waiting = self.snapshot.pods.values().filter(waits);
        let waiting: Vec<Arc<Pod>> = waiting.map(Arc::clone).collect();
        self.kubelet.foreseen.clone_from(&change.foreseen);
        self.kubelet.forbidden.clone_from(&change.forbidden);
        for pod in waiting {
            self.schedule_next(&pod);
        }
    }

    /// Puts a pod on a node.
    pub fn bind(&mut self, name: &Arc<str>, node: &Arc<str>) {
        let Some(pod) = self.snapshot.pods.get_mut(name) else {
            return;
        };
        self.digest ^= digest::of_pod(pod);
        Arc::make_mut(pod).node = Some(Arc::clone(node));
        self.digest ^= digest::of_pod(pod);
        let pod = Arc::clone(pod);
        self.touch(&pod);
    }

    /// Returns the assumptions about the pods.
    #[must_use]
    pub fn kubelet(&self) -> &Kubelet {
        &self.kubelet
    }

    /// Returns the stored objects.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns the simulated time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// `spec.minReadySeconds`.
    pub(super) fn min_ready(&self) -> SignedDuration {
        self.min_ready
    }

    /// Returns the events that may happen next, earliest first. The first one is the event that happens next if all
    /// durations hold.
    pub fn enabled(&self) -> impl Iterator<Item = ScheduledEvent> {
        self.event_queue.all()
    }

    /// Returns the earliest pending event.
    #[must_use]
    pub fn first(&self) -> Option<ScheduledEvent> {
        self.event_queue.first()
    }

    /// Returns a digest of the objects and pending events that does not depend on the time.
    pub(super) fn digest(&self) -> u64 {
        digest::Digest::new()
            .number(self.digest)
            .number(self.event_queue.digest(self.now))
            .finish()
    }

    /// Records when a ready pod becomes available, and returns the time left; `None` for any other pod.
    fn track_availability(&mut self, pod: &Pod) -> Option<SignedDuration> {
        let since = pod.ready.filter(|ready| ready.is_true)?.since?;
        let left = self
            .min_ready
            .saturating_sub(self.now.duration_since(since));
        if left <= SignedDuration::ZERO {
            return None;
        }
        if let Ok(at) = self.now.checked_add(left) {
            self.becoming_available
                .insert((at, Arc::clone(&pod.meta.name)));
        }
        Some(left)
    }

    /// Schedules a pod's next event, according to its state.
    fn schedule_next(&mut self, pod: &Arc<Pod>) {
        let name = &pod.meta.name;
        let finished = pod.phase.has_ended();
        let ripens = self.track_availability(pod);
        if pod.is_terminating() {
            if let Some(after) = self.kubelet.stop(pod) {
                self.schedule(after, PodEvent::Removed, name);
            }
        } else if let Some(left) = ripens {
            self.schedule(left, PodEvent::Available, name);
        } else if pod.is_ready() || !self.is_of_set(pod) {
            // The pod is as healthy as it gets; or it is here for a claim that it uses, and its start changes nothing.
        } else if !finished {
            match self.kubelet.start(pod) {
                Some((after, Start::Fails)) => self.schedule(after, PodEvent::Failed, name),
                Some((after, _)) => self.schedule(after, PodEvent::Ready, name),
                None => {}
            }
        }
    }

    /// Reports whether the set owns the pod, or the pod has a name of the set.
    fn is_of_set(&self, pod: &Pod) -> bool {
        let set = &self.snapshot.set;
        let owner = pod.meta.controller();
        owner.is_some_and(|owner| owner.uid == set.meta.uid) || is_member(set, &pod.meta.name)
    }

    fn schedule(&mut self, after: SignedDuration, event: PodEvent, pod: &Arc<str>) {
        // A time beyond the end of the calendar never comes.
        if let Ok(at) = self.now.checked_add(after) {
            self.event_queue.schedule(at, event, pod);
        }
    }

    /// Moves the clock to an event and applies it. Returns the claims that were removed together with a pod.
    ///
    /// An event applied before its time happens now.
    pub fn apply(&mut self, due: &ScheduledEvent) -> Vec<Arc<str>> {
        self.event_queue.cancel(&due.pod);
        self.advance(due.at);
        let since = Some(self.now);
        let started = |phase, is_true| {
            move |pod: &mut Pod| {
                pod.phase = phase;
                pod.ready = Some(Ready { is_true, since });
            }
        };
        match due.event {
            PodEvent::Removed => return self.remove_pod(&due.pod),
            PodEvent::Ready => self.change_pod(&due.pod, started(Phase::Running, true)),
            PodEvent::Failed => self.change_pod(&due.pod, started(Phase::Failed, false)),
            // Recorded when the clock moved.
            PodEvent::Available => {}
        }
        Vec::new()
    }

    /// Moves the clock forward; never back.
    pub(super) fn advance(&mut self, at: Timestamp) {
        if at > self.now {
            self.now = at;
            self.note_availability();
        }
    }

    /// Marks pods that have become available. The controller sees them as available from that time on, whether or not
    /// that is an event.
    fn note_availability(&mut self) {
        while let Some((at, name)) = self.becoming_available.pop_first() {
            if at > self.now {
                self.becoming_available.insert((at, name));
                return;
            }
            self.cache.touch(&name);
        }
    }

    /// Records that a pod was created or changed, with its stored object.
    fn touch(&mut self, pod: &Arc<Pod>) {
        self.cache.touch_pod(pod);
        self.note_change(&pod.meta.name);
    }

    fn note_change(&mut self, pod: &Arc<str>) {
        if let Some(changed) = &mut self.changed {
            changed.push(Arc::clone(pod));
        }
    }

    /// Stores a pod under its name, and replaces an earlier one.
    fn store_pod(&mut self, pod: Arc<Pod>) {
        let name = Arc::clone(&pod.meta.name);
        self.touch(&pod);
        self.digest ^= digest::of_pod(&pod);
        if let Some(old) = self.snapshot.pods.insert(name, pod) {
            self.digest ^= digest::of_pod(&old);
        }
    }

    /// Changes a stored pod, and schedules its next event.
    fn change_pod(&mut self, name: &Arc<str>, change: impl FnOnce(&mut Pod)) {
        let Some(pod) = self.snapshot.pods.get_mut(name) else {
            return;
        };
        self.digest ^= digest::of_pod(pod);
        change(Arc::make_mut(pod));
        self.digest ^= digest::of_pod(pod);
        let pod = Arc::clone(pod);
        self.touch(&pod);
        self.schedule_next(&pod);
    }

    /// Deletes a pod. Returns whether that changed anything. A pod that is removed at once is added to `gone`.
    fn delete_pod(&mut self, name: &Arc<str>, gone: &mut Vec<Arc<Pod>>) -> bool {
        let Some(pod) = self.snapshot.pods.get(name) else {
            return false;
        };
        if is_removed_at_once(pod) {
            gone.extend(self.drop_pod(name));
            return true;
        }
        if pod.is_terminating() {
            return false;
        }
        let now = self.now;
        self.event_queue.cancel(name);
        self.change_pod(name, |pod| {
            let grace = SignedDuration::from_secs(pod.grace_seconds);
            pod.meta.deleted = Some(now.checked_add(grace).unwrap_or(now));
        });
        true
    }

    /// Removes a pod and runs the garbage collector. Returns the claims that were removed with it.
    pub(super) fn remove_pod(&mut self, name: &Arc<str>) -> Vec<Arc<str>> {
        let gone = self.drop_pod(name);
        gone.map_or_else(Vec::new, |pod| self.collect_after(&[pod]))
    }

    /// Removes a pod from the store.
    fn drop_pod(&mut self, name: &Arc<str>) -> Option<Arc<Pod>> {
        self.event_queue.cancel(name);
        let pod = self.snapshot.pods.remove(name)?;
        self.cache.touch(name);
        self.note_change(name);
        self.digest ^= digest::of_pod(&pod);
        Some(pod)
    }

    /// Runs the garbage collector after pods are gone. Returns the claims that were removed with them.
    fn collect_after(&mut self, gone: &[Arc<Pod>]) -> Vec<Arc<str>> {
        let mut removed = Vec::new();
        for pod in gone {
            removed.extend(super::garbage_collector::collect(self, &pod.meta.uid));
            let used = pod.volumes.iter().filter_map(|volume| volume.claim.clone());
            let used: Vec<Arc<str>> = used.collect();
            removed.extend(self.note_removal(&pod.meta.name, &used));
            removed.extend(self.remove_unused_claims(&used));
            self.expand_released(&used);
        }
        removed
    }

    fn new_uid(&mut self) -> Arc<str> {
        self.uids += 1;
        // Called for every pod: formatting takes five times as long.
        Arc::from([PLANNED, &self.uids.to_string()].concat())
    }
}

/// Prefix of uids that the simulation generates.
const PLANNED: &str = "planned-";

/// Returns the highest number among the uids that an earlier simulation gave to the pods of a snapshot, so that no uid
/// is used twice.
fn planned_uids(snapshot: &Snapshot) -> u64 {
    let uids = snapshot.pods.values().map(|pod| &pod.meta.uid);
    let numbers = uids.filter_map(|uid| uid.strip_prefix(PLANNED)?.parse().ok());
    numbers.max().unwrap_or(0)
}
