//! Breadth-first search of all states of a [`Model`], in blocks that workers expand in parallel.
//!
//! ```text
//! queue of states -> workers: moves, next states, fingerprints -> merged in order: numbers, edges, new states -> queue
//! ```
//!
//! The search keeps a number and a fingerprint of every state, but the states themselves only while they are queued.
//! States are told apart by their fingerprints, as in other model checkers: of seven million states, two have the same
//! fingerprint of 64 bits with a probability of one in a million.
//!
//! Workers look up fingerprints while they expand a block. Their results are merged in the order of the queue. So the
//! numbers of states, and with them all results, do not depend on the number of workers.

use std::collections::{BTreeMap, VecDeque};

use super::cycle::Edges;
use super::model::{Failure, Model};
use super::moves::Move;
use super::{Bounds, Driver, Ends, Outcome, Property, Reached, Stopped, Wrong};
use crate::simulate::digest::Numbers;
use crate::simulate::world::World;

/// Minimum number of states in a worker's block: small at first, while most successors are new.
const MIN_BLOCK: usize = 16;
/// Memory of an entry of [`Numbers`], in bytes, with its control byte and its share of the unused eighth.
const BYTES_PER_NUMBER: usize = 20;
/// Maximum size of the successors of a block of states, in bytes.
const BLOCK_BYTES: usize = 64 << 20;
/// Work of a move of the smallest set.
const MOVE: u64 = 64;
/// Predecessor of the first state.
const NO_PARENT: u32 = u32::MAX;

pub(super) struct Search<'s, M: Model> {
    bounds: Bounds,
    property: &'s dyn Property,
    workers: Vec<M>,
    /// States that are not expanded yet, and their size in bytes.
    queue: VecDeque<M::State>,
    queued_bytes: usize,
    /// Numbers of the states by fingerprint.
    numbers: Numbers,
    /// Predecessor through which each state was first reached.
    parents: Vec<u32>,
    edges: Edges,
    /// Work of a move besides the bytes of its state: a sync looks at every slot.
    of_move: u64,
    /// Work so far.
    work: u64,
    ends: Ends,
    /// Number of states whose successors are known.
    expanded: usize,
    /// First state of the level after the current one.
    level: usize,
    depth: usize,
}

/// Successors of a state, up to the first failure.
struct Expansion<S> {
    successors: Vec<Successor<S>>,
    /// Work of the successors.
    work: u64,
    failure: Option<Failure>,
    /// The limit that the successors alone reach.
    too_many: Option<Stopped>,
}

impl<S> Expansion<S> {
    /// Returns an expansion without successors yet, for this number of moves from a state of this size. Its limits do
    /// not depend on earlier work, so that a search stops at the same state with any number of workers.
    fn of(moves: usize, bytes: usize, of_move: u64, bounds: &Bounds) -> Self {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let work = number(moves).saturating_mul(of_move + number(bytes));
        let too_many = if bytes.saturating_mul(moves) > bounds.bytes {
            Some(Stopped::Memory)
        } else if work > bounds.work / 4 {
            Some(Stopped::Work)
        } else {
            None
        };
        Expansion {
            successors: Vec::new(),
            work,
            failure: None,
            too_many,
        }
    }
}

enum Successor<S> {
    Known(u32),
    /// A state that was new when the block was begun, with its fingerprint.
    New(u64, S),
}

/// An early end of a search.
enum SearchEnd {
    Stopped(Stopped),
    /// The state with that number is a problem.
    Wrong(Wrong, usize),
    /// A move from the state with that number fails.
    Failed(Failure, usize),
}

impl<'s, M: Model> Search<'s, M> {
    /// Creates a search from this world.
    pub(super) fn new(
        workers: Vec<M>,
        world: &World,
        bounds: Bounds,
        property: &'s dyn Property,
    ) -> Self {
        let replicas = u64::try_from(world.snapshot.set.replicas).unwrap_or(0);
        Search {
            of_move: MOVE + 2 * replicas,
            bounds,
            property,
            workers,
            queue: VecDeque::new(),
            queued_bytes: 0,
            numbers: Numbers::default(),
            parents: Vec::new(),
            edges: Edges::default(),
            work: 0,
            ends: Ends::default(),
            expanded: 0,
            level: 0,
            depth: 0,
        }
    }

    /// Searches all states that are reachable from `start`; `None` if the model does not fit.
    pub(super) fn run(mut self, start: &M::State, driver: &mut dyn Driver) -> Option<Outcome> {
        let found = match self.visit_all(start, driver) {
            Err(SearchEnd::Stopped(stopped)) => return Some(self.outcome(Some(stopped), None)),
            Err(SearchEnd::Failed(Failure::Wrong(wrong), state)) => {
                Some(self.path(start, state, wrong, true)?)
            }
            Err(SearchEnd::Failed(Failure::Misfit, _)) => return None,
            Err(SearchEnd::Wrong(wrong, state)) => Some(self.path(start, state, wrong, false)?),
            Ok(()) => match self.edges.first_on_a_cycle() {
                // A run that returns to a state may go on forever.
                Some(state) => Some(self.path(start, state, Wrong::Endless, false)?),
                None => None,
            },
        };
        Some(self.outcome(None, found))
    }

    fn visit_all(&mut self, start: &M::State, driver: &mut dyn Driver) -> Result<(), SearchEnd> {
        let fingerprint = self.workers[0].fingerprint(start);
        self.add(Successor::New(fingerprint, start.clone()), None)?;
        let mut block = MIN_BLOCK;
        while !self.queue.is_empty() {
            if driver.reached(self.reached()).is_break() {
                return Err(SearchEnd::Stopped(Stopped::Interrupted));
            }
            let expansions = self.expand_block(block, driver);
            if expansions.len() == block * self.workers.len() {
                block = (block * 2).min(M::MAX_BLOCK);
            }
            for expansion in expansions {
                self.merge(expansion)?;
            }
        }
        Ok(())
    }

    /// Lets each worker expand a share of the queue.
    fn expand_block(&mut self, block: usize, driver: &dyn Driver) -> Vec<Expansion<M::State>> {
        let waiting = self.queue.len();
        let workers = self.workers.len();
        // A few states are not worth a thread.
        let share = match waiting < MIN_BLOCK * workers {
            true => waiting,
            false => waiting.div_ceil(workers).min(block),
        };
        // The states of a block have about as many moves as the first.
        let model = &mut self.workers[0];
        let bytes = self.queue.front().map_or(0, |state| {
            model
                .bytes(state)
                .saturating_mul(model.moves(state, false).len())
        });
        let share = share.min((BLOCK_BYTES / bytes.max(1) / workers).max(1));
        let block: Vec<M::State> = self.queue.drain(..waiting.min(share * workers)).collect();
        for state in &block {
            self.queued_bytes -= self.workers[0].bytes(state);
        }
        let (numbers, bounds, of_move) = (&self.numbers, &self.bounds, self.of_move);
        let mut results: Vec<Vec<Expansion<M::State>>> = Vec::new();
        results.resize_with(workers, Vec::new);
        let work = self.workers.iter_mut().zip(block.chunks(share));
        let mut jobs: Vec<Box<dyn FnOnce() + Send + '_>> = Vec::new();
        for ((model, states), result) in work.zip(&mut results) {
            jobs.push(Box::new(move || {
                *result = expand_all(model, states, numbers, of_move, bounds)
            }));
        }
        match workers {
            1 => jobs.into_iter().for_each(|job| job()),
            _ => driver.run_all(jobs),
        }
        self.workers.iter_mut().for_each(M::refresh);
        results.into_iter().flatten().collect()
    }

    /// Stores the successors of the next state of the queue.
    fn merge(&mut self, expansion: Expansion<M::State>) -> Result<(), SearchEnd> {
        let state = self.expanded;
        self.expanded += 1;
        if state >= self.level {
            self.level = self.parents.len();
            self.depth += 1;
        }
        self.work = self.work.saturating_add(expansion.work);
        if let Some(limit) = expansion.too_many {
            return Err(SearchEnd::Stopped(limit));
        }
        for successor in expansion.successors {
            self.add(successor, Some(state))?;
        }
        if self.work > self.bounds.work {
            return Err(SearchEnd::Stopped(Stopped::Work));
        }
        if let Some(failure) = expansion.failure {
            return Err(SearchEnd::Failed(failure, state));
        }
        self.edges.close();
        Ok(())
    }

    /// Stores an edge from a state to its successor, and the successor itself if it is new.
    fn add(
        &mut self,
        successor: Successor<M::State>,
        from: Option<usize>,
    ) -> Result<(), SearchEnd> {
        let (number, new) = match successor {
            Successor::Known(number) => (number, None),
            Successor::New(fingerprint, state) => match self.numbers.get(&fingerprint) {
                // An earlier state of the block has the same successor.
                Some(number) => (*number, None),
                None => (self.assign_number(fingerprint, from)?, Some(state)),
            },
        };
        if from.is_some() {
            self.edges.push(number);
        }
        new.map_or(Ok(()), |state| self.enqueue(state))
    }

    fn assign_number(&mut self, fingerprint: u64, from: Option<usize>) -> Result<u32, SearchEnd> {
        let next = self.parents.len();
        if next >= self.bounds.states {
            return Err(SearchEnd::Stopped(Stopped::States));
        }
        let number = u32::try_from(next).ok().filter(|next| *next != NO_PARENT);
        let number = number.ok_or(SearchEnd::Stopped(Stopped::Memory))?;
        self.numbers.insert(fingerprint, number);
        let parent = from.and_then(|from| u32::try_from(from).ok());
        self.parents.push(parent.unwrap_or(NO_PARENT));
        Ok(number)
    }

    /// Puts a new state into the queue.
    ///
    /// # Errors
    /// When the state is final and unfinished, and the search looks for that. It is reported here and not when the
    /// state's turn comes, so that no other problem with as many events comes first.
    fn enqueue(&mut self, state: M::State) -> Result<(), SearchEnd> {
        let model = &mut self.workers[0];
        self.queued_bytes += model.bytes(&state);
        if model.is_final(&state) {
            let world = model.world(&state);
            match self.property.unfinished(world) {
                None => self.ends.complete += 1,
                Some(why) => {
                    self.ends.unfinished += 1;
                    if self.property.wants_every_end_complete() && !self.property.recovers(world) {
                        let last = self.parents.len() - 1;
                        return Err(SearchEnd::Wrong(Wrong::Unfinished(why), last));
                    }
                }
            }
        }
        self.queue.push_back(state);
        match self.bytes() > self.bounds.bytes {
            true => Err(SearchEnd::Stopped(Stopped::Memory)),
            false => Ok(()),
        }
    }

    /// Returns the memory of the search, in bytes.
    fn bytes(&self) -> usize {
        self.numbers.capacity() * BYTES_PER_NUMBER
            + self.parents.capacity() * size_of::<u32>()
            + self.edges.bytes()
            + self.queued_bytes
    }

    /// Returns the moves from the first state to a state with a problem, or to one with a failing move. With
    /// equivalent states, the search may have seen other pods. So each state on the path is computed again, and the
    /// problem is in terms of the pods on the path. `None` if that fails.
    fn path(
        &mut self,
        start: &M::State,
        end: usize,
        wrong: Wrong,
        last_move_fails: bool,
    ) -> Option<(Wrong, Vec<Move>)> {
        let wanted = self.fingerprints_to(end);
        let model = &mut self.workers[0];
        let mut state = start.clone();
        let mut path = Vec::new();
        for wanted in wanted {
            let mut next = None;
            for (cause, pod) in model.moves(&state, true) {
                if let Ok(reached) = model.next(&state, cause, &pod)
                    && model.fingerprint(&reached) == wanted
                {
                    path.push(cause.of(model.name(&pod)));
                    next = Some(reached);
                    break;
                }
            }
            state = next?;
        }
        if last_move_fails {
            for (cause, pod) in model.moves(&state, true) {
                if let Err(Failure::Wrong(wrong)) = model.next(&state, cause, &pod) {
                    path.push(cause.of(model.name(&pod)));
                    return Some((wrong, path));
                }
            }
            return None;
        }
        let unfinished = match wrong {
            Wrong::Unfinished(_) => self.property.unfinished(model.world(&state)),
            _ => None,
        };
        Some((unfinished.map_or(wrong, Wrong::Unfinished), path))
    }

    /// Returns the fingerprints of the states on the path to a state, without the first one.
    fn fingerprints_to(&self, mut state: usize) -> Vec<u64> {
        let mut path = BTreeMap::new();
        while self.parents[state] != NO_PARENT {
            path.insert(state, 0);
            state = self.parents[state] as usize;
        }
        for (fingerprint, number) in &self.numbers {
            if let Some(of_state) = path.get_mut(&(*number as usize)) {
                *of_state = *fingerprint;
            }
        }
        // A state has a higher number than its predecessor.
        path.into_values().collect()
    }

    fn reached(&self) -> Reached {
        Reached {
            states: self.parents.len(),
            moves: self.edges.len(),
            depth: self.depth.saturating_sub(1),
            waiting: self.queue.len(),
        }
    }

    fn outcome(self, stopped: Option<Stopped>, found: Option<(Wrong, Vec<Move>)>) -> Outcome {
        let lowest = self.workers.iter().map(M::lowest).min();
        Outcome {
            reached: self.reached(),
            ends: self.ends,
            lowest: lowest.unwrap_or(i64::MAX),
            merged_alike: false,
            stopped,
            found,
        }
    }
}

/// Expands consecutive states, up to the first failure.
fn expand_all<M: Model>(
    model: &mut M,
    states: &[M::State],
    numbers: &Numbers,
    of_move: u64,
    bounds: &Bounds,
) -> Vec<Expansion<M::State>> {
    let mut expansions = Vec::with_capacity(states.len());
    for state in states {
        let moves = model.moves(state, false);
        let mut expansion = Expansion::of(moves.len(), model.bytes(state), of_move, bounds);
        if expansion.too_many.is_some() {
            expansions.push(expansion);
            break;
        }
        expansion.successors.reserve(moves.len());
        for (cause, pod) in moves {
            match model.next(state, cause, &pod) {
                Ok(next) => {
                    let fingerprint = model.fingerprint(&next);
                    let known = numbers.get(&fingerprint).copied();
                    let new = Successor::New(fingerprint, next);
                    expansion
                        .successors
                        .push(known.map_or(new, Successor::Known));
                }
                Err(failure) => {
                    expansion.failure = Some(failure);
                    break;
                }
            }
        }
        let failed = expansion.failure.is_some();
        expansions.push(expansion);
        if failed {
            break;
        }
    }
    expansions
}
