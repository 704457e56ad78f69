//! Expansion of packed states: the successors of one state, or of many in a row.

use std::ops::Range;

use super::model::Model;
use super::scratch::{PackResult, Scratch};
use super::sync_memo::SyncMemo;
use super::tables::Change;
use super::{Bounds, PackError};
use crate::simulate::action::Fault;
use crate::simulate::event_queue::PodEvent;
use crate::simulate::explore::{Move, Wrong};

/// An event or fault of the pod at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackedMove {
    Event(PodEvent, usize),
    Fault(Fault, usize),
}

impl PackedMove {
    pub(super) fn is_fault(self) -> bool {
        matches!(self, PackedMove::Fault(..))
    }

    fn change(self) -> (Change, usize) {
        match self {
            PackedMove::Event(event, place) => (Change::Event(event), place),
            PackedMove::Fault(Fault::Fails, place) => (Change::Event(PodEvent::Failed), place),
            PackedMove::Fault(Fault::Vanishes, place) => (Change::Event(PodEvent::Removed), place),
            PackedMove::Fault(Fault::NeverReady, place) => (Change::Stall, place),
        }
    }

    /// Returns the move with the pod's name.
    pub(super) fn named(self, model: &Model<'_>) -> Move {
        let name = |place: usize| model.places[place].pod.clone();
        match self {
            PackedMove::Event(event, place) => Move::Event(event, name(place)),
            PackedMove::Fault(fault, place) => Move::Fault(fault, name(place)),
        }
    }
}

/// A worker: a scratch world with its tables and memo.
pub(super) struct Worker<'m> {
    pub(super) model: &'m Model<'m>,
    pub(super) scratch: Scratch<'m>,
    memo: SyncMemo,
    pub(super) result: WorkerResult,
    /// Buffer for the current state.
    next: Vec<u8>,
    /// Buffers for the representative state that is settled instead, and for its permutation of places.
    settled: Vec<u8>,
    order: Vec<usize>,
    /// Buffer for the possible moves.
    moves: Vec<PackedMove>,
}

/// Results of a worker, state by state.
#[derive(Default)]
pub(super) struct WorkerResult {
    /// Successors, in order.
    pub(super) states: Vec<u8>,
    /// Number of successors of each state of the block.
    pub(super) moves: Vec<u32>,
    /// The first problem, with the state's index in the block and the move. The worker stopped there.
    pub(super) wrong: Option<(usize, PackedMove, Wrong)>,
    pub(super) error: Option<PackError>,
}

impl<'m> Worker<'m> {
    pub(super) fn new(model: &'m Model<'m>, scratch: Scratch<'m>) -> Self {
        Worker {
            model,
            scratch,
            memo: SyncMemo::new(model.layout),
            result: WorkerResult::default(),
            next: Vec::new(),
            settled: Vec::new(),
            order: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Drops memo entries that use outdated numbers.
    pub(super) fn reset(&mut self) {
        self.memo.clear();
        self.scratch.invalidate();
    }

    /// Expands several consecutive states.
    pub(super) fn expand_all(&mut self, states: &[u8]) {
        self.result.states.clear();
        self.result.moves.clear();
        for (number, state) in states.chunks_exact(self.model.layout.stride()).enumerate() {
            match self.expand(state) {
                Ok(Ok(moves)) => self.result.moves.push(moves),
                Ok(Err((chosen, wrong))) => {
                    self.result.wrong = Some((number, chosen, wrong));
                    return;
                }
                Err(error) => {
                    self.result.error = Some(error);
                    return;
                }
            }
        }
    }

    fn expand(&mut self, state: &[u8]) -> PackResult<Result<u32, (PackedMove, Wrong)>> {
        let mut count = 0;
        let mut next = std::mem::take(&mut self.next);
        let mut chosen = std::mem::take(&mut self.moves);
        moves(self.model, &self.scratch, state, true, &mut chosen);
        for chosen in &chosen {
            next.clear();
            next.extend_from_slice(state);
            if let Err(wrong) = self.apply(&mut next, *chosen)? {
                return Ok(Err((*chosen, wrong)));
            }
            self.result.states.extend_from_slice(&next);
            count += 1;
        }
        self.next = next;
        self.moves = chosen;
        Ok(Ok(count))
    }

    /// Applies a move and the controller's syncs after it to a state. With merging on, the result is the representative
    /// of its equivalent states.
    fn apply(&mut self, state: &mut [u8], chosen: PackedMove) -> PackResult<Result<(), Wrong>> {
        let model = self.model;
        let layout = model.layout;
        let (side, faults) = state.split_at_mut(layout.len());
        faults[0] -= u8::from(chosen.is_fault());
        let (change, place) = chosen.change();
        self.scratch.change(model, side, place, change)?;
        self.sort(side);
        // The controller does not see that an event will not happen.
        if change == Change::Stall {
            return Ok(Ok(()));
        }
        // The controller maps equivalent states to equivalent states, whether or not they are merged.
        self.settled.clear();
        self.settled.extend_from_slice(side);
        self.order.clear();
        self.order.extend(0..layout.places);
        if let Some(groups) = model.groups.as_ref().filter(|_| !model.merges) {
            let (settled, order) = (&mut self.settled, &mut self.order);
            groups.sort(settled, layout, &self.scratch.tables, |a, b| {
                order.swap(a, b)
            });
        }
        let before = &mut self.settled;
        if !self.memo.get(before, &self.scratch.tables) {
            match self.scratch.settle(model, before)? {
                Err(wrong) => return Ok(Err(wrong)),
                Ok(failed) if failed && model.groups.is_some() => {
                    return Err(PackError::NotInterchangeable);
                }
                // A failed sync may leave the counters unchanged.
                Ok(true) => {}
                Ok(false) => self.memo.put(before, self.scratch.state()),
            }
            before.copy_from_slice(self.scratch.state());
        }
        layout.set_others(side, layout.others(&self.settled));
        for (at, place) in self.order.iter().enumerate() {
            side[*place] = self.settled[at];
            layout.set_rank(side, *place, layout.rank(&self.settled, at));
        }
        self.sort(side);
        Ok(Ok(()))
    }

    /// Applies a move like [`Worker::apply`], without the memo and without merging.
    pub(super) fn apply_unmerged(
        &mut self,
        state: &mut [u8],
        chosen: PackedMove,
    ) -> PackResult<Result<(), Wrong>> {
        let model = self.model;
        let (side, faults) = state.split_at_mut(model.layout.len());
        faults[0] -= u8::from(chosen.is_fault());
        let (change, place) = chosen.change();
        self.scratch.change(model, side, place, change)?;
        if change == Change::Stall {
            return Ok(Ok(()));
        }
        let settled = self.scratch.settle(model, side)?;
        if let Ok(failed) = settled {
            if failed && model.groups.is_some() {
                return Err(PackError::NotInterchangeable);
            }
            side.copy_from_slice(self.scratch.state());
        }
        Ok(settled.map(drop))
    }

    /// Replaces a state by the representative of its equivalent states, if merging is on.
    pub(super) fn sort(&self, state: &mut [u8]) {
        if let Some(groups) = self.model.groups.as_ref().filter(|_| self.model.merges) {
            groups.sort(state, self.model.layout, &self.scratch.tables, |_, _| {});
        }
    }
}

/// Lists the possible moves in a state by place: removals, then starts, then the first pod to become available, then
/// faults. If `merged`, one of several pods in the same state stands for the others.
pub(super) fn moves(
    model: &Model<'_>,
    scratch: &Scratch<'_>,
    state: &[u8],
    merged: bool,
    moves: &mut Vec<PackedMove>,
) {
    moves.clear();
    let layout = model.layout;
    let tables = &scratch.tables;
    let groups = model.groups.as_ref().filter(|_| merged && model.merges);
    let groups = groups.map(|groups| groups.of_state(state, layout, tables));
    let is_repeated = |place: &usize| {
        let within = |group: &Range<usize>| *place > group.start && *place < group.end;
        groups.iter().flatten().any(within)
            && layout.rank(state, *place) == 0
            && state[*place] == state[*place - 1]
    };
    let places = || (0..layout.places).filter(|place| !is_repeated(place));
    let event = |place: usize| tables.pod_state(state, place).event;
    for place in places() {
        if let Some(event @ PodEvent::Removed) = event(place) {
            moves.push(PackedMove::Event(event, place));
        }
    }
    for place in places() {
        if let Some(event @ (PodEvent::Ready | PodEvent::Failed)) = event(place) {
            moves.push(PackedMove::Event(event, place));
        }
    }
    let becoming_available = places().filter(|place| event(*place) == Some(PodEvent::Available));
    let first = becoming_available.min_by_key(|place| layout.rank(state, *place));
    moves.extend(first.map(|place| PackedMove::Event(PodEvent::Available, place)));
    if state[layout.len()] == 0 {
        return;
    }
    for place in places() {
        let pod_state = tables.pod_state(state, place);
        if !pod_state.exists {
            continue;
        }
        if !pod_state.is_finished && !pod_state.is_terminating {
            moves.push(PackedMove::Fault(Fault::Fails, place));
        }
        if !pod_state.has_finalizers {
            moves.push(PackedMove::Fault(Fault::Vanishes, place));
        }
    }
    for place in places() {
        if event(place) == Some(PodEvent::Ready) {
            moves.push(PackedMove::Fault(Fault::NeverReady, place));
        }
    }
}

/// Returns the maximum number of faults as stored in a state; `None` if it does not fit into a byte.
pub(super) fn faults(bounds: Bounds) -> Option<u8> {
    u8::try_from(bounds.faults).ok()
}
