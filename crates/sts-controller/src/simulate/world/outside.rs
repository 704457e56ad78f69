//! Changes to the world by actors other than the controller and the kubelet.

use std::sync::Arc;

use jiff::SignedDuration;

use super::World;
use crate::object::{Pod, Revision, Set, Status};
use crate::simulate::cascade::without;
use crate::simulate::digest;
use crate::simulate::verdict::PodVerdicts;

impl World {
    /// Deletes a pod for an actor other than the controller. Returns whether that changed anything, and the claims that
    /// were removed with the pod.
    pub(in crate::simulate) fn delete_by_hand(&mut self, name: &Arc<str>) -> (bool, Vec<Arc<str>>) {
        let mut gone = Vec::new();
        let deleted = self.delete_pod(name, &mut gone);
        (deleted, self.collect_after(&gone))
    }

    /// Makes a pod not ready because its node does not respond, and cancels its next event. Returns whether it was
    /// ready.
    pub(in crate::simulate) fn unready_pod(&mut self, name: &Arc<str>) -> bool {
        let Some(pod) = self.snapshot.pods.get(name) else {
            return false;
        };
        let was_ready = pod.is_ready();
        let since = Some(self.now);
        let uid = Arc::clone(&pod.meta.uid);
        self.kubelet.never_ready.insert(uid);
        self.event_queue.cancel(name);
        self.change_pod(name, |pod| {
            pod.ready = Some(crate::object::Ready {
                is_true: false,
                since,
            });
        });
        self.event_queue.cancel(name);
        was_ready
    }

    /// Removes a pod's finalizers, and a terminating pod with them. Returns the claims that were removed with it.
    pub(in crate::simulate) fn drop_pod_finalizers(&mut self, name: &Arc<str>) -> Vec<Arc<str>> {
        let Some(pod) = self.snapshot.pods.get(name) else {
            return Vec::new();
        };
        if pod.is_terminating() {
            return self.remove_pod(name);
        }
        self.change_pod(name, |pod| pod.has_finalizers = false);
        Vec::new()
    }

    /// Removes an owner reference from a pod.
    pub(in crate::simulate) fn release_pod(&mut self, name: &Arc<str>, owner: &str) {
        let Some(pod) = self.snapshot.pods.get(name) else {
            return;
        };
        let mut pod = (**pod).clone();
        pod.meta.owner_references = without(&pod.meta.owner_references, owner).into();
        self.store_pod(Arc::new(pod));
        self.cache.forget();
    }

    /// Removes an owner reference from a revision.
    pub(in crate::simulate) fn release_revision(&mut self, name: &Arc<str>, owner: &str) {
        if let Some(mut revision) = self.remove_revision(name) {
            let changed = Arc::make_mut(&mut revision);
            changed.meta.owner_references = without(&changed.meta.owner_references, owner).into();
            self.digest ^= digest::of_revision(&revision);
            self.snapshot.revisions.insert(Arc::clone(name), revision);
        }
    }

    pub(in crate::simulate) fn remove_revision(
        &mut self,
        name: &Arc<str>,
    ) -> Option<Arc<Revision>> {
        let revision = self.snapshot.revisions.remove(name)?;
        self.digest ^= digest::of_revision(&revision);
        Some(revision)
    }

    pub(in crate::simulate) fn label_pod(
        &mut self,
        name: &Arc<str>,
        labels: &[(Arc<str>, Arc<str>)],
    ) {
        let Some(pod) = self.snapshot.pods.get(name) else {
            return;
        };
        let mut pod = (**pod).clone();
        Arc::make_mut(&mut pod.meta.labels).extend(labels.iter().cloned());
        self.store_pod(Arc::new(pod));
        self.cache.forget();
    }

    /// Stores the set with another spec.
    pub(in crate::simulate) fn replace_set(&mut self, set: Arc<Set>) {
        let min_ready = SignedDuration::from_secs(i64::from(set.min_ready_seconds));
        self.snapshot.set = set;
        self.cache.forget();
        if self.min_ready != min_ready {
            self.min_ready = min_ready;
            self.reschedule_availability();
        }
    }

    /// Drops revisions and status after the set was renamed: they belong to the old set.
    pub(in crate::simulate) fn forget_history(&mut self) {
        let revisions: Vec<Arc<str>> = self.snapshot.revisions.keys().map(Arc::clone).collect();
        for name in revisions {
            self.remove_revision(&name);
        }
        let status = Arc::new(Status::default());
        self.digest ^= digest::of_status(&self.snapshot.status) ^ digest::of_status(&status);
        self.snapshot.status = status;
        self.cache.forget();
    }

    /// Stores another set in place of one that is gone.
    pub(in crate::simulate) fn create_set(&mut self, set: Arc<Set>, status: Arc<Status>) {
        self.digest ^= digest::of_status(&self.snapshot.status) ^ digest::of_status(&status);
        self.min_ready = SignedDuration::from_secs(i64::from(set.min_ready_seconds));
        self.snapshot.set = set;
        self.snapshot.status = status;
        self.cache.forget();
        self.verdicts = PodVerdicts::default();
        self.reset_deletion();
        self.reschedule_all();
    }

    /// Recomputes when ready pods become available. Pods that start or terminate are not affected.
    fn reschedule_availability(&mut self) {
        self.becoming_available.clear();
        let pods: Vec<Arc<Pod>> = self.snapshot.pods.values().map(Arc::clone).collect();
        for pod in pods {
            if pod.is_ready() && !pod.is_terminating() {
                self.event_queue.cancel(&pod.meta.name);
                self.schedule_next(&pod);
            } else {
                self.track_availability(&pod);
            }
        }
    }

    /// Reschedules all pods: the set decides when a pod counts as available.
    pub(super) fn reschedule_all(&mut self) {
        self.becoming_available.clear();
        let pods: Vec<Arc<Pod>> = self.snapshot.pods.values().map(Arc::clone).collect();
        for pod in pods {
            self.event_queue.cancel(&pod.meta.name);
            self.schedule_next(&pod);
        }
    }
}
