//! The time axis in characters: seconds to columns.

use super::PodLane;
use crate::output::words::elapsed;
use sts_plan::report::PodPeriod;

/// The possible distances between marks, in seconds.
const INTERVALS: [i64; 22] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
    86_400, 172_800, 432_000, 864_000, 8_640_000,
];
/// Minimum distance between two marks, in columns.
const MARK: usize = 9;

/// Returns the distance between marks for at most `most` of them, in seconds.
pub(in crate::output) fn mark_interval(end: i64, most: i64) -> i64 {
    let interval = INTERVALS.into_iter().find(|it| end / it <= most);
    interval.unwrap_or(end / most).max(1)
}

/// Writes text over cells.
pub(in crate::output) fn overlay(cells: &mut [char], at: usize, text: &str) {
    for (cell, character) in cells.iter_mut().skip(at).zip(text.chars()) {
        *cell = character;
    }
}

/// A time axis of so many columns.
#[derive(Debug, Clone, Copy)]
pub(in crate::output) struct Columns {
    pub(in crate::output) count: usize,
    /// The end in seconds.
    pub(in crate::output) end: i64,
}

impl Columns {
    /// Returns the column of a second; `count` at the end and beyond.
    pub(in crate::output) fn column(&self, at: i64) -> usize {
        if self.end == 0 || at >= self.end {
            return self.count;
        }
        let at = i128::from(at.max(0)) * self.count as i128 / i128::from(self.end);
        usize::try_from(at).unwrap_or(0).min(self.count)
    }

    /// Returns the column right before a second.
    fn column_before(&self, at: i64) -> usize {
        let at = i128::from(at.max(1)) * self.count as i128 - 1;
        let at = usize::try_from(at / i128::from(self.end.max(1)));
        at.unwrap_or(0).min(self.count.saturating_sub(1))
    }

    /// Returns the first second of a column.
    pub(in crate::output) fn second(&self, column: usize) -> i64 {
        let second = i128::from(self.end) * column as i128 / self.count.max(1) as i128;
        i64::try_from(second).unwrap_or(self.end)
    }

    /// Returns the worst period within a column, so that short ones stay visible.
    pub(in crate::output) fn worst<'l>(
        &self,
        lane: &'l PodLane,
        column: usize,
    ) -> Option<&'l PodPeriod> {
        let (end, count) = (i128::from(self.end), self.count as i128);
        let (from, to) = (column as i128 * end, (column as i128 + 1) * end);
        let overlapping = lane.periods.iter().filter(|period| {
            let ends = period.to.map(|to| i128::from(to) * count);
            i128::from(period.from) * count < to && ends.is_none_or(|ends| ends > from)
        });
        overlapping.max_by_key(|period| period.state.badness())
    }

    /// Returns the maximum of a value in each column. `points` has the value from each second at which it changes.
    pub(in crate::output) fn maxima(&self, points: &[(i64, usize)]) -> Vec<usize> {
        let mut maxima = vec![0; self.count];
        for (index, (from, value)) in points.iter().enumerate() {
            let to = points.get(index + 1).map(|(to, _)| *to);
            let first = self.column(*from);
            // A column has a value that begins within it, but not one that ends at its left edge.
            let last = to.map_or(self.count, |to| self.column_before(to) + 1);
            for maximum in maxima.iter_mut().take(last.max(first)).skip(first) {
                *maximum = (*maximum).max(*value);
            }
        }
        maxima
    }

    /// Returns the axis: marks, the end, and the tail.
    pub(in crate::output) fn axis(&self) -> String {
        if self.count == 0 {
            return "from now on".to_owned();
        }
        let mut cells = vec![' '; self.count];
        let most = i64::try_from(self.count / MARK).unwrap_or(1).max(1);
        let interval = mark_interval(self.end, most);
        let end = elapsed(self.end);
        let edge = self.count.saturating_sub(end.len());
        let marks = (0..).map(|mark| mark * interval);
        for at in marks.take_while(|at| *at < self.end) {
            let (column, text) = (self.column(at), elapsed(at));
            if column + text.len() < edge {
                overlay(&mut cells, column, &text);
            }
        }
        overlay(&mut cells, edge, &end);
        let cells: String = cells.into_iter().collect();
        format!("{cells} then")
    }
}
