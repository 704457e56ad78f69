//! Requirements that must hold at every moment of a rollout, such as `unavailable<=1`.

mod parse;
mod pod_counts;

use std::ops::ControlFlow;

use jiff::SignedDuration;

use crate::plan::{Outcome, Plan};
use sts_controller::simulate::{Step, StepAction, World, follow};

pub use parse::{QUORUM, Quantity, Requirement, RequirementError, majority};
pub use pod_counts::{Newcomers, PodCounts};

/// A requirement, and whether a plan meets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The requirement.
    pub requirement: Requirement,
    /// The comparison that it stands for, where it is a word: `ready>=2` for `quorum` of three.
    pub meaning: Option<String>,
    /// The moment at which it breaks first; `None` if it holds all the way.
    pub broken: Option<Broken>,
}

/// The moment at which a requirement breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// Time since the beginning.
    pub at: SignedDuration,
    /// The place of the step among those of the plan; `None` when it is broken before anything happens.
    pub step: Option<usize>,
    /// The event at that moment.
    pub event: String,
    /// The value of the quantity at that moment.
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
            meaning: requirement.meaning(i64::from(plan.snapshot.set.replicas)),
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

/// Describes in a few words what happens in these steps.
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
