//! The detail in which obstacles are told: as much as stays on a screen above the pods.

use std::collections::BTreeMap;

use super::words::spaced;
use sts_plan::report::ReportObstacle;

/// Maximum number of lines above the table of pods and the empty line before it.
pub(super) const MOST_LINES: usize = 24;

/// The detail in which obstacles are told, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// Each with its remedies, notes and facts.
    Full,
    /// The same of the first of each cause; the others are named.
    Causes,
    /// The first in full, of the others what is wrong and the best remedy.
    First,
    /// The first without notes and facts, of the others what is wrong.
    Brief,
    /// Of the first what is wrong and the best remedy, of the others what is wrong.
    Least,
}

impl Detail {
    /// All of them, the most first.
    pub(super) const ALL: [Detail; 5] = [
        Detail::Full,
        Detail::Causes,
        Detail::First,
        Detail::Brief,
        Detail::Least,
    ];

    /// Reports whether only the first obstacle of each cause is told.
    pub(super) fn joins_causes(self) -> bool {
        self > Detail::Full
    }

    /// Reports whether the notes and facts of an obstacle at this place are told.
    pub(super) fn tells_facts(self, at: usize) -> bool {
        self < Detail::First || (self == Detail::First && at == 0)
    }

    /// Returns how much advice is told on an obstacle at this place, the best first.
    pub(super) fn advice(self, at: usize) -> usize {
        match (self, at) {
            (Detail::Full | Detail::Causes, _) | (Detail::First | Detail::Brief, 0) => usize::MAX,
            (Detail::First, _) | (Detail::Least, 0) => 1,
            (Detail::Brief | Detail::Least, _) => 0,
        }
    }
}

/// The obstacles to tell, each with the names of the other pods that have its cause.
pub(super) fn chosen(
    obstacles: &[ReportObstacle],
    detail: Detail,
) -> Vec<(&ReportObstacle, Vec<&str>)> {
    if !detail.joins_causes() {
        return obstacles.iter().map(|it| (it, Vec::new())).collect();
    }
    let mut alike: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for obstacle in obstacles {
        if let (Some(first), Some(pod)) = (&obstacle.like, &obstacle.pod) {
            alike.entry(first).or_default().push(pod);
        }
    }
    let firsts = obstacles.iter().filter(|it| it.like.is_none());
    firsts
        .map(|it| {
            let pod = it.pod.as_deref().unwrap_or_default();
            (it, alike.remove(pod).unwrap_or_default())
        })
        .collect()
}

/// The other pods that have the cause of the first, the first of them by name: `ing-17, ing-29 and 12 more`.
pub(super) fn the_same(pods: &[&str], names: usize) -> String {
    let named: Vec<&str> = pods.iter().take(names).copied().collect();
    let more = match pods.len().checked_sub(names) {
        Some(more @ 1..) => format!(" and {} more", spaced(more)),
        _ => String::new(),
    };
    format!("{}{more}", named.join(", "))
}
