//! A container that a refusal names and that the template does not have: a webhook adds it to the pods.

use serde_json::Value;

use crate::cause::template::containers;
use crate::words::has_word;

const CONSUL: &str = "annotations consul.hashicorp.com/sidecar-proxy-cpu-limit and \
    sidecar-proxy-memory-limit of the template";
const DAPR: &str = "annotations dapr.io/sidecar-cpu-limit and sidecar-memory-limit of the template";
const ISTIO: &str = "annotations sidecar.istio.io/proxyCPULimit and proxyMemoryLimit (proxyCPU and \
    proxyMemory for the requests) of the template";
const LINKERD: &str = "annotations config.linkerd.io/proxy-cpu-limit and proxy-memory-limit \
    (proxy-cpu-request and proxy-memory-request for the requests) of the template";
const VAULT: &str = "annotations vault.hashicorp.com/agent-limits-cpu and agent-limits-mem \
    (agent-requests-cpu and agent-requests-mem for the requests) of the template";

/// Containers that webhooks add, with what sets their resources.
const INJECTED: [(&str, &str); 10] = [
    ("consul-connect-inject-init", CONSUL),
    ("consul-dataplane", CONSUL),
    ("daprd", DAPR),
    ("istio-init", ISTIO),
    ("istio-proxy", ISTIO),
    ("istio-validation", ISTIO),
    ("linkerd-init", LINKERD),
    ("linkerd-proxy", LINKERD),
    ("vault-agent", VAULT),
    ("vault-agent-init", VAULT),
];

/// Words of refusals for lack of requests or limits, in lower case.
const OF_RESOURCES: [&str; 5] = ["limits", "requests", "resource", "cpu", "memory"];

/// Returns a container that a webhook adds, and that a refusal for lack of requests or limits names, with what sets those.
pub(super) fn injected(template: &Value, report: &str) -> Option<(String, &'static str)> {
    let words = report.to_ascii_lowercase();
    if !OF_RESOURCES.iter().any(|word| words.contains(word)) {
        return None;
    }
    let own = |name: &str| containers(&template["spec"]).any(|it| it["name"] == name);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let mut known = INJECTED.iter();
    if let Some((name, by)) = known.find(|(name, _)| !own(name) && has_word(report, name, is_part))
    {
        return Some(((*name).to_owned(), *by));
    }
    if let Some(added) = beyond_template(template, report) {
        return Some(added);
    }
    // A quota names the containers behind each resource that it counts.
    let (_, rest) = report.split_once("must specify ")?;
    let (_, rest) = rest.split_once(" for: ")?;
    let name = rest.split([';', ',', ' ']).next()?;
    let is_added = containers(&template["spec"]).next().is_some() && !own(name);
    (is_added && !name.is_empty()).then(|| (name.to_owned(), "the settings of what adds it"))
}

/// Annotations that ask for a container of a webhook, with what sets its resources.
const ASKED_BY: [(&str, &str); 4] = [
    ("linkerd.io/inject", LINKERD),
    ("sidecar.istio.io/", ISTIO),
    ("vault.hashicorp.com/agent-inject", VAULT),
    ("dapr.io/enabled", DAPR),
];

/// Returns the container that a policy means by a place that the template does not have: `/spec/initContainers/0/resources`.
fn beyond_template(template: &Value, report: &str) -> Option<(String, &'static str)> {
    ["containers", "initContainers"].iter().find_map(|list| {
        let (_, rest) = report.split_once(&format!("/spec/{list}/"))?;
        let index = rest.split('/').next()?.parse::<usize>().ok()?;
        let own = template["spec"][*list].as_array().map_or(0, Vec::len);
        let annotations = template["metadata"]["annotations"].as_object();
        let mut keys = annotations.into_iter().flat_map(|it| it.keys());
        let by = keys.find_map(|key| {
            let mut asked = ASKED_BY.iter();
            asked.find(|(start, _)| key.starts_with(start))
        });
        let by = by.map_or("the settings of what adds it", |(_, by)| by);
        (index >= own).then(|| (format!("{list}[{index}]"), by))
    })
}
