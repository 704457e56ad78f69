//! The next rollout of a set: the effect of `kubectl rollout restart` under a version.

use super::{SettledSet, UpgradeCourse};
use crate::change::Change;
use crate::plan::{Availability, Outcome, Plan};
use sts_controller::apiserver::apply::Edit;
use sts_controller::apiserver::validation::Refused;
use sts_controller::object::Snapshot;

/// A rollout, or the refusal of a changed template.
pub(super) enum Rollout {
    Runs(UpgradeCourse),
    Refused(Vec<Refused>),
    /// It cannot be planned under any version.
    Unknown,
}

/// Restarts the set.
pub(super) fn restart(stand: &SettledSet) -> Rollout {
    let SettledSet {
        snapshot,
        conditions,
    } = stand;
    let change = Change {
        edits: vec![Edit::restart(&conditions.now.to_string())],
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

/// Returns the course of a plan.
pub(super) fn course(plan: &Plan) -> UpgradeCourse {
    UpgradeCourse {
        result: plan.outcome.result(),
        replaced: plan.tally().replaced,
        duration_seconds: plan.duration().as_secs(),
        lowest_ready: Availability::of(plan).lowest_ready(plan.snapshot.set.replicas),
    }
}
