//! The duration and the cost of a plan, in numbers.

use jiff::SignedDuration;

use crate::plan::{Availability, Plan, PlanResult};
use crate::requirement::majority;

/// The duration and the cost of a plan, in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageSummary {
    /// The result; of a plan that something else cuts short, the result that it would have had.
    pub result: PlanResult,
    /// From its beginning to its end.
    pub takes: SignedDuration,
    /// Number of pods that are replaced.
    pub restarts: usize,
    /// Number of pods that are created and were not there.
    pub created: usize,
    /// Number of pods that are deleted for good.
    pub deleted: usize,
    /// The most pods that are not ready at one moment and should be.
    pub most_unavailable: usize,
    /// Lowest number of ready pods.
    pub lowest_ready: usize,
    /// `spec.replicas`.
    pub replicas: i32,
    /// True if pods go, so that less than a majority of three replicas or more is ready. Pods that are yet to be created
    /// for the first time do not count.
    pub loses_quorum: bool,
    /// The claims that are deleted with what they hold.
    pub lost_claims: Vec<String>,
}

impl StageSummary {
    pub(super) fn of(plan: &Plan) -> Self {
        let tally = plan.tally();
        let availability = Availability::of(plan);
        let replicas = plan.snapshot.set.replicas;
        let lowest_wanted = availability.lowest_ready(replicas);
        let needed = usize::try_from(majority(i64::from(replicas))).unwrap_or(0);
        let lost = plan.lost_claims().into_iter();
        StageSummary {
            result: plan.outcome.result(),
            takes: plan.duration(),
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
