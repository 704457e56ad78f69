//! Search of all orders of events: the kubelet's events in any order, and faults of a bounded number of pods.
//!
//! Durations do not matter here: any pending event may be the next one. Time matters only in that pods become available
//! in the order in which they became ready. Between two events the controller syncs until it changes nothing, as in
//! [`run`](super::run). States that differ only in timestamps, uids and history are one state. The search is
//! breadth-first, so it finds a violation by the fewest events.
//!
//! One [`search`] serves two [models](model) of a state. [`interned`] states are numbers of objects, for speed. [`plain`]
//! states are whole worlds, for any world and as a check: the tests compare both.

mod check;
mod cycle;
mod interned;
mod model;
mod moves;
mod plain;
mod replay;
mod search;
mod state;

use std::ops::ControlFlow;

use super::Step;
use super::world::World;
use crate::version::Behaviour;

use check::{PropertyChecker, run_until_stable_checked};

pub use moves::Move;
pub use replay::{Replay, Unwritable};

/// Limits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of pods that may fail, never become ready, or vanish.
    pub faults: usize,
    /// Maximum number of states.
    pub states: usize,
    /// Maximum number of bytes for the states and edges.
    pub bytes: usize,
    /// Work that the search may do, in units of [`Allowance`](crate::simulate::Allowance).
    pub work: u64,
    /// True to merge states that differ only by a permutation of interchangeable pods. Such states are merged only
    /// where it is safe: under `Parallel`, above the pods that an update has not reached.
    pub merge_alike: bool,
}

impl Bounds {
    /// Default memory limit of a search, in bytes.
    pub const BYTES: usize = 4 << 30;

    /// Returns limits on faults and states, with defaults for the others.
    #[must_use]
    pub fn new(faults: usize, states: usize) -> Self {
        Bounds {
            faults,
            states,
            bytes: Bounds::BYTES,
            work: u64::MAX,
            merge_alike: true,
        }
    }
}

/// Property that a search checks. It must not read the counters of the status, which follow the pods.
pub trait Property: Sync {
    /// Returns the violation in a state, whether or not the controller is done with it.
    fn violation(&self, world: &World) -> Option<Violation>;
    /// Returns a measure of a state. The search reports the lowest one.
    fn measure(&self, _world: &World) -> i64 {
        0
    }
    /// Reports whether the property distinguishes pods of one revision by name. States are not merged then.
    fn tells_pods_apart(&self) -> bool {
        false
    }
    /// Returns the reason that a final world is not in its desired state; `None` if it is.
    fn unfinished(&self, _world: &World) -> Option<String> {
        None
    }
    /// Reports whether the search looks for such unfinished ends.
    fn wants_every_end_complete(&self) -> bool {
        false
    }
    /// Reports whether an unfinished end recovers once the pods that a fault broke are healthy again.
    fn recovers(&self, _world: &World) -> bool {
        false
    }
}

/// A state's violation of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The property's name.
    pub property: String,
    /// A description of the violation.
    pub text: String,
}

/// Runs the jobs of a search and receives its progress. Threads, the terminal and the user's patience belong to the
/// program, not to the search.
pub trait Driver {
    /// Returns the number of jobs to run in parallel.
    fn threads(&self) -> usize {
        1
    }

    /// Runs all jobs, in any order or in parallel.
    fn run_all<'j>(&self, jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        for job in jobs {
            job();
        }
    }

    /// Receives the progress, many times a second. Breaking ends the search.
    fn reached(&mut self, reached: Reached) -> ControlFlow<()> {
        let _ = reached;
        ControlFlow::Continue(())
    }
}

/// A driver that runs jobs one by one and never interrupts a search.
#[derive(Debug, Default)]
pub struct SequentialDriver;

impl Driver for SequentialDriver {}

/// Progress of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reached {
    /// Number of states so far.
    pub states: usize,
    /// Number of transitions between states.
    pub moves: usize,
    /// Number of events from the start up to which all orders were explored.
    pub depth: usize,
    /// Number of states in the queue.
    pub waiting: usize,
}

/// Result of a search.
#[derive(Debug)]
pub struct Exploration {
    /// Number of states; without those in the queue if the search stopped early.
    pub states: usize,
    /// Number of transitions between states.
    pub moves: usize,
    /// Number of events in a row that were explored in every order.
    pub depth: usize,
    /// Final states by outcome.
    pub ends: Ends,
    /// Lowest [measure](Property::measure) of all states; `None` if the search stopped early.
    pub lowest: Option<i64>,
    /// True if permutations of interchangeable pods count as one state.
    pub merged_alike: bool,
    /// True if all states were explored. False if the search found a problem or reached a limit.
    pub exhaustive: bool,
    /// The limit that was reached, if any.
    pub stopped: Option<Stopped>,
    /// The problem with the fewest events.
    pub found: Option<Found>,
}

/// The reason that a search without a result stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The limit on states.
    States,
    /// The limit on memory.
    Memory,
    /// The limit on work.
    Work,
    /// The user interrupted the search.
    Interrupted,
}

/// Number of final states, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// The set matches its spec.
    pub complete: usize,
    /// The set does not match its spec.
    pub unfinished: usize,
}

/// A problem, and the path to it.
#[derive(Debug)]
pub struct Found {
    /// The problem.
    pub what: Wrong,
    /// The events, in order.
    pub path: Vec<Move>,
    /// The steps on the path: before the first event, then after each event.
    pub legs: Vec<Vec<Step>>,
    /// Assumptions that make the normal simulation follow the path, or the reason that there are none.
    pub replay: Result<Replay, Unwritable>,
}

/// A problem found by a search: a violated property, an unfinished end, or an endless run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// A state violates a property.
    Violation(Violation),
    /// No event is left, and the set is not in its desired state.
    Unfinished(String),
    /// A run can go on forever.
    Endless,
}

impl Wrong {
    /// Returns the name of the violated property: a requirement as written, or the property that every run ends, and
    /// ends complete.
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
    let outcome = search_from(&start, behaviour, property, |settled, failed| {
        let may_group = !failed && !property.tells_pods_apart();
        interned::search(settled, behaviour, bounds, property, may_group, driver)
            .or_else(|| plain::search(settled, behaviour, bounds, property, driver))
    });
    outcome.into_exploration(&start, behaviour, property)
}

/// Searches every order of events like [`explore`], with whole worlds as states. Slower, on one thread, and never merges
/// interchangeable pods.
#[must_use]
pub fn explore_plainly(
    start: World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
    driver: &mut dyn Driver,
) -> Exploration {
    let outcome = search_from(&start, behaviour, property, |settled, _| {
        plain::search(settled, behaviour, bounds, property, driver)
    });
    outcome.into_exploration(&start, behaviour, property)
}

/// Lets the controller sync until it is done, and searches from there. The search gets the settled world, and whether a
/// sync failed.
fn search_from(
    start: &World,
    behaviour: &Behaviour,
    property: &dyn Property,
    search: impl FnOnce(&World, bool) -> Option<Outcome>,
) -> Outcome {
    let mut world = start.branch();
    let mut checker = PropertyChecker::new(property);
    let settled = match checker.violation(&world) {
        Some(violation) => Err(Wrong::Violation(violation)),
        None => run_until_stable_checked(&mut world, behaviour, &mut checker, &mut Vec::new()),
    };
    let mut outcome = Outcome::default();
    match settled {
        Err(wrong) => outcome.found = Some((wrong, Vec::new())),
        Ok(failed) => {
            world.space_out();
            match search(&world, failed) {
                Some(searched) => outcome = searched,
                // Never: the plain model fits every world.
                None => outcome.stopped = Some(Stopped::Interrupted),
            }
        }
    }
    outcome.lowest = outcome.lowest.min(checker.lowest);
    outcome
}

/// Outcome of a search, before the path to its result is simulated again.
#[derive(Default)]
struct Outcome {
    reached: Reached,
    ends: Ends,
    lowest: i64,
    merged_alike: bool,
    stopped: Option<Stopped>,
    found: Option<(Wrong, Vec<Move>)>,
}

impl Outcome {
    /// Returns the result, with the steps on the path to it.
    fn into_exploration(
        self,
        origin: &World,
        behaviour: &Behaviour,
        property: &dyn Property,
    ) -> Exploration {
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
            // More workers look further ahead, so in a stopped search the value would depend on their number.
            lowest: exhaustive.then_some(self.lowest),
            merged_alike: self.merged_alike,
            exhaustive,
            stopped: self.stopped,
            found,
        }
    }
}
