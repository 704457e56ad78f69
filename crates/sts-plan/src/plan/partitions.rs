//! Simulation of other partitions.

use std::sync::Arc;

use super::{Conditions, Outcome, Plan, PlanAssumptions, world_of};
use crate::foresight::Foresight;
use sts_controller::apiserver::apply::{Edit, edited};
use sts_controller::object::Set;
use sts_controller::simulate::{Progression, World, run_partitions};

impl Plan {
    /// Simulates the plan under each partition that the API server accepts. The returned progressions omit
    /// their common steps.
    pub(crate) fn under_partitions(&self, partitions: &[i32]) -> Vec<(i32, Progression, Outcome)> {
        let conditions = &self.conditions;
        let behaviour = &conditions.behaviour;
        let with = |partition: i32| {
            let set = edited(&self.snapshot.set, &Edit::partition(partition), behaviour);
            Some((partition, Arc::new(set.ok()?)))
        };
        let (taken, sets): (Vec<i32>, Vec<Arc<Set>>) =
            partitions.iter().copied().filter_map(with).unzip();
        let Some(lowest) = taken
            .iter()
            .zip(&sets)
            .min_by_key(|(partition, _)| **partition)
        else {
            return Vec::new();
        };
        let mut snapshot = self.snapshot.clone();
        snapshot.set = Arc::clone(lowest.1);
        let (mut world, _) = world_of(&snapshot, conditions, &[], &mut PlanAssumptions::default());
        world.foresee(self.foresight.in_simulation());
        let ended = run_partitions(&world, &sets, behaviour).into_iter();
        let judged = taken.iter().zip(ended).map(|(partition, mut progression)| {
            let last = progression.world.next_sync(behaviour);
            let outcome = Outcome::of(&progression, &last, behaviour, None);
            (*partition, progression, outcome)
        });
        judged.collect()
    }
}

/// Updates the foreseen problems of a modified world.
pub(crate) fn foresee(world: &mut World, conditions: &Conditions) {
    if Foresight::has_sources(&conditions.related) {
        let next = world.next_sync(&conditions.behaviour);
        let conditions = conditions.at(world.now());
        let foresight = Foresight::of(world.snapshot(), &next, &conditions);
        world.foresee(foresight.in_simulation());
    }
}

/// Returns a world that continues from the end of a plan, in the state of a new plan of its objects.
pub(crate) fn world_after(end: &World, conditions: &Conditions) -> World {
    let conditions = conditions.at(end.now());
    world_of(
        end.snapshot(),
        &conditions,
        &[],
        &mut PlanAssumptions::default(),
    )
    .0
}
