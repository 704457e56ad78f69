//! All orders, not one: whatever order the kubelet's events come in, and whatever a bounded number of pods does
//! instead of becoming ready.
//!
//! Durations count for nothing here: any event that is due some time may be the next one. What stays of time is that
//! pods become available in the order in which they became ready. Between two events the controller syncs until it
//! changes nothing, as in [`run`](super::run). States that differ in moments, uids and the way there are one state, and the search
//! goes breadth first, so that what it finds is reached by as few events as possible.

mod cycle;
mod moves;
mod replay;
mod state;

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use super::progress::{Left, Spent, run_until_stable};
use super::world::World;
use super::{Observer, Step};
use crate::controller::Sync;
use crate::version::Behaviour;

pub use moves::{Fault, Move};
pub use replay::{Replay, Unwritable};

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How many pods may fail, never become ready, or vanish.
    pub faults: usize,
    /// How many states may be looked at.
    pub states: usize,
    /// How many pods there may be in all states that wait to be looked at, so that large sets do not fill the memory.
    pub waiting_pods: usize,
}

impl Bounds {
    /// As many waiting pods as fit into a few hundred megabytes.
    pub const WAITING_PODS: usize = 1_000_000;
}

/// What a world that waits costs.
fn weight(world: &World) -> usize {
    world.snapshot().pods.len() + 1
}

/// Who says what is wrong.
pub trait Property {
    /// What a state breaks, whether or not the controller is done with it.
    fn violation(&self, world: &World) -> Option<String>;
    /// Why a world in which nothing is left to happen is not where it should be.
    fn unfinished(&self, world: &World) -> Option<String>;
    /// Whether such an end is what is looked for.
    fn wants_every_end_complete(&self) -> bool;
    /// Whether an unfinished end is left as soon as the pods that a fault broke are well again.
    fn recovers(&self, _world: &World) -> bool {
        false
    }
}

/// What a search found.
#[derive(Debug)]
pub struct Exploration {
    /// How many states there are; those that were looked at, when the search did not come to its end.
    pub states: usize,
    /// How many events lead from one to another.
    pub moves: usize,
    /// How the runs end.
    pub ends: Ends,
    /// Whether everything was looked at. False when something was found or a bound was met.
    pub exhaustive: bool,
    /// The bound that was met, if one was.
    pub stopped: Option<Stopped>,
    /// The first thing that is wrong, by the fewest events.
    pub found: Option<Found>,
}

/// Why a search did not come to its end though nothing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It looked at as many states as it may.
    States,
    /// The states that wait to be looked at have as many pods as memory is spent on.
    Memory,
}

/// How many of the states are ends, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// The set is where its specification wants it.
    pub complete: usize,
    /// It is not.
    pub unfinished: usize,
}

/// Something that is wrong, and how it comes to that.
#[derive(Debug)]
pub struct Found {
    /// What.
    pub what: Wrong,
    /// The events, in order.
    pub path: Vec<Move>,
    /// All that happens on the way: before the first event, then from each event on.
    pub legs: Vec<Vec<Step>>,
    /// How the normal simulation can be told to go the same way.
    pub replay: Result<Replay, Unwritable>,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// A state breaks a requirement.
    Violation(String),
    /// Nothing is left to happen, and the set is not where it should be.
    Unfinished(String),
    /// It can go round for ever.
    Endless,
}

/// Searches every order of events.
#[must_use]
pub fn explore(
    start: World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
) -> Exploration {
    Search {
        origin: start.branch(),
        behaviour,
        bounds,
        property,
        numbers: BTreeMap::new(),
        nodes: Vec::new(),
        edges: Vec::new(),
        ends: Ends::default(),
        waiting: VecDeque::new(),
        waiting_pods: 0,
        stopped: None,
    }
    .run(start)
}

/// How a state was reached first.
struct Node {
    from: Option<(usize, Move)>,
    faults_left: usize,
}

struct Search<'s> {
    origin: World,
    behaviour: &'s Behaviour,
    bounds: Bounds,
    property: &'s dyn Property,
    /// The number of each state, by its fingerprint.
    numbers: BTreeMap<u64, usize>,
    nodes: Vec<Node>,
    edges: Vec<(usize, usize)>,
    ends: Ends,
    /// The states that are to be looked at, the first found first, and how many pods they have.
    waiting: VecDeque<(usize, World)>,
    waiting_pods: usize,
    stopped: Option<Stopped>,
}

impl Search<'_> {
    fn run(mut self, mut start: World) -> Exploration {
        if let Some(violation) = self.property.violation(&start) {
            return self.wrong(Wrong::Violation(violation), Vec::new());
        }
        let settled =
            run_until_stable_checked(&mut start, self.behaviour, self.property, &mut Vec::new());
        let faults = self.bounds.faults;
        if let Err(wrong) = settled.and_then(|()| self.enter(start, None, faults)) {
            return self.wrong(wrong, Vec::new());
        }
        'search: while let Some((node, world)) = self.waiting.pop_front() {
            self.waiting_pods -= weight(&world);
            for chosen in moves::enabled(&world, self.nodes[node].faults_left) {
                let mut next = world.branch();
                moves::make(&mut next, &chosen);
                let violation = self.property.violation(&next).map(Wrong::Violation);
                let settled = match violation {
                    Some(wrong) => Err(wrong),
                    None => run_until_stable_checked(
                        &mut next,
                        self.behaviour,
                        self.property,
                        &mut Vec::new(),
                    ),
                };
                let left = self.nodes[node].faults_left - usize::from(chosen.is_fault());
                let from = Some((node, chosen.clone()));
                if let Err(wrong) = settled.and_then(|()| self.enter(next, from, left)) {
                    let path = self.path(node, Some(chosen));
                    return self.wrong(wrong, path);
                }
                if self.waiting_pods > self.bounds.waiting_pods {
                    self.stopped = Some(Stopped::Memory);
                }
                if self.stopped.is_some() {
                    break 'search;
                }
            }
        }
        if self.stopped.is_some() {
            return self.finish(None);
        }
        // A state that comes back to itself is one that the controller and the kubelet may never leave.
        let endless = cycle::first_on_a_cycle(self.nodes.len(), &self.edges)
            .map(|node| (Wrong::Endless, self.path(node, None)));
        self.finish(endless)
    }

    /// Takes a state in, if it is new, and notes the way there.
    ///
    /// # Errors
    /// When the state is an end, and not as it should be, and that is what is looked for. It is told here rather than
    /// when the state's turn comes: what is wrong after as many events elsewhere must not come before it.
    fn enter(
        &mut self,
        mut world: World,
        from: Option<(usize, Move)>,
        faults_left: usize,
    ) -> Result<(), Wrong> {
        world.space_out();
        let fingerprint = state::fingerprint(&world, faults_left);
        let parent = from.as_ref().map(|(parent, _)| *parent);
        let new = self.nodes.len();
        let known = self.numbers.get(&fingerprint).copied();
        if known.is_none() && new >= self.bounds.states {
            self.stopped = Some(Stopped::States);
            return Ok(());
        }
        let number = known.unwrap_or(new);
        self.edges.extend(parent.map(|parent| (parent, number)));
        if known.is_some() {
            return Ok(());
        }
        self.numbers.insert(fingerprint, new);
        self.nodes.push(Node { from, faults_left });
        if world.first().is_none() {
            match self.property.unfinished(&world) {
                None => self.ends.complete += 1,
                Some(why) => {
                    self.ends.unfinished += 1;
                    if self.property.wants_every_end_complete() && !self.property.recovers(&world) {
                        return Err(Wrong::Unfinished(why));
                    }
                }
            }
        }
        self.waiting_pods += weight(&world);
        self.waiting.push_back((number, world));
        Ok(())
    }

    /// The moves that lead to a state, and one more.
    fn path(&self, mut node: usize, last: Option<Move>) -> Vec<Move> {
        let mut path: Vec<Move> = last.into_iter().collect();
        while let Some((parent, chosen)) = &self.nodes[node].from {
            path.push(chosen.clone());
            node = *parent;
        }
        path.reverse();
        path
    }

    fn wrong(self, what: Wrong, path: Vec<Move>) -> Exploration {
        self.finish(Some((what, path)))
    }

    fn finish(self, found: Option<(Wrong, Vec<Move>)>) -> Exploration {
        let exhaustive = found.is_none() && self.stopped.is_none();
        let found = found.map(|(what, path)| {
            let legs = replay::legs(self.origin.branch(), self.behaviour, &path, self.property);
            let replay = replay::write(&self.origin, self.behaviour, &path, &what, self.property);
            Found {
                what,
                path,
                legs,
                replay,
            }
        });
        Exploration {
            states: self.nodes.len(),
            moves: self.edges.len(),
            ends: self.ends,
            exhaustive,
            stopped: self.stopped,
            found,
        }
    }
}

/// Looks at the world after each sync.
struct Watch<'j> {
    property: &'j dyn Property,
    steps: &'j mut Vec<Step>,
    violation: Option<String>,
}

impl Observer for Watch<'_> {
    fn synced(&mut self, world: &World, steps: Vec<Step>, _: Sync) -> ControlFlow<()> {
        if steps.is_empty() {
            return ControlFlow::Continue(());
        }
        self.happened(world, steps)
    }

    fn happened(&mut self, world: &World, mut steps: Vec<Step>) -> ControlFlow<()> {
        self.steps.append(&mut steps);
        self.violation = self.property.violation(world);
        match self.violation {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Lets the controller sync until it is done, and adds what happens to the steps.
fn run_until_stable_checked(
    world: &mut World,
    behaviour: &Behaviour,
    property: &dyn Property,
    steps: &mut Vec<Step>,
) -> Result<(), Wrong> {
    let mut watch = Watch {
        property,
        steps,
        violation: None,
    };
    let mut spent = Spent::nothing(world);
    let settled = run_until_stable(world, behaviour, false, &mut spent, &mut watch);
    match (watch.violation, settled) {
        (Some(violation), _) => Err(Wrong::Violation(violation)),
        (None, ControlFlow::Break(Left::Exhausted(_))) => Err(Wrong::Endless),
        _ => Ok(()),
    }
}
