//! Outcome for every partition: the revision of each pod at the end, and after a restart.

mod blocks;
mod report;

use std::sync::Arc;

use crate::plan::{Outcome, Plan, foresee, pods_of, world_after};
pub use report::{ReportPartition, ReportPartitions, ReportRestingPod};
use sts_controller::object::Strategy;
use sts_controller::simulate::{Action, World, run};

/// Maximum number of replicas for which every partition and pod is tried.
const ALL_OF: i32 = 20;
/// Maximum number of partitions to try for larger sets.
const MOST_PARTITIONS: i32 = 20;
/// Maximum number of pods to examine over all of them, whatever the budget, and the units of the budget for each.
const MOST_PODS: i32 = 60_000;
const UNITS_OF_A_POD: u64 = 1_600;

/// Reason why no partition was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum PartitionsSkipped {
    /// The API server rejects the change.
    Rejected,
    /// Pods or the set are deleted first.
    DeletesFirst,
    /// The update strategy is not `RollingUpdate`.
    NoPartition,
}

serialized!(text_by_name: PartitionsSkipped);

impl PartitionsSkipped {
    /// Returns the reason in a clause.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PartitionsSkipped::Rejected => "the API server refuses the change, so nothing happens",
            PartitionsSkipped::DeletesFirst => {
                "pods or the set are deleted first, or leave a node: leave that out"
            }
            PartitionsSkipped::NoPartition => "the update strategy has no partition",
        }
    }
}

pub(super) fn partitions(plan: &Plan) -> ReportPartitions {
    let set = &plan.snapshot.set;
    if matches!(plan.outcome, Outcome::Rejected(_)) {
        return skipped(PartitionsSkipped::Rejected);
    }
    if !plan.actions.is_empty() || !plan.conditions.outage.agenda.is_empty() {
        return skipped(PartitionsSkipped::DeletesFirst);
    }
    let Strategy::RollingUpdate(_) = &set.strategy else {
        return skipped(PartitionsSkipped::NoPartition);
    };
    let allowance = &plan.conditions.allowance;
    let question = allowance.question();
    let planned = set.strategy.partition();
    let replicas = set.replicas.max(0);
    let mut tried: Vec<i32> = if replicas <= ALL_OF {
        (0..=replicas).collect()
    } else {
        // Evenly spaced, including both ends and the planned partition.
        let affordable = i32::try_from(allowance.most() / UNITS_OF_A_POD).unwrap_or(i32::MAX);
        let parts = (affordable.min(MOST_PODS) / replicas).clamp(4, MOST_PARTITIONS);
        let step = |part: i32| i64::from(part) * i64::from(replicas) / i64::from(parts);
        let spaced = (0..=parts).map(|part| i32::try_from(step(part)).unwrap_or(replicas));
        spaced.chain([planned.clamp(0, replicas)]).collect()
    };
    tried.sort_unstable();
    tried.dedup();
    let all = usize::try_from(replicas).unwrap_or(0) + 1;
    tried.reverse();
    let ended = plan.under_partitions(&tried);
    let items = ended
        .iter()
        // Partitions that were cut off have no result.
        .take_while(|_| question.exhausted().is_none())
        .map(|(partition, progression, outcome)| ReportPartition {
            partition: *partition,
            planned: *partition == planned,
            result: outcome.result(),
            pods: at_rest(plan, &progression.world),
        });
    let items: Vec<ReportPartition> = items.collect();
    ReportPartitions {
        left_out: all - items.len(),
        items,
        skipped: None,
    }
}

fn skipped(why: PartitionsSkipped) -> ReportPartitions {
    ReportPartitions {
        items: Vec::new(),
        left_out: 0,
        skipped: Some(why),
    }
}

/// Returns the set's pods at the end, with the revisions of some of their replacements.
fn at_rest(plan: &Plan, end: &World) -> Vec<ReportRestingPod> {
    let mut pods: Vec<ReportRestingPod> = pods_of(end.snapshot())
        .map(|pod| ReportRestingPod {
            name: Arc::clone(&pod.meta.name),
            revision: Arc::clone(&pod.revision),
            comes_back_on: None,
        })
        .collect();
    pods.sort_by_key(|pod| std::cmp::Reverse(sts_controller::controller::ordinal_of(&pod.name)));
    let small = plan.snapshot.set.replicas <= ALL_OF;
    // In a run of pods on the same revision, only the outermost are tried.
    let outermost: Vec<bool> = (0..pods.len())
        .map(|at| {
            let differs = |other: Option<&ReportRestingPod>| {
                other.is_none_or(|other| other.revision != pods[at].revision)
            };
            differs(at.checked_sub(1).and_then(|at| pods.get(at))) || differs(pods.get(at + 1))
        })
        .collect();
    let behaviour = &plan.conditions.behaviour;
    let world = world_after(end, &plan.conditions);
    for (pod, outermost) in pods.iter_mut().zip(outermost) {
        if small || outermost {
            let mut deleted = world.branch();
            let action = Action::DeletePod(Arc::clone(&pod.name));
            if deleted.perform(&action, behaviour).is_err() {
                continue;
            }
            foresee(&mut deleted, &plan.conditions);
            let after = run(deleted, behaviour).world;
            let successor = after.snapshot().pods.get(&pod.name);
            pod.comes_back_on = successor
                .filter(|successor| !successor.is_terminating())
                .map(|successor| Arc::clone(&successor.revision));
        }
    }
    pods
}
