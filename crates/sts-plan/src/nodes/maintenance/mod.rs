//! Maintenance: nodes are drained in turn and come back after a while, and the next ones begin when all sets are at rest.

mod order;
mod report;
mod roster;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::{DrainFlag, NodeActions, NodeReturn, change, drain, kubectl, others};
use crate::conditions::{Conditions, Outage};
use crate::foresight::{self, Foresight};
use crate::plan::Plan;
use roster::{PodName, Roster};
use sts_controller::controller::ordinal_of;
use sts_controller::object::RelatedObjects;
use sts_controller::simulate::{
    Action, Drain, DrainEnd, Drained, Drainee, FirstInLine, Forbidden, GuardedBudget, NodeChange,
    OtherPods, ScheduledAction, change_nodes, drain as drain_nodes, go_on,
};

pub(super) use order::better;
pub use report::{
    ReportBetterOrder, ReportMaintenance, ReportPodMove, ReportPodMoves, ReportRound,
    ReportSwitchovers,
};

/// A maintenance of nodes in this order.
#[derive(Debug, Clone)]
pub(super) struct Maintenance {
    pub(super) rounds: Vec<Round>,
    /// The drains of all rounds, as one.
    pub(super) drained: Drained,
    /// Scheduled actions of each set.
    pub(super) agendas: Vec<Vec<ScheduledAction>>,
    /// Moves of each pod, in order.
    pub(super) moves: BTreeMap<PodName, Vec<Move>>,
    /// The reason that the next nodes are not begun.
    pub(super) waits: Option<Wait>,
    /// Number of evictions of pods with the label of `--order primary-last`, and of those that may be: any later eviction of
    /// a pod of the same set.
    pub(super) switchovers: Switchovers,
}

/// The reason that the next nodes are not begun.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    /// Pod that is not ready again.
    pub(super) pod: PodName,
    /// Nodes whose turn does not come.
    pub(super) nodes: Vec<Arc<str>>,
}

/// Nodes that are away at the same time.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub(super) nodes: Vec<Arc<str>>,
    pub(super) begins: Timestamp,
    /// The end of the drain; `None` if it never ends.
    pub(super) drained: Option<Timestamp>,
    /// The time at which the nodes are uncordoned.
    pub(super) returns: Option<Timestamp>,
    /// The time from which all sets are at rest.
    pub(super) rests: Option<Timestamp>,
    pub(super) evictions: usize,
    /// Flags that kubectl needs for the pods on the nodes at that time.
    pub(super) flags: Vec<DrainFlag>,
    /// Sets with pods on the nodes, by index.
    pub(super) sets: Vec<usize>,
}

/// Move of a pod from one node to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) from: Arc<str>,
    /// The assumed node; `None` if it is not known, or the pod finds none.
    pub(super) to: Option<Arc<str>>,
}

/// Number of evictions that make another pod the primary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Switchovers {
    pub(super) least: usize,
    pub(super) most: usize,
}

/// Parts of a maintenance that do not depend on the order of nodes.
pub(super) struct Scene<'s> {
    pub(super) plans: &'s [Plan],
    pub(super) actions: &'s NodeActions,
    pub(super) returns: NodeReturn,
    pub(super) related: &'s RelatedObjects,
    pub(super) others: OtherPods,
    pub(super) budgets: Vec<GuardedBudget>,
}

impl<'s> Scene<'s> {
    pub(super) fn of(
        plans: &'s [Plan],
        actions: &'s NodeActions,
        related: &'s RelatedObjects,
    ) -> Option<Self> {
        let others = others::of(plans, &plans.first()?.conditions);
        Some(Scene {
            plans,
            actions,
            returns: actions.returns?,
            related,
            budgets: drain::budgets(plans, &others, related),
            others,
        })
    }

    /// Simulates the maintenance of these nodes, in their order.
    pub(super) fn run(&self, nodes: &[Arc<str>]) -> Maintenance {
        let began = self.began();
        let drainees = self.plans.iter().map(|plan| Drainee {
            world: plan.initial_world().0,
            behaviour: &plan.conditions.behaviour,
        });
        let mut run = Run {
            scene: self,
            drainees: drainees.collect(),
            others: self.others.clone(),
            roster: Roster::of(self.plans),
            forbidden: Vec::new(),
            now: began,
            primaries: BTreeMap::new(),
            out: Maintenance {
                rounds: Vec::new(),
                drained: Drained {
                    evictions: Vec::new(),
                    nodes: Vec::new(),
                    stranded: Vec::new(),
                    removed_otherwise: 0,
                    contests: Vec::new(),
                    end: DrainEnd::Done(began),
                },
                agendas: self.plans.iter().map(|_| Vec::new()).collect(),
                moves: BTreeMap::new(),
                waits: None,
                switchovers: Switchovers::default(),
            },
        };
        run.note_primaries();
        let worlds = run.drainees.iter();
        let forbidden = worlds.map(|drainee| drainee.world.kubelet().forbidden.clone());
        run.forbidden = forbidden.collect();
        let rounds: Vec<&[Arc<str>]> = nodes.chunks(self.returns.at_once.max(1)).collect();
        for (at, round) in rounds.iter().enumerate() {
            if !run.round(round) {
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

    /// Returns the same scene with other budgets.
    pub(super) fn with_budgets(&self, change: &dyn Fn(GuardedBudget) -> GuardedBudget) -> Self {
        Scene {
            budgets: self.budgets.iter().cloned().map(change).collect(),
            others: self.others.clone(),
            ..*self
        }
    }

    fn began(&self) -> Timestamp {
        let first = self.plans.first();
        first.map_or_else(Timestamp::default, |plan| plan.conditions.now)
    }
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
        let Ok((related, outage)) = change::after(self.scene.related, &away, self.roster.pods())
        else {
            return false;
        };
        let (related, outage) = (Arc::new(related), Arc::new(outage));
        self.change_nodes(&related, &outage);
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
        let drained = drain_nodes(&mut self.drainees, &mut self.others, work);
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
        let outage = Arc::new(Outage::among(self.roster.pods()));
        self.change_nodes(&all, &outage);
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

    /// Lets each pod find a place on the nodes as they are from now on.
    fn change_nodes(&mut self, related: &Arc<RelatedObjects>, outage: &Arc<Outage>) {
        let mut changes = Vec::new();
        for at in 0..self.drainees.len() {
            let Some(conditions) = self.conditions(at, related, outage) else {
                continue;
            };
            let drainee = &mut self.drainees[at];
            let next = drainee.world.next_sync(drainee.behaviour);
            let snapshot = drainee.world.snapshot();
            let foresight = Foresight::of(snapshot, &next, &conditions);
            let mut forbidden = self.forbidden[at].clone();
            forbidden.add(foresight::refused_by_quota(
                snapshot,
                &conditions,
                &conditions.grants,
            ));
            changes.push(Action::ChangeNodes(Arc::new(NodeChange {
                foreseen: foresight.in_simulation(),
                forbidden,
            })));
        }
        for (agenda, change) in self.out.agendas.iter_mut().zip(&changes) {
            agenda.push(ScheduledAction {
                at: self.now,
                action: change.clone(),
            });
        }
        change_nodes(&mut self.drainees, &changes, self.now);
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
            let outage = Outage {
                leaving: outage.leaving.clone(),
                ..Outage::among(self.roster.pods())
            };
            let at = newcomer.set.unwrap_or(0);
            let Some(conditions) = self.conditions(at, related, &Arc::new(outage)) else {
                return;
            };
            let snapshot = newcomer.set.map(|at| self.drainees[at].world.snapshot());
            let Some(pod) = self.roster.get(&newcomer.name) else {
                continue;
            };
            let found = foresight::landing(pod, snapshot, &conditions).unwrap_or_default();
            let Some(node) = found.first() else { continue };
            match (newcomer.set, newcomer.other) {
                (Some(set), _) => self.drainees[set].world.bind(&newcomer.name.1, node),
                (None, Some(other)) => self.others.bind(other, node),
                (None, None) => {}
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
            let names =
                lost.map(|pod| (Arc::clone(&pod.meta.namespace), Arc::clone(&pod.meta.name)));
            names.collect::<Vec<_>>()
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
