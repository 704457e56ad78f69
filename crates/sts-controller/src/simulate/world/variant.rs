//! Variants of a world, for the search of all orders of events.

use std::sync::Arc;

use jiff::Timestamp;

use super::World;
use crate::object::{Ready, Set};
use crate::simulate::allowance::Allowance;
use crate::simulate::event_queue::ScheduledEvent;
use crate::simulate::kubelet::Assumption;

impl World {
    /// Returns a copy that evolves independently.
    #[must_use]
    pub fn branch(&self) -> World {
        World {
            snapshot: self.snapshot.clone(),
            now: self.now,
            // The cache changes no result, and the next sync fills it again.
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
            allowance: Allowance::default(),
        }
        .within(&self.allowance)
    }

    /// Returns the pods that are ready but not yet available, longest ready first.
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

    /// Spaces the times at which pods become available evenly between now and `minReadySeconds` from now, in their
    /// order. Worlds that differ only in these times become equal.
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

    /// Returns the same objects at the same time, with additional assumptions about some pods.
    pub(in crate::simulate) fn under(&self, assumed: &[(Arc<str>, Assumption)]) -> World {
        let mut world = self.branch();
        let assumed = assumed.iter().cloned();
        let assumed = assumed.map(|(pod, assumption)| (pod.to_string(), assumption));
        world.kubelet.assumptions.extend(assumed);
        world.reschedule_all();
        world
    }

    /// Replaces the set with another version of it.
    pub(in crate::simulate) fn put_set(&mut self, set: &Arc<Set>) {
        self.snapshot.set = Arc::clone(set);
        self.cache.forget();
    }

    /// Cancels a pod's next event.
    pub(in crate::simulate) fn stall(&mut self, name: &Arc<str>) {
        self.event_queue.cancel(name);
    }

    /// Returns the number of uids generated so far.
    pub(in crate::simulate) fn uids(&self) -> u64 {
        self.uids
    }

    /// Reserves the uids that another world has generated.
    pub(in crate::simulate) fn take_uids(&mut self, uids: u64) {
        self.uids = self.uids.max(uids);
    }

    /// Sets a pod's next event.
    pub(in crate::simulate) fn schedule_at(&mut self, due: &ScheduledEvent) {
        self.event_queue.schedule(due.at, due.event, &due.pod);
    }
}
