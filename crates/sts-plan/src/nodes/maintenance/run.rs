//! The course of a maintenance, turn by turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::roster::{Owner, PodName, Roster, name_of};
use super::{Maintenance, Move, Round, Scene, Switchovers, Wait};
use crate::conditions::{Conditions, Outage};
use crate::foresight::{self, Foresight};
use crate::nodes::{NodeActions, change, drain, kubectl, others};
use sts_controller::controller::ordinal_of;
use sts_controller::object::RelatedObjects;
use sts_controller::simulate::{
    self, Action, Drain, DrainEnd, Drained, Drainee, FirstInLine, Forbidden, NodeChange, OtherPods,
    ScheduledAction, go_on,
};

/// Work of a change of nodes, for each node and each pod.
const UNITS_OF_A_CHANGE: u64 = 65;

/// Simulates the maintenance of these nodes, in their order.
pub(super) fn run(scene: &Scene<'_>, nodes: &[Arc<str>]) -> Maintenance {
    let began = scene.began();
    let mut run = Run {
        scene,
        drainees: drainees(scene),
        others: scene.others.clone(),
        roster: Roster::of(scene.plans),
        forbidden: Vec::new(),
        now: began,
        primaries: BTreeMap::new(),
        out: Maintenance {
            rounds: Vec::new(),
            drained: Drained::of_nothing(began),
            agendas: scene.plans.iter().map(|_| Vec::new()).collect(),
            moves: BTreeMap::new(),
            waits: None,
            stopped: None,
            switchovers: Switchovers::default(),
        },
    };
    run.note_primaries();
    let worlds = run.drainees.iter();
    let forbidden = worlds.map(|drainee| drainee.world.kubelet().forbidden.clone());
    run.forbidden = forbidden.collect();
    let rounds: Vec<&[Arc<str>]> = nodes.chunks(scene.returns.at_once.max(1)).collect();
    for (at, round) in rounds.iter().enumerate() {
        let (before, began) = (run.out.clone(), run.now);
        let goes_on = run.round(round);
        if let Some(budget) = scene.allowance.exhausted() {
            // A round that was cut off has no result.
            run.out = before;
            run.out.stopped = Some(budget);
            run.out.drained.end = DrainEnd::Unknown(began);
            return run.out;
        }
        if !goes_on {
            return run.out;
        }
        let rest: Vec<Arc<str>> = rounds
            .iter()
            .skip(at + 1)
            .copied()
            .flatten()
            .cloned()
            .collect();
        if let Some(pod) = run.missing().filter(|_| !rest.is_empty()) {
            run.out.waits = Some(Wait { pod, nodes: rest });
            run.out.drained.end = DrainEnd::Hangs(run.now);
            return run.out;
        }
    }
    run.out.drained.end = DrainEnd::Done(run.now);
    run.out
}

/// Returns the sets in their worlds at the beginning. Their work counts with that of the maintenance.
fn drainees<'s>(scene: &Scene<'s>) -> Vec<Drainee<'s>> {
    let drainees = drain::drainees(scene.plans).into_iter();
    let drainees = drainees.map(|drainee| Drainee {
        world: drainee.world.within(&scene.allowance),
        ..drainee
    });
    drainees.collect()
}

/// A maintenance in progress.
struct Run<'r, 's> {
    scene: &'r Scene<'s>,
    drainees: Vec<Drainee<'s>>,
    others: OtherPods,
    roster: Roster,
    /// Refused pods of each set before the maintenance.
    forbidden: Vec<Forbidden>,
    now: Timestamp,
    /// Pods that may be the primary of each set, by the set's index. A set without one has no entry.
    primaries: BTreeMap<usize, Primary>,
    out: Maintenance,
}

/// The primary of a set.
enum Primary {
    /// The labeled pod.
    Pod(Arc<str>),
    /// Another pod, since the labeled one was evicted.
    Unknown,
}

impl Run<'_, '_> {
    /// Drains nodes and brings them back. Returns whether they come back and the sets come to rest.
    fn round(&mut self, nodes: &[Arc<str>]) -> bool {
        let away = NodeActions {
            drain: nodes.iter().map(ToString::to_string).collect(),
            ..NodeActions::default()
        };
        let outage = self.roster.outage();
        let Ok((related, outage)) = change::after(self.scene.related, &away, outage) else {
            return false;
        };
        let (related, outage) = (Arc::new(related), Arc::new(outage));
        let affected = self.affected(nodes);
        self.change_nodes(&related, &outage, &affected);
        let Some(conditions) = self.conditions(0, &related, &outage) else {
            return false;
        };
        let flags = kubectl::flags(&away, &conditions);
        let work = Drain {
            nodes,
            budgets: &self.scene.budgets,
            version: conditions.behaviour.version,
            now: self.now,
            first: FirstInLine::Sets,
            forced_after: self.scene.actions.budgets_ignored_after,
        };
        let drained = simulate::drain(&mut self.drainees, &mut self.others, work);
        let mut sets: Vec<usize> = drained
            .evictions
            .iter()
            .filter_map(|step| step.set)
            .collect();
        sets.sort_unstable();
        sets.dedup();
        let begins = self.now;
        self.out.rounds.push(Round {
            nodes: nodes.to_vec(),
            begins,
            drained: None,
            returns: None,
            rests: None,
            evictions: drained.evictions.len(),
            flags,
            sets,
        });
        let end = self.take(drained);
        let DrainEnd::Done(end) = end else {
            return false;
        };
        let returns = end.checked_add(self.scene.returns.after).unwrap_or(end);
        if go_on(&mut self.drainees, &mut self.others, end, Some(returns)).is_none() {
            return self.never_rests(returns);
        }
        self.place(&related, &outage);
        self.now = returns;
        let all = Arc::new(self.scene.related.clone());
        let outage = Arc::new(self.roster.outage());
        self.change_nodes(&all, &outage, &affected);
        let Some(rests) = go_on(&mut self.drainees, &mut self.others, returns, None) else {
            return self.never_rests(returns);
        };
        self.place(&all, &outage);
        self.now = rests;
        if let Some(round) = self.out.rounds.last_mut() {
            round.drained = Some(end);
            round.returns = Some(returns);
            round.rests = Some(rests);
        }
        true
    }

    fn never_rests(&mut self, now: Timestamp) -> bool {
        self.out.drained.end = DrainEnd::Unknown(now);
        false
    }

    /// Adds the drain of a round. Returns its end.
    fn take(&mut self, mut drained: Drained) -> DrainEnd {
        for step in &drained.evictions {
            if let Some(set) = step.set {
                self.out.agendas[set].push(ScheduledAction {
                    at: step.at,
                    action: Action::EvictPod(Arc::clone(&step.pod)),
                });
                self.note_switchover(set, &step.pod);
            }
            let name = (Arc::clone(&step.namespace), Arc::clone(&step.pod));
            self.out.moves.entry(name).or_default().push(Move {
                from: Arc::clone(&step.node),
                to: None,
            });
        }
        let out = &mut self.out.drained;
        out.evictions.append(&mut drained.evictions);
        out.nodes.append(&mut drained.nodes);
        out.stranded.append(&mut drained.stranded);
        out.contests.append(&mut drained.contests);
        out.removed_otherwise += drained.removed_otherwise;
        out.end = drained.end;
        drained.end
    }

    /// Returns which sets may create a pod while these nodes are away: those with a pod on them, and those not at rest.
    fn affected(&self, nodes: &[Arc<str>]) -> Vec<bool> {
        let affected = self.drainees.iter().map(|drainee| {
            let pods = drainee.world.snapshot().pods.values();
            let mut names = pods.map(|pod| name_of(pod));
            drainee.world.next_moment().is_some()
                || names.any(|name| self.roster.is_on(&name, nodes))
        });
        affected.collect()
    }

    /// Lets each pod of the affected sets, and of others, find a place on the nodes as they are from now on.
    fn change_nodes(
        &mut self,
        related: &Arc<RelatedObjects>,
        outage: &Arc<Outage>,
        affected: &[bool],
    ) {
        let nodes = u64::try_from(related.nodes().count()).unwrap_or(u64::MAX);
        let places = nodes.saturating_add(self.roster.len());
        let allowance = &self.scene.allowance;
        allowance.spend(UNITS_OF_A_CHANGE.saturating_mul(places));
        let mut changes: Vec<Option<Action>> = Vec::new();
        for (at, affected) in affected.iter().enumerate() {
            if !affected {
                changes.push(None);
                continue;
            }
            let Some(conditions) = self.conditions(at, related, outage) else {
                changes.push(None);
                continue;
            };
            let drainee = &mut self.drainees[at];
            let next = drainee.world.next_sync(drainee.behaviour);
            let snapshot = drainee.world.snapshot();
            let foresight = Foresight::of(snapshot, &next, &conditions);
            let mut forbidden = self.forbidden[at].clone();
            forbidden.add(foresight::refused(
                snapshot,
                &conditions,
                &conditions.grants,
            ));
            changes.push(Some(Action::ChangeNodes(Arc::new(NodeChange {
                foreseen: foresight.in_simulation(),
                forbidden,
            }))));
        }
        for (agenda, change) in self.out.agendas.iter_mut().zip(&changes) {
            agenda.extend(change.clone().map(|action| ScheduledAction {
                at: self.now,
                action,
            }));
        }
        simulate::change_nodes(&mut self.drainees, &changes, self.now);
        let Some(conditions) = self.conditions(0, related, outage) else {
            return;
        };
        let refused = others::refused(
            self.others.present().map(|(_, other)| &other.pod),
            &conditions,
        );
        self.others.change_nodes(self.now, |other| {
            let is_bound = other.pod.node.is_some() && !outage.moves(&other.pod);
            is_bound
                || (!others::is_refused(&refused, &other.pod)
                    && foresight::finds_node(&other.pod, &conditions))
        });
    }

    /// Puts the ready pods that are on no node on the most likely one.
    fn place(&mut self, related: &Arc<RelatedObjects>, outage: &Arc<Outage>) {
        self.roster.follow(&self.drainees, &self.others);
        let waiting = self.roster.waiting(&self.drainees, &self.others);
        for newcomer in waiting {
            if self.scene.allowance.exhausted().is_some() {
                return;
            }
            let outage = Outage {
                leaving: outage.leaving.clone(),
                ..self.roster.outage()
            };
            // The conditions of all sets agree about nodes.
            let (at, set) = match newcomer.owner {
                Owner::Set(at) => (at, Some(&self.drainees[at])),
                Owner::Other(_) => (0, None),
            };
            let Some(conditions) = self.conditions(at, related, &Arc::new(outage)) else {
                return;
            };
            let snapshot = set.map(|drainee| drainee.world.snapshot());
            let Some(pod) = self.roster.get(&newcomer.name) else {
                continue;
            };
            let found = foresight::landing(pod, snapshot, &conditions).unwrap_or_default();
            let Some(node) = found.first() else { continue };
            match newcomer.owner {
                Owner::Set(at) => self.drainees[at].world.bind(&newcomer.name.1, node),
                Owner::Other(at) => self.others.bind(at, node),
            }
            self.roster.bind(&newcomer.name, node);
            let moves = self.out.moves.get_mut(&newcomer.name);
            if let Some(last) = moves.and_then(|moves| moves.last_mut()) {
                last.to = Some(Arc::clone(node));
            }
        }
    }

    /// Returns the conditions of a set while nodes are in this state.
    fn conditions(
        &self,
        at: usize,
        related: &Arc<RelatedObjects>,
        outage: &Arc<Outage>,
    ) -> Option<Conditions> {
        Some(Conditions {
            related: Arc::clone(related),
            outage: Arc::clone(outage),
            allowance: self.scene.allowance.clone(),
            ..self.scene.plans.get(at)?.conditions.clone()
        })
    }

    /// Returns the first pod that was ready at the beginning and is not ready now, although its set wants it.
    fn missing(&self) -> Option<PodName> {
        let sets = self.scene.plans.iter().zip(&self.drainees);
        let mut missing = sets.flat_map(|(plan, drainee)| {
            let wanted = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
            let now = drainee.world.snapshot();
            let read = plan.observed().owned().filter(|pod| {
                pod.is_running_and_ready() && wanted.contains(&ordinal_of(&pod.meta.name))
            });
            let lost = read.filter(|pod| {
                let there = now.pods.get(&pod.meta.name);
                !there.is_some_and(|pod| pod.is_running_and_ready())
            });
            lost.map(|pod| name_of(pod)).collect::<Vec<_>>()
        });
        missing.next()
    }

    fn note_primaries(&mut self) {
        for (at, plan) in self.scene.plans.iter().enumerate() {
            let order = &self.scene.actions.order;
            let mut pods = plan.observed().owned();
            if let Some(pod) = pods.find(|pod| order.is_last(pod)) {
                let primary = Primary::Pod(Arc::clone(&pod.meta.name));
                self.primaries.insert(at, primary);
            }
        }
    }

    fn note_switchover(&mut self, set: usize, pod: &Arc<str>) {
        let switchovers = &mut self.out.switchovers;
        match self.primaries.get(&set) {
            Some(Primary::Pod(primary)) if primary == pod => {
                switchovers.least += 1;
                switchovers.most += 1;
                self.primaries.insert(set, Primary::Unknown);
            }
            Some(Primary::Unknown) => switchovers.most += 1,
            Some(Primary::Pod(_)) | None => {}
        }
    }
}
