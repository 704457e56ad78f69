//! Several things that are done one after the other, each when the set is at rest.

use std::sync::Arc;

use super::effect::OptionEffect;
use crate::plan::Plan;
use sts_controller::apiserver::apply::{Edit, edited};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Action, Step};

/// A plan, and what is done when it is at rest.
pub(super) struct Chain<'p> {
    first: &'p Plan,
    steps: Vec<Step>,
    last: Plan,
}

/// The same plan with another value of a field; `None` where the API server refuses it.
pub(super) fn with_edit(plan: &Plan, edit: &Edit) -> Option<Plan> {
    let set = edited(&plan.snapshot.set, edit, &plan.conditions.behaviour).ok()?;
    let snapshot = Snapshot {
        set: Arc::new(set),
        ..plan.snapshot.clone()
    };
    Some(begin(plan, Vec::new(), snapshot))
}

/// The same plan after an action; `None` where the API server refuses it.
pub(super) fn after(plan: &Plan, action: Action) -> Option<Plan> {
    let mut world = plan.initial_world().0;
    world.perform(&action, &plan.conditions.behaviour).ok()?;
    Some(begin(plan, vec![action], plan.snapshot.clone()))
}

/// The same plan, from now on.
pub(super) fn unchanged(plan: &Plan) -> Plan {
    begin(plan, Vec::new(), plan.snapshot.clone())
}

fn begin(plan: &Plan, actions: Vec<Action>, snapshot: Snapshot) -> Plan {
    let mut conditions = plan.conditions.clone();
    conditions.as_recorded = false;
    plan.again(actions, snapshot, conditions)
}

/// The plan of the world at the end of another one.
fn at_end(plan: &Plan) -> Plan {
    let world = &plan.progression.world;
    let mut conditions = plan.conditions.at(world.now());
    conditions.as_recorded = false;
    plan.again(Vec::new(), world.snapshot().clone(), conditions)
}

impl<'p> Chain<'p> {
    /// Begins with a plan from now on, `began`, of the set of `first`.
    pub(super) fn new(first: &'p Plan, began: Plan) -> Self {
        Chain {
            first,
            steps: began.progression.steps.clone(),
            last: began,
        }
    }

    /// The plan of the world at rest.
    pub(super) fn rest(&self) -> Plan {
        at_end(&self.last)
    }

    /// Goes on with a plan that begins at rest.
    pub(super) fn go_on(&mut self, next: Plan) {
        self.steps.extend(next.progression.steps.iter().cloned());
        self.last = next;
    }

    /// The effect of all.
    pub(super) fn effect(&self) -> OptionEffect {
        OptionEffect::of_steps(self.first, &self.steps, &self.last)
    }
}
