//! A set of small numbers that is walked in order from either end.

/// Positions below a fixed bound, a bit each: walking over ten thousand absent ones costs 157 words.
#[derive(Debug, Clone, Default)]
pub(super) struct OrdinalSet {
    words: Vec<u64>,
    len: usize,
}

impl OrdinalSet {
    /// An empty set for positions below `bound`.
    pub(super) fn below(bound: usize) -> Self {
        OrdinalSet {
            words: vec![0; bound.div_ceil(64)],
            len: 0,
        }
    }

    /// How many positions are in the set.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Puts a position in or takes it out.
    pub(super) fn set(&mut self, position: usize, present: bool) {
        let (word, bit) = (position / 64, 1u64 << (position % 64));
        let Some(word) = self.words.get_mut(word) else {
            return;
        };
        match (*word & bit != 0, present) {
            (false, true) => self.len += 1,
            (true, false) => self.len -= 1,
            _ => return,
        }
        *word ^= bit;
    }

    /// The first position that is `from` or above.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let first = from / 64;
        let mut mask = u64::MAX << (from % 64);
        for (index, word) in self.words.iter().enumerate().skip(first) {
            let found = word & mask;
            if found != 0 {
                return Some(index * 64 + found.trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }

    /// The last position that is below `before`.
    pub(super) fn previous(&self, before: usize) -> Option<usize> {
        if self.len == 0 || before == 0 {
            return None;
        }
        let last = (before - 1) / 64;
        let mut mask = u64::MAX >> (63 - (before - 1) % 64);
        let known = last.min(self.words.len().saturating_sub(1));
        if known < last {
            mask = u64::MAX;
        }
        for index in (0..=known).rev() {
            let found = self.words.get(index).copied().unwrap_or(0) & mask;
            if found != 0 {
                return Some(index * 64 + 63 - found.leading_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::OrdinalSet;

    #[test]
    fn walks_in_order_from_both_ends() {
        let mut set = OrdinalSet::below(200);
        for position in [0, 63, 64, 130, 199] {
            set.set(position, true);
        }
        set.set(130, false);
        set.set(130, false);
        assert_eq!(set.len(), 4);
        let mut up = Vec::new();
        let mut at = 0;
        while let Some(position) = set.next(at) {
            up.push(position);
            at = position + 1;
        }
        assert_eq!(up, [0, 63, 64, 199]);
        let mut down = Vec::new();
        let mut at = 1_000;
        while let Some(position) = set.previous(at) {
            down.push(position);
            at = position;
        }
        assert_eq!(down, [199, 64, 63, 0]);
        assert_eq!(OrdinalSet::below(0).previous(10), None);
    }
}
