//! The level of detail of obstacles: as much as fits on a screen above the pods.

use std::collections::BTreeMap;

use strum::VariantArray;

use super::limits::Limits;
use sts_plan::report::ReportObstacle;

/// Maximum number of lines above the table of pods.
pub(super) const MOST_LINES: usize = 24;

/// The level of detail of obstacles, from the highest down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub(super) enum Detail {
    /// Each obstacle with its remedies, notes and evidence. One without commands of its own is named with the first of its
    /// cause.
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
pub(super) fn chosen<'r>(
    obstacles: &'r [ReportObstacle],
    limits: &Limits,
) -> Vec<(&'r ReportObstacle, Vec<&'r str>)> {
    let Limits {
        detail, everything, ..
    } = *limits;
    let helping = |it: &'r ReportObstacle| {
        let remedies = it.remedies.iter();
        remedies.filter(|remedy| remedy.helps && !remedy.looks)
    };
    let has_own_commands = |it: &'r ReportObstacle| {
        let first = obstacles.iter().find(|first| first.pod == it.like);
        let is_shown = |commands: &[String]| {
            let mut first = first.into_iter().flat_map(helping);
            first.any(|remedy| remedy.commands == commands)
        };
        helping(it).any(|remedy| !is_shown(&remedy.commands))
    };
    let joined_with = |it: &'r ReportObstacle| {
        let joins = detail.joins_causes() || !(everything || has_own_commands(it));
        it.like.as_deref().filter(|_| joins)
    };
    let mut alike: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for obstacle in obstacles {
        if let (Some(first), Some(pod)) = (joined_with(obstacle), &obstacle.pod) {
            alike.entry(first).or_default().push(pod);
        }
    }
    let firsts = obstacles.iter().filter(|it| joined_with(it).is_none());
    firsts
        .map(|it| {
            let pod = it.pod.as_deref().unwrap_or_default();
            (it, alike.remove(pod).unwrap_or_default())
        })
        .collect()
}
