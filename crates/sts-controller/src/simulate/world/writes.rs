//! Storage of a sync's writes, as by the API server.

use std::sync::Arc;

use super::World;
use crate::controller::{Body, OwnerChange, Resource, Verb, Write};
use crate::object::{OwnerReference, Phase, Revision};
use crate::simulate::digest;

impl World {
    /// Stores the writes of a sync. Returns whether that changed anything, and the claims that were removed with pods.
    pub(in crate::simulate) fn take(&mut self, writes: &[Write]) -> (bool, Vec<Arc<str>>) {
        let mut changed = false;
        let mut gone = Vec::new();
        // A new pod has no node until the sync is over, which only later writes to it can notice.
        let at_once = writes
            .iter()
            .all(|write| write.resource != Resource::Pods || write.verb == Verb::Create);
        for write in writes.iter().filter(|write| write.refused.is_none()) {
            changed |= match (write.resource, write.verb) {
                (Resource::Pods, Verb::Delete) => self.delete_pod(&write.name, &mut gone),
                (Resource::Pods, _) => self.write_pod(write, at_once),
                (Resource::Claims, _) => self.write_claim(write),
                (Resource::Revisions, _) => self.write_revision(write),
                (Resource::Status, _) => self.write_status(write),
            };
        }
        self.schedule_pods();
        // The garbage collector runs after the sync, and finds the claims with their owners at that time.
        (changed, self.collect_after(&gone))
    }

    /// Gives a node to every pod that the sync left behind, like the scheduler.
    fn schedule_pods(&mut self) {
        for name in std::mem::take(&mut self.unscheduled) {
            if let Some(pod) = self.snapshot.pods.get_mut(&name)
                && !self.kubelet.is_unplaced(pod)
            {
                Arc::make_mut(pod).scheduled = true;
                self.cache.touch_pod(pod);
            }
        }
    }

    fn write_pod(&mut self, write: &Write, at_once: bool) -> bool {
        match &write.body {
            Body::Pod(pod) if write.verb == Verb::Create => {
                let mut stored = (**pod).clone();
                stored.meta.uid = self.new_uid();
                stored.meta.created = Some(self.now);
                stored.phase = Phase::Pending;
                stored.scheduled = at_once && !self.kubelet.is_unplaced(&stored);
                if !at_once {
                    self.unscheduled.push(Arc::clone(&write.name));
                }
                let stored = Arc::new(stored);
                self.schedule_next(&stored);
                self.store_pod(stored);
                true
            }
            Body::Pod(pod) => {
                let Some(stored) = self.snapshot.pods.get(&write.name) else {
                    return false;
                };
                // The request does not reflect yet that the same sync has adopted the pod. The server reports a
                // conflict, and the controller retries with the current pod.
                let mut pod = (**pod).clone();
                pod.meta.owner_references = Arc::clone(&stored.meta.owner_references);
                let same = stored.meta == pod.meta && stored.volumes == pod.volumes;
                if !same {
                    self.store_pod(Arc::new(pod));
                }
                !same
            }
            Body::Owners { change, .. } => {
                let Some(pod) = self.snapshot.pods.get(&write.name) else {
                    return false;
                };
                let mut pod = (**pod).clone();
                change_owners(&mut pod.meta.owner_references, change);
                self.store_pod(Arc::new(pod));
                // The pod's owner affects more than the pod's own slot.
                self.cache.forget();
                true
            }
            _ => false,
        }
    }

    fn write_claim(&mut self, write: &Write) -> bool {
        let Body::Claim(claim) = &write.body else {
            return false;
        };
        let stored = match (write.verb, self.snapshot.claims.get(&write.name)) {
            (Verb::Create, _) => Arc::new(claim.stored(self.new_uid())),
            // Only the owners change in an update. The sent claim may predate its stored version.
            (_, Some(stored)) => Arc::new(stored.with_owners(claim.meta.owner_references.to_vec())),
            (_, None) => return false,
        };
        let old = self
            .snapshot
            .claims
            .insert(Arc::clone(&write.name), Arc::clone(&stored));
        let same = old
            .as_ref()
            .is_some_and(|old| old.meta.owner_references == stored.meta.owner_references);
        self.replaced_claim(old.as_ref(), Some(&stored));
        !same
    }

    fn write_revision(&mut self, write: &Write) -> bool {
        let old = self.snapshot.revisions.get(&write.name).map(Arc::clone);
        let new = match (&write.body, write.verb, &old) {
            (_, Verb::Delete, _) => None,
            (Body::Revision(revision), Verb::Create, _) => {
                let mut stored = (**revision).clone();
                stored.meta.uid = self.new_uid();
                stored.meta.namespace = Arc::clone(&self.snapshot.set.meta.namespace);
                stored.meta.created = Some(self.now);
                Some(Arc::new(stored))
            }
            (Body::Revision(revision), ..) => Some(Arc::clone(revision)),
            (Body::Owners { change, .. }, _, Some(old)) => {
                let mut revision: Revision = (**old).clone();
                change_owners(&mut revision.meta.owner_references, change);
                Some(Arc::new(revision))
            }
            _ => return false,
        };
        for revision in [&old, &new].into_iter().flatten() {
            self.digest ^= digest::of_revision(revision);
        }
        match new {
            Some(new) => self.snapshot.revisions.insert(Arc::clone(&write.name), new),
            None => self.snapshot.revisions.remove(&write.name),
        };
        true
    }

    fn write_status(&mut self, write: &Write) -> bool {
        let Body::Status(status, _) = &write.body else {
            return false;
        };
        self.digest ^= digest::of_status(&self.snapshot.status) ^ digest::of_status(status);
        let old = std::mem::replace(&mut self.snapshot.status, Arc::clone(status));
        *old != **status
    }
}

fn change_owners(owners: &mut Arc<[OwnerReference]>, change: &OwnerChange) {
    let mut changed = owners.to_vec();
    match change {
        OwnerChange::Adopt(owner) => changed.push(owner.clone()),
        OwnerChange::Release(uid) => changed.retain(|owner| owner.uid != *uid),
    }
    *owners = changed.into();
}
