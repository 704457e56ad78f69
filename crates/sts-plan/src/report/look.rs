//! What each sync found, for formats that show the plan moment by moment.

use serde_json::Value;

use super::next_sync::{ReportHold, report_hold};
use crate::plan::Plan;
use sts_controller::controller::has_available_replicas;

/// How many steps are looked at: more than anybody goes through one by one.
pub const MOST_LOOKED_AT: usize = 1_000;

/// What one sync found.
#[derive(Debug, Clone)]
pub struct ReportLook {
    /// How many steps there are when it is over.
    pub steps: usize,
    /// Why it goes no further, but for what stays as it is on purpose.
    pub holds: Vec<ReportHold>,
    /// The set's status as it computed it.
    pub status: Value,
    /// The error that it ended in.
    pub error: Option<String>,
}

pub(super) fn looks(plan: &Plan) -> Vec<ReportLook> {
    let behaviour = &plan.conditions.behaviour;
    let looks = plan.observations(MOST_LOOKED_AT);
    looks
        .into_iter()
        .map(|look| ReportLook {
            steps: look.steps,
            holds: look
                .holds
                .iter()
                .map(|hold| report_hold(plan, hold))
                .collect(),
            status: look
                .status
                .to_json(has_available_replicas(&look.status, behaviour)),
            error: look.error,
        })
        .collect()
}
