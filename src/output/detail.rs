//! The level of detail of obstacles: as much as fits on a screen above the pods.

use std::collections::BTreeMap;

use strum::VariantArray;

use sts_plan::report::ReportObstacle;

/// Maximum number of lines above the table of pods.
pub(super) const MOST_LINES: usize = 24;

/// The level of detail of obstacles, from the highest down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub(super) enum Detail {
    /// Each obstacle with its remedies, notes and evidence.
    Full,
    /// The first obstacle of each cause in full; the others are named.
    Causes,
    /// The first in full; the message, the best remedy and the notes of the others.
    First,
    /// The first without evidence; the message of the others.
    Brief,
    /// The message, the notes and the best remedy of the first; the message of the others.
    Least,
}

impl Detail {
    /// All levels, from the highest down.
    pub(super) const ALL: &[Detail] = Detail::VARIANTS;

    /// Reports whether obstacles with the same cause are merged.
    pub(super) fn joins_causes(self) -> bool {
        self > Detail::Full
    }

    /// Reports whether the obstacle at this position has its evidence. Notes, which warn of harm, stay as long as any
    /// suggestion does.
    pub(super) fn shows_evidence(self, at: usize) -> bool {
        self < Detail::First || (self == Detail::First && at == 0)
    }

    /// Returns the maximum number of suggestions for the obstacle at this position.
    pub(super) fn advice(self, at: usize) -> usize {
        match (self, at) {
            (Detail::Full | Detail::Causes, _) | (Detail::First | Detail::Brief, 0) => usize::MAX,
            (Detail::First, _) | (Detail::Least, 0) => 1,
            (Detail::Brief | Detail::Least, _) => 0,
        }
    }
}

/// The selected obstacles, each with the names of the other pods that share its cause.
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
