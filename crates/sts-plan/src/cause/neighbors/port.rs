//! Ports that a Service or a probe of a pod names, and that no container of the pod declares.

use serde_json::Value;

use super::{Recognized, Symptom};
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::Pod;

/// Maximum number of ports to name.
const MOST: usize = 3;
/// Words of a probe that nothing answers.
const UNHEARD: [&str; 4] = [
    "connection refused",
    "econnrefused",
    "no response",
    "could not connect",
];

/// Returns the Service before a pod whose port leads to none of its containers: `Service web sends to port 8080, not
/// 3000`.
pub(super) fn of_service(plan: &Plan, pod: &Pod, symptom: Symptom) -> Option<String> {
    if symptom != Symptom::GateNotMet {
        return None;
    }
    let given = pod.given()?;
    let declared = declared(&given["spec"]);
    declared.first()?;
    let own = list(&numbers(&declared), MOST);
    let mut services = plan.related.services(&pod.meta.namespace);
    services.find_map(|service| {
        // A load balancer does not read the ports of the Service that only gives the pods their names.
        let is_before = !service.is_headless && service.selects(&pod.meta.labels);
        let mut targets = service.targets.iter().filter(|_| is_before);
        let to = targets.find(|to| {
            let mut all = declared.iter();
            !all.any(|(number, name)| ***to == **number || ***to == **name)
        })?;
        let name = &service.meta.name;
        Some(format!("Service {name} sends to port {to}, not {own}"))
    })
}

/// Returns the port of a failing probe that no container declares: `the readiness probe asks port 8080,
/// not 9090`.
pub(super) fn of_probe(
    pod: &Pod,
    symptom: Symptom,
    recognized: Option<&Recognized>,
    container: Option<&String>,
) -> Option<String> {
    let kinds = match symptom {
        Symptom::NotReady => ["readinessProbe", "startupProbe"],
        Symptom::CheckFails => ["livenessProbe", "startupProbe"],
        _ => return None,
    };
    let message = recognized?.message.to_ascii_lowercase();
    if !UNHEARD.iter().any(|words| message.contains(words)) {
        return None;
    }
    let given = pod.given()?;
    let declared = declared(&given["spec"]);
    let all = given["spec"]["containers"].as_array()?;
    let found = all.iter().find(|it| match container {
        Some(name) => it["name"] == **name,
        None => all.len() == 1,
    })?;
    let its = declared_by(found);
    let own = numbers(&its);
    if own.is_empty() {
        return None;
    }
    kinds.iter().find_map(|kind| {
        let probe = &found[*kind];
        let mut ports = ["httpGet", "tcpSocket", "grpc"].iter();
        let port = ports.find_map(|it| probe[*it]["port"].as_u64())?;
        let port = port.to_string();
        let is_asked = message.contains(&format!(":{port}"));
        let is_declared = declared.iter().any(|(number, _)| *number == port);
        let (what, own) = (kind.trim_end_matches("Probe"), list(&own, MOST));
        (is_asked && !is_declared).then(|| format!("the {what} probe asks port {port}, not {own}"))
    })
}

/// Returns the ports that the containers of a pod declare, as numbers with their names.
fn declared(spec: &Value) -> Vec<(String, String)> {
    let sidecars = spec["initContainers"].as_array().into_iter().flatten();
    let sidecars = sidecars.filter(|it| it["restartPolicy"] == "Always");
    let all = spec["containers"].as_array().into_iter().flatten();
    all.chain(sidecars).flat_map(declared_by).collect()
}

fn declared_by(container: &Value) -> Vec<(String, String)> {
    let ports = container["ports"].as_array().into_iter().flatten();
    let read = ports.filter_map(|it| {
        let name = it["name"].as_str().unwrap_or_default();
        Some((it["containerPort"].as_u64()?.to_string(), name.to_owned()))
    });
    read.collect()
}

fn numbers(ports: &[(String, String)]) -> Vec<&str> {
    ports.iter().map(|(number, _)| number.as_str()).collect()
}
