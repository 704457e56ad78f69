//! Observations of each sync, for formats that show the plan over time.

use super::ReportStatus;
use super::next_sync::{ReportHold, report_hold};
use crate::analysis::Analysis;

/// Observations of one sync.
#[derive(Debug, Clone)]
pub struct SyncFinding {
    /// Number of completed steps at the end of the sync.
    pub steps: usize,
    /// Holds of the sync, except intended ones.
    pub holds: Vec<ReportHold>,
    /// Status computed by the sync.
    pub status: ReportStatus,
    /// Error of the sync.
    pub error: Option<String>,
}

pub(super) fn sync_findings(analysis: &Analysis<'_>) -> Vec<SyncFinding> {
    let plan = analysis.plan;
    let behaviour = &plan.conditions.behaviour;
    let observations = analysis.observations.iter();
    observations
        .map(|look| {
            let last = look.steps.checked_sub(1);
            let last = last.and_then(|last| plan.progression.steps.get(last));
            (last.map_or(plan.conditions.now, |step| step.at), look)
        })
        .map(|(now, look)| SyncFinding {
            steps: look.steps,
            holds: look
                .holds
                .iter()
                .map(|hold| report_hold(plan, hold, now))
                .collect(),
            status: ReportStatus::new(&look.status, behaviour),
            error: look.error.clone(),
        })
        .collect()
}
