//! What the controller made of the states that were met last.
//!
//! It sees the objects and not what is to come of them, so that one answer serves all states that look alike: a pod
//! that is about to get ready looks like one that never will. What an answer leaves as it was stays what it is; a
//! place that it changes has to be what it was when the answer was given, to the letter.

use super::arena;
use super::model::Layout;
use super::tables::Tables;

/// How many bytes the answers may take, and how many there are at most.
const BYTES: usize = 8 << 20;
const MOST: usize = 1 << 16;

pub(super) struct Answers {
    layout: Layout,
    /// What is in each slot: what the controller sees of a state, the state before, the state after, and whether there
    /// is one.
    slots: Vec<u8>,
    count: usize,
    /// Room for what it sees of the state at hand.
    seen: Vec<u8>,
}

impl Answers {
    pub(super) fn new(layout: Layout) -> Self {
        let size = 3 * layout.len() + 1;
        let count = (BYTES / size).clamp(1, MOST);
        Answers {
            layout,
            slots: vec![0; count * size],
            count,
            seen: Vec::new(),
        }
    }

    /// Forgets all answers.
    pub(super) fn clear(&mut self) {
        let size = 3 * self.layout.len() + 1;
        for slot in self.slots.chunks_exact_mut(size) {
            slot[size - 1] = 0;
        }
    }

    /// Makes of a state what the controller made of it, and says whether that is known. Either way the state is the
    /// one that [`put`](Answers::put) speaks of.
    pub(super) fn get(&mut self, state: &mut [u8], tables: &Tables) -> bool {
        let layout = self.layout;
        let (len, places) = (layout.len(), layout.places);
        self.seen.clear();
        self.seen.extend_from_slice(state);
        for life in &mut self.seen[..places] {
            *life = tables.lives[usize::from(*life)].looks_like;
        }
        let rest = &tables.rests[usize::from(layout.rest(state))];
        layout.set_rest(&mut self.seen, rest.stands_for);
        let slot = self.slot();
        let slot = &self.slots[slot];
        let (seen, rest) = slot.split_at(len);
        let (before, rest) = rest.split_at(len);
        let (after, is_there) = rest.split_at(len);
        let lives = || before.iter().zip(after).take(places);
        let fits = is_there == [1]
            && *seen == *self.seen
            && (state.iter().zip(lives())).all(|(is, (was, then))| is == was || was == then);
        if fits {
            for (is, (was, then)) in state.iter_mut().zip(lives()) {
                *is = if was == then { *is } else { *then };
            }
            state[places..].copy_from_slice(&after[places..]);
        }
        fits
    }

    /// Keeps what the controller made of the state that was asked for last.
    pub(super) fn put(&mut self, before: &[u8], after: &[u8]) {
        let slot = self.slot();
        let parts = [&self.seen, before, after, &[1]];
        let kept = parts.into_iter().flatten();
        for (byte, kept) in self.slots[slot].iter_mut().zip(kept) {
            *byte = *kept;
        }
    }

    /// The slot for what is seen.
    fn slot(&self) -> std::ops::Range<usize> {
        let size = 3 * self.layout.len() + 1;
        let start = arena::place(&self.seen) % self.count * size;
        start..start + size
    }
}
