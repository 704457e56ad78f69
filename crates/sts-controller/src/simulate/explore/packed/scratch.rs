//! A world that is restored to one packed state after another.

use std::sync::Arc;

use super::PackError;
use super::model::Model;
use super::tables::{Change, OtherObjects, PlaceObjects, PodState, Tables, UNKNOWN, fingerprint};
use crate::object::{Claim, Phase, Pod, Ready};
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::{PodEvent, ScheduledEvent};
use crate::simulate::explore::check::{PropertyChecker, run_until_stable_checked};
use crate::simulate::explore::{Wrong, state};
use crate::simulate::world::World;

/// A world, and the tables that describe its state.
pub(super) struct Scratch<'m> {
    pub(super) world: World,
    pub(super) tables: Tables,
    pub(super) checker: PropertyChecker<'m>,
    /// The state of the world, without faults. A place in an unknown state has [`UNKNOWN`].
    state: Vec<u8>,
    /// Buffer for the places that a change affects.
    affected: Vec<usize>,
}

/// Result of a step of the search, unless its states do not pack.
pub(super) type PackResult<T> = Result<T, PackError>;

impl<'m> Scratch<'m> {
    /// Returns a scratch in the state of a settled world.
    pub(super) fn new(model: &Model<'m>, settled: &World) -> PackResult<Self> {
        let mut world = settled.branch();
        world.space_out();
        let mut scratch = Scratch {
            world,
            tables: Tables::new(model.places.len()),
            checker: PropertyChecker::new(model.property),
            state: vec![UNKNOWN; model.layout.len()],
            affected: Vec::new(),
        };
        let all: Vec<usize> = (0..model.places.len()).collect();
        scratch.read_state(model, &all)?;
        Ok(scratch)
    }

    /// Returns another scratch with the same tables, in an unknown state.
    pub(super) fn fork(&self, model: &Model<'m>) -> Self {
        Scratch {
            world: self.world.branch(),
            tables: self.tables.clone(),
            checker: PropertyChecker::new(model.property),
            state: vec![UNKNOWN; self.state.len()],
            affected: Vec::new(),
        }
    }

    pub(super) fn state(&self) -> &[u8] {
        &self.state
    }

    /// Marks the state of the world as unknown.
    pub(super) fn invalidate(&mut self) {
        self.state.fill(UNKNOWN);
    }

    /// Restores the world to a state.
    pub(super) fn restore(&mut self, model: &Model<'_>, state: &[u8]) -> PackResult<()> {
        let layout = model.layout;
        if layout.ranked {
            self.world.set_clock(model.now);
        }
        let becoming_available = (0..layout.places).filter(|place| layout.rank(state, *place) > 0);
        let parts = i32::try_from(becoming_available.count() + 1).unwrap_or(i32::MAX);
        for place in 0..layout.places {
            let rank = layout.rank(state, place);
            if self.state[place] == state[place] && rank == 0 {
                continue;
            }
            self.derive(model, place, state[place])?;
            let pod_state = self.tables.pod_state(state, place);
            let Some(objects) = self.tables.objects(place, state[place]) else {
                return Err(PackError::Unpackable);
            };
            let mut pod = objects.pod.as_ref().map(Arc::clone);
            let left = model.min_ready * i32::from(rank) / parts;
            if rank > 0
                && let Some(pod) = &mut pod
            {
                let since = model.now - (model.min_ready - left);
                Arc::make_mut(pod).ready = Some(Ready {
                    is_true: true,
                    since: Some(since),
                });
            }
            let after = |event| match event {
                PodEvent::Available => left,
                _ => jiff::SignedDuration::ZERO,
            };
            let event = pod_state.event.map(|event| (after(event), event));
            let name = &model.places[place].pod;
            self.world.put_pod(name, pod, event);
            for (name, claim) in model.places[place].claims.iter().zip(&objects.claims) {
                self.world.put_claim(name, claim.as_ref());
            }
        }
        let others = layout.others(state);
        if layout.others(&self.state) != others {
            let others = &self.tables.others[usize::from(others)];
            self.world
                .put_status_and_revisions(&others.status, &others.revisions);
        }
        self.state.copy_from_slice(&state[..layout.len()]);
        self.world.take_changed();
        Ok(())
    }

    /// Applies a change to a state, before the controller syncs.
    pub(super) fn change(
        &mut self,
        model: &Model<'_>,
        state: &mut [u8],
        place: usize,
        change: Change,
    ) -> PackResult<()> {
        let layout = model.layout;
        let rank = layout.rank(state, place);
        let mut affected = std::mem::take(&mut self.affected);
        affected.clear();
        match rank > 0 && change == Change::Event(PodEvent::Available) {
            // Pods that became ready earlier have become available by then as well.
            true => affected.extend(
                (0..layout.places).filter(|other| (1..=rank).contains(&layout.rank(state, *other))),
            ),
            false => affected.push(place),
        }
        let changed = self.change_pod_states(model, state, place, change, &affected);
        self.affected = affected;
        changed?;
        if layout.ranked {
            self.renumber_ranks(model, state);
        }
        Ok(())
    }

    fn change_pod_states(
        &mut self,
        model: &Model<'_>,
        state: &mut [u8],
        place: usize,
        change: Change,
        affected: &[usize],
    ) -> PackResult<()> {
        let after = |tables: &Tables, pod_state: u8| tables.after(pod_state, change);
        let mut pod_states = affected.iter().map(|place| state[*place]);
        if !pod_states.all(|pod_state| after(&self.tables, pod_state).is_some()) {
            self.learn_transition(model, state, place, change, affected)?;
        }
        for place in affected {
            state[*place] = after(&self.tables, state[*place]).ok_or(PackError::Unpackable)?;
        }
        Ok(())
    }

    /// Closes gaps between ranks. A pod without a rank became ready last.
    fn renumber_ranks(&self, model: &Model<'_>, state: &mut [u8]) {
        let layout = model.layout;
        let mut becoming_available: Vec<(u8, usize)> = (0..layout.places)
            .filter(|place| self.tables.pod_state(state, *place).becomes_available)
            .map(|place| (layout.rank(state, place).wrapping_sub(1), place))
            .collect();
        becoming_available.sort_unstable();
        state[layout.places..layout.places * 2].fill(0);
        for ((_, place), rank) in becoming_available.into_iter().zip(1..) {
            state[layout.places + place] = rank;
        }
    }

    /// Learns the effect of a change on the pod states at these places from the world itself.
    fn learn_transition(
        &mut self,
        model: &Model<'_>,
        state: &[u8],
        place: usize,
        change: Change,
        affected: &[usize],
    ) -> PackResult<()> {
        self.restore(model, state)?;
        let name = Arc::clone(&model.places[place].pod);
        match change {
            Change::Stall => self.world.stall(&name),
            Change::Event(PodEvent::Available) => {
                let mut all = self.world.enabled();
                let due = all.find(|due| due.event == PodEvent::Available && due.pod == name);
                drop(all);
                if let Some(due) = due {
                    self.world.fire(&due);
                }
            }
            Change::Event(event) => {
                let at = self.world.now();
                let pod = Arc::clone(&name);
                self.world.fire(&ScheduledEvent { at, event, pod });
            }
        }
        self.read_state(model, affected)?;
        for place in affected {
            let after = self.state[*place];
            self.tables.set_after(state[*place], change, after);
            self.state[*place] = UNKNOWN;
        }
        Ok(())
    }

    /// Lets the controller sync from a state until it is done. Leaves the scratch in the resulting state, and returns
    /// whether a sync failed.
    pub(super) fn settle(
        &mut self,
        model: &Model<'_>,
        state: &[u8],
    ) -> PackResult<Result<bool, Wrong>> {
        self.restore(model, state)?;
        if let Some(violation) = self.checker.violation(&self.world) {
            self.invalidate();
            return Ok(Err(Wrong::Violation(violation)));
        }
        let (world, checker) = (&mut self.world, &mut self.checker);
        let settled = run_until_stable_checked(world, model.behaviour, checker, &mut Vec::new());
        match settled {
            Ok(failed) => {
                self.read_state(model, &[])?;
                Ok(Ok(failed))
            }
            Err(wrong) => {
                self.invalidate();
                Ok(Err(wrong))
            }
        }
    }

    /// Reads the state of the world at these places and at all changed ones.
    fn read_state(&mut self, model: &Model<'_>, places: &[usize]) -> PackResult<()> {
        let mut places = places.to_vec();
        for name in self.world.take_changed() {
            let place = model.by_pod.get(&name).or(model.by_claim.get(&name));
            places.push(*place.ok_or(PackError::Unpackable)?);
        }
        places.sort_unstable();
        places.dedup();
        for place in places {
            self.state[place] = self.pod_state_at(model, place)?;
        }
        let layout = model.layout;
        let others = self.others(model)?;
        layout.set_others(&mut self.state, others);
        if layout.ranked {
            self.state[layout.places..layout.places * 2].fill(0);
            for (name, rank) in self.world.not_yet_available().iter().zip(1..) {
                let place = model.by_pod.get(name).ok_or(PackError::Unpackable)?;
                self.state[layout.places + place] = rank;
            }
        }
        Ok(())
    }

    /// Returns the number of the other objects.
    fn others(&mut self, model: &Model<'_>) -> PackResult<u16> {
        let snapshot = self.world.snapshot();
        let key = state::others_fingerprint(snapshot);
        if let Some(known) = self.tables.others_with_key(key) {
            return Ok(known);
        }
        let read = state::decision_fingerprint(snapshot, model.behaviour);
        let others = OtherObjects {
            key,
            read: read.unwrap_or(key),
            representative: 0,
            status: Arc::clone(&snapshot.status),
            revisions: Arc::new(snapshot.revisions.clone()),
            update: fingerprint(&snapshot.status.update_revision),
        };
        self.tables.add_others(others)
    }

    /// Returns the number of the pod state at a place.
    fn pod_state_at(&mut self, model: &Model<'_>, place: usize) -> PackResult<u8> {
        let at = &model.places[place];
        let pods = &self.world.snapshot().pods;
        let pod = pods.get(&at.pod).map(Arc::clone);
        let claims = &self.world.snapshot().claims;
        let claims = at
            .claims
            .iter()
            .map(|name| claims.get(name).map(Arc::clone));
        let objects = PlaceObjects {
            pod,
            claims: claims.collect(),
        };
        let event = self.world.event_of(&at.pod);
        let key = self.key(&objects, event);
        if let Some(known) = self.tables.pod_state_with_key(key) {
            if self.tables.objects(place, known).is_none() {
                let objects = self.normalized(model, place, known, objects);
                self.tables.set_objects(place, known, objects);
            }
            return Ok(known);
        }
        let pod = objects.pod.as_ref();
        let finished = |pod: &Arc<Pod>| matches!(pod.phase, Phase::Failed | Phase::Succeeded);
        let pod_state = PodState {
            key,
            exists: pod.is_some(),
            is_finished: pod.is_some_and(finished),
            is_terminating: pod.is_some_and(|pod| pod.is_terminating()),
            has_finalizers: pod.is_some_and(|pod| pod.has_finalizers),
            becomes_available: pod.is_some_and(|pod| self.world.is_not_yet_available(pod)),
            event,
            revision: pod.map_or(0, |pod| fingerprint(&pod.revision)),
            first_place: place,
            visible: self.key(&objects, None),
            looks_like: 0,
        };
        let number = self.tables.add_pod_state(pod_state)?;
        let objects = self.normalized(model, place, number, objects);
        self.tables.set_objects(place, number, objects);
        Ok(number)
    }

    pub(super) fn key(&self, objects: &PlaceObjects, event: Option<PodEvent>) -> u64 {
        let of_pod = objects.pod.as_ref();
        let of_pod = of_pod.map_or(0, |pod| state::pod_digest(&self.world, pod, event));
        let of_claim = |claim: &Arc<Claim>| state::claim_digest(claim, objects.pod.as_ref());
        let claims = objects.claims.iter();
        claims
            .fold(Digest::new().number(of_pod), |all, claim| {
                all.number(claim.as_ref().map_or(0, of_claim))
            })
            .finish()
    }
}
