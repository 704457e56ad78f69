//! Sets that are stuck for one cause, as one.

use std::collections::BTreeMap;

use super::state::State;
use sts_plan::report::Report;

/// From so many sets on one row stands for all that have a cause in common.
pub(in crate::output) const MANY: usize = 3;

/// Sets that share a row.
pub(in crate::output) struct Group<'r> {
    /// The cause that they have in common, if they are several.
    pub(in crate::output) cause: Option<&'r str>,
    /// The sets, by name.
    pub(in crate::output) sets: Vec<&'r Report>,
}

impl<'r> Group<'r> {
    /// One set by itself.
    pub(in crate::output) fn alone(report: &'r Report) -> Self {
        Group {
            cause: None,
            sets: vec![report],
        }
    }
}

/// The sets in groups: those that many have a cause in common with are one group, the largest first; every other set
/// is its own. `sorted` has the most urgent first.
pub(in crate::output) fn groups<'r>(sorted: &[&'r Report]) -> Vec<Group<'r>> {
    let mut by_cause: BTreeMap<&str, Vec<&Report>> = BTreeMap::new();
    for report in sorted {
        if let Some(cause) = shared(report) {
            by_cause.entry(cause).or_default().push(report);
        }
    }
    by_cause.retain(|_, sets| sets.len() >= MANY);
    let is_grouped = |report: &Report| shared(report).is_some_and(|it| by_cause.contains_key(it));
    let alone = sorted.iter().filter(|report| !is_grouped(report));
    let alone: Vec<Group<'_>> = alone.map(|report| Group::alone(report)).collect();
    let mut many: Vec<Group<'_>> = by_cause
        .iter()
        .map(|(cause, sets)| Group {
            cause: Some(cause),
            sets: sets.clone(),
        })
        .collect();
    // The names decide among groups of one size.
    many.sort_by_key(|group| std::cmp::Reverse(group.sets.len()));
    many.into_iter().chain(alone).collect()
}

fn shared(report: &Report) -> Option<&str> {
    let cause = report.analysis.cause.as_ref()?;
    (State::of(report) == State::Stuck).then_some(cause.shared.as_deref()?)
}
