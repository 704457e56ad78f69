//! A set of small numbers that can be walked in order from either end.

/// A bitmap of positions below a fixed bound, with a second bitmap of the words that are not empty. Walking over ten
/// thousand absent positions costs three words.
#[derive(Debug, Clone, Default)]
pub(super) struct OrdinalSet {
    words: Vec<u64>,
    /// One bit for each nonzero word.
    filled: Vec<u64>,
    len: usize,
}

const BITS: usize = 64;

impl OrdinalSet {
    /// Returns an empty set for positions below `bound`.
    pub(super) fn below(bound: usize) -> Self {
        let words = bound.div_ceil(BITS);
        OrdinalSet {
            words: vec![0; words],
            filled: vec![0; words.div_ceil(BITS)],
            len: 0,
        }
    }

    /// Returns the number of positions in the set.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds or removes a position.
    pub(super) fn set(&mut self, position: usize, present: bool) {
        let at = position / BITS;
        let Some(word) = self.words.get_mut(at) else {
            return;
        };
        let bit = 1 << (position % BITS);
        match (*word & bit != 0, present) {
            (false, true) => self.len += 1,
            (true, false) => self.len -= 1,
            _ => return,
        }
        *word ^= bit;
        let bit = 1 << (at % BITS);
        match *word {
            0 => self.filled[at / BITS] &= !bit,
            _ => self.filled[at / BITS] |= bit,
        }
    }

    /// Returns the first position at or above `from`.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let at = from / BITS;
        let rest = self.words.get(at)? & (u64::MAX << (from % BITS));
        if rest != 0 {
            return Some(first_bit(at, rest));
        }
        let at = first_from(&self.filled, at + 1)?;
        Some(first_bit(at, self.words[at]))
    }

    /// Returns the last position below `before`.
    pub(super) fn previous(&self, before: usize) -> Option<usize> {
        let at = before / BITS;
        let rest = self.words.get(at).map_or(0, |word| word & below(before));
        if rest != 0 {
            return Some(last_bit(at, rest));
        }
        let at = last_before(&self.filled, at)?;
        Some(last_bit(at, self.words[at]))
    }
}

/// Returns the mask of a word's bits below the given position.
fn below(position: usize) -> u64 {
    (1 << (position % BITS)) - 1
}

fn first_bit(at: usize, word: u64) -> usize {
    at * BITS + word.trailing_zeros() as usize
}

fn last_bit(at: usize, word: u64) -> usize {
    at * BITS + BITS - 1 - word.leading_zeros() as usize
}

/// Returns the first set bit at or above `from`.
fn first_from(words: &[u64], from: usize) -> Option<usize> {
    let mut mask = u64::MAX << (from % BITS);
    for (at, word) in words.iter().enumerate().skip(from / BITS) {
        let found = word & mask;
        if found != 0 {
            return Some(first_bit(at, found));
        }
        mask = u64::MAX;
    }
    None
}

/// Returns the last set bit below `before`.
fn last_before(words: &[u64], before: usize) -> Option<usize> {
    let within = before / BITS;
    for (at, word) in words.iter().enumerate().take(within + 1).rev() {
        let found = if at == within {
            word & below(before)
        } else {
            *word
        };
        if found != 0 {
            return Some(last_bit(at, found));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::OrdinalSet;

    fn up(set: &OrdinalSet, from: usize) -> Vec<usize> {
        let next = |at: &usize| set.next(at + 1);
        std::iter::successors(set.next(from), next).collect()
    }

    fn down(set: &OrdinalSet, before: usize) -> Vec<usize> {
        let previous = |at: &usize| set.previous(*at);
        std::iter::successors(set.previous(before), previous).collect()
    }

    #[test]
    fn walks_in_order_from_both_ends() {
        let mut set = OrdinalSet::below(200);
        for position in [0, 63, 64, 130, 199] {
            set.set(position, true);
        }
        set.set(130, false);
        set.set(130, false);
        set.set(9_999, true);
        assert_eq!(set.len(), 4);
        assert_eq!(up(&set, 0), [0, 63, 64, 199]);
        assert_eq!(down(&set, 1_000_000), [199, 64, 63, 0]);
        assert_eq!(OrdinalSet::below(0).next(0), None);
        assert_eq!(OrdinalSet::below(0).previous(10), None);
    }

    #[test]
    fn a_large_set_equals_a_tree() {
        const BOUND: usize = 10_000;
        let (mut set, mut tree) = (OrdinalSet::below(BOUND), BTreeSet::new());
        // The order of additions and removals crosses every word boundary sooner or later.
        for step in 0..4_000 {
            let position = step * step * 31 % BOUND;
            let present = tree.insert(position) || !tree.remove(&position);
            set.set(position, present);
            if step % 100 != 0 {
                continue;
            }
            assert_eq!(set.len(), tree.len());
            for at in [0, 1, position, 4_095, 4_096, 8_192, BOUND - 1, BOUND] {
                let after: Vec<usize> = tree.range(at..).copied().collect();
                assert_eq!(up(&set, at), after, "from {at}");
                let before: Vec<usize> = tree.range(..at).rev().copied().collect();
                assert_eq!(down(&set, at), before, "before {at}");
            }
        }
        assert!(tree.len() > 100);
        for position in tree {
            set.set(position, false);
        }
        assert_eq!(
            (set.len(), set.next(0), set.previous(BOUND)),
            (0, None, None)
        );
    }
}
