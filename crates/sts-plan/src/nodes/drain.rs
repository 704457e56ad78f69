//! The drain of nodes across all sets.

use std::sync::Arc;

use super::NodeActions;
use crate::plan::Plan;
use sts_controller::object::RelatedObjects;
use sts_controller::simulate::{
    Action, Drain, Drained, Drainee, GuardedBudget, ScheduledAction, World, drain,
};

/// Simulates the drain of these actions.
pub(super) fn run(plans: &[Plan], actions: &NodeActions, related: &RelatedObjects) -> Drained {
    run_with(plans, actions, related, |budget| budget)
}

/// Simulates the drain with changed budgets.
pub(super) fn run_with(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
    change: impl Fn(GuardedBudget) -> GuardedBudget,
) -> Drained {
    let mut drainees: Vec<Drainee<'_>> = plans
        .iter()
        .map(|plan| Drainee {
            world: plan.initial_world().0,
            behaviour: &plan.conditions.behaviour,
        })
        .collect();
    let worlds: Vec<&World> = drainees.iter().map(|drainee| &drainee.world).collect();
    let mut namespaces: Vec<Arc<str>> = plans
        .iter()
        .map(|plan| Arc::clone(&plan.snapshot.set.meta.namespace))
        .collect();
    namespaces.sort();
    namespaces.dedup();
    let budgets = namespaces
        .iter()
        .flat_map(|namespace| related.budgets(namespace))
        .map(|budget| change(GuardedBudget::new(Arc::clone(budget), &worlds)));
    let budgets: Vec<GuardedBudget> = budgets.collect();
    let nodes: Vec<Arc<str>> = actions
        .drain
        .iter()
        .map(|node| Arc::from(&**node))
        .collect();
    let first = plans.first().map(|plan| &plan.conditions);
    let Some(conditions) = first else {
        return Drained {
            evictions: Vec::new(),
            nodes: Vec::new(),
            stranded: Vec::new(),
            end: sts_controller::simulate::DrainEnd::Done(jiff::Timestamp::default()),
        };
    };
    let work = Drain {
        nodes: &nodes,
        budgets: &budgets,
        version: conditions.behaviour.version,
        now: conditions.now,
    };
    drain(&mut drainees, work)
}

/// Returns the evictions of a set in a drain.
pub(super) fn agenda(drained: &Drained, set: usize) -> impl Iterator<Item = ScheduledAction> {
    let own = drained.evictions.iter().filter(move |step| step.set == set);
    own.map(|step| ScheduledAction {
        at: step.at,
        action: Action::EvictPod(Arc::clone(&step.pod)),
    })
}
