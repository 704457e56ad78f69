//! The next command of a rollout that is waiting for its user.
//!
//! There is none while a change is in progress, so that pods are replaced one at a time. The command is simulated first. It
//! is held back if it would violate a requirement, exceed a budget or lose quorum.

mod sentence;

use std::sync::Arc;

use crate::analysis::{Analysis, Verdict};
use crate::options::{Label, Order, after, with_edit};
use crate::plan::{Availability, Obstacle, Outcome, Plan, Unobserved, owns, pods_of};
use crate::remedy::{Remedy, RemedyAction};
use crate::requirement::{BrokenAt, Requirement, check, majority};
use sts_controller::apiserver::apply::Edit;
use sts_controller::controller::{Hold, Resource, ordinal_of};
use sts_controller::object::{Pod, Strategy};
use sts_controller::simulate::{
    BudgetCount, Eviction, GuardedBudget, OtherPods, Population, StepAction, evict,
};

pub use sentence::{next_command, next_text};

/// The next command, or the reason that there is none.
#[derive(Debug, Clone)]
pub enum Next {
    /// The action can be taken now.
    Run(NextMove),
    /// No action yet.
    Wait(Waiting),
    /// No action, until the user intervenes.
    Held(Held),
    /// Nothing is left to do.
    Done,
}

/// An action that can be taken now.
#[derive(Debug, Clone)]
pub struct NextMove {
    /// Action to take.
    pub action: RemedyAction,
    /// Pod that it replaces.
    pub pod: Arc<str>,
    /// Number of pods to replace after it.
    pub left: usize,
}

/// The event to wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// The controller has not observed the latest generation.
    Unobserved(Unobserved),
    /// Pods are created, replaced or starting.
    UnderWay,
    /// No pod has the label of the pods to replace last.
    NoneLast(Label),
    /// A budget allows no disruption while a pod is unhealthy.
    Budget(Arc<str>, BudgetCount),
}

/// The reason that no action is allowed.
#[derive(Debug, Clone)]
pub enum Held {
    /// The input is incomplete.
    Incomplete,
    /// The set is being deleted.
    Deleted,
    /// The set is stuck or never settles.
    Stuck,
    /// The next pod would not come back.
    StuckAfter(Arc<str>, Option<Obstacle>),
    /// Replacing the pod would violate a requirement.
    Requirement(Arc<str>, String, BrokenAt),
    /// Replacing the pod would lose quorum: the numbers of ready and of needed pods.
    Quorum(Arc<str>, usize, usize),
    /// A budget allows no disruption although all its pods are healthy.
    Budget(Arc<str>, BudgetCount),
}

/// Returns the next command of a plan without a change.
#[must_use]
pub fn next(analysis: &Analysis<'_>, order: &Order, requirements: &[Requirement]) -> Next {
    let plan = analysis.plan;
    if analysis.verdict == Verdict::IncompleteInput {
        return Next::Held(Held::Incomplete);
    }
    if plan.snapshot.set.is_terminating() {
        return Next::Held(Held::Deleted);
    }
    if let Some(unobserved) = plan.unobserved() {
        return Next::Wait(Waiting::Unobserved(unobserved));
    }
    if is_under_way(plan) {
        return Next::Wait(Waiting::UnderWay);
    }
    match &plan.outcome {
        Outcome::Complete => at_rest(plan, order, requirements),
        Outcome::Blocked(_) => match repair(analysis) {
            Some(pod) => Next::Run(NextMove {
                left: outdated(plan).len().saturating_sub(1),
                action: RemedyAction::DeletePod(Arc::clone(&pod)),
                pod,
            }),
            None => Next::Held(Held::Stuck),
        },
        Outcome::Livelock | Outcome::Rejected(_) => Next::Held(Held::Stuck),
    }
}

/// Reports whether the plan still changes pods.
fn is_under_way(plan: &Plan) -> bool {
    plan.progression
        .steps
        .iter()
        .any(|step| match &step.action {
            StepAction::Controller(writes) => writes
                .iter()
                .any(|write| write.refused.is_none() && write.resource == Resource::Pods),
            StepAction::Pod(..) | StepAction::Object(..) => true,
            StepAction::ClaimRemoved(_) => false,
        })
}

/// Returns the outdated pods that are waiting for the user.
fn outdated(plan: &Plan) -> Vec<&Arc<Pod>> {
    let holds = plan.last.holds.iter();
    let held = holds.filter_map(|hold| match hold {
        Hold::OnDelete { pod, .. } | Hold::HeldByPartition { pod, .. } => Some(pod),
        _ => None,
    });
    held.collect()
}

/// Returns the outdated pod of a stuck `OnDelete` set whose deletion is the first remedy.
fn repair(analysis: &Analysis<'_>) -> Option<Arc<str>> {
    let plan = analysis.plan;
    let Strategy::OnDelete(_) = plan.snapshot.set.strategy else {
        return None;
    };
    let remedies = analysis.diagnoses.iter().flat_map(|it| &it.remedies);
    let mut helping = remedies.filter(|remedy| remedy.is_fix());
    let Remedy { actions, trial, .. } = helping.next()?;
    let [RemedyAction::DeletePod(name)] = actions.as_slice() else {
        return None;
    };
    let is_outdated = outdated(plan).iter().any(|pod| pod.meta.name == *name);
    (is_outdated && trial.also_deleted.is_empty()).then(|| Arc::clone(name))
}

/// Returns the next command of a settled set.
fn at_rest(plan: &Plan, order: &Order, requirements: &[Requirement]) -> Next {
    let waiting = outdated(plan);
    let rolls = matches!(plan.snapshot.set.strategy, Strategy::RollingUpdate(_));
    let next = match rolls {
        // The controller's order: from the highest ordinal down.
        true => waiting.iter().max_by_key(|pod| ordinal_of(&pod.meta.name)),
        false => waiting.iter().min_by_key(|pod| order.sort_key(pod)),
    };
    let Some(pod) = next.map(|pod| Arc::clone(pod)) else {
        return Next::Done;
    };
    let mut own = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    if let Some(label) = order.last.as_ref().filter(|_| !rolls)
        && !own.any(|pod| order.is_last(pod))
    {
        return Next::Wait(Waiting::NoneLast(label.clone()));
    }
    let name = Arc::clone(&pod.meta.name);
    let stuck = || Next::Held(Held::StuckAfter(Arc::clone(&name), None));
    let moved = match rolls {
        true => lowered(plan, &pod),
        false => {
            let action = RemedyAction::DeletePod(Arc::clone(&name));
            let request = action.entry(plan, &plan.snapshot, &[]).request;
            request
                .and_then(|request| after(plan, request))
                .map(|after| (action, after))
        }
    };
    let Some((action, after)) = moved else {
        return stuck();
    };
    match held_back(plan, &after, &pod, requirements) {
        Some(held) => held,
        None => Next::Run(NextMove {
            action,
            pod: name,
            left: waiting.len().saturating_sub(1),
        }),
    }
}

/// Returns the partition that updates this pod, with its plan.
fn lowered(plan: &Plan, pod: &Pod) -> Option<(RemedyAction, Plan)> {
    let behaviour = &plan.conditions.behaviour;
    let slot = behaviour.slot(&plan.snapshot.set, ordinal_of(&pod.meta.name))?;
    let slot = i32::try_from(slot).ok()?;
    let after = with_edit(plan, &Edit::partition(slot))?;
    Some((RemedyAction::Partition(slot), after))
}

/// Checks the plan after an action against requirements, budgets and the quorum.
fn held_back(
    plan: &Plan,
    after: &Plan,
    pod: &Arc<Pod>,
    requirements: &[Requirement],
) -> Option<Next> {
    let name = || Arc::clone(&pod.meta.name);
    if !after.completes() {
        let left = after.outcome.obstacles().first().cloned();
        return Some(Next::Held(Held::StuckAfter(name(), left)));
    }
    let checked = check(after, requirements).into_iter();
    let broken = checked.filter_map(|it| Some((it.text, it.broken_at?)));
    if let Some((requirement, broken)) = broken.into_iter().next() {
        return Some(Next::Held(Held::Requirement(name(), requirement, broken)));
    }
    if let Some((budget, count)) = refused_by_budget(plan, pod) {
        return Some(match count.current < count.expected {
            true => Next::Wait(Waiting::Budget(budget, count)),
            false => Next::Held(Held::Budget(budget, count)),
        });
    }
    let replicas = plan.snapshot.set.replicas;
    let lowest = Availability::of(after).lowest_ready(replicas);
    let needed = usize::try_from(majority(i64::from(replicas))).unwrap_or(0);
    (replicas > 2 && lowest < needed).then(|| Next::Held(Held::Quorum(name(), lowest, needed)))
}

/// Returns the budget that prevents the eviction of a pod, with its count. Each budget is checked separately, because the
/// eviction API refuses pods with several budgets anyway.
fn refused_by_budget(plan: &Plan, pod: &Pod) -> Option<(Arc<str>, BudgetCount)> {
    let world = plan.initial_world().0;
    let others = OtherPods::default();
    let population = Population {
        sets: &[world.snapshot()],
        others: &others,
    };
    let namespace = &plan.snapshot.set.meta.namespace;
    let version = plan.conditions.behaviour.version;
    let mut budgets = plan.related.budgets(namespace);
    budgets.find_map(|budget| {
        let guarded = [GuardedBudget::new(Arc::clone(budget), population)];
        let count = guarded[0].count(population);
        match evict(pod, namespace, &guarded, population, version) {
            Eviction::Refused { budget, .. } | Eviction::Closed { budget, .. } => {
                Some((budget, count))
            }
            Eviction::Deletes | Eviction::SeveralBudgets(_) => None,
        }
    })
}
