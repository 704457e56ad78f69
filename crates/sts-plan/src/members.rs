//! Membership of pods and revisions in the set.

use std::sync::Arc;

use sts_controller::controller::is_member;
use sts_controller::object::{Phase, Pod, Revision, Snapshot};

/// Returns the pods that the set owns or that match its naming pattern.
pub fn pods_of(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Pod>> {
    let pods = snapshot.pods.values();
    pods.filter(|pod| belongs(snapshot, pod))
}

/// Reports whether the set owns a pod or the pod matches its naming pattern.
#[must_use]
pub fn belongs(snapshot: &Snapshot, pod: &Pod) -> bool {
    is_member(&snapshot.set, &pod.meta.name) || owns(snapshot, pod)
}

/// Returns the revisions that the set owns or can adopt.
pub fn revisions_of(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Revision>> {
    let set = &snapshot.set.meta.uid;
    snapshot.revisions.values().filter(move |revision| {
        let owner = revision.meta.controller();
        owner.is_none_or(|owner| owner.uid == *set)
    })
}

/// Reports whether a pod has ended: the API server then deletes it without its kubelet.
pub(crate) fn has_ended(pod: &Pod) -> bool {
    matches!(pod.phase, Phase::Failed | Phase::Succeeded)
}

pub(crate) fn adopts(snapshot: &Snapshot, pod: &Pod) -> bool {
    let set = &snapshot.set;
    let is_orphan = pod.meta.controller().is_none() && !pod.is_terminating();
    is_orphan && is_member(set, &pod.meta.name) && {
        let selector = set.selector.as_ref();
        selector.is_some_and(|selector| selector.matches(&pod.meta.labels))
    }
}

pub(crate) fn owns(snapshot: &Snapshot, pod: &Pod) -> bool {
    pod.meta
        .controller()
        .is_some_and(|owner| owner.uid == snapshot.set.meta.uid)
}
