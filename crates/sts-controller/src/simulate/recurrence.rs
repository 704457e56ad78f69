//! Notices a world at rest that was at rest before: docs/contract.md, "End".
//!
//! A world is the same when its objects are, and what is to come of them in the same time. An event far ahead would
//! hide a round until it comes, since it is nearer each time; so the events that were pending at some rest and still
//! are, at the same moment, are left out of the comparison, and whether the round outlives them is tried.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::digest::Seen;
use super::event_queue::ScheduledEvent;
use super::world::World;

/// The result of comparing a world at rest with those before it.
pub(super) enum Recurrence {
    /// None was like it.
    New,
    /// One was the same.
    Same,
    /// One was the same but for events that are still ahead of both.
    Round(Round),
}

/// A round that a world goes while events far ahead wait.
pub(super) struct Round {
    /// Time that it takes.
    pub(super) period: SignedDuration,
    /// The events that wait, the first one first.
    pub(super) waiting: Vec<ScheduledEvent>,
}

/// The rests of a world so far.
#[derive(Default)]
pub(super) struct QuiescentStates {
    seen: Seen,
    count: u64,
    /// The rests since the events that wait were chosen, and the last of them went: when each was.
    rounds: BTreeMap<u64, Timestamp>,
    /// Number of waiting events that have gone.
    gone: u64,
    same_only: bool,
}

impl QuiescentStates {
    /// Takes a rest in.
    pub(super) fn note(&mut self, world: &mut World) -> Recurrence {
        if !self.seen.insert(world.digest()) {
            return Recurrence::Same;
        }
        if self.same_only {
            return Recurrence::New;
        }
        self.count += 1;
        // Later and later, so that a round of any length fits between two choices.
        if self.count.is_power_of_two() && self.count >= 4 {
            world.choose_waiting();
            self.rounds.clear();
            self.gone = world.waiting_gone();
        }
        if world.waiting_is_empty() {
            return Recurrence::New;
        }
        if self.gone != world.waiting_gone() {
            self.gone = world.waiting_gone();
            self.rounds.clear();
        }
        let now = world.now();
        match self.rounds.insert(world.digest_without_waiting(), now) {
            Some(before) => Recurrence::Round(Round {
                period: now.duration_since(before),
                waiting: world.waiting(),
            }),
            None => Recurrence::New,
        }
    }

    /// From here on only a world that is the same in everything counts.
    pub(super) fn look_for_the_same_only(&mut self) {
        self.same_only = true;
        self.rounds.clear();
    }
}
