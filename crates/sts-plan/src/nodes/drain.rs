//! The drain of nodes across all sets and the pods of other owners.

use std::sync::Arc;

use super::lost::Taints;
use super::{NodeActions, lost, others};
use crate::conditions::{Conditions, Outage};
use crate::plan::{Availability, Outcome, Plan};
use sts_controller::controller::{Resource, Verb};
use sts_controller::object::{RelatedObjects, Snapshot};
use sts_controller::simulate::{
    Action, Drain, DrainEnd, Drained, Drainee, FirstInLine, GuardedBudget, OtherPods, Population,
    ScheduledAction, Step, Stranded, WaitsFor, drain,
};

/// Simulates the drain of these actions.
pub(super) fn run(plans: &[Plan], actions: &NodeActions, related: &RelatedObjects) -> Drained {
    run_with(plans, actions, related, |budget| budget)
}

/// Simulates the same if its first evictions come before the first syncs of the controllers. Nobody decides which of a drain
/// and a rollout that begin at the same time comes first, and a rollout does not ask a budget.
pub(super) fn run_before_controllers(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
) -> Drained {
    let order = FirstInLine::BeforeControllers;
    simulated(plans, actions, related, |budget| budget, &[order])
}

/// Returns the sets in their worlds at the beginning of their plans.
pub(super) fn drainees(plans: &[Plan]) -> Vec<Drainee<'_>> {
    let drainees = plans.iter().map(|plan| {
        let conditions = &plan.conditions;
        let taints = Taints::of(&conditions.outage.lost, &conditions.related);
        let world = plan.initial_world().0;
        Drainee {
            world: world.with_more_on_agenda(lost::agenda(plan, &taints)),
            behaviour: &conditions.behaviour,
        }
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
    let orders = [FirstInLine::Sets, FirstInLine::Others];
    simulated(plans, actions, related, change, &orders)
}

/// Simulates the drain in these orders, those after the first only if pods compete. The worst is returned.
fn simulated(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
    change: impl Fn(GuardedBudget) -> GuardedBudget,
    orders: &[FirstInLine],
) -> Drained {
    let Some(first) = plans.first() else {
        return Drained::of_nothing(jiff::Timestamp::default());
    };
    let mut worst = Drained::of_nothing(first.conditions.now);
    let others = others::of(plans, &first.conditions);
    let budgets = budgets(plans, &others, related).into_iter().map(change);
    let budgets: Vec<GuardedBudget> = budgets.collect();
    let nodes = actions.drain.iter().map(|node| Arc::from(&**node));
    let nodes: Vec<Arc<str>> = nodes.collect();
    for (at, order) in orders.iter().enumerate() {
        let mut drainees = drainees(plans);
        let work = Drain {
            nodes: &nodes,
            budgets: &budgets,
            version: first.conditions.behaviour.version,
            now: first.conditions.now,
            first: *order,
            forced_after: actions.budgets_ignored_after,
        };
        let found = drain(&mut drainees, &mut others.clone(), work);
        let found = without_end(found, plans);
        if at == 0 || badness(found.end) > badness(worst.end) {
            worst = found;
        }
        if worst.contests.is_empty() || others.present().next().is_none() {
            break;
        }
    }
    worst
}

/// Returns a drain that hangs in place of one that was not simulated to its end, if budgets refuse all that is left while a
/// set never settles.
fn without_end(drained: Drained, plans: &[Plan]) -> Drained {
    let is_refused = |one: &Stranded| matches!(one.waits_for, WaitsFor::Budget(..));
    let end = match drained.end {
        DrainEnd::Unknown(since)
            if drained.stranded.iter().all(is_refused)
                && plans
                    .iter()
                    .any(|plan| matches!(plan.outcome, Outcome::Livelock)) =>
        {
            DrainEnd::Hangs(since)
        }
        end => end,
    };
    Drained { end, ..drained }
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

/// A drain, with the time before which its evictions precede the syncs of the controllers.
pub(super) struct Order {
    pub(super) drained: Drained,
    pub(super) is_before_controllers: bool,
}

impl Order {
    /// Adds the evictions of a set to an outage.
    pub(super) fn add_to(&self, outage: &mut Outage, set: usize, began: jiff::Timestamp) {
        for due in agenda(&self.drained, set) {
            match self.is_before_controllers && due.at == began {
                true => outage.first.push(due.action),
                false => outage.agenda.push(due),
            }
        }
    }
}

/// Returns the worse order of a drain and the rollouts that begin with it: the one that leaves fewer pods of a set ready.
pub(super) fn worse_order(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
) -> Option<Order> {
    let drained = run(plans, actions, related);
    let began = plans.first()?.conditions.now;
    let rolls = |plan: &Plan| {
        // A set that never settles takes as many events as there are, in any order.
        if matches!(plan.outcome, Outcome::Livelock) {
            return false;
        }
        let mut steps = plan.progression.steps.iter();
        let deletes = |step: &Step| {
            let mut writes = step.writes().iter();
            writes.any(|it| (it.verb, it.resource) == (Verb::Delete, Resource::Pods))
        };
        steps.any(|step| step.at == began && deletes(step))
    };
    let rolling: Vec<(usize, &Plan)> = plans
        .iter()
        .enumerate()
        .filter(|(_, plan)| rolls(plan))
        .collect();
    let usual = Order {
        drained,
        is_before_controllers: false,
    };
    if rolling.is_empty() {
        return Some(usual);
    }
    let other = Order {
        drained: run_before_controllers(plans, actions, related),
        is_before_controllers: true,
    };
    let most_down = |order: &Order, set: usize, plan: &Plan| {
        let mut outage = Outage::clone(&plan.conditions.outage);
        order.add_to(&mut outage, set, began);
        let conditions = Conditions {
            outage: Arc::new(outage),
            ..plan.conditions.clone()
        };
        let stored = plan.stored().into_owned();
        let planned = plan.again(plan.actions.clone(), stored, conditions);
        Availability::of(&planned).most_down
    };
    // A set without evictions has the same plan in both.
    let evicts = |order: &Order, set: usize| {
        let mut evictions = order.drained.evictions.iter();
        evictions.any(|step| step.set == Some(set))
    };
    let is_worse = badness(other.drained.end).0 > badness(usual.drained.end).0
        || rolling
            .iter()
            .filter(|(set, _)| evicts(&usual, *set) || evicts(&other, *set))
            .any(|(set, plan)| most_down(&other, *set, plan) > most_down(&usual, *set, plan));
    Some(match is_worse {
        true => other,
        false => usual,
    })
}
