//! The plain form of a state: a whole world, identified by a fingerprint of its objects.

use std::sync::Arc;

use super::check::{PropertyChecker, run_until_stable_checked};
use super::model::{Failure, Model};
use super::moves::{self, Cause, PodMoves};
use super::search::Search;
use super::{Bounds, Driver, Outcome, Property, Wrong, state};
use crate::object::Pod;
use crate::simulate::world::World;
use crate::version::Behaviour;

/// Memory of a queued world for each of its pods, in bytes.
const BYTES_PER_POD: usize = 400;

/// Searches every order of events from a settled world.
pub(super) fn search(
    settled: &World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
    driver: &mut dyn Driver,
) -> Option<Outcome> {
    let start = PlainState {
        world: settled.branch(),
        faults_left: bounds.faults,
    };
    let model = PlainModel {
        behaviour,
        checker: PropertyChecker::new(property),
    };
    Search::new(vec![model], settled, bounds, property).run(&start, driver)
}

/// Simulates every move on a copy of the world.
struct PlainModel<'p> {
    behaviour: &'p Behaviour,
    checker: PropertyChecker<'p>,
}

struct PlainState {
    world: World,
    faults_left: usize,
}

impl Clone for PlainState {
    fn clone(&self) -> Self {
        PlainState {
            world: self.world.branch(),
            faults_left: self.faults_left,
        }
    }
}

impl Model for PlainModel<'_> {
    type State = PlainState;
    type Pod = Arc<str>;

    const MAX_BLOCK: usize = 16;

    fn fingerprint(&self, state: &PlainState) -> u64 {
        state::fingerprint(&state.world, state.faults_left)
    }

    fn moves(
        &self,
        PlainState { world, faults_left }: &PlainState,
        _: bool,
    ) -> Vec<(Cause, Arc<str>)> {
        let becoming_available = world.not_yet_available();
        let mut pods: Vec<&Arc<Pod>> = world.snapshot().pods.values().collect();
        pods.sort_by_key(|pod| moves::sort_key(&pod.meta.name));
        let pods = pods.into_iter().map(|pod| {
            let name = &pod.meta.name;
            let rank = becoming_available.iter().position(|other| other == name);
            let moves = PodMoves::of(Some(pod), world.event_of(name));
            (Arc::clone(name), moves, rank.unwrap_or(0))
        });
        moves::enabled(&pods.collect::<Vec<_>>(), *faults_left)
    }

    fn next(
        &mut self,
        state: &PlainState,
        cause: Cause,
        pod: &Arc<str>,
    ) -> Result<PlainState, Failure> {
        let mut next = state.clone();
        next.faults_left -= usize::from(cause.is_fault());
        let world = &mut next.world;
        moves::execute(world, &cause.of(Arc::clone(pod)), self.behaviour);
        if let Some(violation) = self.checker.violation(world) {
            return Err(Wrong::Violation(violation).into());
        }
        run_until_stable_checked(world, self.behaviour, &mut self.checker, &mut Vec::new())?;
        world.space_out();
        Ok(next)
    }

    fn name(&self, pod: &Arc<str>) -> Arc<str> {
        Arc::clone(pod)
    }

    fn is_final(&self, state: &PlainState) -> bool {
        state.world.first().is_none()
    }

    fn world<'w>(&'w mut self, state: &'w PlainState) -> &'w World {
        &state.world
    }

    fn bytes(&self, state: &PlainState) -> usize {
        (state.world.snapshot().pods.len() + 1) * BYTES_PER_POD
    }

    fn lowest(&self) -> i64 {
        self.checker.lowest
    }
}
