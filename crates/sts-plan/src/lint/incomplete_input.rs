//! STS033: the input contradicts itself.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::input_check::InputCheck;
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::IncompleteInput,
    name: "incomplete-input",
    title: "the input contradicts itself: objects that it names are missing from it",
    why: "A plan needs the pods, claims and revisions of a set, not just the set. `kubectl get sts -o yaml` has none \
          of them: the status says three pods, the input has none, and the plan would create three. A plan of such an \
          input is not what the controller will do.",
    severities: &[Severity::Error],
    happens: None,
    remedy: "Make a complete dump and plan that:\n  kubectl sts-plan dump NAME -n NAMESPACE > dump.yaml\nor, without this \
             program at hand:\n  kubectl get sts,po,pvc,controllerrevisions,pdb -n NAMESPACE -o yaml > dump.yaml",
    links: &["https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/"],
    check: Check::Input(check),
};

fn check(plan: &Plan, input: &InputCheck) -> Vec<Found> {
    let missing = input.missing.iter();
    missing
        .map(|sentence| Found::on_set(Severity::Error, plan, sentence.clone()))
        .collect()
}
