//! A world that is restored to one packed state after another.

use std::sync::Arc;

use super::PackError;
use super::model::Model;
use super::tables::{Change, NO_LIFE, ObjectTable, OtherObjects, PodState, Tables, fingerprint};
use crate::object::{Claim, Phase, Pod, Ready};
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::{PodEvent, ScheduledEvent};
use crate::simulate::explore::check::{Judge, run_until_stable_checked};
use crate::simulate::explore::{Wrong, state};
use crate::simulate::world::World;

/// A world, and the tables that describe its state.
pub(super) struct Scratch<'m> {
    pub(super) world: World,
    pub(super) tables: Tables,
    pub(super) judge: Judge<'m>,
    /// The state of the world, without faults. A place in an unknown state has [`NO_LIFE`].
    at: Vec<u8>,
    /// Buffer for the places that a change affects.
    affected: Vec<usize>,
}

/// Result of a step of the search, unless its states do not pack.
pub(super) type Fits<T> = Result<T, PackError>;

impl<'m> Scratch<'m> {
    /// Returns a scratch in the state of a settled world.
    pub(super) fn new(model: &Model<'m>, settled: &World) -> Fits<Self> {
        let mut world = settled.branch();
        world.space_out();
        let mut scratch = Scratch {
            world,
            tables: Tables::new(model.places.len()),
            judge: Judge::new(model.property),
            at: vec![NO_LIFE; model.layout.len()],
            affected: Vec::new(),
        };
        let all: Vec<usize> = (0..model.places.len()).collect();
        scratch.read(model, &all)?;
        Ok(scratch)
    }

    /// Returns another scratch with the same tables, in an unknown state.
    pub(super) fn another(&self, model: &Model<'m>) -> Self {
        Scratch {
            world: self.world.branch(),
            tables: self.tables.clone(),
            judge: Judge::new(model.property),
            at: vec![NO_LIFE; self.at.len()],
            affected: Vec::new(),
        }
    }

    /// Returns the state of the world.
    pub(super) fn at(&self) -> &[u8] {
        &self.at
    }

    /// Marks the state of the world as unknown.
    pub(super) fn lose(&mut self) {
        self.at.fill(NO_LIFE);
    }

    /// Restores the world to a state.
    pub(super) fn go_to(&mut self, model: &Model<'_>, state: &[u8]) -> Fits<()> {
        let layout = model.layout;
        if layout.ranked {
            self.world.set_clock(model.now);
        }
        let ripening = (0..layout.places).filter(|place| layout.rank(state, *place) > 0);
        let parts = i32::try_from(ripening.count() + 1).unwrap_or(i32::MAX);
        for place in 0..layout.places {
            let rank = layout.rank(state, place);
            if self.at[place] == state[place] && rank == 0 {
                continue;
            }
            self.make(model, place, state[place])?;
            let life = self.tables.life(state, place);
            let Some(things) = self.tables.things(place, state[place]) else {
                return Err(PackError::Unpackable);
            };
            let mut pod = things.pod.as_ref().map(Arc::clone);
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
            let event = life.event.map(|event| (after(event), event));
            let name = &model.places[place].pod;
            self.world.put_pod(name, pod, event);
            for (name, claim) in model.places[place].claims.iter().zip(&things.claims) {
                self.world.put_claim(name, claim.as_ref());
            }
        }
        let rest = layout.rest(state);
        if layout.rest(&self.at) != rest {
            let rest = &self.tables.rests[usize::from(rest)];
            self.world.put_rest(&rest.status, &rest.revisions);
        }
        self.at.copy_from_slice(&state[..layout.len()]);
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
    ) -> Fits<()> {
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
        let changed = self.change_lives(model, state, place, change, &affected);
        self.affected = affected;
        changed?;
        if layout.ranked {
            self.rank_again(model, state);
        }
        Ok(())
    }

    fn change_lives(
        &mut self,
        model: &Model<'_>,
        state: &mut [u8],
        place: usize,
        change: Change,
        affected: &[usize],
    ) -> Fits<()> {
        let after = |tables: &Tables, life: u8| tables.after(life, change);
        let mut lives = affected.iter().map(|place| state[*place]);
        if !lives.all(|life| after(&self.tables, life).is_some()) {
            self.learn(model, state, place, change, affected)?;
        }
        for place in affected {
            state[*place] = after(&self.tables, state[*place]).ok_or(PackError::Unpackable)?;
        }
        Ok(())
    }

    /// Closes gaps between ranks. A pod without a rank became ready last.
    fn rank_again(&self, model: &Model<'_>, state: &mut [u8]) {
        let layout = model.layout;
        let mut ripening: Vec<(u8, usize)> = (0..layout.places)
            .filter(|place| self.tables.life(state, *place).ripens)
            .map(|place| (layout.rank(state, place).wrapping_sub(1), place))
            .collect();
        ripening.sort_unstable();
        state[layout.places..layout.places * 2].fill(0);
        for ((_, place), rank) in ripening.into_iter().zip(1..) {
            state[layout.places + place] = rank;
        }
    }

    /// Learns the effect of a change on the pod states at these places from the world itself.
    fn learn(
        &mut self,
        model: &Model<'_>,
        state: &[u8],
        place: usize,
        change: Change,
        affected: &[usize],
    ) -> Fits<()> {
        self.go_to(model, state)?;
        let name = Arc::clone(&model.places[place].pod);
        match change {
            Change::Stalls => self.world.stall(&name),
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
        self.read(model, affected)?;
        for place in affected {
            let after = self.at[*place];
            self.tables.set_after(state[*place], change, after);
            self.at[*place] = NO_LIFE;
        }
        Ok(())
    }

    /// Lets the controller sync from a state until it is done. Leaves the scratch in the resulting state, and returns
    /// whether a sync failed.
    pub(super) fn settle(&mut self, model: &Model<'_>, state: &[u8]) -> Fits<Result<bool, Wrong>> {
        self.go_to(model, state)?;
        if let Some(violation) = self.judge.violation(&self.world) {
            self.lose();
            return Ok(Err(Wrong::Violation(violation)));
        }
        let (world, judge) = (&mut self.world, &mut self.judge);
        let settled = run_until_stable_checked(world, model.behaviour, judge, &mut Vec::new());
        match settled {
            Ok(failed) => {
                self.read(model, &[])?;
                Ok(Ok(failed))
            }
            Err(wrong) => {
                self.lose();
                Ok(Err(wrong))
            }
        }
    }

    /// Reads the state of the world at these places and at all changed ones.
    fn read(&mut self, model: &Model<'_>, places: &[usize]) -> Fits<()> {
        let mut places = places.to_vec();
        for name in self.world.take_changed() {
            let place = model.by_pod.get(&name).or(model.by_claim.get(&name));
            places.push(*place.ok_or(PackError::Unpackable)?);
        }
        places.sort_unstable();
        places.dedup();
        for place in places {
            self.at[place] = self.life_at(model, place)?;
        }
        let layout = model.layout;
        let rest = self.rest(model)?;
        layout.set_rest(&mut self.at, rest);
        if layout.ranked {
            self.at[layout.places..layout.places * 2].fill(0);
            for (name, rank) in self.world.not_yet_available().iter().zip(1..) {
                let place = model.by_pod.get(name).ok_or(PackError::Unpackable)?;
                self.at[layout.places + place] = rank;
            }
        }
        Ok(())
    }

    /// Returns the number of the other objects.
    fn rest(&mut self, model: &Model<'_>) -> Fits<u16> {
        let snapshot = self.world.snapshot();
        let key = state::of_rest(snapshot);
        if let Some(known) = self.tables.rest_of(key) {
            return Ok(known);
        }
        let read = state::of_what_is_read(snapshot, model.behaviour);
        let rest = OtherObjects {
            key,
            read: read.unwrap_or(key),
            stands_for: 0,
            status: Arc::clone(&snapshot.status),
            revisions: Arc::new(snapshot.revisions.clone()),
            update: fingerprint(&snapshot.status.update_revision),
        };
        self.tables.add_rest(rest)
    }

    /// Returns the number of the pod state at a place.
    fn life_at(&mut self, model: &Model<'_>, place: usize) -> Fits<u8> {
        let at = &model.places[place];
        let pods = &self.world.snapshot().pods;
        let pod = pods.get(&at.pod).map(Arc::clone);
        let claims = &self.world.snapshot().claims;
        let claims = at
            .claims
            .iter()
            .map(|name| claims.get(name).map(Arc::clone));
        let things = ObjectTable {
            pod,
            claims: claims.collect(),
        };
        let event = self.world.event_of(&at.pod);
        let key = self.key(&things, event);
        if let Some(known) = self.tables.life_of(key) {
            if self.tables.things(place, known).is_none() {
                let things = self.own(model, place, known, things);
                self.tables.set_things(place, known, things);
            }
            return Ok(known);
        }
        let pod = things.pod.as_ref();
        let finished = |pod: &Arc<Pod>| matches!(pod.phase, Phase::Failed | Phase::Succeeded);
        let life = PodState {
            key,
            is_there: pod.is_some(),
            is_finished: pod.is_some_and(finished),
            is_terminating: pod.is_some_and(|pod| pod.is_terminating()),
            has_finalizers: pod.is_some_and(|pod| pod.has_finalizers),
            ripens: pod.is_some_and(|pod| self.world.is_not_yet_available(pod)),
            event,
            revision: pod.map_or(0, |pod| fingerprint(&pod.revision)),
            met_at: place,
            seen: self.key(&things, None),
            looks_like: 0,
        };
        let number = self.tables.add_life(life)?;
        let things = self.own(model, place, number, things);
        self.tables.set_things(place, number, things);
        Ok(number)
    }

    pub(super) fn key(&self, things: &ObjectTable, event: Option<PodEvent>) -> u64 {
        let of_pod = things.pod.as_ref();
        let of_pod = of_pod.map_or(0, |pod| state::of_pod(&self.world, pod, event));
        let of_claim = |claim: &Arc<Claim>| state::of_claim(claim, things.pod.as_ref());
        let claims = things.claims.iter();
        claims
            .fold(Digest::new().number(of_pod), |all, claim| {
                all.number(claim.as_ref().map_or(0, of_claim))
            })
            .finish()
    }
}
