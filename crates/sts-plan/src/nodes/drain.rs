//! The drain of nodes across all sets and the pods of other owners.

use std::sync::Arc;

use super::{NodeActions, others};
use crate::plan::Plan;
use sts_controller::object::{RelatedObjects, Snapshot};
use sts_controller::simulate::{
    Action, Drain, DrainEnd, Drained, Drainee, FirstInLine, GuardedBudget, OtherPods, Population,
    ScheduledAction, drain,
};

/// Simulates the drain of these actions.
pub(super) fn run(plans: &[Plan], actions: &NodeActions, related: &RelatedObjects) -> Drained {
    run_with(plans, actions, related, |budget| budget)
}

/// Returns the sets in their worlds at the beginning of their plans.
pub(super) fn drainees(plans: &[Plan]) -> Vec<Drainee<'_>> {
    let drainees = plans.iter().map(|plan| Drainee {
        world: plan.initial_world().0,
        behaviour: &plan.conditions.behaviour,
    });
    drainees.collect()
}

/// Simulates the drain with changed budgets. Pods of one node race for an eviction that a budget allows only once: of the
/// orders in which sets or others come first, the worse one is returned.
pub(super) fn run_with(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
    change: impl Fn(GuardedBudget) -> GuardedBudget,
) -> Drained {
    let Some(first) = plans.first() else {
        return Drained::of_nothing(jiff::Timestamp::default());
    };
    let others = others::of(plans, &first.conditions);
    let budgets = budgets(plans, &others, related).into_iter().map(change);
    let budgets: Vec<GuardedBudget> = budgets.collect();
    let nodes = actions.drain.iter().map(|node| Arc::from(&**node));
    let nodes: Vec<Arc<str>> = nodes.collect();
    let run = |order: FirstInLine| {
        let mut drainees = drainees(plans);
        let work = Drain {
            nodes: &nodes,
            budgets: &budgets,
            version: first.conditions.behaviour.version,
            now: first.conditions.now,
            first: order,
            forced_after: actions.budgets_ignored_after,
        };
        drain(&mut drainees, &mut others.clone(), work)
    };
    let sets_first = run(FirstInLine::Sets);
    if sets_first.contests.is_empty() || others.present().next().is_none() {
        return sets_first;
    }
    let others_first = run(FirstInLine::Others);
    match badness(others_first.end) > badness(sets_first.end) {
        true => others_first,
        false => sets_first,
    }
}

/// Returns the budgets of the sets and the others, counted as they were read.
pub(super) fn budgets(
    plans: &[Plan],
    others: &OtherPods,
    related: &RelatedObjects,
) -> Vec<GuardedBudget> {
    let read: Vec<Snapshot> = plans.iter().map(as_read).collect();
    let read: Vec<&Snapshot> = read.iter().collect();
    let population = Population {
        sets: &read,
        others,
    };
    let namespaces = namespaces(plans, others);
    let budgets = namespaces
        .iter()
        .flat_map(|namespace| related.budgets(namespace));
    budgets
        .map(|budget| GuardedBudget::new(Arc::clone(budget), population))
        .collect()
}

/// Returns the objects of a plan before its change, as far as a budget counts them: the scale of the set.
fn as_read(plan: &Plan) -> Snapshot {
    let mut read = plan.observed.objects().clone();
    let scaled = plan
        .change
        .iter()
        .find(|change| change.path == "spec.replicas");
    let before = scaled.map(|change| match &change.old {
        Some(old) => old.as_i64().and_then(|old| i32::try_from(old).ok()),
        // The API server's default.
        None => Some(1),
    });
    if let Some(before) = before.flatten() {
        Arc::make_mut(&mut read.set).replicas = before;
    }
    read
}

/// Returns the namespaces of the sets and the others, sorted.
fn namespaces(plans: &[Plan], others: &OtherPods) -> Vec<Arc<str>> {
    let of_sets = plans
        .iter()
        .map(|plan| Arc::clone(&plan.snapshot.set.meta.namespace));
    let of_others = others
        .present()
        .map(|(_, other)| Arc::clone(&other.pod.meta.namespace));
    let mut namespaces: Vec<Arc<str>> = of_sets.chain(of_others).collect();
    namespaces.sort();
    namespaces.dedup();
    namespaces
}

/// Returns a rank of outcomes: the worse, and then the later, the higher.
fn badness(end: DrainEnd) -> (u8, jiff::Timestamp) {
    match end {
        DrainEnd::Done(at) => (0, at),
        DrainEnd::Unknown(at) => (1, at),
        DrainEnd::Fails(at) => (2, at),
        DrainEnd::Hangs(at) => (3, at),
    }
}

/// Returns the evictions of a set in a drain.
pub(super) fn agenda(drained: &Drained, set: usize) -> impl Iterator<Item = ScheduledAction> {
    let own = drained
        .evictions
        .iter()
        .filter(move |step| step.set == Some(set));
    own.map(|step| ScheduledAction {
        at: step.at,
        action: Action::EvictPod(Arc::clone(&step.pod)),
    })
}
