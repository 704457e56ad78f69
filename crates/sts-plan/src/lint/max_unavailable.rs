//! STS013: maxUnavailable has no effect, or is used up by broken pods.

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
    why: "maxUnavailable requires feature gate MaxUnavailableStatefulSet; without it, pods are replaced one at a time. With \
          it, every unavailable pod uses up the limit, whether or not the update took it down. With Parallel until 1.36, \
          one broken old pod can block the update that would fix it. From 1.37, where the gate is on by default, \
          unavailable outdated pods are replaced first, beyond the limit. A broken pod that is already updated still uses \
          it up.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Without the gate: omit the field, or enable the gate in both kube-apiserver and kube-controller-manager. If \
             broken pods use up the limit: delete them so that they are recreated on the new revision, or temporarily \
             raise maxUnavailable above their number.",
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
    // A value that the server drops has no effect either.
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
            "the feature does not exist"
        };
        let message = format!(
            "maxUnavailable {bound} has no effect in Kubernetes {} ({why}): pods are replaced one at a time",
            behaviour.version
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    found.extend(spent(plan));
    found
}

/// Returns the finding on a limit that broken pods use up.
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
                "up to date"
            } else {
                "outdated"
            };
            let others = match unavailable - 1 {
                0 => String::new(),
                others => format!(" (with {others} more)"),
            };
            let message = format!(
                "{name} on {} ({which}) never becomes available and uses up maxUnavailable \
                 {max_unavailable}{others}: no other pod is updated to {new}",
                pod.revision
            );
            Some(Found::on_pod(Severity::Warning, name, message))
        }
        _ => None,
    })
}
