//! The next command of a rollout that is waiting for its user.

use super::{Held, Next, NextMove, Waiting};
use crate::analysis::Analysis;
use crate::analysis::headline::headline;
use crate::explain::obstacle;
use crate::words::plural;
use sts_controller::simulate::BudgetCount;

/// Returns the command of a move.
#[must_use]
pub fn next_command(analysis: &Analysis<'_>, next: &NextMove) -> Option<String> {
    let plan = analysis.plan;
    let commands = next.action.entry(plan, &plan.snapshot, &[]).commands;
    match commands.as_slice() {
        [command] => Some(command.clone()),
        _ => None,
    }
}

/// Describes the next command, or why there is none.
#[must_use]
pub fn next_text(analysis: &Analysis<'_>, next: &Next) -> String {
    match next {
        Next::Run(NextMove { pod, left, .. }) => match left {
            0 => format!("next: {pod} (the last one)"),
            left => format!("next: {pod}, then {left} more"),
        },
        Next::Wait(waiting) => format!("wait: {}", self::waiting(analysis, waiting)),
        Next::Held(held) => format!("held back: {}", self::held(analysis, held)),
        Next::Done => {
            let status = &analysis.plan.next.status;
            let replicas = usize::try_from(analysis.plan.snapshot.set.replicas).unwrap_or(0);
            let pods = plural(replicas, "pod", "pods");
            format!("done: {pods} ready on {}", status.update_revision)
        }
    }
}

fn waiting(analysis: &Analysis<'_>, waiting: &Waiting) -> String {
    match waiting {
        Waiting::Unobserved(unobserved) => format!(
            "the controller has not observed generation {} of the set yet",
            unobserved.generation
        ),
        Waiting::UnderWay => format!("a change is in progress. {}", headline(analysis).text),
        Waiting::NoneLast(label) => format!(
            "no pod has label {}={}, so the pod to replace last is unknown",
            label.key, label.value
        ),
        Waiting::Budget(budget, count) => budget_text(budget, *count),
    }
}

fn held(analysis: &Analysis<'_>, held: &Held) -> String {
    let plan = analysis.plan;
    match held {
        Held::Incomplete => "the input is inconsistent".to_owned(),
        Held::Deleted => "the set is being deleted".to_owned(),
        Held::Stuck => headline(analysis).text,
        Held::StuckAfter(pod, left) => {
            let left = left.as_ref().map(|left| {
                let end = plan.predicted().objects();
                obstacle(left, end, plan.conditions.now)
            });
            match left {
                Some(left) => format!("replacing {pod} would block the set: {left}"),
                None => format!("{pod} cannot be replaced"),
            }
        }
        Held::Requirement(pod, requirement, broken) => format!(
            "replacing {pod} would violate {requirement}: {} after {}",
            broken.value, broken.event
        ),
        Held::Quorum(pod, ready, needed) => {
            format!("replacing {pod} would lose quorum: {ready} ready, {needed} needed")
        }
        Held::Budget(budget, count) => budget_text(budget, *count),
    }
}

fn budget_text(budget: &str, count: BudgetCount) -> String {
    format!(
        "PodDisruptionBudget {budget} allows no disruption (needs {} healthy of {}, has {})",
        count.desired, count.expected, count.current
    )
}
