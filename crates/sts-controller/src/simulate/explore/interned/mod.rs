//! The fast form of a state: numbers of interned objects, with a memo of the controller's answers.
//!
//! ```text
//! state: a pod state for each place, and the other objects, by number
//!   |  move of a pod: learned once for each pod state, from the world itself
//!   v
//! state before the syncs --> looks like one that was answered? --> the answer, applied pod by pod
//!   |  no
//!   v
//! world, restored from the objects --> syncs of the controller --> the answer, read from the world
//! ```
//!
//! The controller sees the objects and not the pending events, and does not distinguish the pods of a
//! [group](pod_groups). One answer therefore serves all states that look the same to it.

mod places;
mod pod_groups;
mod restored_world;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{Failure, Model};
use super::moves::{self, Cause};
use super::search::Search;
use super::{Bounds, Driver, Outcome, Property};
use crate::simulate::action::Fault;
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::PodEvent;
use crate::simulate::world::World;
use crate::version::Behaviour;

use places::Places;
use pod_groups::PodGroups;
use restored_world::RestoredWorld;
use table::{PodState, Table};

/// Maximum number of answers that a worker remembers.
const MAX_ANSWERS: usize = 1 << 16;

/// Searches every order of events from a settled world; `None` if its states are not made of pods and their own claims.
/// Pods may be interchangeable if `may_group`.
pub(super) fn search(
    settled: &World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
    may_group: bool,
    driver: &mut dyn Driver,
) -> Option<Outcome> {
    let places = Places::new(settled, behaviour)?;
    let mut search_with = |groups: Option<&PodGroups>| {
        let merges = bounds.merge_alike && groups.is_some();
        let tables = (Table::new(), Table::new());
        let workers = (0..).take(driver.threads().max(1)).map(|worker| {
            let tables = tables.clone();
            let world = RestoredWorld::new(settled, &places, behaviour, property, tables, worker)?;
            Ok(InternedModel {
                world,
                groups,
                merges,
                after: Vec::new(),
                answers: BTreeMap::new(),
            })
        });
        let workers: Vec<InternedModel<'_>> = workers.collect::<Result<_, Failure>>().ok()?;
        let mut start = workers.first()?.world.state().clone();
        start.faults_left = bounds.faults;
        let outcome = Search::new(workers, settled, bounds, property).run(&start, driver)?;
        Some(Outcome {
            merged_alike: merges,
            ..outcome
        })
    };
    let groups = PodGroups::new(settled, behaviour, &places.all).filter(|_| may_group);
    // Pods of a group may turn out to differ.
    let grouped = groups.and_then(|groups| search_with(Some(&groups)));
    grouped.or_else(|| search_with(None))
}

/// A state: numbers of interned objects.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// The pod state at each place.
    pods: Vec<u32>,
    /// The rank of each pod that becomes available, from 1, else 0. Empty without `minReadySeconds`.
    ranks: Vec<u8>,
    others: u32,
    faults_left: usize,
}

impl State {
    fn rank(&self, place: usize) -> u8 {
        self.ranks.get(place).copied().unwrap_or(0)
    }
}

/// A worker's world and memory.
struct InternedModel<'m> {
    world: RestoredWorld<'m>,
    /// Groups of interchangeable pods, if there are any.
    groups: Option<&'m PodGroups>,
    /// True if states that differ only by a permutation within the groups are one.
    merges: bool,
    /// The pod state after each move of a pod state, if known.
    after: Vec<[Option<u32>; 5]>,
    /// Answers of the controller, by a digest of all that it sees.
    answers: BTreeMap<u64, Answer>,
}

/// Effect of the controller's syncs, with pods by their position in the [order](InternedModel::order).
struct Answer {
    /// Digests of the changed pod states, before and after.
    changes: Vec<(usize, u64, u64)>,
    ranks: Vec<u8>,
    others: u32,
}

impl InternedModel<'_> {
    fn pod(&self, state: &State, place: usize) -> &PodState {
        self.world.pods.get(state.pods[place])
    }

    /// Returns all places. If `sorted`, the places of each group are in the order of their pod states, so that
    /// equivalent states have equal sequences of pod states.
    fn order(&self, state: &State, sorted: bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..state.pods.len()).collect();
        if let Some(groups) = self.groups.filter(|_| sorted) {
            for group in groups.of_state(state, &self.world) {
                order[group]
                    .sort_by_key(|place| (self.pod(state, *place).digest, state.rank(*place)));
            }
        }
        order
    }

    /// Returns a digest of pods in an order.
    fn digest(&self, state: &State, order: &[usize], of: impl Fn(&PodState) -> u64) -> Digest {
        order.iter().fold(Digest::new(), |all, place| {
            let all = all.number(of(self.pod(state, *place)));
            match state.ranks.get(*place) {
                Some(rank) => all.number(u64::from(*rank)),
                None => all,
            }
        })
    }

    /// Applies a move to a state, before the controller syncs.
    fn apply(&mut self, state: &mut State, cause: Cause, place: usize) -> Result<(), Failure> {
        let rank = state.rank(place);
        let affected: Vec<usize> = match cause {
            // Pods that became ready earlier have become available by then as well.
            Cause::Event(PodEvent::Available) => (0..state.pods.len())
                .filter(|other| (1..=rank).contains(&state.rank(*other)))
                .collect(),
            _ => vec![place],
        };
        let cause_number = match cause {
            Cause::Event(event) => event as usize,
            Cause::Fault(Fault::Fails) => PodEvent::Failed as usize,
            Cause::Fault(Fault::Vanishes) => PodEvent::Removed as usize,
            Cause::Fault(Fault::NeverReady) => 4,
        };
        let known = affected.iter().map(|place| {
            let after = self.after.get(state.pods[*place] as usize);
            after.and_then(|after| after[cause_number])
        });
        let after = match known.collect::<Option<Vec<u32>>>() {
            Some(known) => known,
            None => {
                let after = self.world.after_move(state, cause, place, &affected)?;
                self.after.resize(self.world.pods.len(), [None; 5]);
                for (place, after) in affected.iter().zip(&after) {
                    self.after[state.pods[*place] as usize][cause_number] = Some(*after);
                }
                after
            }
        };
        for (place, after) in affected.into_iter().zip(after) {
            state.pods[place] = after;
        }
        self.renumber_ranks(state);
        Ok(())
    }

    /// Closes gaps between ranks. A pod without a rank became ready last.
    fn renumber_ranks(&self, state: &mut State) {
        if state.ranks.is_empty() {
            return;
        }
        let mut becoming_available: Vec<(u8, usize)> = (0..state.pods.len())
            .filter(|place| self.pod(state, *place).becomes_available)
            .map(|place| (state.rank(place).wrapping_sub(1), place))
            .collect();
        becoming_available.sort_unstable();
        state.ranks.fill(0);
        for ((_, place), rank) in becoming_available.into_iter().zip(1..) {
            state.ranks[place] = rank;
        }
    }

    /// Returns the state after the controller's syncs, if they are known. Pods that the answer leaves unchanged may be
    /// in any pod state that looks the same, and keep it.
    fn recall(&self, state: &State, question: u64, order: &[usize]) -> Option<State> {
        let answer = self.answers.get(&question)?;
        let mut next = state.clone();
        for (position, before, after) in &answer.changes {
            let place = order[*position];
            if self.pod(state, place).digest != *before {
                return None;
            }
            next.pods[place] = self.world.pods.find((place, *after))?;
        }
        for (place, rank) in order.iter().zip(&answer.ranks) {
            next.ranks[*place] = *rank;
        }
        next.others = answer.others;
        Some(next)
    }

    fn remember(&mut self, question: u64, order: &[usize], before: &State, after: &State) {
        if self.answers.len() >= MAX_ANSWERS {
            self.answers.clear();
        }
        let digests = |(position, place): (usize, &usize)| {
            let (before, after) = (self.pod(before, *place), self.pod(after, *place));
            (position, before.digest, after.digest)
        };
        let changes = order.iter().enumerate().map(digests);
        let changes = changes.filter(|(_, before, after)| before != after);
        let ranks = order.iter().filter_map(|place| after.ranks.get(*place));
        let answer = Answer {
            changes: changes.collect(),
            ranks: ranks.copied().collect(),
            others: after.others,
        };
        self.answers.insert(question, answer);
    }
}

impl Model for InternedModel<'_> {
    type State = State;
    type Pod = usize;

    const MAX_BLOCK: usize = 512;

    fn fingerprint(&self, state: &State) -> u64 {
        let order = self.order(state, self.merges);
        self.digest(state, &order, |pod| pod.digest)
            .number(self.world.others.get(state.others).digest)
            .number(state.faults_left as u64)
            .finish()
    }

    fn moves(&self, state: &State, all: bool) -> Vec<(Cause, usize)> {
        let merges = self.merges && !all;
        let groups = self.groups.filter(|_| merges);
        let groups = groups.map(|groups| groups.of_state(state, &self.world));
        let order = self.order(state, merges);
        // Of several pods of a group in one pod state, the first stands for the others.
        let is_repeated = |position: usize, place: usize| {
            let mut groups = groups.iter().flatten();
            groups.any(|group| position > group.start && position < group.end)
                && state.rank(place) == 0
                && self.pod(state, place).digest == self.pod(state, order[position - 1]).digest
        };
        let pods = order.iter().enumerate();
        let pods = pods.filter(|(position, place)| !is_repeated(*position, **place));
        let pods = pods.map(|(_, place)| {
            let moves = self.pod(state, *place).moves;
            (*place, moves, usize::from(state.rank(*place)))
        });
        moves::enabled(&pods.collect::<Vec<_>>(), state.faults_left)
    }

    fn next(&mut self, state: &State, cause: Cause, place: &usize) -> Result<State, Failure> {
        let mut next = state.clone();
        next.faults_left -= usize::from(cause.is_fault());
        self.apply(&mut next, cause, *place)?;
        // The controller does not see that an event will not happen.
        if cause == Cause::Fault(Fault::NeverReady) {
            return Ok(next);
        }
        let order = self.order(&next, true);
        let question = self
            .digest(&next, &order, |pod| pod.visible)
            .number(self.world.others.get(next.others).visible)
            .finish();
        if let Some(known) = self.recall(&next, question, &order) {
            return Ok(known);
        }
        let (settled, failed) = self.world.settle(&next)?;
        match failed {
            // A failed sync may end anywhere among the pods of a group.
            true if self.groups.is_some() => return Err(Failure::Misfit),
            // A failed sync may leave the counters unchanged.
            true => {}
            false => self.remember(question, &order, &next, &settled),
        }
        Ok(settled)
    }

    fn name(&self, place: &usize) -> Arc<str> {
        Arc::clone(&self.world.places.all[*place].pod)
    }

    fn is_final(&self, state: &State) -> bool {
        (0..state.pods.len()).all(|place| self.pod(state, place).moves.event.is_none())
    }

    fn world<'w>(&'w mut self, state: &'w State) -> &'w World {
        self.world.restore(state);
        &self.world.world
    }

    fn bytes(&self, state: &State) -> usize {
        size_of::<State>() + state.pods.len() * size_of::<u32>() + state.ranks.len()
    }

    fn lowest(&self) -> i64 {
        self.world.checker.lowest
    }

    fn refresh(&mut self) {
        self.world.pods.refresh();
        self.world.others.refresh();
    }
}
