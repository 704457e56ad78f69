//! Storage of all states of a search, with a hash index.

/// States by number, each of the same size in bytes.
pub(super) struct Arena {
    stride: usize,
    bytes: Vec<u8>,
    /// Renumbering of the states by hash, with open addressing. A used slot holds the number plus one.
    slots: Vec<u32>,
    len: usize,
}

impl Arena {
    pub(super) fn new(stride: usize) -> Self {
        Arena {
            stride,
            bytes: Vec::new(),
            slots: vec![0; 1 << 10],
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the size in bytes, including an imminent growth.
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.slots.len() * size_of::<u32>()
    }

    pub(super) fn get(&self, number: usize) -> &[u8] {
        &self.bytes[number * self.stride..][..self.stride]
    }

    /// Returns consecutive states.
    pub(super) fn range(&self, numbers: std::ops::Range<usize>) -> &[u8] {
        &self.bytes[numbers.start * self.stride..numbers.end * self.stride]
    }

    /// Returns the number of a stored state.
    pub(super) fn find(&self, state: &[u8]) -> Option<u32> {
        let number = self.slots[self.slot(state)];
        number.checked_sub(1)
    }

    /// Stores a new state, and returns its number; `None` if no more numbers are left.
    pub(super) fn add(&mut self, state: &[u8]) -> Option<u32> {
        if (self.len + 1) * 8 > self.slots.len() * 7 {
            self.grow();
        }
        let number = u32::try_from(self.len).ok()?;
        let slot = self.slot(state);
        self.slots[slot] = number.checked_add(1)?;
        self.bytes.extend_from_slice(state);
        self.len += 1;
        Some(number)
    }

    fn slot(&self, state: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = place(state) & mask;
        loop {
            match self.slots[slot].checked_sub(1) {
                Some(number) if self.get(number as usize) != state => slot = (slot + 1) & mask,
                _ => return slot,
            }
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        let mask = self.slots.len() - 1;
        for (number, state) in (1u32..).zip(self.bytes.chunks_exact(self.stride)) {
            let mut slot = place(state) & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }
}

/// Hashes a state to the first slot to probe.
pub(super) fn place(state: &[u8]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let mut words = state.chunks_exact(8);
    let sum = words.by_ref().fold(0, |sum, word| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(word);
        mix(sum, u64::from_le_bytes(bytes))
    });
    let mut rest = [0; 8];
    rest[..words.remainder().len()].copy_from_slice(words.remainder());
    let sum = mix(sum, u64::from_le_bytes(rest));
    (sum ^ (sum >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::{Arena, place};
    use std::collections::BTreeSet;

    #[test]
    fn every_state_has_one_number() {
        let mut arena = Arena::new(3);
        for value in 0..5_000u32 {
            let state = &value.to_le_bytes()[..3];
            assert_eq!(arena.find(state), None);
            assert_eq!(arena.add(state), Some(value));
        }
        for value in 0..5_000u32 {
            assert_eq!(arena.find(&value.to_le_bytes()[..3]), Some(value));
        }
        assert_eq!(arena.len(), 5_000);
        // Three bytes for each state, at most twice as much, and four for each of 8192 slots.
        let states = arena.memory() - 4 * 8_192;
        assert!((15_000..=30_000).contains(&states), "{states}");
    }

    /// The table grows when one more state would fill more than seven in eight slots.
    #[test]
    fn slots_are_at_most_seven_eighths_full() {
        let mut arena = Arena::new(4);
        let add = |arena: &mut Arena, value: u32| arena.add(&value.to_le_bytes());
        (0..896).for_each(|value| assert_eq!(add(&mut arena, value), Some(value)));
        assert_eq!(arena.slots.len(), 1_024);
        add(&mut arena, 896);
        assert_eq!(arena.slots.len(), 2_048);
    }

    /// States that differ in one byte are spread over the slots, whichever byte it is, except the last one of a word.
    #[test]
    fn every_byte_affects_the_slot_of_a_state() {
        let places = |at: usize| {
            let state = |value: u8| {
                let mut state = [7; 15];
                state[at] = value;
                state
            };
            let places = (0..=u8::MAX).map(|value| place(&state(value)) & 0xfff);
            places.collect::<BTreeSet<usize>>().len()
        };
        for at in [0, 1, 2, 3, 4, 8, 9, 10, 11, 12] {
            assert!(places(at) > 220, "{at}: {}", places(at));
        }
    }
}
