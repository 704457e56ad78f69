//! Outcomes of several partitions from one run. While nothing below a partition is created or replaced, the run is the
//! same as without it. So only the remainder is simulated for each partition.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::progress::progress;
use super::world::World;
use super::{Observer, Progression, Step, run};
use crate::controller::{DeleteReason, Resource, Sync, Verb, ordinal_of};
use crate::object::Set;
use crate::version::Behaviour;

/// Runs a world under each of these sets, which differ from the world's own only by their partitions. The world's set
/// has the lowest partition. Returns only the steps after the shared part of the runs.
#[must_use]
pub fn run_partitions(world: &World, sets: &[Arc<Set>], behaviour: &Behaviour) -> Vec<Progression> {
    let mut reaches = DivergenceObserver {
        behaviour,
        current: Arc::clone(&world.snapshot().status.current_revision),
        lowest: Vec::new(),
    };
    progress(&mut world.branch(), behaviour, false, None, &mut reaches);
    // Number of syncs that a set shares with the world.
    let shared = |set: &Arc<Set>| {
        let partition = usize::try_from(set.strategy.partition()).unwrap_or(0);
        let mut lowest = reaches.lowest.iter();
        lowest.position(|reach| reach.is_some_and(|reach| reach < partition))
    };
    let shared: Vec<usize> = sets
        .iter()
        .map(|set| shared(set).unwrap_or(reaches.lowest.len()))
        .collect();
    let mut branches = BranchObserver {
        shared: &shared,
        syncs: 0,
        worlds: sets.iter().map(|_| None).collect(),
    };
    branches.note(world);
    progress(&mut world.branch(), behaviour, false, None, &mut branches);
    let worlds = branches.worlds.into_iter().flatten().zip(sets);
    worlds
        .map(|(mut world, set)| {
            world.put_set(set);
            run(world, behaviour)
        })
        .collect()
}

/// Observer that records for each sync the lowest slot that a partition above it would have left unchanged.
struct DivergenceObserver<'b> {
    behaviour: &'b Behaviour,
    /// The status's current revision before the sync, from which pods below a partition are created. If it is empty,
    /// all pods are created from the same revision.
    current: Arc<str>,
    lowest: Vec<Option<usize>>,
}

impl Observer for DivergenceObserver<'_> {
    fn synced(&mut self, world: &World, _: Vec<Step>, sync: &Sync) -> ControlFlow<()> {
        let set = &world.snapshot().set;
        let current = std::mem::replace(
            &mut self.current,
            Arc::clone(&world.snapshot().status.current_revision),
        );
        let divergent = sync.writes.iter().filter(|write| {
            let created = (write.resource, write.verb) == (Resource::Pods, Verb::Create);
            let is_current = current.is_empty() || write.pod_revision() == Some(&current);
            created && !is_current || write.reason == Some(DeleteReason::Outdated)
        });
        let slots = divergent.map(|write| {
            let slot = self.behaviour.slot(set, ordinal_of(&write.name));
            slot.unwrap_or(0)
        });
        self.lowest.push(slots.min());
        ControlFlow::Continue(())
    }

    fn happened(&mut self, _: &World, _: Vec<Step>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Observer that keeps the world after given numbers of syncs.
struct BranchObserver<'b> {
    shared: &'b [usize],
    syncs: usize,
    worlds: Vec<Option<World>>,
}

impl BranchObserver<'_> {
    fn note(&mut self, world: &World) {
        for (wanted, kept) in self.shared.iter().zip(&mut self.worlds) {
            if *wanted == self.syncs {
                *kept = Some(world.branch());
            }
        }
    }
}

impl Observer for BranchObserver<'_> {
    fn synced(&mut self, world: &World, _: Vec<Step>, _: &Sync) -> ControlFlow<()> {
        self.syncs += 1;
        self.note(world);
        match self.worlds.iter().all(Option::is_some) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn happened(&mut self, _: &World, _: Vec<Step>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
