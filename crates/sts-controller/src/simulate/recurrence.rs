//! Detection of a settled world that equals an earlier one: docs/contract.md, "End".
//!
//! Two worlds are equal if their objects are, and their pending events are due after the same time. An event far ahead
//! would hide a cycle until it happens, since it comes closer each time. So the comparison ignores events that were
//! pending when they were marked and still are. The simulation then tests whether the cycle outlives them.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::digest::Seen;
use super::event_queue::ScheduledEvent;
use super::world::World;

/// Result of comparing a settled world with earlier ones.
pub(super) enum Recurrence {
    /// No earlier world is equal.
    New,
    /// An earlier world is equal.
    Same,
    /// An earlier world is equal except for waiting events.
    Cycle(Cycle),
}

/// A cycle of a world while events far ahead wait.
pub(super) struct Cycle {
    /// Duration of the cycle.
    pub(super) period: SignedDuration,
    /// The waiting events, earliest first.
    pub(super) waiting: Vec<ScheduledEvent>,
}

/// Settled states of a world so far.
#[derive(Default)]
pub(super) struct QuiescentStates {
    seen: Seen,
    count: u64,
    /// Times of the settled states since the waiting events were marked, or the last of them happened.
    times: BTreeMap<u64, Timestamp>,
    /// Number of waiting events that have happened or were canceled.
    gone: u64,
    same_only: bool,
}

impl QuiescentStates {
    /// Records a settled state.
    pub(super) fn note(&mut self, world: &mut World) -> Recurrence {
        if !self.seen.insert(world.digest()) {
            return Recurrence::Same;
        }
        if self.same_only {
            return Recurrence::New;
        }
        self.count += 1;
        // At growing intervals, so that a cycle of any length fits between two choices.
        if self.count.is_power_of_two() && self.count >= 4 {
            world.mark_waiting();
            self.times.clear();
            self.gone = world.waiting_gone();
        }
        if world.waiting_is_empty() {
            return Recurrence::New;
        }
        if self.gone != world.waiting_gone() {
            self.gone = world.waiting_gone();
            self.times.clear();
        }
        let now = world.now();
        match self.times.insert(world.digest_without_waiting(), now) {
            Some(before) => Recurrence::Cycle(Cycle {
                period: now.duration_since(before),
                waiting: world.waiting(),
            }),
            None => Recurrence::New,
        }
    }

    /// Ignores cycles with waiting events from now on: only an equal world counts.
    pub(super) fn ignore_cycles(&mut self) {
        self.same_only = true;
        self.times.clear();
    }
}
