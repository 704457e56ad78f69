//! What must hold at every moment of a rollout, such as `unavailable<=1`.

mod parse;
mod pod_counts;

use std::ops::ControlFlow;

use jiff::SignedDuration;

use crate::plan::{Outcome, Plan};
use sts_controller::simulate::{Step, StepAction, World, follow};

pub use parse::{Quantity, Requirement, RequirementError};
pub use pod_counts::{Newcomers, PodCounts};

/// A requirement, and whether a plan meets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// What is required.
    pub requirement: Requirement,
    /// Where it breaks first; `None` when it holds all the way.
    pub broken: Option<Broken>,
}

/// Where a requirement breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// How long after the beginning.
    pub at: SignedDuration,
    /// The place of the step among those of the plan; `None` when it is broken before anything happens.
    pub step: Option<usize>,
    /// What happens there.
    pub event: String,
    /// What the quantity is then.
    pub value: i64,
}

/// Holds a plan against requirements, at the beginning and after every step. A plan that the API server refuses meets
/// none and breaks none: nothing happens.
#[must_use]
pub fn check(plan: &Plan, requirements: &[Requirement]) -> Vec<Checked> {
    if requirements.is_empty() || matches!(plan.outcome, Outcome::Rejected(_)) {
        return Vec::new();
    }
    let mut checked: Vec<Checked> = requirements
        .iter()
        .map(|requirement| Checked {
            requirement: requirement.clone(),
            broken: None,
        })
        .collect();
    let (world, before) = plan.initial_world();
    let mut counts = PodCounts::with(&world, Newcomers::of(plan));
    let mut steps = before.len();
    let mut judge = |world: &World, counts: &PodCounts, step: Option<usize>, event: &[Step]| {
        for one in checked.iter_mut().filter(|one| one.broken.is_none()) {
            let value = counts.count(one.requirement.quantity, world);
            if !one.requirement.holds(value, world) {
                one.broken = Some(Broken {
                    at: world.now().duration_since(plan.conditions.now),
                    step,
                    event: tell(event),
                    value,
                });
            }
        }
    };
    judge(&world, &counts, before.len().checked_sub(1), &before);
    follow(world, &plan.conditions.behaviour, &mut |world, happened| {
        counts.update(world, happened);
        let step = steps;
        steps += happened.len();
        judge(world, &counts, Some(step), happened);
        ControlFlow::Continue(())
    });
    checked
}

/// What happens in these steps, in a few words.
#[must_use]
pub fn tell(steps: &[Step]) -> String {
    let Some(step) = steps.first() else {
        return "before anything happens".to_owned();
    };
    match &step.action {
        StepAction::Controller(writes) => {
            let told: Vec<String> = writes
                .iter()
                .filter(|write| write.refused.is_none())
                .map(|write| {
                    format!(
                        "{} {}/{}",
                        write.verb.name(),
                        write.resource.name(),
                        write.name
                    )
                })
                .collect();
            const SHOWN: usize = 3;
            let more = told.len().saturating_sub(SHOWN);
            let shown = told[..told.len() - more].join(", ");
            match more {
                0 => format!("controller: {shown}"),
                _ => format!("controller: {shown} and {more} more"),
            }
        }
        StepAction::Pod(event, pod) => format!("{} {pod}", event.name()),
        StepAction::ClaimRemoved(claim) => format!("ClaimRemoved {claim}"),
        StepAction::Object(actor, event, name) => {
            format!("{}: {} {name}", actor.name(), event.name())
        }
    }
}
