//! Key figures of a plan for reviewers: unavailable pods, quorum, and data.

use std::collections::BTreeSet;

use super::timeline::Timeline;
use super::{Report, StepEvent};
use crate::requirement::majority;

/// Key figures of a plan for reviewers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtAGlance {
    /// Number of desired pods.
    pub pods: usize,
    /// Maximum number of desired pods that are unavailable at once, the initial state included.
    pub unavailable: usize,
    /// Quorum status.
    pub quorum: Quorum,
    /// Number of deleted claims.
    pub claims_deleted: usize,
    /// Number of claims that remain at the end.
    pub claims_kept: usize,
}

/// Availability of a majority of the pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quorum {
    /// A majority is available throughout.
    Kept,
    /// A majority is available at first, but not throughout.
    Lost,
    /// No majority is available at the start.
    MissingNow,
}

impl Report {
    /// Returns the figures; `None` when nothing happens, nothing is predicted, or no pod exists yet.
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
