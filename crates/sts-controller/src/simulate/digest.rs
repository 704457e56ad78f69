//! A small fingerprint of objects, to detect that a world has been seen before.

use crate::object::{Claim, OwnerReference, Pod, Revision, Status};

/// A hash that multiplies and rotates for every eight bytes. The final mix keeps sums of fingerprints as good as the
/// fingerprints.
pub(super) struct Digest(u64);

impl Digest {
    pub(super) fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn text(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let (words, _) = bytes.as_chunks();
        for word in words {
            self = self.number(u64::from_le_bytes(*word));
        }
        // The last eight bytes, some of which may already be hashed.
        let last = match bytes.last_chunk() {
            Some(last) => u64::from_le_bytes(*last),
            None => bytes
                .iter()
                .fold(0, |last, byte| last << 8 | u64::from(*byte)),
        };
        self.number(last).number(u64::MAX - bytes.len() as u64)
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
        self
    }

    pub(super) fn finish(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 29)
    }

    fn owners(self, owners: &[OwnerReference]) -> Self {
        // By name, not by uid: a pod's replacement has another uid and the same role.
        owners.iter().fold(self, |digest, owner| {
            digest
                .text(&owner.kind)
                .text(&owner.name)
                .number(u64::from(owner.controller == Some(true)))
        })
    }
}

/// Digests of the worlds seen so far.
#[expect(
    clippy::disallowed_types,
    reason = "only membership is asked, so the order of a hash set never shows; a tree slows down as it grows"
)]
pub(super) type Seen = std::collections::HashSet<u64>;

/// Numbers of the states of a search, by digest.
#[expect(
    clippy::disallowed_types,
    reason = "entries are only looked up, so the order of a hash map never shows; a tree slows down as it grows"
)]
pub(super) type Numbers = std::collections::HashMap<u64, u32>;

pub(super) fn of_pod(pod: &Pod) -> u64 {
    Digest::new()
        .text(&pod.meta.name)
        .text(&pod.revision)
        .number(pod.phase as u64)
        .number(u64::from(pod.is_ready()) | u64::from(pod.is_terminating()) << 1)
        .number(pod.meta.labels.len() as u64)
        .owners(&pod.meta.owner_references)
        .finish()
}

pub(super) fn of_claim(claim: &Claim) -> u64 {
    Digest::new()
        .text("claim")
        .text(&claim.meta.name)
        .owners(&claim.meta.owner_references)
        .finish()
}

pub(super) fn of_revision(revision: &Revision) -> u64 {
    Digest::new()
        .text("revision")
        .text(&revision.meta.name)
        .number(revision.number.unsigned_abs())
        .owners(&revision.meta.owner_references)
        .finish()
}

pub(super) fn of_status(status: &Status) -> u64 {
    let counters = [
        status.observed_generation,
        status.replicas,
        status.ready_replicas,
        status.current_replicas,
        status.updated_replicas,
        status.available_replicas,
        status.collision_count.unwrap_or(-1),
    ];
    let digest = Digest::new()
        .text(&status.current_revision)
        .text(&status.update_revision);
    counters
        .iter()
        .fold(digest, |digest, counter| {
            digest.number(counter.unsigned_abs())
        })
        .finish()
}
