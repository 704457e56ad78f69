//! Path that a load balancer asks for the health of a pod, if its readiness probe asks another one.

use serde_json::Value;

use super::Symptom;
use super::culprit::Case;
use crate::cause::template::containers;
use crate::plan::Plan;
use sts_controller::object::{Bystander, Pod};

/// The annotation of an Ingress with the path that an AWS load balancer asks.
const PATH: &str = "alb.ingress.kubernetes.io/healthcheck-path";
/// The path without that annotation.
const DEFAULT_PATH: &str = "/";

/// Returns the Ingress whose load balancer asks another path than the readiness probe, if the answer to it is what keeps the gate
/// shut: `Ingress web has the load balancer ask /healthz (annotation x), and the readiness probe asks /readyz`.
pub(super) fn of_load_balancer(case: Case<'_>) -> Option<String> {
    let (plan, pod) = (case.plan, case.pod);
    let message = &case.recognized?.message;
    if case.symptom != Symptom::GateNotMet || !message.contains("with these codes") {
        return None;
    }
    let given = pod.given()?;
    let mut probes = containers(&given["spec"]).map(|it| &it["readinessProbe"]["httpGet"]["path"]);
    let own = probes.find_map(Value::as_str)?;
    let mut ingresses = plan.related.bystanders(&pod.meta.namespace);
    ingresses.find_map(|it| {
        let (asked, source) = match it.annotations[PATH].as_str() {
            Some(path) => (path, "annotation"),
            None => (DEFAULT_PATH, "without annotation"),
        };
        let is_other = &*it.kind == "Ingress" && asked != own && leads_to(plan, it, pod);
        is_other.then(|| {
            let name = &it.meta.name;
            format!(
                "Ingress {name} has the load balancer ask {asked} ({source} {PATH}), and the readiness probe asks {own}"
            )
        })
    })
}

/// Reports whether an Ingress sends to a Service that selects a pod, or that the input does not have.
fn leads_to(plan: &Plan, ingress: &Bystander, pod: &Pod) -> bool {
    let rules = ingress.spec["rules"].as_array().into_iter().flatten();
    let paths = rules.flat_map(|it| it["http"]["paths"].as_array().into_iter().flatten());
    let backends = paths.map(|it| &it["backend"]);
    let mut backends = backends.chain([&ingress.spec["defaultBackend"]]);
    backends.any(|it| {
        let name = it["service"]["name"].as_str();
        name.is_some_and(
            |name| match plan.related.service(&pod.meta.namespace, name) {
                Some(service) => service.selects(&pod.meta.labels),
                None => true,
            },
        )
    })
}
