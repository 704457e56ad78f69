//! STS022: the Service in spec.serviceName is missing or does not provide DNS names.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::object::labels_of;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Service,
    name: "service",
    title: "the Service in spec.serviceName is missing, not headless, or selects other pods",
    why: "A pod's stable DNS name, POD.SERVICE.NAMESPACE.svc, comes from the headless Service in spec.serviceName. Nothing \
          checks that it exists. Without it, pods start but cannot resolve their peers.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Create the Service with clusterIP: None and the labels of the pods as its selector. spec.serviceName cannot be \
             changed, but the Service can be created at any time.",
    links: &[
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#stable-network-id",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let wanted = &*set.service_name;
    let mut services = plan.related.services(&set.meta.namespace).peekable();
    // An input without services does not show whether there are any.
    if wanted.is_empty() || services.peek().is_none() {
        return Vec::new();
    }
    let message = match services.find(|service| &*service.meta.name == wanted) {
        None => format!("Service {wanted} (spec.serviceName) is not in the input"),
        Some(service) if !service.is_headless => format!(
            "Service {wanted} (spec.serviceName) is not headless (clusterIP: None): whether the pods get DNS names from \
             it depends on the DNS server; CoreDNS serves them, kube-dns does not"
        ),
        Some(service) if !service.selects(&labels_of(&set.template)) => {
            format!("Service {wanted} (spec.serviceName) does not select the set's pods")
        }
        Some(_) => return Vec::new(),
    };
    vec![Found::on_set(Severity::Warning, plan, message)]
}
