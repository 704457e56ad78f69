//! Sequences of actions, each after the set has settled.

use std::sync::Arc;

use super::effect::OptionEffect;
use crate::plan::Plan;
use sts_controller::apiserver::apply::{Edit, edited};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Action, Step};

/// A sequence of plans, each from the end of the previous one.
pub(super) struct Chain<'p> {
    first: &'p Plan,
    steps: Vec<Step>,
    last: Plan,
}

/// Returns the plan with an edit; `None` if the API server refuses it.
pub(crate) fn with_edit(plan: &Plan, edit: &Edit) -> Option<Plan> {
    let set = edited(&plan.snapshot.set, edit, &plan.conditions.behaviour).ok()?;
    let snapshot = Snapshot {
        set: Arc::new(set),
        ..plan.snapshot.clone()
    };
    Some(begin(plan, Vec::new(), snapshot))
}

/// Returns the plan after an action; `None` if the API server refuses it.
pub(crate) fn after(plan: &Plan, action: Action) -> Option<Plan> {
    let mut world = plan.initial_world().0;
    world.perform(&action, &plan.conditions.behaviour).ok()?;
    Some(begin(plan, vec![action], plan.snapshot.clone()))
}

/// Returns the plan from now on.
pub(super) fn unchanged(plan: &Plan) -> Plan {
    begin(plan, Vec::new(), plan.snapshot.clone())
}

fn begin(plan: &Plan, actions: Vec<Action>, snapshot: Snapshot) -> Plan {
    let mut conditions = plan.conditions.clone();
    conditions.as_recorded = false;
    plan.again(actions, snapshot, conditions)
}

/// Returns the plan from the end of another one.
fn at_end(plan: &Plan) -> Plan {
    let world = &plan.progression.world;
    let mut conditions = plan.conditions.at(world.now());
    conditions.as_recorded = false;
    plan.again(Vec::new(), world.snapshot().clone(), conditions)
}

impl<'p> Chain<'p> {
    /// Starts a sequence with `began`, a plan of the same set as `first`.
    pub(super) fn new(first: &'p Plan, began: Plan) -> Self {
        Chain {
            first,
            steps: began.progression.steps.clone(),
            last: began,
        }
    }

    /// Returns the plan from the end of the last one.
    pub(super) fn rest(&self) -> Plan {
        at_end(&self.last)
    }

    /// Appends a plan from the end of the last one.
    pub(super) fn append(&mut self, next: Plan) {
        self.steps.extend(next.progression.steps.iter().cloned());
        self.last = next;
    }

    /// Returns the effect of the sequence.
    pub(super) fn effect(&self) -> OptionEffect {
        OptionEffect::of_steps(self.first, &self.steps, &self.last)
    }
}
