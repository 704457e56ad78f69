//! Runs of like neighbors.

use std::ops::Range;

/// Returns the ranges of like neighbors. A run shorter than `least` is split into single items.
pub(super) fn runs<T>(
    items: &[T],
    least: usize,
    is_alike: impl Fn(&T, &T) -> bool,
) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    for run in items.chunk_by(is_alike) {
        let range = at..at + run.len();
        at = range.end;
        if run.len() >= least {
            ranges.push(range);
        } else {
            ranges.extend(range.map(|at| at..at + 1));
        }
    }
    ranges
}

/// Returns the last part of a name: `7` of `web-7`.
pub(super) fn last_part(name: &str) -> &str {
    name.rsplit('-').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_stay_apart() {
        let items = [1, 1, 1, 2, 2, 3];
        assert_eq!(runs(&items, 3, |a, b| a == b), [0..3, 3..4, 4..5, 5..6]);
        assert_eq!(runs(&items, 2, |a, b| a == b), [0..3, 3..5, 5..6]);
        assert!(runs(&items[..0], 1, |a, b| a == b).is_empty());
        assert_eq!(last_part("web-7"), "7");
    }
}
