//! STS029: a pod has no volume for a claim template, and no update can add it.

use std::collections::BTreeSet;

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;
use sts_controller::controller::Hold;

pub(super) const RULE: Rule = Rule {
    id: RuleId::MissingVolume,
    name: "missing-volume",
    title: "a pod has no volume for a claim template, and every attempt to add it is refused",
    why: "A set that is recreated with an additional claim template adopts the pods of the old set. The controller tries to \
          add the volume to these pods, but the API server refuses: the volumes of a pod cannot change. The controller \
          retries forever and does nothing else.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Delete the pods without the volume one by one, and wait until each is ready. The new pods have the volume.",
    links: &["https://github.com/kubernetes/kubernetes/issues/141876"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for hold in plan.next.holds.iter().chain(&plan.last.holds) {
        let Hold::PodUpdateRefused { pod, .. } = hold else {
            continue;
        };
        let name = &pod.meta.name;
        let given = plan.snapshot.pods.get(name).unwrap_or(pod);
        let lacking: Vec<&str> = set
            .claim_templates
            .iter()
            .map(|template| &*template.name)
            .filter(|template| {
                !given
                    .volumes
                    .iter()
                    .any(|volume| &*volume.name == *template)
            })
            .collect();
        if lacking.is_empty() || !seen.insert(name) {
            continue;
        }
        let message = format!(
            "{name} has no volume {}, and the API server refuses to add it: the set is stuck until you delete {name}",
            list(lacking)
        );
        found.push(Found::on_pod(Severity::Warning, name, message));
    }
    found
}
