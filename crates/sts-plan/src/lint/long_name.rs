//! STS009: the set's name is too long for the labels of its pods.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::controller::{Refusal, Resource, Verb, Write};
use sts_controller::simulate::Step;

pub(super) const RULE: Rule = Rule {
    id: RuleId::LongName,
    name: "name-too-long",
    title: "the set's name is too long for a label of its pods, so no pod is ever created",
    why: "Each pod has the name of its revision (the set's name, a dash, and a hash of up to ten characters) in label \
          controller-revision-hash. A label value has at most 63 characters. The API server accepts a set with a longer \
          name, but refuses all of its pods.",
    severities: &[Severity::Error],
    happens: None,
    remedy: "Choose a name of at most 52 characters. With Helm, fullnameOverride shortens it.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/64023",
        "https://github.com/kubernetes/kubernetes/issues/79337",
    ],
    check: Check::Plan(check),
};

/// Maximum length of a label value.
const MOST: usize = 63;

fn check(plan: &Plan) -> Vec<Found> {
    let revision = &plan.next.status.update_revision;
    // With a shorter name, another label is invalid.
    if revision.len() <= MOST {
        return Vec::new();
    }
    let is_it = |resource, verb, refused: &Option<Refusal>| {
        let invalid =
            matches!(refused, Some(Refusal::Invalid(text)) if text.contains("metadata.labels"));
        resource == Resource::Pods && verb == Verb::Create && invalid
    };
    let next = |write: &Write| is_it(write.resource, write.verb, &write.refused);
    let steps = plan.progression.steps.iter();
    let later = steps
        .flat_map(Step::writes)
        .any(|write| is_it(write.resource, write.verb, &write.refused));
    if !later && !plan.next.writes.iter().any(next) {
        return Vec::new();
    }
    let name = &plan.snapshot.set.meta.name;
    let message = format!(
        "no pod can be created: the name {name} has {} characters, so the revision label {revision} has {} (at most {MOST} \
         are allowed)",
        name.len(),
        revision.len()
    );
    vec![Found::on_set(Severity::Error, plan, message)]
}
