//! STS034: the manifest has a field that the API server does not know.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::UnknownField,
    name: "unknown-field",
    title: "the manifest has a field that the API server does not know",
    why: "The API server silently drops the field, so it has no effect. kubectl apply requests strict validation and is \
          refused; other clients are not. Most such fields are misspelled, wrongly indented, or from a newer Kubernetes \
          version.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Correct the name or its indentation, or remove the field. With --apply, the change is refused unless \
             --validate=warn or --validate=ignore is set.",
    links: &[
        "https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation",
        "https://github.com/kubernetes/kubernetes/issues/5889",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let unknown = plan.unknown.iter();
    unknown
        .map(|unknown| {
            let message = format!("{unknown}: the field has no effect");
            Found::on_set(Severity::Warning, plan, message)
        })
        .collect()
}
