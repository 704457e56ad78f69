//! Breadth-first search of all states, in blocks that workers expand in parallel.

use std::ops::ControlFlow;

use super::arena::Arena;
use super::expand::{PackedMove, Worker, WorkerResult, faults};
use super::model::Model;
use super::path;
use super::scratch::{PackResult, Scratch};
use super::tables::Renumbering;
use super::{Bounds, Driver, Ends, Outcome, Reached, Wrong};
use crate::simulate::explore::cycle::Edges;
use crate::simulate::explore::{Move, Stopped};
use crate::simulate::world::World;

/// Number of states in a worker's block: small at first, while most successors are new.
const BLOCKS: std::ops::RangeInclusive<usize> = 16..=4_096;

pub(super) struct Search<'m> {
    model: &'m Model<'m>,
    bounds: Bounds,
    /// Holds the tables that all numbers refer to, and checks final states.
    scratch: Scratch<'m>,
    /// The first state, not replaced by its representative.
    start: Vec<u8>,
    arena: Arena,
    /// Predecessor through which each state was first reached.
    parents: Vec<u32>,
    edges: Edges,
    ends: Ends,
    lowest: i64,
    /// First state in the queue.
    next: usize,
    /// First state of the level after the current one.
    level: usize,
    depth: usize,
}

enum SearchEnd {
    Stopped(Stopped),
    /// A problem after the state with that number and one more move.
    Wrong(Wrong, Option<(usize, PackedMove)>),
}

impl<'m> Search<'m> {
    /// Returns a search from a settled world; `None` if the world does not pack.
    pub(super) fn new(model: &'m Model<'m>, settled: &World, bounds: Bounds) -> Option<Self> {
        let scratch = Scratch::new(model, settled).ok()?;
        let mut start = scratch.state().to_vec();
        start.push(faults(bounds)?);
        Some(Search {
            model,
            bounds,
            scratch,
            start,
            arena: Arena::new(model.layout.stride()),
            parents: Vec::new(),
            edges: Edges::default(),
            ends: Ends::default(),
            lowest: i64::MAX,
            next: 0,
            level: 0,
            depth: 0,
        })
    }

    pub(super) fn run(mut self, driver: &mut dyn Driver) -> PackResult<Outcome> {
        let mut workers: Vec<Worker<'_>> = (0..driver.threads().max(1))
            .map(|_| Worker::new(self.model, self.scratch.fork(self.model)))
            .collect();
        let mut start = self.start.clone();
        workers[0].sort(&mut start);
        if let ControlFlow::Break(over) = self.add_state(&start, None)? {
            return self.finish(over, &mut workers[0]);
        }
        let mut block = *BLOCKS.start();
        while self.next < self.arena.len() {
            if driver.reached(self.reached()).is_break() {
                return self.finish(SearchEnd::Stopped(Stopped::Interrupted), &mut workers[0]);
            }
            let met = self.scratch.tables.size();
            let from = self.next;
            let shares = self.expand_frontier(&mut workers, block, driver);
            let mut renumbered = vec![false; workers.len()];
            for ((worker, share), renumbered) in workers.iter_mut().zip(shares).zip(&mut renumbered)
            {
                let numbers = match worker.scratch.tables.size() == met {
                    true => None,
                    false => Some(self.scratch.tables.merge(&worker.scratch.tables)?),
                };
                let numbers = numbers.filter(|numbers| !numbers.is_identity());
                *renumbered = numbers.is_some();
                let found = std::mem::take(&mut worker.result);
                if let ControlFlow::Break(over) =
                    self.merge_result(share, &found, numbers.as_ref())?
                {
                    return self.finish(over, &mut workers[0]);
                }
                worker.result = found;
            }
            if self.scratch.tables.size() != met {
                for (worker, renumbered) in workers.iter_mut().zip(renumbered) {
                    if renumbered {
                        worker.scratch.tables = self.scratch.tables.clone();
                        worker.reset();
                    } else {
                        worker.scratch.tables.merge(&self.scratch.tables)?;
                    }
                }
            }
            if self.next - from == block * workers.len() {
                block = (block * 2).min(*BLOCKS.end());
            }
        }
        match self.edges.first_on_a_cycle() {
            // A run that returns to a state may go on forever.
            Some(state) => {
                let parent = self.path_to(state);
                self.finish_at(Wrong::Endless, parent, None, &mut workers[0])
            }
            None => {
                let lowest = workers.iter().map(|worker| worker.scratch.checker.lowest);
                self.lowest = lowest.min().unwrap_or(i64::MAX);
                Ok(self.outcome(None, None))
            }
        }
    }

    /// Lets each worker expand a share of the queue, and returns the first state of each share.
    fn expand_frontier(
        &mut self,
        workers: &mut [Worker<'_>],
        block: usize,
        driver: &dyn Driver,
    ) -> Vec<usize> {
        let waiting = self.arena.len() - self.next;
        // A few states are not worth a thread.
        let each = match waiting < *BLOCKS.start() * workers.len() {
            true => waiting,
            false => waiting.div_ceil(workers.len()).min(block),
        };
        let arena = &self.arena;
        let mut shares = Vec::new();
        let mut jobs: Vec<Box<dyn FnOnce() + Send + '_>> = Vec::new();
        for worker in workers.iter_mut() {
            let end = (self.next + each).min(arena.len());
            let share = self.next..end;
            if !share.is_empty() {
                shares.push(share.start);
                self.next = end;
                jobs.push(Box::new(move || worker.expand_all(arena.range(share))));
            }
        }
        driver.run_all(jobs);
        shares
    }

    /// Merges a worker's results, which begin with the state `from`.
    fn merge_result(
        &mut self,
        from: usize,
        found: &WorkerResult,
        numbers: Option<&Renumbering>,
    ) -> PackResult<ControlFlow<SearchEnd>> {
        let layout = self.model.layout;
        let mut states = found.states.chunks_exact(layout.stride());
        let mut renumbered = Vec::new();
        let mut take = |search: &mut Self, from: usize, count: usize| {
            for state in states.by_ref().take(count) {
                let state = match numbers {
                    None => state,
                    Some(numbers) => {
                        renumbered.clear();
                        renumbered.extend_from_slice(state);
                        for pod_state in &mut renumbered[..layout.places] {
                            *pod_state = numbers.pod_states[usize::from(*pod_state)];
                        }
                        let others = numbers.others[usize::from(layout.others(state))];
                        layout.set_others(&mut renumbered, others);
                        &renumbered
                    }
                };
                if let ControlFlow::Break(over) = search.add_state(state, Some(from))? {
                    return Ok(ControlFlow::Break(over));
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        for (state, moves) in (from..).zip(&found.moves) {
            self.track_depth(state);
            if let ControlFlow::Break(over) = take(self, state, *moves as usize)? {
                return Ok(ControlFlow::Break(over));
            }
            self.edges.close();
        }
        if let Some((state, chosen, wrong)) = &found.wrong {
            let state = from + state;
            self.track_depth(state);
            if let ControlFlow::Break(over) = take(self, state, usize::MAX)? {
                return Ok(ControlFlow::Break(over));
            }
            let over = SearchEnd::Wrong(wrong.clone(), Some((state, *chosen)));
            return Ok(ControlFlow::Break(over));
        }
        found.error.map_or(Ok(ControlFlow::Continue(())), Err)
    }

    /// Records that the search has reached a state, which may be the first of a new level.
    fn track_depth(&mut self, state: usize) {
        if state >= self.level {
            self.level = self.arena.len();
            self.depth += 1;
        }
    }

    /// Stores a new state with its predecessor.
    fn add_state(
        &mut self,
        state: &[u8],
        from: Option<usize>,
    ) -> PackResult<ControlFlow<SearchEnd>> {
        let known = self.arena.find(state);
        if known.is_none() && self.arena.len() >= self.bounds.states {
            return Ok(ControlFlow::Break(SearchEnd::Stopped(Stopped::States)));
        }
        let new = match known {
            Some(_) => None,
            None => match self.arena.add(state) {
                None => return Ok(ControlFlow::Break(SearchEnd::Stopped(Stopped::Memory))),
                new => new,
            },
        };
        if let (Some(_), Some(number)) = (from, known.or(new)) {
            self.edges.push(number);
        }
        let Some(number) = new else {
            return Ok(ControlFlow::Continue(()));
        };
        self.parents
            .push(from.map_or(u32::MAX, |from| u32::try_from(from).unwrap_or(u32::MAX)));
        let tables = &self.scratch.tables;
        let at_rest = (0..self.model.layout.places)
            .all(|place| tables.pod_state(state, place).event.is_none());
        if at_rest {
            self.scratch
                .restore(self.model, &state[..self.model.layout.len()])?;
            match self.model.property.unfinished(&self.scratch.world) {
                None => self.ends.complete += 1,
                Some(why) => {
                    self.ends.unfinished += 1;
                    let property = self.model.property;
                    let world = &self.scratch.world;
                    if property.wants_every_end_complete() && !property.recovers(world) {
                        let wrong = Wrong::Unfinished(why);
                        let over = SearchEnd::Wrong(wrong, None);
                        return Ok(ControlFlow::Break(over));
                    }
                }
            }
        }
        let full = number % 1_024 == 0 && self.memory() > self.bounds.bytes;
        Ok(match full {
            true => ControlFlow::Break(SearchEnd::Stopped(Stopped::Memory)),
            false => ControlFlow::Continue(()),
        })
    }

    fn memory(&self) -> usize {
        let parents = self.parents.capacity() * size_of::<u32>();
        self.arena.memory() + self.edges.bytes() + parents
    }

    fn reached(&self) -> Reached {
        Reached {
            states: self.arena.len(),
            moves: self.edges.len(),
            depth: self.depth.saturating_sub(1),
            waiting: self.arena.len() - self.next,
        }
    }

    /// Returns the states on the path to a state, from the first one on.
    fn path_to(&self, mut state: usize) -> Vec<Vec<u8>> {
        let mut states = Vec::new();
        loop {
            states.push(self.arena.get(state).to_vec());
            match self.parents[state] {
                u32::MAX => break,
                parent => state = parent as usize,
            }
        }
        states.reverse();
        states
    }

    fn finish(self, over: SearchEnd, worker: &mut Worker<'_>) -> PackResult<Outcome> {
        match over {
            SearchEnd::Stopped(stopped) => Ok(self.outcome(Some(stopped), None)),
            SearchEnd::Wrong(wrong, Some((state, chosen))) => {
                let states = self.path_to(state);
                self.finish_at(wrong, states, Some(chosen), worker)
            }
            SearchEnd::Wrong(wrong, None) => {
                let states = self.path_to(self.arena.len() - 1);
                self.finish_at(wrong, states, None, worker)
            }
        }
    }

    fn finish_at(
        self,
        wrong: Wrong,
        states: Vec<Vec<u8>>,
        last: Option<PackedMove>,
        worker: &mut Worker<'_>,
    ) -> PackResult<Outcome> {
        worker.scratch.tables = self.scratch.tables.clone();
        worker.reset();
        let (wrong, path) =
            path::concrete(worker, &self.scratch, &self.start, wrong, &states, last)?;
        Ok(self.outcome(None, Some((wrong, path))))
    }

    fn outcome(self, stopped: Option<Stopped>, found: Option<(Wrong, Vec<Move>)>) -> Outcome {
        Outcome {
            reached: self.reached(),
            ends: self.ends,
            lowest: self.lowest,
            merged_alike: self.model.groups.is_some() && self.model.merges,
            stopped,
            found,
        }
    }
}
