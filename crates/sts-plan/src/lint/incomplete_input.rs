//! STS033: the input is incomplete.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::input_check::InputCheck;
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::IncompleteInput,
    name: "incomplete-input",
    title: "the input is incomplete: it refers to objects that it does not contain",
    why: "A plan needs the pods, claims and revisions of a set, not just the set. `kubectl get sts -o yaml` has none of \
          them: the status counts three pods, the input has none, so the plan would create three. The controller will not \
          do that.",
    severities: &[Severity::Error, Severity::Warning],
    happens: None,
    remedy: "Make a complete dump and plan that:\n  kubectl sts-plan dump NAME -n NAMESPACE > dump.yaml\nor, without this \
             program:\n  kubectl get sts,po,pvc,controllerrevisions,pdb -n NAMESPACE -o yaml > dump.yaml",
    links: &["https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/"],
    check: Check::Input(check),
};

fn check(plan: &Plan, input: &InputCheck) -> Vec<Found> {
    let severity = match input.decisive {
        true => Severity::Error,
        false => Severity::Warning,
    };
    let missing = input.missing.iter();
    missing
        .map(|sentence| Found::on_set(severity, plan, sentence.clone()))
        .collect()
}
