//! STS026: a manual restart that is not in the source of the set.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Plan, deploying_tool};
use sts_controller::apiserver::apply::Effect;

pub(super) const RULE: Rule = Rule {
    id: RuleId::RestartByHand,
    name: "restart-annotation",
    title: "the annotation of kubectl rollout restart is added or removed, which replaces all pods",
    why: "kubectl rollout restart adds the annotation kubectl.kubernetes.io/restartedAt to the template, which is a template \
          change like any other. Restoring the template from a repository removes it and replaces every pod again.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Add the annotation to the source of the set, or configure the tool to ignore it: in Argo CD with \
             ignoreDifferences and RespectIgnoreDifferences=true. To restart without a new revision, delete the pods one \
             by one.",
    links: &[
        "https://github.com/derailed/k9s/issues/3285",
        "https://github.com/aptakube/aptakube/issues/233",
    ],
    check: Check::Plan(check),
};

/// The annotation of a manual restart.
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

fn check(plan: &Plan) -> Vec<Found> {
    let mut restarts = plan
        .change
        .iter()
        .filter(|change| change.effect == Effect::Rollout && change.path.contains(RESTARTED_AT));
    let Some(change) = restarts.next() else {
        return Vec::new();
    };
    let rollouts = plan
        .change
        .iter()
        .filter(|change| change.effect == Effect::Rollout);
    let alone = rollouts.count() == 1;
    let message = match (&change.new, deploying_tool(plan)) {
        (None, _) if alone => {
            "only the annotation of a manual restart is removed from the template, which replaces every pod again"
                .to_owned()
        }
        (Some(_), Some((tool, _))) => format!(
            "{tool} manages the set: unless its source has annotation {RESTARTED_AT}, its next run removes it and replaces \
             every pod again"
        ),
        _ => return Vec::new(),
    };
    vec![Found::on_set(Severity::Warning, plan, message)]
}
