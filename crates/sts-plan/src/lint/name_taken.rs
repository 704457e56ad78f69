//! STS008: a foreign pod has a name that the set needs.

use std::collections::BTreeSet;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::explain;
use crate::plan::Plan;
use sts_controller::controller::Hold;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NameTaken,
    name: "name-taken",
    title: "another pod has a name that the set needs",
    why: "The names of a set's pods are fixed. If a pod with such a name exists that the set cannot adopt (another owner, or \
          labels that the selector does not match), every attempt to create it fails with AlreadyExists, and the pods \
          after it wait.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "If the pod belongs to the set: add labels that spec.selector matches, and the set adopts it. Otherwise delete \
             it, or rename its owner:\n  kubectl get pod POD -o jsonpath='{.metadata.ownerReferences}'",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/36859",
        "https://github.com/kubernetes/kubernetes/issues/55559",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let end = plan.predicted().objects();
    let holds = plan.next.holds.iter().map(|hold| (hold, &plan.snapshot));
    let holds = holds.chain(plan.last.holds.iter().map(|hold| (hold, end)));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (hold, snapshot) in holds {
        if let Hold::NameTaken { pod, .. } = hold
            && seen.insert(&pod.meta.name)
        {
            let message = explain::hold(hold, snapshot, plan.conditions.now);
            found.push(Found::on_pod(Severity::Warning, &pod.meta.name, message));
        }
    }
    found
}
