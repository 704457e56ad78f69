//! What one event leads to from a state, and from many states in a row.

use super::arena;
use super::model::Model;
use super::scratch::{Fits, Scratch};
use super::tables::Change;
use super::{Bounds, Misfit};
use crate::simulate::action::Fault;
use crate::simulate::event_queue::PodEvent;
use crate::simulate::explore::{Move, Wrong};

/// What may happen at a place.
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
            PackedMove::Fault(Fault::NeverReady, place) => (Change::Stalls, place),
        }
    }

    /// The same with the pod's name.
    pub(super) fn named(self, model: &Model<'_>) -> Move {
        let name = |place: usize| model.places[place].pod.clone();
        match self {
            PackedMove::Event(event, place) => Move::Event(event, name(place)),
            PackedMove::Fault(fault, place) => Move::Fault(fault, name(place)),
        }
    }
}

/// What the controller made of the states that were met last.
struct Answers {
    len: usize,
    /// In each slot a state before and after the controller is done, and whether there is one.
    slots: Vec<u8>,
}

impl Answers {
    /// A few megabytes.
    const SLOTS: usize = 1 << 16;

    fn new(len: usize) -> Self {
        Answers {
            len,
            slots: vec![0; Self::SLOTS * (2 * len + 1)],
        }
    }

    fn slot(&mut self, state: &[u8]) -> &mut [u8] {
        let size = 2 * self.len + 1;
        let slot = arena::place(state) % Self::SLOTS;
        &mut self.slots[slot * size..][..size]
    }

    fn get(&mut self, before: &[u8], after: &mut [u8]) -> bool {
        let len = self.len;
        let slot = self.slot(before);
        let hit = slot[2 * len] == 1 && slot[..len] == *before;
        if hit {
            after.copy_from_slice(&slot[len..2 * len]);
        }
        hit
    }

    fn put(&mut self, before: &[u8], after: &[u8]) {
        let len = self.len;
        let slot = self.slot(before);
        slot[..len].copy_from_slice(before);
        slot[len..2 * len].copy_from_slice(after);
        slot[2 * len] = 1;
    }
}

/// One worker: a scratch world, and what it knows.
pub(super) struct Worker<'m> {
    pub(super) model: &'m Model<'m>,
    pub(super) scratch: Scratch<'m>,
    answers: Answers,
    pub(super) found: Findings,
    /// Room for the state at hand.
    room: Vec<u8>,
    /// Room for what the controller reads of it.
    read: Vec<u8>,
}

/// What a worker came to, state by state.
#[derive(Default)]
pub(super) struct Findings {
    /// The states that events lead to, in order.
    pub(super) states: Vec<u8>,
    /// How many events each state of the block has.
    pub(super) moves: Vec<u32>,
    /// Where and what is wrong: the place in the block and the move. The worker went no further.
    pub(super) wrong: Option<(usize, PackedMove, Wrong)>,
    pub(super) misfit: Option<Misfit>,
}

impl<'m> Worker<'m> {
    pub(super) fn new(model: &'m Model<'m>, scratch: Scratch<'m>) -> Self {
        Worker {
            model,
            scratch,
            answers: Answers::new(model.layout.len()),
            found: Findings::default(),
            room: Vec::new(),
            read: Vec::new(),
        }
    }

    /// Forgets what was told with numbers that hold no longer.
    pub(super) fn forget(&mut self) {
        let len = self.answers.len;
        for slot in self.answers.slots.chunks_exact_mut(2 * len + 1) {
            slot[2 * len] = 0;
        }
        self.scratch.lose();
    }

    /// Goes through states, of which there are several in a row.
    pub(super) fn go_through(&mut self, states: &[u8]) {
        self.found.states.clear();
        self.found.moves.clear();
        for (number, state) in states.chunks_exact(self.model.layout.stride()).enumerate() {
            match self.expand(state) {
                Ok(Ok(moves)) => self.found.moves.push(moves),
                Ok(Err((chosen, wrong))) => {
                    self.found.wrong = Some((number, chosen, wrong));
                    return;
                }
                Err(misfit) => {
                    self.found.misfit = Some(misfit);
                    return;
                }
            }
        }
    }

    fn expand(&mut self, state: &[u8]) -> Fits<Result<u32, (PackedMove, Wrong)>> {
        let mut count = 0;
        let mut next = std::mem::take(&mut self.room);
        for chosen in moves(self.model, &self.scratch, state, true) {
            next.clear();
            next.extend_from_slice(state);
            if let Err(wrong) = self.take(&mut next, chosen, true)? {
                return Ok(Err((chosen, wrong)));
            }
            self.found.states.extend_from_slice(&next);
            count += 1;
        }
        self.room = next;
        Ok(Ok(count))
    }

    /// Makes of a state what an event, and the controller after it, make of it; if `sorted`, the one that stands for
    /// all that are like that.
    pub(super) fn take(
        &mut self,
        state: &mut [u8],
        chosen: PackedMove,
        sorted: bool,
    ) -> Fits<Result<(), Wrong>> {
        let model = self.model;
        let (side, faults) = state.split_at_mut(model.layout.len());
        faults[0] -= u8::from(chosen.is_fault());
        let (change, place) = chosen.change();
        self.scratch.change(model, side, place, change)?;
        if sorted {
            self.sort(side);
        }
        // The controller does not see what is not going to happen.
        if change == Change::Stalls {
            return Ok(Ok(()));
        }
        let rest = usize::from(model.layout.rest(side));
        self.read.clear();
        self.read.extend_from_slice(side);
        let read = self.scratch.tables.rests[rest].stands_for;
        model.layout.set_rest(&mut self.read, read);
        if sorted && self.answers.get(&self.read, side) {
            return Ok(Ok(()));
        }
        match self.scratch.settle(model, side)? {
            Err(wrong) => Ok(Err(wrong)),
            Ok(failed) if failed && model.alike.is_some() => Err(Misfit::NotAlike),
            Ok(failed) => {
                side.copy_from_slice(self.scratch.at());
                if sorted {
                    self.sort(side);
                }
                // A sync that failed may leave the counters as they were.
                if sorted && !failed {
                    self.answers.put(&self.read, side);
                }
                Ok(Ok(()))
            }
        }
    }

    /// Makes of a state the one that stands for all that are like it.
    pub(super) fn sort(&self, state: &mut [u8]) {
        if let Some(alike) = &self.model.alike {
            alike.sort(state, self.model.layout, &self.scratch.tables);
        }
    }
}

/// What may happen in a state: removals, then starts, then the one pod that becomes available first, then faults; by
/// place within each. If `merged`, of several pods that are alike in all the first stands for the others.
pub(super) fn moves(
    model: &Model<'_>,
    scratch: &Scratch<'_>,
    state: &[u8],
    merged: bool,
) -> Vec<PackedMove> {
    let layout = model.layout;
    let tables = &scratch.tables;
    let groups = model.alike.as_ref().filter(|_| merged);
    let groups = groups.map(|alike| alike.groups(state, layout, tables));
    let is_repeated = |place: usize| {
        let same_group = groups
            .iter()
            .flatten()
            .any(|group| place > group.start && place < group.end);
        same_group && layout.rank(state, place) == 0 && state[place] == state[place - 1]
    };
    let places: Vec<usize> = (0..layout.places)
        .filter(|place| !is_repeated(*place))
        .collect();
    let with = |wanted: fn(PodEvent) -> bool| {
        let places = places.iter().copied();
        places.filter_map(move |place| {
            let event = tables
                .life(state, place)
                .event
                .filter(|event| wanted(*event))?;
            Some(PackedMove::Event(event, place))
        })
    };
    let mut moves: Vec<PackedMove> = with(|event| event == PodEvent::Removed).collect();
    moves.extend(with(|event| {
        matches!(event, PodEvent::Ready | PodEvent::Failed)
    }));
    let ripe = with(|event| event == PodEvent::Available);
    moves.extend(ripe.min_by_key(|chosen| layout.rank(state, chosen.change().1)));
    if state[layout.len()] == 0 {
        return moves;
    }
    let events = moves.len();
    for place in &places {
        let life = tables.life(state, *place);
        if !life.is_there {
            continue;
        }
        if !life.is_finished && !life.is_terminating {
            moves.push(PackedMove::Fault(Fault::Fails, *place));
        }
        if !life.has_finalizers {
            moves.push(PackedMove::Fault(Fault::Vanishes, *place));
        }
    }
    let starting: Vec<usize> = moves[..events]
        .iter()
        .filter_map(|chosen| match chosen {
            PackedMove::Event(PodEvent::Ready, place) => Some(*place),
            _ => None,
        })
        .collect();
    let stall = |place| PackedMove::Fault(Fault::NeverReady, place);
    moves.extend(starting.into_iter().map(stall));
    moves
}

/// How many faults a search may have, as a state holds it.
pub(super) fn faults(bounds: Bounds) -> Option<u8> {
    u8::try_from(bounds.faults).ok()
}
