//! STS046: a field removed from the manifest stays, because the set was applied with server-side apply.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::KeptField,
    name: "field-stays",
    title: "a field removed from the manifest stays, because the set was applied with server-side apply",
    why: "Client-side apply removes the fields that are in its last-applied annotation but not in the new manifest. A set \
          that Flux, Argo CD or Helm applied with server-side apply does not have that annotation. Fields removed from the \
          manifest stay in the cluster, and the plan keeps them. A server-side apply by the same manager removes them.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Plan the way the tool applies: --server-side --field-manager NAME, with the manager in the finding.",
    links: &[
        "https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply",
        "https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let kept = plan.ownership.kept.iter();
    kept.map(|fields| {
        let message = format!(
            "{} is not in the manifest but stays: {manager} uses server-side apply; plan with --server-side \
             --field-manager {manager}",
            list(fields.paths.iter().map(String::as_str)),
            manager = fields.owner.manager,
        );
        Found::on_set(Severity::Warning, plan, message)
    })
    .collect()
}
