//! When two states are one.

use crate::simulate::digest::Digest;
use crate::simulate::world::World;

/// A fingerprint of everything that decides what may happen from here on: the objects, what is to come of which pod,
/// who becomes available before whom, and how many faults are left.
pub(super) fn fingerprint(world: &World, faults_left: usize) -> u64 {
    let to_come = world.enabled().fold(0u64, |sum, due| {
        let one = Digest::new().number(due.event as u64).text(&due.pod);
        sum.wrapping_add(one.finish())
    });
    // A pod of the input may differ from the one that takes its place in more than its revision.
    let pods = world
        .snapshot()
        .pods
        .values()
        .fold(Digest::new(), |digest, pod| {
            let digest = pod
                .volumes
                .iter()
                .filter_map(|volume| volume.claim.as_deref())
                .fold(digest.number(1), Digest::text);
            let labels = pod.meta.labels.iter();
            labels.fold(digest, |digest, (key, value)| digest.text(key).text(value))
        });
    let not_yet_available = world.not_yet_available();
    let not_yet_available = not_yet_available
        .iter()
        .fold(Digest::new(), |digest, pod| digest.text(pod));
    Digest::new()
        .number(world.digest_of_objects())
        .number(pods.finish())
        .number(to_come)
        .number(not_yet_available.finish())
        .number(faults_left as u64)
        .finish()
}
