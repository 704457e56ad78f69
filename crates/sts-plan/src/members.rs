//! Membership of pods and revisions in the set.

use std::sync::Arc;

use sts_controller::controller::{is_member, list_revisions};
use sts_controller::object::{Pod, Revision, Snapshot};
use sts_controller::version::Behaviour;

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

/// Reports whether another pod of the set is running and ready on the same revision, so that the revision is not at
/// fault.
pub(crate) fn has_ready_sibling(snapshot: &Snapshot, pod: &Pod) -> bool {
    pods_of(snapshot).any(|other| {
        other.meta.name != pod.meta.name
            && other.revision == pod.revision
            && other.is_running_and_ready()
    })
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

/// Returns the revision to roll back to: one with a ready pod, else the current one, else the newest.
pub(crate) fn fallback<'s>(end: &'s Snapshot, behaviour: &Behaviour) -> Option<&'s Arc<Revision>> {
    let listed = list_revisions(end, behaviour);
    // Commands use the revision number: 0 means another revision, and numbers may be duplicated.
    let namesakes = |number: i64| listed.iter().filter(|it| it.number == number).count();
    let others = || {
        listed.iter().copied().filter(|revision| {
            revision.meta.name != end.status.update_revision
                && revision.template().is_some()
                && revision.number > 0
                && namesakes(revision.number) == 1
        })
    };
    let runs = |revision: &&Arc<Revision>| {
        let mut pods = pods_of(end).filter(|pod| owns(end, pod));
        pods.any(|pod| pod.revision == revision.meta.name && pod.is_running_and_ready())
    };
    let current = |revision: &&Arc<Revision>| revision.meta.name == end.status.current_revision;
    others()
        .rfind(runs)
        .or_else(|| others().find(current))
        .or_else(|| others().next_back())
}
