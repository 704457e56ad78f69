//! Membership of pods and revisions in the set.

use std::sync::Arc;

use sts_controller::controller::{is_member, ordinal_of};
use sts_controller::object::{Pod, Revision, Snapshot};
use sts_controller::version::Behaviour;

/// Returns the pods that the set owns or that match its naming pattern.
pub fn pods_of(snapshot: &Snapshot) -> impl Iterator<Item = &Arc<Pod>> {
    let pods = snapshot.pods.values();
    pods.filter(|pod| belongs(snapshot, pod))
}

/// Annotation of a pod that was not read, and whose state its events tell.
pub(crate) const OF_EVENTS: &str = "sts-plan/of-events";

/// Reports whether a pod was not read and is assumed to exist: neither its object nor its creation is known.
pub(crate) fn is_assumed(pod: &Pod) -> bool {
    let is_told =
        |given: &serde_json::Value| given["metadata"]["annotations"].get(OF_EVENTS).is_some();
    pod.meta.created.is_none() && pod.given().is_none_or(|given| is_told(&given))
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

/// Returns the pods of a set beyond its replicas that are not terminating, the highest ordinal first.
pub(crate) fn surplus<'s>(snapshot: &'s Snapshot, behaviour: &Behaviour) -> Vec<&'s Arc<Pod>> {
    let wanted = behaviour.ordinals(&snapshot.set);
    let owned = pods_of(snapshot).filter(|pod| owns(snapshot, pod) && !pod.is_terminating());
    let is_surplus = |pod: &&Arc<Pod>| !wanted.contains(&ordinal_of(&pod.meta.name));
    let mut pods: Vec<&Arc<Pod>> = owned.filter(is_surplus).collect();
    pods.sort_by_key(|pod| std::cmp::Reverse(ordinal_of(&pod.meta.name)));
    pods
}
