//! Effects of cordoned, drained and lost nodes on sets.
//!
//! Budgets may cover pods of several sets, so a drain is simulated for all sets together
//! ([`sts_controller::simulate::drain`]). Each set is then planned with its evictions. A lost node affects each set
//! independently.

mod advice;
mod aftermath;
mod answer;
mod assumed;
mod change;
mod drain;
mod each;
mod kubectl;
mod lost;
mod others;
mod report;
mod sentence;

use std::sync::Arc;

use jiff::Timestamp;

use aftermath::Revisions;

use crate::conditions::Outage;
use crate::plan::Plan;
use sts_controller::object::RelatedObjects;
use sts_controller::simulate::{Drained, OtherPods};

pub use answer::Verdict;
pub use assumed::assumed;
pub use change::{NodeError, after};
pub use report::{
    DrainFlag, DrainedNode, NodesOfSet, ReportAdvice, ReportEachNode, ReportEviction,
    ReportHomeless, ReportMove, ReportNodes, ReportOtherPod, ReportStranded, StrandedReason,
};
pub use sentence::{nodes_headline, waits_for};

/// Word for every node, each drained by itself.
pub const EACH: &str = "each";

/// Actions on nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeActions {
    /// Nodes to cordon.
    pub cordon: Vec<String>,
    /// Nodes to drain, one after the other: a name, `zone=ZONE` or `LABEL=VALUE`. `each` alone drains every node by itself.
    pub drain: Vec<String>,
    /// Lost nodes: a name, or `zone=ZONE` for all nodes of a zone.
    pub lose: Vec<String>,
    /// Additional nodes: their number, and the node to copy.
    pub more: Vec<(usize, String)>,
}

impl NodeActions {
    /// Reports whether there are no actions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == NodeActions::default()
    }

    /// Reports whether every node is drained by itself.
    #[must_use]
    pub fn is_each(&self) -> bool {
        matches!(self.drain.as_slice(), [only] if only == EACH)
    }

    /// Returns the same actions with names in place of zones and labels.
    ///
    /// # Errors
    /// When a node, a zone or a label does not exist.
    pub fn resolved(&self, related: &RelatedObjects) -> Result<Self, NodeError> {
        Ok(NodeActions {
            drain: change::names(&self.drain, related)?,
            ..self.clone()
        })
    }

    /// Reports whether an existing node is affected.
    #[must_use]
    pub fn acts(&self) -> bool {
        !self.cordon.is_empty() || self.moves_pods()
    }

    /// Reports whether existing pods are affected.
    pub(crate) fn moves_pods(&self) -> bool {
        !self.drain.is_empty() || !self.lose.is_empty()
    }
}

/// The course of a drain or a loss, before each set is planned with it.
#[derive(Debug)]
pub struct Course {
    /// Outage of each set, in their order.
    pub outages: Vec<Arc<Outage>>,
    drained: Option<Drained>,
    advice: Vec<ReportAdvice>,
    /// Flags that kubectl needs.
    flags: Vec<DrainFlag>,
    /// Revisions of the pods of each set at the end of its plan without evictions.
    revisions: Vec<Revisions>,
    /// Pods of other owners, as read.
    others: OtherPods,
    began: Timestamp,
}

impl Course {
    /// Returns the course for the sets of these plans, which must be made with the changed nodes but without evictions.
    #[must_use]
    pub fn of(plans: &[Plan], actions: &NodeActions, related: &RelatedObjects) -> Self {
        let began = plans
            .first()
            .map_or_else(Timestamp::default, |plan| plan.conditions.now);
        let lost = change::lost(actions, related);
        let taints = lost::Taints::of(&lost, related);
        let (drained, advice) = match actions.drain.is_empty() {
            true => (None, Vec::new()),
            false => {
                let drained = drain::run(plans, actions, related);
                let advice = advice::of(plans, actions, related, &drained);
                (Some(drained), advice)
            }
        };
        let (flags, others) = match plans.first() {
            Some(plan) if drained.is_some() => (
                kubectl::flags(actions, &plan.conditions),
                others::of(plans, &plan.conditions),
            ),
            _ => (Vec::new(), OtherPods::default()),
        };
        let revisions = plans.iter().map(|plan| {
            let pods = plan.final_pods();
            pods.map(|pod| (Arc::clone(&pod.meta.name), Arc::clone(&pod.revision)))
                .collect()
        });
        let outages = plans.iter().enumerate().map(|(at, plan)| {
            let mut outage = Outage::clone(&plan.conditions.outage);
            if let Some(drained) = &drained {
                outage.agenda.extend(drain::agenda(drained, at));
            }
            outage.agenda.extend(lost::agenda(plan, &lost, &taints));
            Arc::new(outage)
        });
        Course {
            outages: outages.collect(),
            drained,
            advice,
            flags,
            revisions: revisions.collect(),
            others,
            began,
        }
    }
}
