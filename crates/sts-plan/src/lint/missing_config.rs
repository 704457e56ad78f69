//! STS039: a Secret or ConfigMap is missing.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::Foreseen;
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::MissingConfig,
    name: "missing-config",
    title: "a Secret or ConfigMap that the pods need is missing",
    why: "The kubelet does not start a container whose Secret or ConfigMap is missing, and retries until it exists. One pod \
          in the input shows this; every pod from the same template is affected.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Create the object in the set's namespace: waiting pods then start without being deleted. If only the new \
             template needs it, roll back. This program never reads Secrets.",
    links: &[
        "https://kubernetes.io/docs/concepts/configuration/secret/#restriction-secret-must-exist",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    foreseen::found(plan, |found| {
        matches!(found, Foreseen::MissingConfig { .. })
    })
}
