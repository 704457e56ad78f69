//! The controller's answers to the states that were met last.
//!
//! The controller sees the objects and not what is to come of them, so that one answer serves all states that look
//! alike: a pod that is about to get ready looks like one that never will. What an answer leaves as it was stays what
//! it is; a place that it changes has to be what it was when the answer was given, to the letter.

use super::arena;
use super::model::Layout;
use super::tables::Tables;

/// Maximum size of the answers in bytes, and their maximum number.
const BYTES: usize = 8 << 20;
const MOST: usize = 1 << 16;

pub(super) struct Answers {
    layout: Layout,
    /// The slots, each with what the controller sees of a state, the state before, the state after, and 1 if the slot
    /// is in use.
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

#[cfg(test)]
mod tests {
    use super::super::tables::tests::{life, rest};
    use super::*;

    /// Lives of which 3 looks like 0 and 4 like 1, and two rests of which the controller sees the same.
    fn tables() -> Tables {
        let mut tables = Tables::new(3);
        for (key, seen) in (0..).zip([0, 1, 2, 0, 1]) {
            assert!(tables.add_life(life(key, seen)).is_ok());
        }
        assert!(tables.add_rest(rest(0, 7)).is_ok());
        assert!(tables.add_rest(rest(1, 7)).is_ok());
        tables
    }

    /// Three places without ranks, and the number of a rest.
    const LAYOUT: Layout = Layout {
        places: 3,
        ranked: false,
    };

    #[test]
    fn an_answer_serves_states_that_look_alike_where_it_changes_nothing() {
        let tables = tables();
        let mut answers = Answers::new(LAYOUT);
        let asked = |answers: &mut Answers, state: [u8; 5]| {
            let mut state = state;
            answers.get(&mut state, &tables).then_some(state)
        };
        // The controller makes a 2 of the 1 in the middle, and another rest.
        let (before, after) = ([0, 1, 0, 0, 0], [0, 2, 0, 1, 0]);
        assert_eq!(asked(&mut answers, before), None);
        answers.put(&before, &after);
        assert_eq!(asked(&mut answers, before), Some(after));
        // A pod that the answer leaves alone may be any that looks the same, and stays as it is.
        let other = [3, 1, 0, 1, 0];
        assert_eq!(asked(&mut answers, other), Some([3, 2, 0, 1, 0]));
        // A pod that it changes may not.
        assert_eq!(asked(&mut answers, [0, 4, 0, 0, 0]), None);
        // A state that looks different has another answer.
        assert_eq!(asked(&mut answers, [2, 1, 0, 0, 0]), None);
    }

    #[test]
    fn answers_are_forgotten_all_at_once() {
        let tables = tables();
        let mut answers = Answers::new(LAYOUT);
        let states = || (0..27u8).map(|number| [number % 3, number / 3 % 3, number / 9, 0, 0]);
        for state in states() {
            answers.get(&mut state.clone(), &tables);
            answers.put(&state, &state);
        }
        let known = |answers: &mut Answers| {
            let known = |state: &[u8; 5]| answers.get(&mut state.clone(), &tables);
            states().filter(known).count()
        };
        assert_eq!(known(&mut answers), 27);
        answers.clear();
        assert_eq!(known(&mut answers), 0);
    }
}
