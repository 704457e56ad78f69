//! Maintenance: nodes are drained in turn and come back after a while, and the next ones begin when all sets are at rest.

mod blocks;
mod order;
mod report;
mod roster;
mod run;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::{DrainFlag, NodeActions, NodeReturn, ReportAdvice, advice, drain, others};
use crate::plan::Plan;
use roster::PodName;
use sts_controller::object::RelatedObjects;
use sts_controller::simulate::{
    Allowance, Budget, DrainEnd, Drained, GuardedBudget, OtherPods, ScheduledAction,
};

pub(crate) use blocks::maintenance_blocks;
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
    /// The reason that the simulation ended before the last round.
    pub(super) stopped: Option<Budget>,
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
#[derive(Clone)]
pub(super) struct Scene<'s> {
    pub(super) plans: &'s [Plan],
    pub(super) actions: &'s NodeActions,
    pub(super) returns: NodeReturn,
    pub(super) related: &'s RelatedObjects,
    pub(super) others: OtherPods,
    pub(super) budgets: Vec<GuardedBudget>,
    /// Work for all that is asked about the maintenance.
    pub(super) allowance: Allowance,
}

impl<'s> Scene<'s> {
    pub(super) fn of(
        plans: &'s [Plan],
        actions: &'s NodeActions,
        related: &'s RelatedObjects,
    ) -> Option<Self> {
        let returns = actions.returns?;
        let first = &plans.first()?.conditions;
        let others = others::of(plans, first);
        Some(Scene {
            plans,
            actions,
            returns,
            related,
            budgets: drain::budgets(plans, &others, related),
            others,
            allowance: first.allowance.of_sets(plans.len()),
        })
    }

    /// Simulates the maintenance of these nodes, in their order.
    pub(super) fn run(&self, nodes: &[Arc<str>]) -> Maintenance {
        run::run(self, nodes)
    }

    /// Returns the advice to let one node go at a time, if several do and one completes.
    pub(super) fn one_at_a_time(&self, nodes: &[Arc<str>]) -> Option<ReportAdvice> {
        let after = self.returns.after;
        if self.returns.at_once < 2 {
            return None;
        }
        let scene = Scene {
            returns: NodeReturn { after, at_once: 1 },
            ..self.clone()
        };
        match scene.run(nodes).drained.end {
            DrainEnd::Done(at) => Some(advice::one_at_a_time(
                at.duration_since(self.began()),
                after,
            )),
            _ => None,
        }
    }

    /// Returns the same scene with other budgets.
    pub(super) fn with_budgets(&self, change: &dyn Fn(GuardedBudget) -> GuardedBudget) -> Self {
        Scene {
            budgets: self.budgets.iter().cloned().map(change).collect(),
            ..self.clone()
        }
    }

    /// Returns the time at which the first drain begins.
    pub(super) fn began(&self) -> Timestamp {
        let first = self.plans.first();
        first.map_or_else(Timestamp::default, |plan| plan.conditions.now)
    }
}
