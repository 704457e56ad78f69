//! Order of sets: the most urgent state first, then by name.

use crate::report::{Report, SetState};

/// Sort key of a set: its state, its namespace and its name.
pub type Urgency<'r> = (SetState, &'r str, &'r str);

/// Returns the sort key of a set, the lowest for the most urgent one.
#[must_use]
pub fn urgency(report: &Report) -> Urgency<'_> {
    let metadata = &report.metadata;
    (report.state, &metadata.namespace, &metadata.name)
}

/// Returns the indices of reports, the most urgent first. Reports of the same set keep their order.
pub(super) fn order(reports: &[Report]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..reports.len()).collect();
    order.sort_by_key(|at| reports.get(*at).map(urgency));
    order
}
