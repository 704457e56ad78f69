//! The stops of a page: its numbering of steps. A sync that only updates the status is part of the previous stop. The steps
//! beyond the limit are one last stop, so that the last stop is always the end of the plan.

use crate::output::step_text::is_status_alone;
use sts_plan::report::{Report, ReportStep};

/// The stops, from 1; stop 0 is the start.
pub(in crate::output) struct Stops {
    /// Number of past steps at each stop.
    ends: Vec<usize>,
    /// True if the last stop covers all steps beyond the limit.
    pub(in crate::output) has_rest: bool,
}

impl Stops {
    /// Returns the stops of a report, with at most `most` single stops.
    pub(in crate::output) fn new(report: &Report, most: usize) -> Self {
        let mut ends: Vec<usize> = Vec::new();
        for (at, step) in report.steps.iter().enumerate() {
            match ends.last_mut() {
                Some(end) if is_status_alone(step) => *end = at + 1,
                _ => ends.push(at + 1),
            }
        }
        let has_rest = ends.len() > most;
        if has_rest {
            ends.truncate(most);
            ends.push(report.steps.len());
        }
        Stops { ends, has_rest }
    }

    /// Returns the number of stops without the start.
    pub(in crate::output) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of stops without the last one if that covers the rest.
    pub(in crate::output) fn single(&self) -> usize {
        self.ends.len() - usize::from(self.has_rest)
    }

    /// Returns the stop after this number of steps.
    pub(in crate::output) fn after(&self, steps: usize) -> usize {
        match steps {
            0 => 0,
            steps => self.ends.partition_point(|end| *end < steps) + 1,
        }
    }

    /// Returns the stop that ends after this number of steps.
    pub(in crate::output) fn ending_at(&self, steps: usize) -> Option<usize> {
        match steps {
            0 => Some(0),
            steps => self.ends.binary_search(&steps).ok().map(|at| at + 1),
        }
    }

    /// Returns the steps of a stop.
    pub(in crate::output) fn steps<'r>(&self, report: &'r Report, stop: usize) -> &'r [ReportStep] {
        let from = stop.checked_sub(2).map_or(0, |before| self.ends[before]);
        let to = self.ends.get(stop.wrapping_sub(1)).copied().unwrap_or(from);
        report.steps.get(from..to).unwrap_or_default()
    }
}
