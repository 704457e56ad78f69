//! The answer to node actions: the outcome of the drain, the evictions of each set, and the pods that stay down.

use jiff::{SignedDuration, Timestamp};

use std::sync::Arc;

use super::aftermath::{Aftermath, Shared};
use super::{
    Course, DrainedNode, NodeActions, NodesOfSet, ReportEviction, ReportNodes, ReportOtherPod,
    ReportStranded, StrandedReason, advice, kubectl, others,
};
use crate::plan::{Availability, Plan};
use crate::requirement::majority;
use sts_controller::simulate::{DrainEnd, WaitsFor};

/// The outcome of node actions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// The drain completes.
    Ends,
    /// The drain waits forever.
    Hangs,
    /// The drain fails with an error.
    Fails,
    /// The outcome is unknown: pods are replaced forever.
    Unknown,
    /// Nothing is drained.
    #[default]
    NoDrain,
}

serialized!(by_name: Verdict);

impl Course {
    /// Returns the answer for the set at this index, given its plan with the evictions.
    #[must_use]
    pub fn of_set(&self, at: usize, plan: &Plan) -> NodesOfSet {
        let since = |moment: Timestamp| moment.duration_since(self.began);
        let set = &plan.snapshot.set;
        let availability = Availability::of(plan);
        let lowest_ready = availability.lowest_ready(set.replicas);
        let needed = usize::try_from(majority(i64::from(set.replicas))).unwrap_or(0);
        let drained = self.drained.iter();
        let evictions = drained.clone().flat_map(|drained| &drained.evictions);
        let evictions = evictions.filter(|step| step.set == Some(at));
        let evictions = evictions.map(|step| ReportEviction {
            pod: step.pod.to_string(),
            node: step.node.to_string(),
            at: since(step.at).as_secs(),
            refused: step.refused,
            forced: step.forced,
        });
        let stranded = drained.flat_map(|drained| &drained.stranded);
        let stranded = stranded.filter(|one| one.set == Some(at));
        let stranded = stranded.map(|one| stranded_pod(&one.pod, &one.node, &one.waits_for));
        let shared = Shared {
            drained: self.drained.as_ref(),
            others: &self.others,
            returns: self.maintenance.is_some(),
        };
        let after = Aftermath::of(at, plan, self.revisions.get(at), shared);
        NodesOfSet {
            namespace: set.meta.namespace.to_string(),
            name: set.meta.name.to_string(),
            replicas: set.replicas,
            evictions: evictions.collect(),
            stranded: stranded.collect(),
            homeless: after.homeless,
            delayed: after.delayed,
            uncertain: after.uncertain,
            updated: after.updated,
            returning: after.returning,
            preempting: after.preempting,
            leaving_data: after.leaving_data,
            for_good: self.for_good.get(at).cloned().unwrap_or_default(),
            advice: advice::of_lost(plan),
            most_down: availability.most_down,
            lowest_ready,
            loses_quorum: set.replicas > 2 && lowest_ready < needed,
        }
    }

    /// Returns the answer for all sets.
    #[must_use]
    pub fn answer(&self, actions: &NodeActions, sets: Vec<NodesOfSet>) -> ReportNodes {
        let since = |moment: Timestamp| moment.duration_since(self.began);
        let (verdict, at) = match self.drained.as_ref().map(|drained| drained.end) {
            None => (Verdict::NoDrain, SignedDuration::ZERO),
            Some(DrainEnd::Done(at)) => (Verdict::Ends, since(at)),
            Some(DrainEnd::Hangs(at)) => (Verdict::Hangs, since(at)),
            Some(DrainEnd::Fails(at)) => (Verdict::Fails, since(at)),
            Some(DrainEnd::Unknown(at)) => (Verdict::Unknown, since(at)),
        };
        let drained = self.drained.iter().flat_map(|drained| &drained.nodes);
        let drain = actions.drain.iter().map(|node| {
            let found = drained.clone().find(|(name, _)| **name == **node);
            DrainedNode {
                node: node.clone(),
                at: found.map(|(_, at)| since(*at).as_secs()),
            }
        });
        let mut nodes = ReportNodes {
            cordon: actions.cordon.clone(),
            drain: drain.collect(),
            lose: actions.lose.clone(),
            verdict,
            at: at.as_secs(),
            summary: String::new(),
            advice: {
                let of_sets = advice::of_sets(&sets);
                self.advice.iter().cloned().chain(of_sets).collect()
            },
            sets,
            each: Vec::new(),
            assumed: Vec::new(),
            command: match actions.drain.is_empty() {
                true => String::new(),
                false => self.command(actions),
            },
            maintenance: self.maintenance.clone(),
            server: self.foretold.clone(),
            all_pods_read: self.has_all_pods,
            flags: self.flags.clone(),
            other_pods: self.other_pods(),
            lost_pods: self.lost_pods.clone(),
            longest_grace: self.longest_grace,
            rests_on: self.rests_on.clone(),
            removed_otherwise: self
                .drained
                .as_ref()
                .map_or(0, |drained| drained.removed_otherwise),
        };
        nodes.summary = super::nodes_headline(&nodes);
        nodes
    }
}

impl Course {
    /// Returns the kubectl command of the drain; of a maintenance, the one of its first nodes.
    fn command(&self, actions: &NodeActions) -> String {
        let rounds = self.maintenance.iter().flat_map(|it| &it.rounds);
        let mut commands = rounds.flat_map(|round| &round.commands);
        match commands.next() {
            Some(first) => first.clone(),
            None => kubectl::command(actions, &self.flags),
        }
    }

    /// Returns the pods of other owners that the drain evicts or leaves.
    fn other_pods(&self) -> Vec<ReportOtherPod> {
        let Some(drained) = &self.drained else {
            return Vec::new();
        };
        let row = |namespace: &Arc<str>, pod: &Arc<str>, node: &Arc<str>| {
            let found = self.others.present().map(|(_, other)| other).find(|other| {
                other.pod.meta.namespace == *namespace && other.pod.meta.name == *pod
            });
            ReportOtherPod {
                namespace: namespace.to_string(),
                pod: pod.to_string(),
                owner: found.map_or_else(String::new, |other| others::owner_in_words(&other.pod)),
                node: node.to_string(),
                at: None,
                refused: 0,
                forced: false,
                comes_back: found.is_some_and(|other| other.returns),
                stranded: None,
            }
        };
        let evicted = drained.evictions.iter().filter(|step| step.set.is_none());
        let mut rows: Vec<ReportOtherPod> = evicted
            .map(|step| ReportOtherPod {
                at: Some(step.at.duration_since(self.began).as_secs()),
                refused: step.refused,
                forced: step.forced,
                ..row(&step.namespace, &step.pod, &step.node)
            })
            .collect();
        for one in drained.stranded.iter().filter(|one| one.set.is_none()) {
            let stranded = Some(stranded_pod(&one.pod, &one.node, &one.waits_for));
            let is_it =
                |row: &&mut ReportOtherPod| row.namespace == *one.namespace && row.pod == *one.pod;
            match rows.iter_mut().find(is_it) {
                Some(row) => row.stranded = stranded,
                None => rows.push(ReportOtherPod {
                    stranded,
                    ..row(&one.namespace, &one.pod, &one.node)
                }),
            }
        }
        rows
    }
}

/// Returns a pod that a drain cannot evict, with the reason.
fn stranded_pod(pod: &str, node: &str, waits_for: &WaitsFor) -> ReportStranded {
    let (reason, budgets, count) = match waits_for {
        WaitsFor::Budget(budget, count) => (
            StrandedReason::Budget,
            vec![budget.to_string()],
            Some(count),
        ),
        WaitsFor::ClosedBudget(budget, _) => {
            (StrandedReason::Budget, vec![budget.to_string()], None)
        }
        WaitsFor::SeveralBudgets(names) => {
            let names = names.iter().map(ToString::to_string);
            (StrandedReason::SeveralBudgets, names.collect(), None)
        }
        WaitsFor::Termination => (StrandedReason::Termination, Vec::new(), None),
    };
    ReportStranded {
        pod: pod.to_owned(),
        node: node.to_owned(),
        reason,
        budgets,
        desired_healthy: count.map(|count| count.desired),
        current_healthy: count.map(|count| count.current),
        message: super::waits_for(waits_for),
    }
}
