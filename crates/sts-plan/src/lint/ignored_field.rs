//! STS030: the controller of this version ignores a field of the set.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::object::Retention;

pub(super) const RULE: Rule = Rule {
    id: RuleId::IgnoredField,
    name: "ignored-field",
    title: "persistentVolumeClaimRetentionPolicy or ordinals.start has no effect in this version",
    why: "Both fields were introduced behind a feature gate (StatefulSetAutoDeletePVC, StatefulSetStartOrdinal). While the \
          gate is off, a set may still have the field, but the controller ignores it.",
    severities: &[Severity::Warning],
    happens: Some(|behaviour| behaviour.claim_owners.is_none() || !behaviour.start_ordinal),
    remedy: "Enable the gate in kube-apiserver and kube-controller-manager, or omit the field.",
    links: &["https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let behaviour = &plan.conditions.behaviour;
    let mut found = Vec::new();
    let deletes = set.retention.is_some_and(|policy| {
        policy.when_deleted == Retention::Delete || policy.when_scaled == Retention::Delete
    });
    if deletes && behaviour.claim_owners.is_none() {
        let message = format!(
            "persistentVolumeClaimRetentionPolicy has no effect in Kubernetes {} with its feature gates: claims are kept",
            behaviour.version
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    let start = set.stored_start_ordinal();
    if start > 0 && !behaviour.start_ordinal {
        let message = format!(
            "ordinals.start {start} has no effect in Kubernetes {} with its feature gates: pods are numbered from 0",
            behaviour.version
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    for dropped in &plan.dropped {
        let name = match dropped.path.as_str() {
            "spec.persistentVolumeClaimRetentionPolicy" => "persistentVolumeClaimRetentionPolicy",
            "spec.ordinals" => "ordinals",
            // Other fields have their own rules.
            _ => continue,
        };
        let message = format!(
            "Kubernetes {} drops {name} because feature gate {} is off",
            behaviour.version, dropped.gate
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    found
}
