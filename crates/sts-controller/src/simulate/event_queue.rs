//! Pending events and their order: docs/contract.md, "Order".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::digest::Digest;
use crate::controller::ordinal_of;

/// An event of a pod without an external cause. The variants are in the order of events at the same instant.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
pub enum PodEvent {
    /// A terminating pod is gone.
    #[strum(serialize = "PodRemoved")]
    Removed,
    /// The pod is running and ready.
    #[strum(serialize = "PodReady")]
    Ready,
    /// The pod has failed.
    #[strum(serialize = "PodFailed")]
    Failed,
    /// The pod has been ready for `minReadySeconds`.
    #[strum(serialize = "PodAvailable")]
    Available,
}

impl PodEvent {
    /// Returns the sort key at one instant. Ready and failed are two outcomes of one start and share a key.
    pub(super) fn rank(self) -> u8 {
        match self {
            PodEvent::Removed => 0,
            PodEvent::Ready | PodEvent::Failed => 1,
            PodEvent::Available => 2,
        }
    }
}

/// An event with its time and pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledEvent {
    /// Time of the event.
    pub at: Timestamp,
    /// The event.
    pub event: PodEvent,
    /// Name of the pod.
    pub pod: Arc<str>,
}

type Key = (Timestamp, u8, i64, Arc<str>, PodEvent);

/// Pending events: at most one per pod, since each follows from the previous one.
#[derive(Debug, Clone, Default)]
pub(super) struct EventQueue {
    queue: BTreeSet<Key>,
    /// By ordinal first, which distinguishes most pods without a comparison of names.
    by_pod: BTreeMap<(i64, Arc<str>), (Timestamp, PodEvent)>,
    /// The sum of event digests, and their sum weighted by time: see [`EventQueue::digest`].
    sums: (u64, u64),
    waiting: Waiting,
}

/// Events that were pending when they were marked and still are: see [`super::recurrence`].
#[derive(Debug, Clone, Default)]
struct Waiting {
    events: BTreeMap<(i64, Arc<str>), (Timestamp, PodEvent)>,
    sums: (u64, u64),
    gone: u64,
}

impl EventQueue {
    /// Sets a pod's next event, and replaces the one set before.
    pub(super) fn schedule(&mut self, at: Timestamp, event: PodEvent, pod: &Arc<str>) {
        self.cancel(pod);
        self.by_pod
            .insert((ordinal_of(pod), Arc::clone(pod)), (at, event));
        count(&mut self.sums, at, event, pod, u64::wrapping_add);
        self.queue.insert(key(at, event, pod));
    }

    /// Cancels a pod's next event.
    pub(super) fn cancel(&mut self, pod: &Arc<str>) {
        let place = (ordinal_of(pod), Arc::clone(pod));
        if let Some((at, event)) = self.by_pod.remove(&place) {
            count(&mut self.sums, at, event, pod, u64::wrapping_sub);
            self.queue.remove(&key(at, event, pod));
            if self.waiting.events.remove(&place).is_some() {
                count(&mut self.waiting.sums, at, event, pod, u64::wrapping_sub);
                self.waiting.gone += 1;
            }
        }
    }

    /// Marks the currently pending events as waiting.
    pub(super) fn mark_waiting(&mut self) {
        self.waiting = Waiting {
            events: self.by_pod.clone(),
            sums: self.sums,
            gone: self.waiting.gone,
        };
    }

    /// Returns the marked events that are still pending, earliest first.
    pub(super) fn waiting(&self) -> Vec<ScheduledEvent> {
        let events = self.waiting.events.iter();
        let mut waiting: Vec<ScheduledEvent> = events
            .map(|((_, pod), (at, event))| ScheduledEvent {
                at: *at,
                event: *event,
                pod: Arc::clone(pod),
            })
            .collect();
        waiting.sort_by_key(|due| due.at);
        waiting
    }

    pub(super) fn waiting_is_empty(&self) -> bool {
        self.waiting.events.is_empty()
    }

    /// Returns the number of marked events that have happened or were canceled.
    pub(super) fn waiting_gone(&self) -> u64 {
        self.waiting.gone
    }

    /// Returns the next event of a pod.
    pub(super) fn event_of(&self, pod: &Arc<str>) -> Option<PodEvent> {
        let next = self.by_pod.get(&(ordinal_of(pod), Arc::clone(pod)));
        next.map(|(_, event)| *event)
    }

    /// Returns the earliest event, if any is pending.
    pub(super) fn first(&self) -> Option<ScheduledEvent> {
        self.queue.first().map(due)
    }

    /// Returns all pending events, earliest first.
    pub(super) fn all(&self) -> impl Iterator<Item = ScheduledEvent> {
        self.queue.iter().map(due)
    }

    /// Returns a digest of the pending events relative to `now`. Two worlds that differ only by a shift in time have
    /// the same digest.
    pub(super) fn digest(&self, now: Timestamp) -> u64 {
        relative(self.sums, now)
    }

    /// Returns the digest without the waiting events.
    pub(super) fn digest_without_waiting(&self, now: Timestamp) -> u64 {
        let (all, waiting) = (self.sums, self.waiting.sums);
        relative(
            (all.0.wrapping_sub(waiting.0), all.1.wrapping_sub(waiting.1)),
            now,
        )
    }
}

fn relative(sums: (u64, u64), now: Timestamp) -> u64 {
    // The added one makes an event that is due right now count too.
    sums.1
        .wrapping_sub(moment(now).wrapping_sub(1).wrapping_mul(sums.0))
}

fn count(
    sums: &mut (u64, u64),
    at: Timestamp,
    event: PodEvent,
    pod: &str,
    op: fn(u64, u64) -> u64,
) {
    let weight = Digest::new()
        .number(u64::from(event.rank()))
        .text(pod)
        .finish();
    sums.0 = op(sums.0, weight);
    sums.1 = op(sums.1, weight.wrapping_mul(moment(at)));
}

/// Returns a time as a number that may wrap around.
fn moment(at: Timestamp) -> u64 {
    let nanoseconds = at.as_nanosecond().to_le_bytes();
    let mut low = [0; 8];
    low.copy_from_slice(&nanoseconds[..8]);
    u64::from_le_bytes(low)
}

fn key(at: Timestamp, event: PodEvent, pod: &Arc<str>) -> Key {
    (at, event.rank(), ordinal_of(pod), Arc::clone(pod), event)
}

fn due((at, _, _, pod, event): &Key) -> ScheduledEvent {
    ScheduledEvent {
        at: *at,
        event: *event,
        pod: Arc::clone(pod),
    }
}
