//! Evictions of a drain as the server would answer them now, to be compared with its own answers to dry runs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{NodeActions, drain, others, waits_for};
use crate::plan::Plan;
use sts_controller::object::{Pod, RelatedObjects, Snapshot};
use sts_controller::simulate::{Eviction, PodOwner, Population, WaitsFor, evict};

/// Eviction of a pod now: foretold, and the server's answer to a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportServerAnswer {
    /// Namespace of the pod.
    pub namespace: String,
    /// Pod name.
    pub pod: String,
    /// Node of the pod.
    pub node: String,
    /// True if the eviction is foretold to be granted.
    pub foretold: bool,
    /// Reason that it is foretold to be refused, in a clause; absent if granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foretold_reason: Option<String>,
    /// Answer of the server.
    pub answer: ServerAnswer,
    /// Message of the server; absent if granted or not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Answer of a server to an eviction in a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ServerAnswer {
    /// The eviction would be granted.
    Granted,
    /// A budget refuses it for now (429).
    Refused,
    /// It fails (any other error), such as with several budgets.
    Fails,
    /// The pod no longer exists.
    Gone,
    /// The account may not evict pods, or the server was not asked.
    NotAsked,
}

impl ReportServerAnswer {
    /// Reports whether the server was asked and answers otherwise than foretold.
    #[must_use]
    pub fn differs(&self) -> bool {
        match self.answer {
            ServerAnswer::Granted => !self.foretold,
            ServerAnswer::Refused | ServerAnswer::Fails => self.foretold,
            ServerAnswer::Gone => true,
            ServerAnswer::NotAsked => false,
        }
    }
}

/// Returns the evictions of all pods on the drained nodes that kubectl evicts, each as if it were the first.
pub(super) fn foretold(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
) -> Vec<ReportServerAnswer> {
    let Some(first) = plans.first() else {
        return Vec::new();
    };
    let others = others::of(plans, &first.conditions);
    let budgets = drain::budgets(plans, &others, related);
    let read: Vec<&Snapshot> = plans.iter().map(|plan| plan.observed.objects()).collect();
    let population = Population {
        sets: &read,
        others: &others,
    };
    let version = first.conditions.behaviour.version;
    let outage = &first.conditions.outage;
    let on_nodes = actions.drain.iter().filter_map(|node| {
        let residents = outage.running.get(node.as_str())?;
        Some(residents.iter().map(move |resident| (node, &resident.pod)))
    });
    let evicted = on_nodes
        .flatten()
        .filter(|(_, pod)| !PodOwner::of(pod).is_ignored());
    let answer = |(node, pod): (&String, &Arc<Pod>)| {
        let answer = evict(pod, &pod.meta.namespace, &budgets, population, version);
        let reason = match answer {
            Eviction::Deletes => None,
            Eviction::Refused { budget, count } => {
                Some(waits_for(&WaitsFor::Budget(budget, count)))
            }
            Eviction::Closed { budget, why } => {
                Some(waits_for(&WaitsFor::ClosedBudget(budget, why)))
            }
            Eviction::SeveralBudgets(names) => Some(waits_for(&WaitsFor::SeveralBudgets(names))),
        };
        ReportServerAnswer {
            namespace: pod.meta.namespace.to_string(),
            pod: pod.meta.name.to_string(),
            node: node.clone(),
            foretold: reason.is_none(),
            foretold_reason: reason,
            answer: ServerAnswer::NotAsked,
            message: None,
        }
    };
    evicted.map(answer).collect()
}
