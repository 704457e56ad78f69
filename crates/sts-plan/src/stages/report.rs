//! The duration and cost of a plan.

use serde::{Deserialize, Serialize};

use crate::plan::{Availability, Plan, PlanResult};
use crate::requirement::majority;

/// Duration and cost of a stage or rollback.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportTakes {
    /// `complete`, `blocked`, `livelock` or `rejected`; for an interrupted stage, the result without the
    /// interruption.
    pub result: PlanResult,
    /// Whole seconds from start to end.
    pub seconds: i64,
    /// Number of replaced pods.
    pub restarts: usize,
    /// Number of newly created pods; absent when 0.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub created: usize,
    /// Number of permanently deleted pods; absent when 0.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub deleted: usize,
    /// Maximum number of desired pods that are not ready at once.
    pub most_unavailable: usize,
    /// Minimum number of ready pods.
    pub lowest_ready: usize,
    /// `spec.replicas`.
    pub replicas: i32,
    /// True if pod deletions leave fewer ready pods than the majority of three or more replicas.
    pub loses_quorum: bool,
    /// Claims that are deleted together with their data; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_claims: Vec<String>,
}

impl ReportTakes {
    pub(crate) fn of(plan: &Plan) -> Self {
        let tally = plan.tally();
        let availability = Availability::of(plan);
        let replicas = plan.snapshot.set.replicas;
        let lowest_wanted = availability.lowest_ready(replicas);
        let needed = usize::try_from(majority(i64::from(replicas))).unwrap_or(0);
        let lost = plan.lost_claims().into_iter();
        ReportTakes {
            result: plan.outcome.result(),
            seconds: plan.duration().as_secs(),
            restarts: tally.replaced,
            created: tally.created,
            deleted: tally.deleted,
            most_unavailable: availability.most_down,
            lowest_ready: availability
                .least_ready
                .min(usize::try_from(replicas).unwrap_or(0)),
            replicas,
            loses_quorum: replicas > 2 && lowest_wanted < needed,
            lost_claims: lost.map(|claim| claim.meta.name.to_string()).collect(),
        }
    }
}
