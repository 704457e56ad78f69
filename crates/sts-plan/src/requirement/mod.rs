//! Requirements that must hold at every moment of a rollout, such as `unavailable<=1`.

mod blocks;
mod parse;
mod pod_counts;
mod report;

use std::ops::ControlFlow;

use crate::plan::{Conditions, Outcome, Plan};
use crate::words::list;
pub use report::{BrokenAt, ReportRequirement};
use sts_controller::simulate::{Step, StepAction, World, follow};

pub use parse::{QUORUM, Quantity, Requirement, RequirementError, majority};
pub(crate) use pod_counts::members;
pub use pod_counts::{AddedPods, PodCounts};

/// Maximum number of listed names.
const SHOWN: usize = 3;

/// Checks a plan against requirements at the beginning and after every step. Returns nothing for a plan that the API server
/// refuses.
#[must_use]
pub fn check(plan: &Plan, requirements: &[Requirement]) -> Vec<ReportRequirement> {
    if requirements.is_empty() || matches!(plan.outcome, Outcome::Rejected(_)) {
        return Vec::new();
    }
    let (world, before) = plan.initial_world();
    let mut counts = PodCounts::under(&world, AddedPods::of(plan), &plan.conditions);
    let mut checked: Vec<ReportRequirement> = requirements
        .iter()
        .map(|requirement| ReportRequirement {
            text: requirement.to_string(),
            // A set that has never run forms its quorum with all of its replicas.
            meaning: requirement.meaning(match counts.voters() {
                0 => i64::from(plan.snapshot.set.replicas),
                voters => voters,
            }),
            holds: true,
            broken_at: None,
        })
        .collect();
    let mut steps = before.len();
    // Time and values at which the simulation ended.
    let mut last = vec![(0, 0); requirements.len()];
    let mut judge = |world: &World, counts: &PodCounts, step: Option<usize>, event: &[Step]| {
        let holding = checked.iter_mut().zip(requirements).zip(&mut last);
        for ((one, requirement), last) in holding.filter(|((one, _), _)| one.holds) {
            let value = counts.count(requirement.quantity, world);
            let at = world.now().duration_since(plan.conditions.now).as_secs();
            *last = (at, value);
            if !requirement.holds(value, counts.voters(), world) {
                one.holds = false;
                one.broken_at = Some(BrokenAt {
                    at,
                    step,
                    event: match event {
                        [] => beginning(&plan.conditions),
                        event => describe(event),
                    },
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
    // A requirement that was not tried to the end does not hold.
    if let Some(budget) = plan.progression.exhausted {
        let held = checked.iter_mut().zip(last).filter(|(one, _)| one.holds);
        for (one, (at, value)) in held {
            one.holds = false;
            one.broken_at = Some(BrokenAt {
                at,
                step: None,
                event: format!("not tried to the end: {budget}"),
                value,
            });
        }
    }
    checked
}

/// Describes the start of a plan.
fn beginning(conditions: &Conditions) -> String {
    let lost = conditions.outage.lost.iter();
    let lost: Vec<&str> = lost.map(|node| &**node).collect();
    match lost.is_empty() {
        true => describe(&[]),
        false => format!("{}, with the loss of {}", describe(&[]), list(&lost, SHOWN)),
    }
}

/// Describes these steps in a few words.
#[must_use]
pub fn describe(steps: &[Step]) -> String {
    let Some(step) = steps.first() else {
        return "at the start".to_owned();
    };
    match &step.action {
        StepAction::Controller(writes) => {
            let writes: Vec<String> = writes
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
            format!("controller: {}", list(&writes, SHOWN))
        }
        StepAction::Pod(event, pod) => format!("{} {pod}", event.name()),
        StepAction::ClaimRemoved(claim) => format!("ClaimRemoved {claim}"),
        StepAction::Object(actor, event, name) => {
            format!("{}: {} {name}", actor.name(), event.name())
        }
    }
}
