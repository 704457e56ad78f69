//! STS045: the change sets a field that another manager owns.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::FieldOwner,
    name: "field-owned-elsewhere",
    title: "the change sets a field that another manager owns, according to managedFields",
    why: "metadata.managedFields names the last manager of each field: kube-controller-manager through the scale \
          subresource for a HorizontalPodAutoscaler, an operator, kustomize-controller, argocd-controller or Helm. Such a \
          manager is likely to revert the field on its next run. The managers of kubectl are ignored.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Change the value at its source, or omit the field from the manifest. For a manual change, pause the manager.",
    links: &[
        "https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management",
        "https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#migrating-deployments-and-statefulsets-to-horizontal-autoscaling",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set.meta;
    let mut autoscalers = plan.related.autoscalers(&set.namespace);
    // STS020 reports it with the bounds of the autoscaler.
    let is_autoscaled = autoscalers.any(|scaler| scaler.scales(&set.name));
    let others = plan.ownership.set.iter().filter(|fields| {
        let owner = &fields.owner;
        let is_reported = is_autoscaled && owner.subresource == SCALE;
        !is_reported && !owner.manager.starts_with("kubectl")
    });
    others
        .map(|fields| {
            let owner = &fields.owner;
            let since = owner.since.as_ref();
            let since = since.map_or_else(String::new, |since| format!(" since {since}"));
            let severity = match owner.subresource.as_str() {
                SCALE => Severity::Warning,
                _ => Severity::Info,
            };
            let message = format!(
                "{} owns {}{since} and may revert it",
                owner.manager,
                list(fields.paths.iter().map(String::as_str))
            );
            Found::on_set(severity, plan, message)
        })
        .collect()
}

/// The subresource that autoscalers update.
const SCALE: &str = "scale";
