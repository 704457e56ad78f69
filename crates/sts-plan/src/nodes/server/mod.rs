//! Evictions of a drain as the server would answer them now, to be compared with its own answers to dry runs.

mod report;

use std::sync::Arc;

use super::{NodeActions, drain, others, waits_for};
use crate::plan::Plan;
use sts_controller::object::{Pod, RelatedObjects, Snapshot};
use sts_controller::simulate::{Eviction, PodOwner, Population, WaitsFor, evict};

pub use report::{ReportServerAnswer, ServerAnswer};

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
