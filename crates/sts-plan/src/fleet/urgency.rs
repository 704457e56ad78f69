//! Order of sets: the most urgent state first, a set before those that need its pods, then by name.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::{Report, SetState};
use sts_controller::controller::parent_and_ordinal;

/// Sort key of a set: its state, its namespace and its name.
pub type Urgency<'r> = (SetState, &'r str, &'r str);

/// Returns the sort key of a set, the lowest for the most urgent one.
#[must_use]
pub fn urgency(report: &Report) -> Urgency<'_> {
    let metadata = &report.metadata;
    (report.state, &metadata.namespace, &metadata.name)
}

/// Returns the indices of reports, the most urgent first, and among those of one state a set before those that need its
/// pods. Reports of the same set keep their order.
pub(super) fn order(reports: &[Report]) -> Vec<usize> {
    let needs: BTreeMap<Set<'_>, BTreeSet<Set<'_>>> = reports
        .iter()
        .map(|report| (set(report), needs(report)))
        .filter(|(_, needs)| !needs.is_empty())
        .collect();
    let mut order: Vec<usize> = (0..reports.len()).collect();
    order.sort_by_key(|at| {
        let report = reports.get(*at)?;
        let (state, namespace, name) = urgency(report);
        Some((state, depth(set(report), &needs), namespace, name))
    });
    order
}

/// Namespace and name of a set.
type Set<'r> = (&'r str, &'r str);

fn set(report: &Report) -> Set<'_> {
    (&report.metadata.namespace, &report.metadata.name)
}

/// Returns the sets whose pods a set needs.
fn needs(report: &Report) -> BTreeSet<Set<'_>> {
    let obstacles = report.outcome.blocked_by.iter();
    let pods = obstacles.flat_map(|it| &it.needs);
    let sets = pods.filter_map(|pod| {
        let (namespace, pod) = pod.split_once('/')?;
        Some((namespace, parent_and_ordinal(pod)?.0))
    });
    sets.collect()
}

/// Returns the number of sets that a set needs, also through others. It is greater than that of each of them, unless they
/// need each other.
fn depth<'r>(of: Set<'r>, needs: &BTreeMap<Set<'r>, BTreeSet<Set<'r>>>) -> usize {
    let mut reached = BTreeSet::from([of]);
    let mut last = vec![of];
    while let Some(set) = last.pop() {
        let next = needs.get(&set).into_iter().flatten();
        last.extend(next.filter(|it| reached.insert(**it)));
    }
    reached.len() - 1
}
