//! The rows of a chart: single lanes, and runs or groups of lanes that share a row.

use std::ops::Range;

use super::{Lanes, PodLane};
use crate::output::alike::{last_part, runs};
use crate::output::style::escape;
use crate::output::words::{cut, middle_cut, spaced};

/// Maximum number of pods that have a row each in a picture.
const FEW: usize = 24;
/// Maximum number of rows of a picture.
const MOST: usize = 60;
/// Number of groups of a larger set.
const GROUPS: usize = 40;
/// Minimum number of like neighbors that share a row.
const RUN: usize = 3;

/// A row of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::output) struct Row {
    /// The positions of its pods.
    pub(in crate::output) pods: Range<usize>,
    /// True if all its pods have the same periods.
    pub(in crate::output) is_alike: bool,
}

impl Lanes {
    /// Returns a row for each pod; with more than `few` pods, like neighbors share a row. The selected pod has its own.
    pub(in crate::output) fn rows(&self, few: usize, selected: Option<usize>) -> Vec<Row> {
        let least = match self.pods.len() <= few {
            true => usize::MAX,
            false => RUN,
        };
        let rows = runs(&self.pods, least, |a, b| a.periods == b.periods).into_iter();
        let parts = rows.flat_map(|row| match selected {
            Some(at) if row.contains(&at) => vec![row.start..at, at..at + 1, at + 1..row.end],
            _ => vec![row],
        });
        let rows = parts.filter(|row| !row.is_empty()).map(|pods| Row {
            pods,
            is_alike: true,
        });
        rows.collect()
    }

    /// Returns the rows of a picture. If there are too many, neighbors share a row whether they are alike or not.
    pub(in crate::output) fn picture_rows(&self) -> Vec<Row> {
        let rows = self.rows(FEW, None);
        if rows.len() <= MOST {
            return rows;
        }
        let all = self.pods.len();
        let size = all.div_ceil(GROUPS);
        let groups = (0..all).step_by(size).map(|first| Row {
            pods: first..(first + size).min(all),
            is_alike: false,
        });
        groups.collect()
    }

    /// Returns the pods of a row.
    pub(in crate::output) fn of_row(&self, row: &Row) -> &[PodLane] {
        self.pods.get(row.pods.clone()).unwrap_or_default()
    }

    /// Returns the first and the last pod of a row by ordinal.
    fn ends(&self, row: &Row) -> Option<(&str, &str)> {
        let pods = self.of_row(row);
        let (first, last) = (&*pods.first()?.pod, &*pods.last()?.pod);
        Some(match self.is_descending {
            true => (last, first),
            false => (first, last),
        })
    }

    /// Returns the label of a row: `web-1`, `web-0..7`.
    pub(in crate::output) fn label(&self, row: &Row, width: usize) -> String {
        match self.ends(row) {
            None => String::new(),
            Some((only, _)) if row.pods.len() == 1 => middle_cut(&escape(only), width),
            Some((first, last)) => {
                let tail = format!("..{}", cut(&escape(last_part(last)), 10));
                let room = width.saturating_sub(tail.chars().count());
                middle_cut(&escape(first), room) + &tail
            }
        }
    }

    /// Returns the title of a row, with full names.
    pub(in crate::output) fn title(&self, row: &Row) -> String {
        match self.ends(row) {
            None => String::new(),
            Some((only, _)) if row.pods.len() == 1 => escape(only).into_owned(),
            Some((first, last)) => {
                let pods = spaced(row.pods.len());
                format!("{} to {}, {pods} pods", escape(first), escape(last))
            }
        }
    }
}
