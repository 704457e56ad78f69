//! Equality of states.

use std::sync::Arc;

use crate::controller::{is_identity_label, ordinal_of};
use crate::object::{Claim, OwnerReference, Pod, Snapshot, Status};
use crate::simulate::digest::{self, Digest};
use crate::simulate::event_queue::PodEvent;
use crate::simulate::kubelet::Kubelet;
use crate::simulate::world::World;
use crate::version::Behaviour;

/// Returns a fingerprint of everything that affects the future: the objects, the pending events, the order in which
/// pods become available, and the remaining faults.
pub(super) fn fingerprint(world: &World, faults_left: usize) -> u64 {
    let snapshot = world.snapshot();
    let pods = snapshot.pods.values().fold(Digest::new(), |all, pod| {
        all.text(&pod.meta.name)
            .number(pod_digest(world, pod, world.event_of(&pod.meta.name)))
    });
    let claims = snapshot.claims.values().fold(Digest::new(), |all, claim| {
        let owners = claim.meta.owner_references.iter();
        let mut pods = owners.filter_map(|owner| snapshot.pods.get(&owner.name));
        all.text(&claim.meta.name)
            .number(claim_digest(claim, pods.next()))
    });
    let not_yet_available = world.not_yet_available();
    let not_yet_available = not_yet_available
        .iter()
        .fold(Digest::new(), |all, pod| all.text(pod));
    Digest::new()
        .number(pods.finish())
        .number(claims.finish())
        .number(others_fingerprint(snapshot))
        .number(not_yet_available.finish())
        .number(faults_left as u64)
        .finish()
}

/// Returns a fingerprint of the stored objects other than pods and claims.
pub(super) fn others_fingerprint(snapshot: &Snapshot) -> u64 {
    let revisions = snapshot.revisions.values();
    let revisions = revisions.fold(Digest::new(), |all, revision| {
        all.number(digest::of_revision(revision))
    });
    Digest::new()
        .number(digest::of_status(&snapshot.status))
        .number(revisions.finish())
        .finish()
}

/// Returns a fingerprint of the inputs of the controller's decisions other than pods and claims. The status counters
/// are left out: the controller counts again and only compares them to decide on a write. Returns `None` if they matter
/// more.
pub(super) fn decision_fingerprint(snapshot: &Snapshot, behaviour: &Behaviour) -> Option<u64> {
    // Without a rolling-update block, a counter selects the revision of new pods.
    snapshot.set.strategy.rolling_update()?;
    let status = &snapshot.status;
    let read = Status {
        replicas: 0,
        ready_replicas: 0,
        current_replicas: 0,
        updated_replicas: 0,
        available_replicas: match behaviour.available_replicas {
            true => 0,
            false => status.available_replicas,
        },
        ..(**status).clone()
    };
    let revisions = snapshot.revisions.values();
    let revisions = revisions.fold(Digest::new(), |all, revision| {
        all.number(digest::of_revision(revision))
    });
    let revisions = revisions.number(digest::of_status(&read));
    Some(revisions.finish())
}

/// Returns a digest of everything that affects a pod's future except its name. Pods with equal digests are
/// interchangeable.
pub(super) fn pod_digest(world: &World, pod: &Pod, event: Option<PodEvent>) -> u64 {
    let name = &pod.meta.name;
    let set = &world.snapshot().set;
    let flags = [
        pod.is_terminating(),
        pod.is_ready(),
        pod.ready.is_some_and(|ready| ready.since.is_none()),
        world.is_not_yet_available(pod),
        pod.has_finalizers,
        pod.scheduled,
        pod.trouble.is_some(),
        pod.meta.namespace == set.meta.namespace,
    ];
    let flags = flags
        .iter()
        .fold(0, |bits, flag| bits << 1 | u64::from(*flag));
    let of_itself = Digest::new()
        .number(pod.phase as u64)
        .number(flags)
        .number(event.map_or(9, |event| event as u64))
        .text(&pod.revision);
    let ordinal = ordinal_of(name).to_string();
    let labels =
        pod.meta.labels.iter().fold(of_itself, |all, (key, value)| {
            match is_identity_label(key) && (value == name || **value == *ordinal) {
                true => all.text(key).number(u64::from(value == name)),
                false => all.text(key).text(value),
            }
        });
    let claims = pod.volumes.iter().fold(labels, |all, volume| {
        let claim = volume.claim.as_deref().unwrap_or_default();
        let stem = claim
            .strip_suffix(&**name)
            .map(|stem| (stem, 1))
            .unwrap_or((claim, 0));
        all.text(&volume.name).text(stem.0).number(stem.1)
    });
    let owners = owners(claims, &pod.meta.owner_references, None);
    let owners = match world.kubelet().foreseen.contains_key(name) {
        // An assumption refers to a name.
        true => owners.text(name),
        false => owners,
    };
    match has_own_assumption(world.kubelet(), pod) {
        // Equal to no other pod.
        true => owners.text(name).text(&pod.meta.uid).finish(),
        false => owners.finish(),
    }
}

/// Reports whether an assumption refers to this very pod, by its uid.
pub(super) fn has_own_assumption(kubelet: &Kubelet, pod: &Pod) -> bool {
    let uid = &pod.meta.uid;
    let assumed = kubelet.assumptions.get(&*pod.meta.name);
    kubelet.never_ready.contains(uid)
        || kubelet.never_gone.contains(uid)
        || assumed.is_some_and(|assumed| assumed.stays.as_ref() == Some(uid))
}

/// Returns a digest of everything that affects a claim's future except its name and its pod's.
pub(super) fn claim_digest(claim: &Claim, pod: Option<&Arc<Pod>>) -> u64 {
    let digest = Digest::new().number(u64::from(claim.meta.is_terminating()));
    owners(digest, &claim.meta.owner_references, pod).finish()
}

/// Digests the owners of an object. An owner that is a pod counts by whether it is the current pod of its name.
fn owners(digest: Digest, owners: &[OwnerReference], pod: Option<&Arc<Pod>>) -> Digest {
    owners.iter().fold(digest, |all, owner| {
        let all = all
            .text(&owner.api_version)
            .text(&owner.kind)
            .number(u64::from(owner.controller == Some(true)));
        if &*owner.kind != "Pod" {
            return all.text(&owner.name).text(&owner.uid);
        }
        match pod.filter(|pod| pod.meta.name == owner.name) {
            Some(pod) => all.number(u64::from(pod.meta.uid == owner.uid)),
            None => all.number(2),
        }
    })
}
