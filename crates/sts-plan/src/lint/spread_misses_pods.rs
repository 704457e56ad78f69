//! STS054: a topology spread constraint does not count the pods of the set.

use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::object::{Selector, labels_of};

pub(super) const RULE: Rule = Rule {
    id: RuleId::SpreadMissesPods,
    name: "spread-misses-pods",
    title: "the selector of a topologySpreadConstraint does not match the pods of the set",
    why: "A topologySpreadConstraint counts the pods that its labelSelector matches, in the pod's namespace. If it does \
          not match the pods of the set, they are not spread: all of them may run in one zone or on one node. If it \
          matches pods of another workload, their places decide where these pods can run.",
    severities: &[Severity::Warning, Severity::Info],
    happens: None,
    remedy: "Set labelSelector to labels of the pod template, such as the matchLabels of spec.selector.",
    links: &[
        "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let spec = &set.template["spec"];
    let labels = labels_of(&set.template);
    let spreads = spec["topologySpreadConstraints"].as_array();
    let misses = |spread: &&Value| {
        let selector = Selector::from_json(&spread["labelSelector"]);
        // A constraint without a selector counts nothing.
        spread["labelSelector"].is_null() || selector.is_ok_and(|it| !it.matches(&labels))
    };
    let found = spreads.into_iter().flatten().filter(misses).map(|spread| {
        let is_hard = spread["whenUnsatisfiable"] != "ScheduleAnyway";
        let severity = if is_hard { Severity::Warning } else { Severity::Info };
        let key = spread["topologyKey"].as_str().unwrap_or_default();
        let message = format!(
            "the topologySpreadConstraint over {key} does not spread these pods: its labelSelector does not match their \
             labels"
        );
        Found::on_set(severity, plan, message)
    });
    found.collect()
}
