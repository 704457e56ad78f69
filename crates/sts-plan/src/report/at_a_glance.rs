//! The figures of a plan that a reviewer looks at first: pods that are missing, a majority of them, and data.

use std::collections::BTreeSet;

use super::timeline::Timeline;
use super::{Report, StepEvent};
use crate::requirement::majority;

/// The figures of a plan that a reviewer looks at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtAGlance {
    /// Number of pods that the set wants.
    pub pods: usize,
    /// The most of them that are unavailable at a time, from the beginning on.
    pub unavailable: usize,
    /// The majority of the pods.
    pub quorum: Quorum,
    /// Number of claims that are deleted.
    pub claims_deleted: usize,
    /// Number of claims that are left at the end.
    pub claims_kept: usize,
}

/// The availability of a majority of the pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quorum {
    /// A majority is available all the time.
    Kept,
    /// A majority is available at the beginning, and not all the time.
    Lost,
    /// No majority is available at the beginning.
    MissingNow,
}

impl Report {
    /// Returns the figures; `None` where nothing happens, nothing is predicted, or no pod exists yet.
    #[must_use]
    pub fn at_a_glance(&self) -> Option<AtAGlance> {
        if self.steps.is_empty() || !self.is_predicted() || self.set.pods.is_empty() {
            return None;
        }
        let timeline = Timeline::new(self);
        let pods = timeline.lanes.iter().filter(|lane| lane.wanted).count();
        let points = timeline.unavailable();
        let unavailable = points.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let wanted = i64::try_from(pods).unwrap_or(i64::MAX);
        let spare = usize::try_from(wanted - majority(wanted)).unwrap_or(0);
        let quorum = match points.first() {
            Some((_, now)) if *now > spare => Quorum::MissingNow,
            _ if unavailable > spare => Quorum::Lost,
            _ => Quorum::Kept,
        };
        let removed = self.steps.iter().filter(|step| {
            let event = step.event.as_ref();
            event.is_some_and(|event| *event == StepEvent::ClaimRemoved)
        });
        let removed: BTreeSet<_> = removed.filter_map(|step| step.name.as_ref()).collect();
        Some(AtAGlance {
            pods,
            unavailable,
            quorum,
            claims_deleted: removed.len(),
            claims_kept: self.outcome.claims.len(),
        })
    }
}
