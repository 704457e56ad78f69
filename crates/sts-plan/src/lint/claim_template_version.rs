//! STS044: a claim template has a resourceVersion, so no claim can be created from it.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;
use sts_controller::controller::{Refusal, Resource, Verb, Write};
use sts_controller::simulate::Step;

pub(super) const RULE: Rule = Rule {
    id: RuleId::ClaimTemplateVersion,
    name: "claim-template-resource-version",
    title: "a volumeClaimTemplate has a resourceVersion, so the API server refuses every claim from it",
    why: "A PersistentVolumeClaim that is exported from a cluster and pasted into volumeClaimTemplates contains its \
          metadata.resourceVersion. The API server accepts the StatefulSet, but the controller copies the whole template. \
          The server then refuses every claim with \"resourceVersion should not be set on objects to be created\". Pods \
          with existing claims are not affected; no other pod is ever created. A uid or a creationTimestamp in the \
          template is harmless: the server replaces both.",
    severities: &[Severity::Warning, Severity::Error],
    happens: None,
    remedy: "Remove metadata.resourceVersion from the template. volumeClaimTemplates are immutable: delete the set with \
             --cascade=orphan and create it again.",
    links: &[
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#volume-claim-templates",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let templates = plan.snapshot.set.claim_templates.iter();
    let mut names = templates
        .filter(|template| template.has_stored_version())
        .map(|template| &*template.name)
        .peekable();
    if names.peek().is_none() {
        return Vec::new();
    }
    let is_refused = |resource, verb, refused: &Option<Refusal>| {
        (resource, verb) == (Resource::Claims, Verb::Create) && refused.is_some()
    };
    let next = |write: &Write| is_refused(write.resource, write.verb, &write.refused);
    let steps = plan.progression.steps.iter();
    let later = steps
        .flat_map(Step::writes)
        .any(|write| is_refused(write.resource, write.verb, &write.refused));
    let (severity, effect) = match later || plan.next.writes.iter().any(next) {
        true => (
            Severity::Error,
            "pods without an existing claim are never created",
        ),
        false => (Severity::Warning, "no new claim can be created"),
    };
    let message = format!(
        "{effect}: the API server refuses claims with a metadata.resourceVersion (volumeClaimTemplates: {})",
        list(names)
    );
    vec![Found::on_set(severity, plan, message)]
}
