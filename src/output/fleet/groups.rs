//! Groups of sets that are stuck for the same cause.

use std::collections::BTreeMap;

use sts_plan::report::{Report, SetState};

/// Minimum number of sets with a common cause that share a row.
pub(in crate::output) const MANY: usize = 3;

pub(in crate::output) struct Group<'r> {
    /// The common cause; `None` for a single set.
    pub(in crate::output) cause: Option<&'r str>,
    pub(in crate::output) sets: Vec<&'r Report>,
}

impl<'r> Group<'r> {
    pub(in crate::output) fn single(report: &'r Report) -> Self {
        Group {
            cause: None,
            sets: vec![report],
        }
    }
}

/// Groups sets with a common cause, the largest group first. Every other set is a group of its own. `sorted` has the most
/// urgent set first.
pub(in crate::output) fn groups<'r>(sorted: &[&'r Report]) -> Vec<Group<'r>> {
    let mut by_cause: BTreeMap<&str, Vec<&Report>> = BTreeMap::new();
    for report in sorted {
        if let Some(cause) = shared(report) {
            by_cause.entry(cause).or_default().push(report);
        }
    }
    by_cause.retain(|_, sets| sets.len() >= MANY);
    let is_grouped = |report: &Report| shared(report).is_some_and(|it| by_cause.contains_key(it));
    let singles = sorted.iter().filter(|report| !is_grouped(report));
    let singles: Vec<Group<'_>> = singles.map(|report| Group::single(report)).collect();
    let mut many: Vec<Group<'_>> = by_cause
        .iter()
        .map(|(cause, sets)| Group {
            cause: Some(cause),
            sets: sets.clone(),
        })
        .collect();
    // Groups of the same size keep the order of their causes.
    many.sort_by_key(|group| std::cmp::Reverse(group.sets.len()));
    many.into_iter().chain(singles).collect()
}

fn shared(report: &Report) -> Option<&str> {
    let cause = report.analysis.cause.as_ref()?;
    (report.state == SetState::Stuck).then_some(cause.shared.as_deref()?)
}
