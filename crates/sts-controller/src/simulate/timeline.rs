//! What is going to happen, and when: docs/contract.md, "Order".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::digest::Digest;
use crate::controller::ordinal_of;

/// Something that happens to a pod by itself. In the order in which they happen at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PodEvent {
    /// A terminating pod is gone.
    Removed,
    /// The pod runs and is ready.
    Ready,
    /// The pod has come to a bad end.
    Failed,
    /// The pod has been ready for `minReadySeconds`.
    Available,
}

impl PodEvent {
    /// The event's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PodEvent::Removed => "PodRemoved",
            PodEvent::Ready => "PodReady",
            PodEvent::Failed => "PodFailed",
            PodEvent::Available => "PodAvailable",
        }
    }

    /// Ready and failed are two ends of one start: at one instant they are as early as one another.
    fn rank(self) -> u8 {
        match self {
            PodEvent::Removed => 0,
            PodEvent::Ready | PodEvent::Failed => 1,
            PodEvent::Available => 2,
        }
    }
}

/// An event with its moment and its pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// When it happens.
    pub at: Timestamp,
    /// What happens.
    pub event: PodEvent,
    /// To which pod.
    pub pod: Arc<str>,
}

type Key = (Timestamp, u8, i64, Arc<str>, PodEvent);

/// The events to come: at most one a pod, since each follows from the one before.
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline {
    queue: BTreeSet<Key>,
    /// By ordinal first, which tells most pods apart without a look at their names.
    by_pod: BTreeMap<(i64, Arc<str>), (Timestamp, PodEvent)>,
    /// The sum of what happens, and the sum of that times its moment: see [`Timeline::digest`].
    sums: (u64, u64),
}

impl Timeline {
    /// Sets what happens to a pod next, in the place of what was set before.
    pub(super) fn schedule(&mut self, at: Timestamp, event: PodEvent, pod: &Arc<str>) {
        self.cancel(pod);
        self.by_pod
            .insert((ordinal_of(pod), Arc::clone(pod)), (at, event));
        self.count(at, event, pod, u64::wrapping_add);
        self.queue.insert(key(at, event, pod));
    }

    /// Takes back what was set for a pod.
    pub(super) fn cancel(&mut self, pod: &Arc<str>) {
        if let Some((at, event)) = self.by_pod.remove(&(ordinal_of(pod), Arc::clone(pod))) {
            self.count(at, event, pod, u64::wrapping_sub);
            self.queue.remove(&key(at, event, pod));
        }
    }

    /// The event that happens first, if any is left.
    pub(super) fn first(&self) -> Option<Due> {
        self.queue.first().map(due)
    }

    /// All events to come, the first one first.
    pub(super) fn all(&self) -> impl Iterator<Item = Due> {
        self.queue.iter().map(due)
    }

    /// What is to come, as seen from `now`: two worlds that differ by a shift of time alone have one digest.
    pub(super) fn digest(&self, now: Timestamp) -> u64 {
        // An event that is due right now has to count too, hence the one.
        self.sums
            .1
            .wrapping_sub(moment(now).wrapping_sub(1).wrapping_mul(self.sums.0))
    }

    fn count(&mut self, at: Timestamp, event: PodEvent, pod: &str, op: fn(u64, u64) -> u64) {
        let weight = Digest::new()
            .number(u64::from(event.rank()))
            .text(pod)
            .finish();
        self.sums.0 = op(self.sums.0, weight);
        self.sums.1 = op(self.sums.1, weight.wrapping_mul(moment(at)));
    }
}

/// A moment as a number that may wrap around.
fn moment(at: Timestamp) -> u64 {
    let nanoseconds = at.as_nanosecond().to_le_bytes();
    let mut low = [0; 8];
    low.copy_from_slice(&nanoseconds[..8]);
    u64::from_le_bytes(low)
}

fn key(at: Timestamp, event: PodEvent, pod: &Arc<str>) -> Key {
    (at, event.rank(), ordinal_of(pod), Arc::clone(pod), event)
}

fn due((at, _, _, pod, event): &Key) -> Due {
    Due {
        at: *at,
        event: *event,
        pod: Arc::clone(pod),
    }
}
