//! STS020: another tool manages the set and may revert the change.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Plan, deploying_tool};
use sts_controller::apiserver::apply::Effect;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Managed,
    name: "managed-externally",
    title: "an operator, an autoscaler or a deployment tool manages the set and may revert the change",
    why: "An operator reverts changes to the objects it owns, often within seconds, so a manual restart or partition is \
          lost. An autoscaler sets replicas. Helm, Argo CD and Flux restore their source at the next upgrade or sync. The \
          plan simulates the StatefulSet controller, not these tools.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Change the source of the set: the operator's custom resource, the chart's values, the repository. For a \
             manual change, pause the other controller first (flux suspend, or argocd app set --sync-policy none).",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/58585",
        "https://github.com/elastic/cloud-on-k8s/issues/1619",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let mut found = Vec::new();
    if plan.change.is_empty() {
        return found;
    }
    if let Some(owner) = plan.operator() {
        let message = format!(
            "the set belongs to {owner}, which is likely to revert the change: make the change there"
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    let scales = plan
        .change
        .iter()
        .any(|change| change.effect == Effect::Scale && change.path == "spec.replicas");
    let autoscalers = plan.related.autoscalers(&set.meta.namespace);
    for scaler in autoscalers.filter(|scaler| scales && scaler.scales(&set.meta.name)) {
        let message = format!(
            "HorizontalPodAutoscaler {} sets spec.replicas between {} and {}: {} replicas last until its next sync",
            scaler.meta.name, scaler.min_replicas, scaler.max_replicas, set.replicas
        );
        found.push(Found::on_set(Severity::Warning, plan, message));
    }
    if let Some((tool, name)) = deploying_tool(plan) {
        let message = format!(
            "{tool} manages the set ({name}), and its next run reverts changes that are not in its source"
        );
        found.push(Found::on_set(Severity::Info, plan, message));
    }
    found
}
