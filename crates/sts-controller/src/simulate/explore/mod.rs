//! All orders, not one: whatever order the kubelet's events come in, and whatever a bounded number of pods does
//! instead of becoming ready.
//!
//! Durations count for nothing here: any event that is due some time may be the next one. What stays of time is that
//! pods become available in the order in which they became ready. Between two events the controller syncs until it
//! changes nothing, as in [`run`](super::run). States that differ in moments, uids and the way there are one state, and the search
//! goes breadth first, so that what it finds is reached by as few events as possible.
//!
//! [`explore`] packs states into a few words and lets several threads go ahead of one that counts
//! ([`packed`]). The plain form ([`plain`]) keeps whole worlds: it takes worlds that do not pack, and the tests hold
//! both against each other.

mod check;
mod cycle;
mod moves;
mod packed;
mod plain;
mod replay;
mod state;

use std::ops::ControlFlow;

use super::Step;
use super::world::World;
use crate::version::Behaviour;

pub use moves::Move;
pub use plain::explore_plainly;
pub use replay::{Replay, Unwritable};

/// The limits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of pods that may fail, never become ready, or vanish.
    pub faults: usize,
    /// Maximum number of states that may be looked at.
    pub states: usize,
    /// Maximum number of bytes for the states and what leads to them.
    pub bytes: usize,
    /// True if states that differ in nothing but which of several like pods is in which state count as one. They are
    /// merged only where it is safe: under `Parallel`, above the pods that an update has not reached.
    pub merge_alike: bool,
}

impl Bounds {
    /// Default limit on the memory of a search, in bytes.
    pub const BYTES: usize = 4 << 30;

    /// At most so many faults and states, and everything else as usual.
    #[must_use]
    pub fn new(faults: usize, states: usize) -> Self {
        Bounds {
            faults,
            states,
            bytes: Bounds::BYTES,
            merge_alike: true,
        }
    }
}

/// The property that a search checks. It may not read the counters of the status, which follow the pods.
pub trait Property: Sync {
    /// Returns the violation in a state, whether or not the controller is done with it.
    fn violation(&self, world: &World) -> Option<Violation>;
    /// A number of a state, of which the search tells the lowest.
    fn measure(&self, _world: &World) -> i64 {
        0
    }
    /// Reports whether it tells pods of one revision apart by their names: then states of like pods are not merged.
    fn tells_pods_apart(&self) -> bool {
        false
    }
    /// Returns the reason that a world in which nothing is left to happen is not where it should be; `None` if it is.
    fn unfinished(&self, _world: &World) -> Option<String> {
        None
    }
    /// Reports whether the search looks for such unfinished ends.
    fn wants_every_end_complete(&self) -> bool {
        false
    }
    /// Reports whether an unfinished end is left as soon as the pods that a fault broke are well again.
    fn recovers(&self, _world: &World) -> bool {
        false
    }
}

/// A property that a state breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The property's name.
    pub property: String,
    /// A description of how the state breaks it.
    pub text: String,
}

/// Does the work of a search and hears of it. A program has threads, a terminal and a user who may lose patience; the
/// search itself knows nothing of them.
pub trait Driver {
    /// Returns the number of jobs that are worth having at a time.
    fn threads(&self) -> usize {
        1
    }

    /// Does all jobs, in any order or at once.
    fn run_all<'j>(&self, jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        for job in jobs {
            job();
        }
    }

    /// Hears how far the search is, many times a second. Breaking ends the search there.
    fn reached(&mut self, reached: Reached) -> ControlFlow<()> {
        let _ = reached;
        ControlFlow::Continue(())
    }
}

/// A driver that does one job after the other and lets every search come to its end.
#[derive(Debug, Default)]
pub struct SequentialDriver;

impl Driver for SequentialDriver {}

/// The progress of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reached {
    /// Number of states so far.
    pub states: usize,
    /// Number of events that lead from one state to another.
    pub moves: usize,
    /// Number of events from the beginning that have been looked at, in any order.
    pub depth: usize,
    /// Number of states that wait to be looked at.
    pub waiting: usize,
}

/// The result of a search.
#[derive(Debug)]
pub struct Exploration {
    /// Number of states; only those that were looked at if the search did not come to its end.
    pub states: usize,
    /// Number of events that lead from one state to another.
    pub moves: usize,
    /// The most events in a row that were looked at in every order.
    pub depth: usize,
    /// The ends of the runs.
    pub ends: Ends,
    /// The lowest [measure](Property::measure) of all states; `None` when not all were looked at.
    pub lowest: Option<i64>,
    /// True if states of like pods count as one.
    pub merged_alike: bool,
    /// True if everything was looked at. False if something was found or a bound was met.
    pub exhaustive: bool,
    /// The bound that was met, if one was.
    pub stopped: Option<Stopped>,
    /// The first thing that is wrong, by the fewest events.
    pub found: Option<Found>,
}

/// The reason that a search did not come to its end though nothing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It looked at as many states as it may.
    States,
    /// The states take as many bytes as they may.
    Memory,
    /// The user has had enough.
    Interrupted,
}

/// The number of states that are ends, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// The set matches its specification.
    pub complete: usize,
    /// It is not.
    pub unfinished: usize,
}

/// Something that is wrong, and how it comes to that.
#[derive(Debug)]
pub struct Found {
    /// The broken property, or the run that does not end as it should.
    pub what: Wrong,
    /// The events, in order.
    pub path: Vec<Move>,
    /// All that happens on the way: before the first event, then from each event on.
    pub legs: Vec<Vec<Step>>,
    /// The assumptions under which the normal simulation goes the same way, or the reason that there are none.
    pub replay: Result<Replay, Unwritable>,
}

/// The defect that a search found: a broken property, an unfinished end, or an endless run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// A state breaks a property.
    Violation(Violation),
    /// Nothing is left to happen, and the set is not where it should be.
    Unfinished(String),
    /// It can go round for ever.
    Endless,
}

impl Wrong {
    /// The name of the property that is broken: a requirement as it was written, or that every run ends, and ends
    /// complete.
    #[must_use]
    pub fn property(&self) -> &str {
        match self {
            Wrong::Violation(violation) => &violation.property,
            Wrong::Unfinished(_) => "every run completes",
            Wrong::Endless => "every run ends",
        }
    }
}

/// Searches every order of events.
#[must_use]
pub fn explore(
    start: World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
    driver: &mut dyn Driver,
) -> Exploration {
    match packed::explore(&start, behaviour, bounds, property, driver) {
        Some(exploration) => exploration,
        None => explore_plainly(start, behaviour, bounds, property, driver),
    }
}

/// The outcome of a search, before the way to what it found is simulated again.
struct Outcome {
    reached: Reached,
    ends: Ends,
    lowest: i64,
    merged_alike: bool,
    stopped: Option<Stopped>,
    found: Option<(Wrong, Vec<Move>)>,
}

impl Outcome {
    /// The answer, with what happens on the way to what was found.
    fn tell(self, origin: &World, behaviour: &Behaviour, property: &dyn Property) -> Exploration {
        let found = self.found.map(|(what, path)| {
            let legs = replay::legs(origin.branch(), behaviour, &path, property);
            let replay = replay::write(origin, behaviour, &path, &what, property);
            Found {
                what,
                path,
                legs,
                replay,
            }
        });
        let exhaustive = found.is_none() && self.stopped.is_none();
        Exploration {
            states: self.reached.states,
            moves: self.reached.moves,
            depth: self.reached.depth,
            ends: self.ends,
            // Workers look further ahead the more there are, so this depends on their number where a search stops.
            lowest: exhaustive.then_some(self.lowest),
            merged_alike: self.merged_alike,
            exhaustive,
            stopped: self.stopped,
            found,
        }
    }
}
