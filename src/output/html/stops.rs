//! The stops of a page: its one numbering of steps. A sync that only writes the status is part of the stop before it, and
//! what is not told one by one is one last stop, so that the last stop is the end of the plan at any length.

use crate::output::step_text::is_status_alone;
use sts_plan::report::{Report, ReportStep};

/// The stops, from 1; stop 0 is the beginning.
pub(in crate::output) struct Stops {
    /// Number of steps of the plan that have happened at each stop.
    ends: Vec<usize>,
    /// True if the last stop stands for all that is not told.
    pub(in crate::output) has_rest: bool,
}

impl Stops {
    /// The stops of a report, of which the first so many are told one by one.
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

    /// Returns the number of stops, not counting the beginning.
    pub(in crate::output) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of stops that are told one by one.
    pub(in crate::output) fn told(&self) -> usize {
        self.ends.len() - usize::from(self.has_rest)
    }

    /// The stop at which so many steps have happened.
    pub(in crate::output) fn after(&self, steps: usize) -> usize {
        match steps {
            0 => 0,
            steps => self.ends.partition_point(|end| *end < steps) + 1,
        }
    }

    /// The stop whose last step that is, where it is one's.
    pub(in crate::output) fn ending_at(&self, steps: usize) -> Option<usize> {
        match steps {
            0 => Some(0),
            steps => self.ends.binary_search(&steps).ok().map(|at| at + 1),
        }
    }

    /// The steps of a stop, from 1.
    pub(in crate::output) fn steps<'r>(&self, report: &'r Report, stop: usize) -> &'r [ReportStep] {
        let from = stop.checked_sub(2).map_or(0, |before| self.ends[before]);
        let to = self.ends.get(stop.wrapping_sub(1)).copied().unwrap_or(from);
        report.steps.get(from..to).unwrap_or_default()
    }
}
