//! STS022: the service that gives the pods their names is missing, or gives none.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::object::labels_of;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Service,
    name: "service",
    title: "the Service that spec.serviceName names is missing, not headless, or selects other pods",
    why: "A pod's stable DNS name, POD.SERVICE.NAMESPACE.svc, comes from the headless Service that spec.serviceName \
          names. Nothing checks that it exists. Without it pods start, and do not find their peers.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Create the Service with clusterIP: None and the labels of the pods as its selector. spec.serviceName \
             cannot be changed; the Service can be created under that name at any time.",
    links: &[
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#stable-network-id",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let wanted = &*set.service_name;
    let mut services = plan.related.services(&set.meta.namespace).peekable();
    // An input without services says nothing about them.
    if wanted.is_empty() || services.peek().is_none() {
        return Vec::new();
    }
    let message = match services.find(|service| &*service.meta.name == wanted) {
        None => format!(
            "service {wanted}, which spec.serviceName names, is not among the services given"
        ),
        Some(service) if !service.is_headless => format!(
            "service {wanted}, which spec.serviceName names, is not headless (clusterIP: None): pods get no names in DNS \
             from it"
        ),
        Some(service) if !service.selects(&labels_of(&set.template)) => format!(
            "service {wanted}, which spec.serviceName names, does not select the set's pods"
        ),
        Some(_) => return Vec::new(),
    };
    vec![Found::on_set(Severity::Warning, plan, message)]
}
