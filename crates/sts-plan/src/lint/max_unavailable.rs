//! STS013: maxUnavailable has no effect, or is spent on pods that are broken anyway.

use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Outcome, Plan};
use sts_controller::controller::Hold;
use sts_controller::object::{IntOrPercent, Strategy};
use sts_controller::version::Gate;

pub(super) const RULE: Rule = Rule {
    id: RuleId::MaxUnavailable,
    name: "max-unavailable",
    title: "maxUnavailable has no effect in this version, or is used up by broken pods",
    why: "maxUnavailable counts only where feature gate MaxUnavailableStatefulSet is on; elsewhere pods are replaced \
          one at a time. Where it counts, every unavailable pod uses up the budget, whether or not the update took it \
          down. So under Parallel, until 1.36, one broken old pod can keep the update that would fix it from ever \
          replacing it. From 1.37, where the gate is on by default, outdated pods that are unavailable are replaced \
          first, beyond any budget; a broken pod that is already updated still uses it up.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Without the gate: leave the field out, or turn the gate on in both kube-apiserver and \
             kube-controller-manager. With the budget used up: delete the broken pods, and they come back on the new \
             revision; or raise maxUnavailable above the number of broken pods for now.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/137409",
        "https://github.com/kubernetes/kubernetes/pull/137904",
        "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/961-maxunavailable-for-statefulset",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let mut found = Vec::new();
    let set = &plan.snapshot.set;
    let behaviour = &plan.conditions.behaviour;
    let stored = match &set.strategy {
        Strategy::RollingUpdate(Some(rolling)) => rolling.max_unavailable.as_ref(),
        _ => None,
    };
    let stored = stored.map(|bound| match bound {
        IntOrPercent::Int(number) => number.to_string(),
        IntOrPercent::Text(text) => text.clone(),
    });
    // A value that the server does not even store has no effect either.
    let dropped = plan.dropped.iter();
    let mut dropped = dropped.filter(|it| it.path.ends_with(".maxUnavailable"));
    let dropped = dropped.next().map(|it| match &it.value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    if let Some(bound) = stored.or(dropped)
        && bound != "1"
        && behaviour.max_unavailable.is_none()
    {
        let why = if plan
            .conditions
            .gates
            .is_off(Gate::MaxUnavailableStatefulSet)
        {
            "feature gate MaxUnavailableStatefulSet is off"
        } else {
            "it has no such feature"
        };
        let message = format!(
            "maxUnavailable {bound} has no effect in Kubernetes {}, where {why}: one pod is replaced at a time",
            behaviour.version
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    found.extend(spent(plan));
    found
}

/// The budget is spent for good.
fn spent(plan: &Plan) -> Option<Found> {
    if !matches!(plan.outcome, Outcome::Blocked(_)) {
        return None;
    }
    plan.last.holds.iter().find_map(|hold| match hold {
        Hold::UnavailableBudgetSpent {
            unavailable,
            max_unavailable,
            pod: Some(pod),
            ..
        } => {
            let name = &pod.meta.name;
            let new = &plan.last.status.update_revision;
            let which = if pod.revision == *new {
                "which is up to date"
            } else {
                "which is outdated"
            };
            let others = match unavailable - 1 {
                0 => String::new(),
                others => format!(" (with {others} more)"),
            };
            let message = format!(
                "{name} on {}, {which}, never becomes available and uses up maxUnavailable \
                 {max_unavailable}{others}: no other pod gets {new}",
                pod.revision
            );
            Some(Found::on_pod(Severity::Warning, name, message))
        }
        _ => None,
    })
}
