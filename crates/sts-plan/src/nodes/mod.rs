//! Effects of cordoned, drained and lost nodes on sets.
//!
//! Budgets may cover pods of several sets, so a drain is simulated for all sets together
//! ([`sts_controller::simulate::drain`]). Each set is then planned with its evictions. A lost node affects each set
//! independently.

mod advice;
mod aftermath;
mod answer;
mod assumed;
mod blocks;
mod change;
mod drain;
mod each;
mod for_good;
mod hope;
mod host_path;
mod kubectl;
mod lost;
mod maintenance;
mod others;
mod report;
mod sentence;
mod server;
mod silence;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use aftermath::Revisions;
use maintenance::{Maintenance, Scene};

use crate::conditions::Outage;
use crate::order::Order;
use crate::plan::Plan;
use sts_controller::object::RelatedObjects;
use sts_controller::simulate::{DrainEnd, Drained, GuardedBudget, OtherPods};

pub use answer::Verdict;
pub use assumed::assumed;
pub(crate) use assumed::assumed_of_any;
pub use change::NodeError;
pub(crate) use change::after;
pub use maintenance::{
    ReportBetterOrder, ReportMaintenance, ReportPodMove, ReportPodMoves, ReportRound,
    ReportSwitchovers,
};
pub use report::{
    DrainFlag, DrainedNode, NodesOfSet, ReportAdvice, ReportEachNode, ReportEviction,
    ReportHomeless, ReportLostPod, ReportMove, ReportNodes, ReportOtherPod, ReportStranded,
    StrandedReason,
};
pub use sentence::{nodes_headline, waits_for};
pub use server::{ReportServerAnswer, ServerAnswer};

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
    /// Return of the drained nodes: they are maintained one after the other. `None` if they go for good.
    pub returns: Option<NodeReturn>,
    /// True if the server is asked for each eviction in a dry run.
    pub asks_server: bool,
    /// Order of pods, which names the primaries of a maintenance.
    pub order: Order,
    /// Time after the start of a node's drain at which budgets are ignored; `None` for never.
    pub budgets_ignored_after: Option<SignedDuration>,
}

/// Return of drained nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeReturn {
    /// Time from the end of a drain until the nodes are uncordoned.
    pub after: SignedDuration,
    /// Number of nodes that are away at once.
    pub at_once: usize,
}

impl NodeActions {
    /// Reports whether there are no actions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == NodeActions::default()
    }

    /// Reports whether every node is drained by itself, as if no other were. Nodes that return are drained one after the
    /// other instead.
    #[must_use]
    pub fn is_each(&self) -> bool {
        self.drains_for_good() && matches!(self.drain.as_slice(), [only] if only == EACH)
    }

    /// Reports whether nodes are drained at the beginning, and stay away.
    pub(crate) fn drains_for_good(&self) -> bool {
        self.returns.is_none()
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

/// Grace period in seconds from which on the first sentence names it.
const LONG_GRACE: i64 = 300;

/// The course of a drain or a loss, before each set is planned with it.
#[derive(Debug)]
pub struct Course {
    /// Outage of each set, in their order.
    pub outages: Vec<Arc<Outage>>,
    drained: Option<Drained>,
    /// Pods that are not ready now and have to become ready elsewhere, so that the drain completes.
    rests_on: Vec<String>,
    /// True if the first evictions come before the first syncs of the controllers.
    is_before_controllers: bool,
    advice: Vec<ReportAdvice>,
    /// Flags that kubectl needs.
    flags: Vec<DrainFlag>,
    /// Revisions of the pods of each set at the end of its plan without evictions.
    revisions: Vec<Revisions>,
    /// The longest grace period of the evicted pods in seconds, if it is long.
    longest_grace: Option<i64>,
    /// Pods of other owners, as read.
    others: OtherPods,
    /// Pods of other owners on lost nodes.
    lost_pods: Vec<ReportLostPod>,
    maintenance: Option<ReportMaintenance>,
    has_all_pods: bool,
    /// Steps for nodes that go for good, of each set.
    for_good: Vec<Vec<ReportAdvice>>,
    /// Evictions as they are foretold, to be sent to the server.
    foretold: Vec<ReportServerAnswer>,
    began: Timestamp,
}

/// Extent of a course. Advice is tried, which takes a drain or a plan for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The evictions, where they lead, and the pods on which that rests.
    Outcome,
    /// The same, and what to do.
    Advice,
}

impl Course {
    /// Returns the course for the sets of these plans, which must be made with the changed nodes but without evictions.
    #[must_use]
    pub fn of(
        plans: &[Plan],
        actions: &NodeActions,
        related: &RelatedObjects,
        extent: Extent,
    ) -> Self {
        let began = plans
            .first()
            .map_or_else(Timestamp::default, |plan| plan.conditions.now);
        let lost = plans
            .first()
            .map_or_else(BTreeSet::new, |plan| plan.conditions.outage.lost.clone());
        if let Some(scene) = Scene::of(plans, actions, related) {
            return Course::of_maintenance(&scene);
        }
        let taints = lost::Taints::of(&lost, related);
        let order = match actions.drain.is_empty() {
            true => None,
            false => drain::worse_order(plans, actions, related),
        };
        let drained = order.as_ref().map(|order| order.drained.clone());
        let (flags, others) = match plans.first() {
            Some(plan) if drained.is_some() || !lost.is_empty() => (
                kubectl::flags(actions, &plan.conditions),
                others::of(plans, &plan.conditions),
            ),
            _ => (Vec::new(), OtherPods::default()),
        };
        let lost_pods = match plans.first() {
            Some(plan) if !lost.is_empty() => others::on_lost_nodes(&others, &plan.conditions),
            _ => Vec::new(),
        };
        let outages = plans.iter().enumerate().map(|(at, plan)| {
            let mut outage = Outage::clone(&plan.conditions.outage);
            if let Some(order) = &order {
                order.add_to(&mut outage, at, began);
            }
            outage.agenda.extend(lost::agenda(plan, &taints));
            Arc::new(outage)
        });
        let rests_on = match &drained {
            Some(drained) => hope::of(plans, drained, &|plans| drain::run(plans, actions, related)),
            None => Vec::new(),
        };
        let mut advice = Vec::new();
        let mut for_good = vec![Vec::new(); plans.len()];
        if extent == Extent::Advice {
            advice = silence::warnings(plans, related);
            if let Some(drained) = &drained {
                let rerun = |change: &dyn Fn(GuardedBudget) -> GuardedBudget| {
                    drain::run_with(plans, actions, related, change)
                };
                advice.extend(advice::of(plans, related, drained, "drain", &rerun));
                for (at, plan) in plans.iter().enumerate() {
                    if drained.stranded.iter().all(|one| one.set != Some(at)) {
                        for_good[at] = for_good::steps(plan, actions, &flags);
                    }
                }
            }
        }
        let longest_grace = drained.as_ref().and_then(|it| longest_grace(plans, it));
        Course {
            outages: outages.collect(),
            drained,
            rests_on,
            is_before_controllers: order.is_some_and(|order| order.is_before_controllers),
            advice,
            flags,
            revisions: revisions(plans),
            longest_grace,
            others,
            lost_pods,
            maintenance: None,
            for_good,
            has_all_pods: has_all_pods(plans),
            foretold: foretold(plans, actions, related),
            began,
        }
    }

    /// Returns the course of a maintenance. The nodes of the plans are those before it.
    fn of_maintenance(scene: &Scene<'_>) -> Self {
        let plans = scene.plans;
        let nodes: Vec<Arc<str>> = scene
            .actions
            .drain
            .iter()
            .map(|it| Arc::from(&**it))
            .collect();
        let _question = scene.allowance.question();
        let maintenance = scene.run(&nodes);
        let rests_on = |nodes: &[Arc<str>], found: &Maintenance| {
            hope::of(plans, &found.drained, &|plans| match Scene::of(
                plans,
                scene.actions,
                scene.related,
            ) {
                Some(scene) => scene.run(nodes).drained,
                None => Drained::of_nothing(scene.began()),
            })
        };
        let better = maintenance::better(scene, &nodes, &maintenance);
        let better = better.filter(|(nodes, found)| rests_on(nodes, found).is_empty());
        let rests_on = rests_on(&nodes, &maintenance);
        let rerun = |change: &dyn Fn(GuardedBudget) -> GuardedBudget| {
            scene.with_budgets(change).run(&nodes).drained
        };
        let mut advice = advice::of(
            plans,
            scene.related,
            &maintenance.drained,
            "maintenance",
            &rerun,
        );
        let one_at_a_time = match maintenance.drained.end {
            DrainEnd::Done(_) => None,
            _ => scene.one_at_a_time(&nodes),
        };
        advice.splice(..0, one_at_a_time);
        let report = ReportMaintenance::of(scene, &maintenance, better);
        let outages = plans
            .iter()
            .zip(&maintenance.agendas)
            .map(|(plan, agenda)| {
                let mut outage = Outage::clone(&plan.conditions.outage);
                outage.agenda.extend(agenda.iter().cloned());
                Arc::new(outage)
            });
        Course {
            outages: outages.collect(),
            flags: maintenance
                .rounds
                .first()
                .map_or_else(Vec::new, |round| round.flags.clone()),
            advice,
            revisions: revisions(plans),
            longest_grace: longest_grace(plans, &maintenance.drained),
            others: scene.others.clone(),
            lost_pods: Vec::new(),
            maintenance: Some(report),
            for_good: Vec::new(),
            has_all_pods: has_all_pods(plans),
            foretold: foretold(plans, scene.actions, scene.related),
            began: scene.began(),
            rests_on,
            is_before_controllers: false,
            drained: Some(maintenance.drained),
        }
    }
}

/// Returns the evictions to ask the server for; none unless requested.
fn foretold(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
) -> Vec<ReportServerAnswer> {
    match actions.asks_server {
        true => server::foretold(plans, actions, related),
        false => Vec::new(),
    }
}

/// Returns the longest grace period of the evicted pods in seconds, if it is long.
fn longest_grace(plans: &[Plan], drained: &Drained) -> Option<i64> {
    let evicted = drained.evictions.iter();
    let evicted: BTreeSet<_> = evicted.map(|step| (&step.namespace, &step.pod)).collect();
    let pods = plans.first()?.conditions.outage.pods.iter();
    let of_pods = pods.filter(|pod| evicted.contains(&(&pod.meta.namespace, &pod.meta.name)));
    let longest = of_pods.map(|pod| pod.grace_seconds).max();
    longest.filter(|seconds| *seconds >= LONG_GRACE)
}

fn has_all_pods(plans: &[Plan]) -> bool {
    let mut plans = plans.iter();
    plans.all(|plan| plan.conditions.has_all_pods)
}

/// Returns the revisions of the pods of each set at the end of its plan.
fn revisions(plans: &[Plan]) -> Vec<Revisions> {
    let revisions = plans.iter().map(|plan| {
        let pods = plan.final_pods();
        pods.map(|pod| (Arc::clone(&pod.meta.name), Arc::clone(&pod.revision)))
            .collect()
    });
    revisions.collect()
}
