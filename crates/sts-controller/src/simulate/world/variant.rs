//! Variants of a world, for the search through all orders of events.

use std::sync::Arc;

use jiff::Timestamp;

use super::World;
use crate::object::{Ready, Set};
use crate::simulate::event_queue::ScheduledEvent;
use crate::simulate::kubelet::Assumption;

impl World {
    /// Another world that is as this one is now, and goes its own way from here.
    #[must_use]
    pub fn branch(&self) -> World {
        World {
            snapshot: self.snapshot.clone(),
            now: self.now,
            // It changes no result, and is filled again by the next sync.
            cache: self.cache.emptied(),
            deletion: self.deletion.clone(),
            kubelet: self.kubelet.clone(),
            agenda: self.agenda.clone(),
            expansions: self.expansions.clone(),
            min_ready: self.min_ready,
            event_queue: self.event_queue.clone(),
            becoming_available: self.becoming_available.clone(),
            dependents: self.dependents.clone(),
            unscheduled: self.unscheduled.clone(),
            protected: self.protected.clone(),
            verdicts: self.verdicts.clone(),
            as_recorded: self.as_recorded,
            digest: self.digest,
            uids: self.uids,
            changed: None,
        }
    }

    /// Pods that are ready and not yet available, the one that has been ready longest first.
    pub(in crate::simulate) fn not_yet_available(&self) -> Vec<Arc<str>> {
        let mut not_yet_available: Vec<(Timestamp, &Arc<str>)> = self
            .snapshot
            .pods
            .values()
            .filter_map(|pod| {
                let since = pod.ready.filter(|ready| ready.is_true)?.since?;
                (self.now.duration_since(since) < self.min_ready).then_some((since, &pod.meta.name))
            })
            .collect();
        not_yet_available.sort();
        not_yet_available
            .into_iter()
            .map(|(_, name)| Arc::clone(name))
            .collect()
    }

    /// Spaces the moments at which pods become available evenly between now and `minReadySeconds` from now, in the
    /// order that they have: worlds that differ in these moments alone become one.
    pub(in crate::simulate) fn space_out(&mut self) {
        let not_yet_available = self.not_yet_available();
        self.becoming_available.clear();
        let parts = i32::try_from(not_yet_available.len() + 1).unwrap_or(i32::MAX);
        for (left, name) in (1..).zip(&not_yet_available) {
            let since = self.now - (self.min_ready - self.min_ready * left / parts);
            self.event_queue.cancel(name);
            self.change_pod(name, |pod| {
                pod.ready = Some(Ready {
                    is_true: true,
                    since: Some(since),
                });
            });
        }
    }

    /// The same objects at the same moment, with more assumed of some pods.
    pub(in crate::simulate) fn under(&self, assumed: &[(Arc<str>, Assumption)]) -> World {
        let mut world = self.branch();
        let assumed = assumed.iter().cloned();
        let assumed = assumed.map(|(pod, assumption)| (pod.to_string(), assumption));
        world.kubelet.assumptions.extend(assumed);
        world.expect_all();
        world
    }

    /// Puts another form of the same set in its place.
    pub(in crate::simulate) fn set_set(&mut self, set: &Arc<Set>) {
        self.snapshot.set = Arc::clone(set);
        self.cache.forget();
    }

    /// Cancels what was to happen to a pod by itself.
    pub(in crate::simulate) fn stall(&mut self, name: &Arc<str>) {
        self.event_queue.cancel(name);
    }

    /// Returns the number of uids that were given.
    pub(in crate::simulate) fn uids(&self) -> u64 {
        self.uids
    }

    /// Gives no uid that another world has given, which gave so many.
    pub(in crate::simulate) fn take_uids(&mut self, uids: u64) {
        self.uids = self.uids.max(uids);
    }

    /// Sets what happens to a pod next, and when.
    pub(in crate::simulate) fn schedule_at(&mut self, due: &ScheduledEvent) {
        self.event_queue.schedule(due.at, due.event, &due.pod);
    }
}
