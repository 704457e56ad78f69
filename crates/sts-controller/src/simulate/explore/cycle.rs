//! Detection of runs that can return to an earlier state.

/// Edges of the state graph: for each state in turn, the numbers of its successors.
#[derive(Debug, Default)]
pub(super) struct Edges {
    targets: Vec<u32>,
    /// The end of each state's successors.
    ends: Vec<u32>,
}

impl Edges {
    pub(super) fn push(&mut self, to: u32) {
        self.targets.push(to);
    }

    /// Ends the successor list of one more state.
    pub(super) fn close(&mut self) {
        self.ends
            .push(u32::try_from(self.targets.len()).unwrap_or(u32::MAX));
    }

    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(super) fn bytes(&self) -> usize {
        (self.targets.capacity() + self.ends.capacity()) * size_of::<u32>()
    }

    fn of(&self, state: usize) -> &[u32] {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        let Some(end) = self.ends.get(state) else {
            return &[];
        };
        &self.targets[start as usize..*end as usize]
    }

    /// Returns the first state on a cycle; `None` if every run ends.
    pub(super) fn first_on_a_cycle(&self) -> Option<usize> {
        let states = self.ends.len();
        let forward = self.remaining(&vec![true; states]);
        if !forward.contains(&true) {
            return None;
        }
        // The remaining states include those behind a cycle. Walking backward removes them.
        let mut back: Vec<Vec<u32>> = vec![Vec::new(); states];
        for (from, number) in (0..states).zip(0u32..).filter(|(from, _)| forward[*from]) {
            for to in self.of(from) {
                back[*to as usize].push(number);
            }
        }
        let mut backward = Edges::default();
        for targets in back {
            backward.targets.extend(targets);
            backward.close();
        }
        let left = backward.remaining(&forward);
        left.iter().position(|left| *left)
    }

    /// Removes states without predecessors until none is left to remove.
    fn remaining(&self, among: &[bool]) -> Vec<bool> {
        let mut left = among.to_vec();
        let mut entries = vec![0u32; left.len()];
        for from in (0..left.len()).filter(|from| among[*from]) {
            for to in self.of(from) {
                entries[*to as usize] += 1;
            }
        }
        let mut free: Vec<usize> = (0..left.len())
            .filter(|state| left[*state] && entries[*state] == 0)
            .collect();
        while let Some(state) = free.pop() {
            left[state] = false;
            for to in self.of(state) {
                let to = *to as usize;
                entries[to] -= 1;
                if left[to] && entries[to] == 0 {
                    free.push(to);
                }
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::Edges;

    fn first(states: usize, edges: &[(usize, u32)]) -> Option<usize> {
        let mut all = Edges::default();
        for state in 0..states {
            let of_state = edges.iter().filter(|(from, _)| *from == state);
            of_state.for_each(|(_, to)| all.push(*to));
            all.close();
        }
        all.first_on_a_cycle()
    }

    #[test]
    fn cycles_are_found_but_joins_are_not() {
        let diamond = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
        assert_eq!(first(5, &diamond), None);
        let round = [(0, 1), (1, 2), (2, 3), (3, 2), (3, 4)];
        assert_eq!(first(5, &round), Some(2));
        assert_eq!(first(1, &[(0, 0)]), Some(0));
        assert_eq!(first(0, &[]), None);
    }

    /// Four bytes for each edge and each state, and at most twice as much.
    #[test]
    fn memory_grows_with_edges_and_states() {
        let mut all = Edges::default();
        assert_eq!(all.bytes(), 0);
        for state in 0..1_000 {
            (0..3).for_each(|_| all.push(state));
            all.close();
        }
        assert!((16_000..=32_000).contains(&all.bytes()), "{}", all.bytes());
    }
}
