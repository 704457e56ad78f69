//! The time axis: seconds to positions.

use crate::output::lanes::mark_interval;

/// Maximum number of marks on an axis.
const MARKS: i64 = 9;

/// Minimum width of the tail: the mark of the end and the word "then" stand below it.
const TAIL: f64 = 60.0;

/// A time axis. A tail after the end shows lasting states.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// The position of the start.
    pub(super) left: f64,
    /// The position of the end.
    pub(super) right: f64,
    /// The position where the tail ends.
    pub(super) edge: f64,
    /// The end in seconds.
    pub(super) end: i64,
}

impl Scale {
    pub(super) fn new(left: f64, edge: f64, end: i64) -> Self {
        // Without any duration there is only the tail.
        let tail = if end == 0 {
            edge - left
        } else {
            ((edge - left) * 0.08).max(TAIL)
        };
        Scale {
            left,
            right: edge - tail,
            edge,
            end,
        }
    }

    /// Returns the position of a second.
    pub(super) fn x(&self, at: i64) -> f64 {
        if self.end == 0 {
            return self.left;
        }
        self.left + (self.right - self.left) * at as f64 / self.end as f64
    }

    /// Returns the position of an end; the edge if there is none.
    pub(super) fn x_or_edge(&self, at: Option<i64>) -> f64 {
        at.map_or(self.edge, |at| self.x(at))
    }

    /// Returns the seconds with a mark: round ones, not too close to the end, which has its own mark.
    pub(super) fn marks(&self) -> Vec<i64> {
        let interval = mark_interval(self.end, MARKS);
        let room = (self.end as f64 / (self.right - self.left).max(1.0) * 56.0) as i64;
        let mut marks = vec![0];
        marks.extend(
            (1..)
                .map(|at| at * interval)
                .take_while(|at| *at < self.end - room),
        );
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        let marks = |end| Scale::new(100.0, 900.0, end).marks();
        assert_eq!(marks(0), [0]);
        assert_eq!(marks(81), [0, 10, 20, 30, 40, 50, 60, 70]);
        assert_eq!(marks(3600), [0, 600, 1200, 1800, 2400, 3000]);
        for end in 1..5_000 {
            let found = marks(end * end);
            assert!((1..=10).contains(&found.len()), "{end}: {found:?}");
        }
    }
}
