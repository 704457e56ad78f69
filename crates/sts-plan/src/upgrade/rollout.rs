//! The next rollout of a set: what `kubectl rollout restart` leads to under a version.

use jiff::SignedDuration;

use super::Stand;
use crate::change::Change;
use crate::plan::{Availability, Outcome, Plan, PlanResult};
use sts_controller::apiserver::apply::Edit;
use sts_controller::apiserver::validation::Refused;
use sts_controller::object::Snapshot;

/// The course of a rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutCourse {
    /// The result.
    pub result: PlanResult,
    /// The time from its beginning to its end.
    pub duration: SignedDuration,
    /// Number of pods that are replaced.
    pub replaced: usize,
    /// Lowest number of ready pods.
    pub lowest_ready: usize,
}

/// A rollout, or the API server's refusal of a changed template.
pub(super) enum Rollout {
    Runs(RolloutCourse),
    Refused(Vec<Refused>),
    /// It cannot be planned, whatever the version.
    Unknown,
}

/// Restarts the set.
pub(super) fn restart(stand: &Stand) -> Rollout {
    let Stand {
        snapshot,
        conditions,
    } = stand;
    let change = Change {
        edits: vec![Edit::Restart(conditions.now.to_string())],
        ..Change::default()
    };
    let around = |set, status| Snapshot {
        set,
        status,
        ..snapshot.clone()
    };
    match Plan::of_change(Some(snapshot), &change, &around, conditions) {
        Err(_) => Rollout::Unknown,
        Ok(planned) => match planned.plan.outcome {
            Outcome::Rejected(refused) => Rollout::Refused(refused),
            _ => Rollout::Runs(course(&planned.plan)),
        },
    }
}

/// The course of a plan.
pub(super) fn course(plan: &Plan) -> RolloutCourse {
    RolloutCourse {
        result: plan.outcome.result(),
        duration: plan.duration(),
        replaced: plan.tally().replaced,
        lowest_ready: Availability::of(plan).lowest_ready(plan.snapshot.set.replicas),
    }
}
