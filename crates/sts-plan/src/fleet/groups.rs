//! Groups of sets that are stuck for the same cause.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::report::{Report, SetState};

/// Minimum number of sets in a group.
const MANY: usize = 3;

/// Name of a set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SetName {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
}

impl SetName {
    pub(super) fn of(report: &Report) -> Self {
        SetName {
            namespace: report.metadata.namespace.clone(),
            name: report.metadata.name.clone(),
        }
    }
}

/// Three or more sets that are stuck for the same cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetGroup {
    /// Common cause in one clause.
    pub cause: String,
    /// Start of the stuck state of the set that has been stuck the longest, RFC 3339; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Sets of the group, by namespace and name.
    pub sets: Vec<SetName>,
}

/// Row of a table of many sets: one set, or a group of them.
#[derive(Debug, Clone)]
pub struct FleetRow<'r> {
    /// Group of the sets; `None` for a single set.
    pub group: Option<&'r FleetGroup>,
    first: &'r Report,
    others: Vec<&'r Report>,
}

impl<'r> FleetRow<'r> {
    /// Returns the row of one set.
    #[must_use]
    pub fn single(report: &'r Report) -> Self {
        FleetRow {
            group: None,
            first: report,
            others: Vec::new(),
        }
    }

    /// Returns the first set.
    #[must_use]
    pub fn first(&self) -> &'r Report {
        self.first
    }

    /// Returns the sets, in order.
    pub fn sets(&self) -> impl Iterator<Item = &'r Report> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Returns the state, which all sets of the row share.
    #[must_use]
    pub fn state(&self) -> SetState {
        self.first.state
    }
}

/// Groups sets with a common cause, the largest group first. `sorted` has the most urgent set first.
pub(super) fn groups<'r>(sorted: impl Iterator<Item = &'r Report>) -> Vec<FleetGroup> {
    let mut by_cause: BTreeMap<&str, Vec<&Report>> = BTreeMap::new();
    for report in sorted {
        if let Some(cause) = shared(report) {
            by_cause.entry(cause).or_default().push(report);
        }
    }
    by_cause.retain(|_, sets| sets.len() >= MANY);
    let groups = by_cause.into_iter().map(|(cause, sets)| FleetGroup {
        cause: cause.to_owned(),
        since: since(&sets),
        sets: sets.into_iter().map(SetName::of).collect(),
    });
    let mut groups: Vec<FleetGroup> = groups.collect();
    // Groups of the same size keep the order of their causes.
    groups.sort_by_key(|group| std::cmp::Reverse(group.sets.len()));
    groups
}

/// Returns a row for each group, then one for each other set, the most urgent first.
pub(super) fn rows<'r>(groups: &'r [FleetGroup], sorted: &[&'r Report]) -> Vec<FleetRow<'r>> {
    let key = |report: &&'r Report| -> (&'r str, &'r str) {
        let metadata = &report.metadata;
        (&metadata.namespace, &metadata.name)
    };
    let by_name: BTreeMap<_, &Report> = sorted.iter().map(|it| (key(it), *it)).collect();
    let mut rows = Vec::new();
    let mut grouped = BTreeSet::new();
    for group in groups {
        let names = group.sets.iter();
        let names = names.map(|set| (set.namespace.as_str(), set.name.as_str()));
        grouped.extend(names.clone());
        let mut sets = names.filter_map(|name| by_name.get(&name).copied());
        if let Some(first) = sets.next() {
            rows.push(FleetRow {
                group: Some(group),
                first,
                others: sets.collect(),
            });
        }
    }
    let others = sorted.iter().filter(|it| !grouped.contains(&key(it)));
    rows.extend(others.map(|report| FleetRow::single(report)));
    rows
}

/// Returns the cause that a stuck set shares with others.
fn shared(report: &Report) -> Option<&str> {
    let cause = report.analysis.cause.as_ref()?;
    (report.state == SetState::Stuck).then_some(cause.shared.as_deref()?)
}

/// Returns the earliest start. All times are in UTC and of the same form.
fn since(sets: &[&Report]) -> Option<String> {
    let starts = sets.iter().filter_map(|it| it.analysis.since.as_ref());
    starts.min().cloned()
}
