//! STS046: a field left the manifest and stays, since it was applied on the server's side.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::KeptField,
    name: "field-stays",
    title: "a field left the manifest and stays, since the set was applied on the server's side",
    why: "Client-side apply removes the fields that its own annotation with the last manifest has and the new manifest \
          lacks. A set that Flux, Argo CD or Helm applied on the server's side has no such annotation: what was deleted \
          from the manifest stays in the cluster, and the plan keeps it. A server-side apply by the same manager removes \
          it.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Plan as the tool applies: --server-side --field-manager NAME, with the manager that the finding names.",
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
            "{} left the manifest and stays: {manager} applies it on the server's side; plan with --server-side \
             --field-manager {manager}",
            list(fields.paths.iter().map(String::as_str)),
            manager = fields.owner.manager,
        );
        Found::on_set(Severity::Warning, plan, message)
    })
    .collect()
}
