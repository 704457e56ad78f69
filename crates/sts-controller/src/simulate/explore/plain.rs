//! The plain form of the search: every state is a whole world, identified by a fingerprint.

use std::collections::{BTreeMap, VecDeque};

use super::check::{PropertyChecker, run_until_stable_checked};
use super::cycle::Edges;
use super::moves::{self, Move};
use super::state;
use super::{Bounds, Driver, Ends, Exploration, Outcome, Property, Reached, Stopped, Wrong};
use crate::simulate::world::World;
use crate::version::Behaviour;

/// Memory of a queued world for each of its pods, in bytes.
const BYTES_PER_POD: usize = 400;
/// Number of states between two calls of the driver.
const STRIDE: usize = 64;

/// Searches every order of events like [`explore`](super::explore), with whole worlds as states. Slower, and never
/// merges interchangeable pods.
#[must_use]
pub fn explore_plainly(
    start: World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
    driver: &mut dyn Driver,
) -> Exploration {
    let origin = start.branch();
    let search = Search {
        behaviour,
        bounds,
        property,
        checker: PropertyChecker::new(property),
        numbers: BTreeMap::new(),
        nodes: Vec::new(),
        edges: Edges::default(),
        ends: Ends::default(),
        waiting: VecDeque::new(),
        waiting_bytes: 0,
        depth: 0,
        stopped: None,
    };
    search
        .run(start, driver)
        .into_exploration(&origin, behaviour, property)
}

/// The first path to a state.
struct Node {
    from: Option<(usize, Move)>,
    faults_left: usize,
    depth: usize,
}

struct Search<'s> {
    behaviour: &'s Behaviour,
    bounds: Bounds,
    property: &'s dyn Property,
    checker: PropertyChecker<'s>,
    /// Numbers of the states by fingerprint.
    numbers: BTreeMap<u64, u32>,
    nodes: Vec<Node>,
    edges: Edges,
    ends: Ends,
    /// The queue of states, and its size in bytes.
    waiting: VecDeque<(usize, World)>,
    waiting_bytes: usize,
    depth: usize,
    stopped: Option<Stopped>,
}

impl Search<'_> {
    fn run(mut self, mut start: World, driver: &mut dyn Driver) -> Outcome {
        if let Some(violation) = self.checker.violation(&start) {
            return self.outcome(Some((Wrong::Violation(violation), Vec::new())));
        }
        let settled = run_until_stable_checked(
            &mut start,
            self.behaviour,
            &mut self.checker,
            &mut Vec::new(),
        );
        let faults = self.bounds.faults;
        if let Err(wrong) = settled.and_then(|_| self.enter(start, None, faults)) {
            return self.outcome(Some((wrong, Vec::new())));
        }
        'search: while let Some((node, world)) = self.waiting.pop_front() {
            self.waiting_bytes -= weight(&world);
            self.depth = self.nodes[node].depth;
            if node % STRIDE == 0 && driver.reached(self.reached()).is_break() {
                self.stopped = Some(Stopped::Interrupted);
                break;
            }
            for chosen in moves::enabled(&world, self.nodes[node].faults_left) {
                let mut next = world.branch();
                moves::execute(&mut next, &chosen, self.behaviour);
                let violation = self.checker.violation(&next).map(Wrong::Violation);
                let settled = match violation {
                    Some(wrong) => Err(wrong),
                    None => run_until_stable_checked(
                        &mut next,
                        self.behaviour,
                        &mut self.checker,
                        &mut Vec::new(),
                    ),
                };
                let left = self.nodes[node].faults_left - usize::from(chosen.is_fault());
                let from = Some((node, chosen.clone()));
                if let Err(wrong) = settled.and_then(|_| self.enter(next, from, left)) {
                    let path = self.path(node, Some(chosen));
                    return self.outcome(Some((wrong, path)));
                }
                if self.waiting_bytes > self.bounds.bytes {
                    self.stopped = Some(Stopped::Memory);
                }
                if self.stopped.is_some() {
                    break 'search;
                }
            }
            self.edges.close();
        }
        if self.stopped.is_some() {
            return self.outcome(None);
        }
        self.depth = self.nodes.last().map_or(0, |node| node.depth);
        // A run that returns to a state may go on forever.
        let endless = self.edges.first_on_a_cycle();
        let endless = endless.map(|node| (Wrong::Endless, self.path(node, None)));
        self.outcome(endless)
    }

    /// Stores a new state with its predecessor.
    ///
    /// # Errors
    /// When the state is final and unfinished, and the search looks for that. It is reported here and not when the
    /// state's turn comes, so that no other problem with as many events comes first.
    fn enter(
        &mut self,
        mut world: World,
        from: Option<(usize, Move)>,
        faults_left: usize,
    ) -> Result<(), Wrong> {
        world.space_out();
        let fingerprint = state::fingerprint(&world, faults_left);
        let new = self.nodes.len();
        let known = self.numbers.get(&fingerprint).copied();
        if known.is_none() && new >= self.bounds.states {
            self.stopped = Some(Stopped::States);
            return Ok(());
        }
        let number = known.unwrap_or(u32::try_from(new).unwrap_or(u32::MAX));
        if from.is_some() {
            self.edges.push(number);
        }
        if known.is_some() {
            return Ok(());
        }
        let depth = from
            .as_ref()
            .map_or(0, |(parent, _)| self.nodes[*parent].depth + 1);
        self.numbers.insert(fingerprint, number);
        self.nodes.push(Node {
            from,
            faults_left,
            depth,
        });
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
        self.waiting_bytes += weight(&world);
        self.waiting.push_back((new, world));
        Ok(())
    }

    /// Returns the moves that lead to a state, and one more.
    fn path(&self, mut node: usize, last: Option<Move>) -> Vec<Move> {
        let mut path: Vec<Move> = last.into_iter().collect();
        while let Some((parent, chosen)) = &self.nodes[node].from {
            path.push(chosen.clone());
            node = *parent;
        }
        path.reverse();
        path
    }

    fn reached(&self) -> Reached {
        Reached {
            states: self.nodes.len(),
            moves: self.edges.len(),
            depth: self.depth,
            waiting: self.waiting.len(),
        }
    }

    fn outcome(self, found: Option<(Wrong, Vec<Move>)>) -> Outcome {
        Outcome {
            reached: self.reached(),
            ends: self.ends,
            lowest: self.checker.lowest,
            merged_alike: false,
            stopped: self.stopped,
            found,
        }
    }
}

/// Returns the memory of a queued world, in bytes.
fn weight(world: &World) -> usize {
    (world.snapshot().pods.len() + 1) * BYTES_PER_POD
}
