//! A world that is restored to one state after another, and read back as a state.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::State;
use super::places::Places;
use super::table::{OtherObjects, PodState, Table};
use crate::object::{Claim, Pod, Ready};
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::PodEvent;
use crate::simulate::explore::check::{PropertyChecker, run_until_stable_checked};
use crate::simulate::explore::model::Failure;
use crate::simulate::explore::moves::{self, Cause, PodMoves};
use crate::simulate::explore::{Property, Wrong, state};
use crate::simulate::world::World;
use crate::version::Behaviour;

/// Number of uids that are reserved for the world of each worker.
const UIDS: u64 = 1 << 40;
/// Placeholder for a place in an unknown state.
const UNKNOWN: u32 = u32::MAX;

/// A world, and tables of the objects that states refer to. All workers share the tables.
pub(super) struct RestoredWorld<'m> {
    pub(super) world: World,
    pub(super) places: &'m Places,
    behaviour: &'m Behaviour,
    /// The simulated time of every state.
    now: Timestamp,
    pub(super) checker: PropertyChecker<'m>,
    /// By place and digest.
    pub(super) pods: Table<(usize, u64), PodState>,
    /// By digest.
    pub(super) others: Table<u64, OtherObjects>,
    /// The state of the world. A place in an unknown state has [`UNKNOWN`].
    state: State,
}

impl<'m> RestoredWorld<'m> {
    /// Returns the world of a worker in a settled state. All workers get clones of the same tables.
    pub(super) fn new(
        settled: &World,
        places: &'m Places,
        behaviour: &'m Behaviour,
        property: &'m dyn Property,
        (pods, others): (Table<(usize, u64), PodState>, Table<u64, OtherObjects>),
        worker: u64,
    ) -> Result<Self, Failure> {
        let has_ranks = settled.min_ready() > SignedDuration::ZERO;
        let count = places.all.len();
        let mut world = RestoredWorld {
            world: settled.branch(),
            places,
            behaviour,
            now: settled.now(),
            checker: PropertyChecker::new(property),
            pods,
            others,
            state: State {
                pods: vec![UNKNOWN; count],
                ranks: vec![0; if has_ranks { count } else { 0 }],
                others: UNKNOWN,
                faults_left: 0,
            },
        };
        world.world.take_uids(worker * UIDS);
        world.read(&(0..count).collect::<Vec<usize>>())?;
        Ok(world)
    }

    /// Returns the state of the world, without faults.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Restores the world to a state, object by object where it differs from the current one.
    pub(super) fn restore(&mut self, state: &State) {
        let has_ranks = !state.ranks.is_empty();
        if has_ranks {
            self.world.set_clock(self.now);
        }
        let min_ready = self.world.min_ready();
        let becoming_available = state.ranks.iter().filter(|rank| **rank > 0);
        let parts = i32::try_from(becoming_available.count() + 1).unwrap_or(i32::MAX);
        for (place, names) in self.places.all.iter().enumerate() {
            let rank = state.rank(place);
            if self.state.pods[place] == state.pods[place] && rank == 0 {
                continue;
            }
            let objects = self.pods.get(state.pods[place]);
            let mut pod = objects.pod.as_ref().map(Arc::clone);
            let left = min_ready * i32::from(rank) / parts;
            if rank > 0
                && let Some(pod) = &mut pod
            {
                Arc::make_mut(pod).ready = Some(Ready {
                    is_true: true,
                    since: Some(self.now - (min_ready - left)),
                });
            }
            let event = objects.moves.event.map(|event| match event {
                PodEvent::Available => (left, event),
                _ => (SignedDuration::ZERO, event),
            });
            self.world.put_pod(&names.pod, pod, event);
            for (name, claim) in names.claims.iter().zip(&objects.claims) {
                self.world.put_claim(name, claim.as_ref());
            }
        }
        if self.state.others != state.others {
            let others = self.others.get(state.others);
            self.world
                .put_status_and_revisions(&others.status, &others.revisions);
        }
        self.state.clone_from(state);
        self.world.take_changed();
    }

    /// Lets the controller sync from a state until it is done. Returns the state after it, and whether a sync failed.
    pub(super) fn settle(&mut self, state: &State) -> Result<(State, bool), Failure> {
        self.restore(state);
        let settled = match self.checker.violation(&self.world) {
            Some(violation) => Err(Wrong::Violation(violation)),
            None => run_until_stable_checked(
                &mut self.world,
                self.behaviour,
                &mut self.checker,
                &mut Vec::new(),
            ),
        };
        if settled.is_err() {
            self.state.pods.fill(UNKNOWN);
        }
        let failed = settled?;
        self.read(&[])?;
        Ok((self.state.clone(), failed))
    }

    /// Returns the pod states at the affected places after a move in a state, from the world itself.
    pub(super) fn after_move(
        &mut self,
        state: &State,
        cause: Cause,
        place: usize,
        affected: &[usize],
    ) -> Result<Vec<u32>, Failure> {
        self.restore(state);
        let name = Arc::clone(&self.places.all[place].pod);
        moves::execute(&mut self.world, &cause.of(name), self.behaviour);
        self.read(affected)?;
        let after = affected.iter().map(|place| self.state.pods[*place]);
        let after = after.collect();
        for place in affected {
            self.state.pods[*place] = UNKNOWN;
        }
        Ok(after)
    }

    /// Reads the state of the world at these places and at all changed ones.
    fn read(&mut self, places: &[usize]) -> Result<(), Failure> {
        let mut places = places.to_vec();
        for name in self.world.take_changed() {
            places.push(self.places.place_of(&name).ok_or(Failure::Misfit)?);
        }
        places.sort_unstable();
        places.dedup();
        for place in places {
            self.state.pods[place] = self.read_pod(place);
        }
        self.state.others = self.read_others();
        if !self.state.ranks.is_empty() {
            self.state.ranks.fill(0);
            for (name, rank) in self.world.not_yet_available().iter().zip(1..) {
                let place = self.places.place_of(name).ok_or(Failure::Misfit)?;
                self.state.ranks[place] = rank;
            }
        }
        Ok(())
    }

    /// Returns the number of the other objects.
    fn read_others(&mut self) -> u32 {
        let snapshot = self.world.snapshot();
        let digest = state::others_fingerprint(snapshot);
        self.others.intern(digest, || OtherObjects {
            digest,
            visible: state::decision_fingerprint(snapshot, self.behaviour).unwrap_or(digest),
            status: Arc::clone(&snapshot.status),
            revisions: Arc::new(snapshot.revisions.clone()),
        })
    }

    /// Returns the number of the pod state at a place.
    fn read_pod(&mut self, place: usize) -> u32 {
        let names = &self.places.all[place];
        let snapshot = self.world.snapshot();
        let pod = snapshot.pods.get(&names.pod);
        let claims = names.claims.iter();
        let claims: Vec<_> = claims.map(|name| snapshot.claims.get(name)).collect();
        let event = self.world.event_of(&names.pod);
        let digest = pod_state_digest(&self.world, pod, &claims, event);
        self.pods.intern((place, digest), || {
            let becomes_available = pod.is_some_and(|pod| self.world.is_not_yet_available(pod));
            let mut stored = pod.map(Arc::clone);
            let latest = self.now.checked_sub(self.world.min_ready());
            // An available pod became so exactly at the time of all states, at the latest.
            if let (Some(stored), Some(latest), false) =
                (&mut stored, latest.ok(), becomes_available)
                && let Some(ready) = stored.ready
                && ready.since.is_some_and(|since| since > latest)
                && !self.state.ranks.is_empty()
            {
                let since = Some(latest);
                Arc::make_mut(stored).ready = Some(Ready { since, ..ready });
            }
            PodState {
                digest,
                visible: pod_state_digest(&self.world, pod, &claims, None),
                moves: PodMoves::of(pod.map(|pod| &**pod), event),
                becomes_available,
                pod: stored,
                claims: claims.iter().map(|claim| claim.map(Arc::clone)).collect(),
            }
        })
    }
}

/// Returns a digest of everything that affects the future of a pod and its claims, except their names.
fn pod_state_digest(
    world: &World,
    pod: Option<&Arc<Pod>>,
    claims: &[Option<&Arc<Claim>>],
    event: Option<PodEvent>,
) -> u64 {
    let of_pod = pod.map_or(0, |pod| state::pod_digest(world, pod, event));
    let of_claim = |claim: &Arc<Claim>| state::claim_digest(claim, pod);
    let claims = claims.iter().map(|claim| claim.map_or(0, of_claim));
    let all = claims.fold(Digest::new().number(of_pod), Digest::number);
    all.finish()
}
