//! The duration and cost of a plan.

use crate::plan::{Availability, Plan};
use crate::report::ReportTakes;
use crate::requirement::majority;

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
