//! Whether a run can come back to a state that it was in.

/// The first state on a way round, given how many states there are and which lead to which; `None` when every run
/// comes to an end.
pub(super) fn first_on_a_cycle(states: usize, edges: &[(usize, usize)]) -> Option<usize> {
    let forward = left_over(states, edges.iter().copied(), &vec![true; states]);
    // What is left also holds states behind a cycle: those go the other way round.
    let backward = edges.iter().map(|(from, to)| (*to, *from));
    left_over(states, backward, &forward)
        .iter()
        .position(|left| *left)
}

/// Takes away the states that nothing leads to, again and again.
fn left_over(
    states: usize,
    edges: impl Iterator<Item = (usize, usize)> + Clone,
    among: &[bool],
) -> Vec<bool> {
    let within = edges.filter(|(from, to)| among[*from] && among[*to]);
    let mut entries = vec![0u32; states];
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); states];
    for (from, to) in within {
        entries[to] += 1;
        successors[from].push(to);
    }
    let mut left = among.to_vec();
    let mut free: Vec<usize> = (0..states)
        .filter(|state| left[*state] && entries[*state] == 0)
        .collect();
    while let Some(state) = free.pop() {
        left[state] = false;
        for next in &successors[state] {
            entries[*next] -= 1;
            if entries[*next] == 0 {
                free.push(*next);
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::first_on_a_cycle;

    #[test]
    fn a_way_round_is_found_and_a_mere_meeting_is_not() {
        let diamond = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
        assert_eq!(first_on_a_cycle(5, &diamond), None);
        let round = [(0, 1), (1, 2), (2, 3), (3, 2), (3, 4)];
        assert_eq!(first_on_a_cycle(5, &round), Some(2));
        assert_eq!(first_on_a_cycle(1, &[(0, 0)]), Some(0));
        assert_eq!(first_on_a_cycle(0, &[]), None);
    }
}
