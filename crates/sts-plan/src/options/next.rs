//! The next command of a rollout that waits for its user: the one that may be run now, or why none may.
//!
//! Nothing is run while anything is under way, since one pod at a time is what a stateful set bears. What is run is
//! simulated first, and held back where a requirement breaks, a budget would not let the eviction API do it, or the quorum
//! is lost.

use std::sync::Arc;

use super::chain::{after, with_edit};
use super::order::{Label, Order};
use crate::analysis::{Analysis, Verdict};
use crate::plan::{Availability, Obstacle, Outcome, Plan, Unobserved, owns, pods_of};
use crate::remedy::{Remedy, RemedyAction};
use crate::requirement::{BrokenAt, Requirement, check, majority};
use sts_controller::apiserver::apply::Edit;
use sts_controller::controller::{Hold, Resource, ordinal_of};
use sts_controller::object::{Pod, Strategy};
use sts_controller::simulate::{BudgetCount, Eviction, GuardedBudget, StepAction, evict};

/// The next command, or why there is none.
#[derive(Debug, Clone)]
pub enum Next {
    /// This may be done now.
    Run(NextMove),
    /// Nothing may be done yet.
    Wait(Waiting),
    /// Nothing may be done, and that does not change by itself.
    Held(Held),
    /// Nothing is left to do.
    Done,
}

/// Something that may be done now.
#[derive(Debug, Clone)]
pub struct NextMove {
    /// The action.
    pub action: RemedyAction,
    /// The pod that it replaces.
    pub pod: Arc<str>,
    /// Number of pods that are to be replaced after it.
    pub left: usize,
}

/// The thing that is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// The controller has not observed the set as it is.
    Unobserved(Unobserved),
    /// Pods are created, replaced or starting.
    UnderWay,
    /// No pod has the label of those that go last, so that it is not known which one that is.
    NoneLast(Label),
    /// A budget that counts unhealthy pods allows no disruption.
    Budget(Arc<str>, BudgetCount),
}

/// The reason that nothing may be done.
#[derive(Debug, Clone)]
pub enum Held {
    /// The input contradicts itself.
    Incomplete,
    /// The set is being deleted.
    Deleted,
    /// The set is stuck, or goes round in circles.
    Stuck,
    /// The pod that is next would not come back.
    StuckAfter(Arc<str>, Option<Obstacle>),
    /// A requirement breaks if that pod is replaced.
    Requirement(Arc<str>, String, BrokenAt),
    /// The quorum is lost if that pod is replaced: so many would be ready, and so many are needed.
    Quorum(Arc<str>, usize, usize),
    /// A budget allows no disruption although all of its pods are healthy.
    Budget(Arc<str>, BudgetCount),
}

/// Returns the next command of a plan that nothing is changed in.
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

/// Reports whether anything is still to happen to a pod by itself.
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

/// The pods that a user has to have replaced.
fn outdated(plan: &Plan) -> Vec<&Arc<Pod>> {
    let holds = plan.last.holds.iter();
    let held = holds.filter_map(|hold| match hold {
        Hold::OnDelete { pod, .. } | Hold::HeldByPartition { pod, .. } => Some(pod),
        _ => None,
    });
    held.collect()
}

/// The outdated pod of an `OnDelete` set whose deletion is the first thing that helps a stuck set.
fn repair(analysis: &Analysis<'_>) -> Option<Arc<str>> {
    let plan = analysis.plan;
    let Strategy::OnDelete(_) = plan.snapshot.set.strategy else {
        return None;
    };
    let remedies = analysis.diagnoses.iter().flat_map(|it| &it.remedies);
    let mut helping = remedies.filter(|remedy| remedy.is_fix());
    let Remedy { actions, trial } = helping.next()?;
    let [RemedyAction::DeletePod(name)] = actions.as_slice() else {
        return None;
    };
    let is_outdated = outdated(plan).iter().any(|pod| pod.meta.name == *name);
    (is_outdated && trial.also_deleted.is_empty()).then(|| Arc::clone(name))
}

/// The next command of a set that is as its specification wants it, but for what waits for the user.
fn at_rest(plan: &Plan, order: &Order, requirements: &[Requirement]) -> Next {
    let waiting = outdated(plan);
    let rolls = matches!(plan.snapshot.set.strategy, Strategy::RollingUpdate(_));
    let next = match rolls {
        // Here the controller decides: from the highest ordinal down.
        true => waiting.iter().max_by_key(|pod| ordinal_of(&pod.meta.name)),
        false => waiting.iter().min_by_key(|pod| order.place(pod)),
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
            let request = action.action(&plan.snapshot);
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

/// The partition that lets this pod be updated, and the plan with it.
fn lowered(plan: &Plan, pod: &Pod) -> Option<(RemedyAction, Plan)> {
    let behaviour = &plan.conditions.behaviour;
    let slot = behaviour.slot(&plan.snapshot.set, ordinal_of(&pod.meta.name))?;
    let slot = i32::try_from(slot).ok()?;
    let after = with_edit(plan, &Edit::Partition(slot))?;
    Some((RemedyAction::Partition(slot), after))
}

/// Holds what follows against requirements, budgets and the quorum.
fn held_back(
    plan: &Plan,
    after: &Plan,
    pod: &Arc<Pod>,
    requirements: &[Requirement],
) -> Option<Next> {
    let name = || Arc::clone(&pod.meta.name);
    if !after.completes() {
        let left = match &after.outcome {
            Outcome::Blocked(obstacles) => obstacles.first().cloned(),
            _ => None,
        };
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

/// The budget that would keep the eviction API from deleting a pod, with its count. Several budgets are asked one by one:
/// what the eviction API refuses then is no reason to disrupt more than any of them allows.
fn refused_by_budget(plan: &Plan, pod: &Pod) -> Option<(Arc<str>, BudgetCount)> {
    let world = plan.initial_world().0;
    let worlds = [&world];
    let namespace = &plan.snapshot.set.meta.namespace;
    let version = plan.conditions.behaviour.version;
    let mut budgets = plan.related.budgets(namespace);
    budgets.find_map(|budget| {
        let guarded = [GuardedBudget::new(Arc::clone(budget), &worlds)];
        match evict(pod, namespace, &guarded, &worlds, version) {
            Eviction::Refused { budget, count } => Some((budget, count)),
            Eviction::Deletes | Eviction::SeveralBudgets(_) => None,
        }
    })
}
