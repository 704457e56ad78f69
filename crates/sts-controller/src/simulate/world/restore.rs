//! Restores a world to a state of another one, object by object, for the search of all orders of events.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::World;
use crate::object::{Claim, Pod, Revision, Status};
use crate::simulate::event_queue::PodEvent;

impl World {
    /// Takes the names of pods and claims that were created, changed or deleted since the last call, possibly with
    /// repeats. Tracking starts with the first call.
    pub(in crate::simulate) fn take_changed(&mut self) -> Vec<Arc<str>> {
        self.changed.replace(Vec::new()).unwrap_or_default()
    }

    /// Returns the next event of a pod.
    pub(in crate::simulate) fn event_of(&self, pod: &Arc<str>) -> Option<PodEvent> {
        self.event_queue.event_of(pod)
    }

    /// Reports whether a ready pod is still to become available.
    pub(in crate::simulate) fn is_not_yet_available(&self, pod: &Pod) -> bool {
        let since = pod.ready.filter(|ready| ready.is_true);
        let since = since.and_then(|ready| ready.since);
        since.is_some_and(|since| self.now.duration_since(since) < self.min_ready)
    }

    /// Moves the clock in either direction. The caller must store again every pod that becomes available after it.
    pub(in crate::simulate) fn set_clock(&mut self, now: Timestamp) {
        self.now = now;
        self.becoming_available.clear();
    }

    /// Stores or removes the pod of that name, with its next event.
    pub(in crate::simulate) fn put_pod(
        &mut self,
        name: &Arc<str>,
        pod: Option<Arc<Pod>>,
        event: Option<(SignedDuration, PodEvent)>,
    ) {
        self.event_queue.cancel(name);
        self.cache.touch(name);
        let Some(pod) = pod else {
            self.snapshot.pods.remove(name);
            return;
        };
        if self.is_not_yet_available(&pod)
            && let Some(since) = pod.ready.and_then(|ready| ready.since)
        {
            let at = since + self.min_ready;
            self.becoming_available.insert((at, Arc::clone(name)));
        }
        self.snapshot.pods.insert(Arc::clone(name), pod);
        if let Some((after, event)) = event {
            self.schedule(after, event, name);
        }
    }

    /// Stores or removes the claim of that name.
    pub(in crate::simulate) fn put_claim(&mut self, name: &Arc<str>, claim: Option<&Arc<Claim>>) {
        let old = self.snapshot.claims.get(name);
        if old.map(Arc::as_ptr) == claim.map(Arc::as_ptr) {
            return;
        }
        let old = match claim {
            Some(claim) => {
                let claims = &mut self.snapshot.claims;
                claims.insert(Arc::clone(name), Arc::clone(claim))
            }
            None => self.snapshot.claims.remove(name),
        };
        self.replaced_claim(old.as_ref(), claim);
    }

    /// Stores the set's status and its revisions.
    pub(in crate::simulate) fn put_status_and_revisions(
        &mut self,
        status: &Arc<Status>,
        revisions: &Arc<BTreeMap<Arc<str>, Arc<Revision>>>,
    ) {
        self.snapshot.status = Arc::clone(status);
        let same = self.snapshot.revisions.len() == revisions.len()
            && self
                .snapshot
                .revisions
                .values()
                .zip(revisions.values())
                .all(|(a, b)| Arc::ptr_eq(a, b));
        if !same {
            self.snapshot.revisions = (**revisions).clone();
        }
    }

    /// Reports whether the garbage collector has work beyond following up on pods: a set that is terminating or gone,
    /// or claims that are removed with their last pod.
    pub(in crate::simulate) fn is_being_cleaned_up(&self) -> bool {
        self.snapshot.set.is_terminating() || self.deletion.has_gone() || !self.protected.is_empty()
    }
}
