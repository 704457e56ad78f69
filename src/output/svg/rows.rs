//! The rows of a chart: the lanes that are drawn, and those that are drawn as one.

use std::ops::Range;

use super::text::{middle_cut, shown};
use crate::output::alike::{last_part, runs};
use crate::output::words::spaced;
use sts_plan::report::timeline::{Lane, Timeline};

/// Up to so many pods have a lane each whatever happens to them.
const FEW: usize = 24;
/// Maximum number of rows.
const MOST: usize = 60;
/// Minimum number of neighbors that make one row.
const RUN: usize = 3;
/// Into how many groups a crowd is parted.
const GROUPS: usize = 40;
/// Maximum width of a name, in columns.
const COLUMNS: usize = 26;

/// One row of a chart.
pub(in crate::output) struct Row {
    /// Its pods, as a range of the timeline's lanes.
    pub(in crate::output) lanes: Range<usize>,
    /// True if all of them share one life; else each has its own.
    pub(in crate::output) alike: bool,
}

/// The rows of a timeline: a lane each where that can be read; else neighbours with the same life are one; else
/// neighbours are, whatever their lives.
pub(in crate::output) fn rows(timeline: &Timeline<'_>) -> Vec<Row> {
    let lanes = &timeline.lanes;
    if lanes.len() <= FEW {
        let singles = (0..lanes.len()).map(|at| Row {
            lanes: at..at + 1,
            alike: true,
        });
        return singles.collect();
    }
    let runs = runs(lanes, RUN, same_life).into_iter();
    let rows: Vec<Row> = runs.map(|lanes| Row { lanes, alike: true }).collect();
    if rows.len() <= MOST {
        return rows;
    }
    let size = lanes.len().div_ceil(GROUPS);
    (0..lanes.len())
        .step_by(size)
        .map(|first| Row {
            lanes: first..(first + size).min(lanes.len()),
            alike: false,
        })
        .collect()
}

/// Reports whether the same happens to both at the same time.
fn same_life(a: &Lane<'_>, b: &Lane<'_>) -> bool {
    let mut spans = a.spans.iter().zip(&b.spans);
    a.spans.len() == b.spans.len()
        && spans.all(|(a, b)| {
            (a.state, a.revision, a.from.at) == (b.state, b.revision, b.from.at)
                && a.to.map(|to| to.at) == b.to.map(|to| to.at)
        })
}

impl Row {
    /// Returns the text before the row.
    pub(in crate::output) fn label(&self, timeline: &Timeline<'_>) -> String {
        let lanes = &timeline.lanes[self.lanes.clone()];
        match lanes {
            [only] => shown(&middle_cut(&only.pod, COLUMNS)),
            [first, .., last] => {
                let tail = last_part(&last.pod);
                let first = middle_cut(&first.pod, COLUMNS - tail.len().min(10) - 2);
                shown(&format!("{first}..{tail}"))
            }
            [] => String::new(),
        }
    }

    /// All of its name.
    pub(super) fn title(&self, timeline: &Timeline<'_>) -> String {
        let lanes = &timeline.lanes[self.lanes.clone()];
        match lanes {
            [only] => shown(&only.pod),
            [first, .., last] => shown(&format!(
                "{} to {}, {} pods",
                first.pod,
                last.pod,
                spaced(lanes.len())
            )),
            [] => String::new(),
        }
    }
}
