//! Nodes that are cordoned, drained or lost: what that does to the sets whose pods are there.
//!
//! A drain concerns all sets at once, since budgets may cover pods of several: it is simulated over all worlds together
//! ([`sts_controller::simulate::drain`]), and each set is then planned with the evictions that it met. A node that is lost
//! concerns each set by itself.

mod advice;
mod answer;
mod change;
mod drain;
mod lost;

use std::sync::Arc;

use jiff::Timestamp;

use crate::conditions::{Conditions, Outage};
use crate::duration::spell;
use crate::plan::Plan;
use crate::report::ReportAdvice;
use sts_controller::object::RelatedObjects;
use sts_controller::simulate::Drained;

pub use answer::Verdict;
pub use change::{NodeError, after};

/// Actions on nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeActions {
    /// Nodes that take no more pods.
    pub cordon: Vec<String>,
    /// Nodes that are drained, one after the other.
    pub drain: Vec<String>,
    /// Nodes that stop answering: a name, or `zone=ZONE` for all of a zone.
    pub lose: Vec<String>,
    /// Nodes that come besides: how many, and the node that they are like.
    pub more: Vec<(usize, String)>,
}

impl NodeActions {
    /// Reports whether nothing is done to any node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == NodeActions::default()
    }

    /// Reports whether anything is done to a node that is there.
    #[must_use]
    pub fn acts(&self) -> bool {
        !self.cordon.is_empty() || self.moves_pods()
    }

    /// Reports whether pods leave nodes, and not only new ones stay away.
    pub(crate) fn moves_pods(&self) -> bool {
        !self.drain.is_empty() || !self.lose.is_empty()
    }
}

/// Returns what is taken for granted of nodes, in sentences.
#[must_use]
pub fn assumed(actions: &NodeActions, conditions: &Conditions) -> Vec<String> {
    let mut sentences = Vec::new();
    if !actions.drain.is_empty() {
        sentences.push(format!(
            "the drain of {} goes as kubectl drain does it; pods that are not of these sets stay as they are, and which node \
             takes an evicted pod is not known, only whether any does (if none does: --assume POD=never-ready; with one \
             more node: --assume nodes+1=NODE)",
            actions.drain.join(", ")
        ));
    }
    if !actions.lose.is_empty() {
        let grace = conditions.behaviour.version.node_monitor_grace_period();
        sentences.push(format!(
            "{} answers nothing from now on; that is noticed after {} (--node-monitor-grace-period of the controller \
             manager), and its kubelet ends no pod",
            actions.lose.join(", "),
            spell(grace)
        ));
    }
    let running: usize = conditions.outage.running.values().map(Vec::len).sum();
    if actions.acts() {
        sentences.push(format!(
            "the nodes are as full as the requests of the {running} pods that were read make them; any others that run there \
             leave less room"
        ));
    }
    for (count, like) in &actions.more {
        sentences.push(format!(
            "{count} more nodes like {like} are there, and empty (--assume)"
        ));
    }
    sentences
}

/// The course of a drain or a loss over some sets, before each is planned with it.
#[derive(Debug)]
pub struct Course {
    /// The outage that each set meets, in their order.
    pub outages: Vec<Arc<Outage>>,
    drained: Option<Drained>,
    advice: Vec<ReportAdvice>,
    began: Timestamp,
}

impl Course {
    /// The course over the sets of these plans, which were made as if nothing happened to their pods, with the nodes as
    /// they are afterwards.
    #[must_use]
    pub fn of(plans: &[Plan], actions: &NodeActions, related: &RelatedObjects) -> Self {
        let began = plans
            .first()
            .map_or_else(Timestamp::default, |plan| plan.conditions.now);
        let lost = change::lost(actions, related);
        let (drained, advice) = match actions.drain.is_empty() {
            true => (None, Vec::new()),
            false => {
                let drained = drain::run(plans, actions, related);
                let advice = advice::of(plans, actions, related, &drained);
                (Some(drained), advice)
            }
        };
        let outages = plans.iter().enumerate().map(|(at, plan)| {
            let mut outage = Outage::clone(&plan.conditions.outage);
            if let Some(drained) = &drained {
                outage.agenda.extend(drain::agenda(drained, at));
            }
            outage.agenda.extend(lost::agenda(plan, &lost));
            Arc::new(outage)
        });
        Course {
            outages: outages.collect(),
            drained,
            advice,
            began,
        }
    }
}
