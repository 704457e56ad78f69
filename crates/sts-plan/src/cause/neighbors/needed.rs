//! Service that a process needs, and whose pods are not ready.

use std::sync::Arc;

use super::{MOST, Recognized, Symptom};
use crate::catalogue::{Blames, Rank};
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::{Pod, RelatedObjects, Service};

/// A Service without a ready pod, which a process needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unready {
    /// Name of the Service.
    pub service: Arc<str>,
    /// Its namespace.
    pub namespace: Arc<str>,
    /// The pods that the process needs, by name.
    pub pods: Vec<Arc<str>>,
}

impl Unready {
    /// `orders-pg-0, which is not ready`.
    pub(super) fn told(&self) -> String {
        let end = match self.pods.len() {
            1 => "which is not ready",
            _ => "none of which is ready",
        };
        format!("{}, {end}", list(&self.pods, MOST))
    }
}

/// Returns the Service that the reports of a pod name, if none of the pods that it selects is ready.
pub(super) fn unready(
    plan: &Plan,
    pod: &Pod,
    symptom: Symptom,
    recognized: Option<&Recognized>,
    reports: &[&str],
) -> Option<Unready> {
    let calls = [
        Symptom::CrashLoop,
        Symptom::CheckFails,
        Symptom::InitContainer,
        Symptom::NotReady,
        Symptom::Refused,
    ];
    let of_others = [Blames::Dependency, Blames::Network, Blames::Server];
    let is_open = recognized.is_none_or(|found| {
        found.entry.rank == Rank::Generic || of_others.contains(&found.entry.blames)
    });
    if !calls.contains(&symptom) || !is_open {
        return None;
    }
    let namespace = &pod.meta.namespace;
    let addresses = reports.iter().flat_map(|report| addresses(report));
    let mut found = addresses.filter_map(|address| {
        let (service, only) = named(&plan.related, namespace, address)?;
        let is_wanted = |it: &&Arc<Pod>| only.is_none_or(|name| *it.meta.name == *name);
        let selected = plan.related.pods(&service.meta.namespace).filter(is_wanted);
        let selected = selected.filter(|it| service.selects(&it.meta.labels));
        let pods: Vec<&Arc<Pod>> = selected.collect();
        let is_own = pods.iter().any(|it| {
            it.meta.uid == pod.meta.uid
                || it
                    .meta
                    .controller()
                    .is_some_and(|owner| Some(owner) == pod.meta.controller())
        });
        let is_down = !pods.is_empty() && !pods.iter().any(|it| it.is_ready());
        (is_down && !is_own).then(|| Unready {
            service: Arc::clone(&service.meta.name),
            namespace: Arc::clone(&service.meta.namespace),
            pods: pods.iter().map(|it| Arc::clone(&it.meta.name)).collect(),
        })
    });
    found.next()
}

/// Returns the words of a report that can be the host of an address. One word alone is one if a port follows.
fn addresses(report: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-.:".contains(c);
    report.split(move |c| !is_part(c)).filter_map(|word| {
        let (host, port) = word.split_once(':').unwrap_or((word, ""));
        let host = host.trim_matches('.');
        let has_port = port.starts_with(|c: char| c.is_ascii_digit());
        (has_port || host.contains(['.', '-'])).then_some(host)
    })
}

/// Returns the Service of a host, and the pod if the host is that of one: `10.96.14.3`, `pg.orders.svc`,
/// `kafka-0.kafka.orders`.
fn named<'r, 'a>(
    related: &'r RelatedObjects,
    namespace: &str,
    host: &'a str,
) -> Option<(&'r Service, Option<&'a str>)> {
    let of = |namespace: &str, name: &str| related.service(namespace, name).map(|it| &**it);
    if let Some(found) = related.service_at(host) {
        return Some((found, None));
    }
    let parts: Vec<&str> = host.split('.').collect();
    match parts.as_slice() {
        [name] => Some((of(namespace, name)?, None)),
        [name, second, ..] => {
            let is_service = |at: usize| parts.get(at).is_none_or(|it| *it == "svc");
            // The name of a pod comes before that of its Service.
            if let Some(found) = of(namespace, second).filter(|it| it.is_headless) {
                return Some((found, Some(*name)));
            }
            if let Some(of_pod) = parts.get(2).and_then(|third| of(third, second))
                && is_service(3)
                && of_pod.is_headless
            {
                return Some((of_pod, Some(*name)));
            }
            of(second, name)
                .filter(|_| is_service(2))
                .map(|it| (it, None))
        }
        [] => None,
    }
}
