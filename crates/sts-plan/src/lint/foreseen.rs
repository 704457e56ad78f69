//! Findings on pods that are predicted not to start, shared by several rules.

use jiff::SignedDuration;

use super::rule::{Found, Severity, list};
use crate::duration::spell;
use crate::foresight::{self, Foreseen};
use crate::plan::Plan;
use sts_controller::simulate::StepWrite;

/// Returns the finding on the first pod with a predicted failure of this kind, with its time.
pub(super) fn found(plan: &Plan, is_kind: fn(&Foreseen) -> bool) -> Vec<Found> {
    let stopped = plan.foreseen_stops();
    let mut of_kind = stopped.iter().filter(|(_, found)| is_kind(found));
    let Some((pod, why)) = of_kind.next() else {
        return Vec::new();
    };
    let name = &pod.meta.name;
    let mut message = foresight::describe(name, why);
    match created(plan, name) {
        Some(at) => message.push_str(&format!("; the rollout reaches it at +{}", spell(at))),
        None => message.push_str("; it is waiting now"),
    }
    let others: Vec<&str> = of_kind.map(|(pod, _)| &*pod.meta.name).collect();
    let number = others.len();
    if !others.is_empty() {
        message.push_str(&format!("; the same applies to {}", list(others)));
    }
    let found = Found::on_pod(Severity::Warning, name, message);
    vec![found.and_others(number)]
}

/// Returns the time at which the plan last creates the pod.
fn created(plan: &Plan, name: &str) -> Option<SignedDuration> {
    let is_it = |write: &StepWrite| write.creates_pod() && *write.name == *name;
    let mut steps = plan.progression.steps.iter().rev();
    let step = steps.find(|step| step.writes().iter().any(is_it))?;
    Some(step.at.duration_since(plan.conditions.now))
}
