//! The findings of each sync, for formats that show the plan moment by moment.

use super::ReportStatus;
use super::next_sync::{ReportHold, report_hold};
use crate::analysis::Analysis;

/// The finding of one sync.
#[derive(Debug, Clone)]
pub struct SyncFinding {
    /// Number of steps when it is over.
    pub steps: usize,
    /// The reasons that it goes no further, but for what stays as it is on purpose.
    pub holds: Vec<ReportHold>,
    /// The set's status as it computed it.
    pub status: ReportStatus,
    /// The error that it ended in.
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
