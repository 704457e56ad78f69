//! Service or pod that a process needs, and that is not ready.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;

use super::{MOST, Recognized, Symptom, trouble};
use crate::catalogue::{Blames, Rank, container_list, is_ipv4};
use crate::cause::template::command;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::{Bystander, Pod, RelatedObjects, Service};

/// A Service without a ready pod, or a pod that is not ready, which a process needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unready {
    /// Name of the Service; `None` if the process calls a pod by its address.
    pub service: Option<Arc<str>>,
    /// Its namespace, or that of the pod.
    pub namespace: Arc<str>,
    /// The pods that the process needs, by name; empty if their set has none.
    pub pods: Vec<Arc<str>>,
    /// The reason and the last words of the first one that has any.
    pub trouble: Option<String>,
    /// The set or Deployment whose pods the Service selects, if it is scaled to zero: `StatefulSet db`.
    pub empty: Option<String>,
    /// True if the input has the Service; false if only its name and its namespace tell its pods.
    pub is_listed: bool,
}

impl Unready {
    /// A pod that is needed by itself.
    fn pod(pod: &Pod) -> Self {
        Unready {
            service: None,
            namespace: Arc::clone(&pod.meta.namespace),
            pods: vec![Arc::clone(&pod.meta.name)],
            trouble: trouble(pod),
            empty: None,
            is_listed: true,
        }
    }

    /// `orders-pg-0, which is not ready`, or `StatefulSet orders-pg, which is scaled to zero`.
    pub(super) fn told(&self) -> String {
        if let Some(empty) = &self.empty {
            return format!("{empty}, which is scaled to zero");
        }
        let end = match self.pods.len() {
            1 => "which is not ready",
            _ => "none of which is ready",
        };
        format!("{}, {end}", list(&self.pods, MOST))
    }

    /// Returns the first step for the pods.
    pub(super) fn first_step(&self) -> &'static str {
        match self.empty {
            Some(_) => "scale it up",
            None => "repair it",
        }
    }
}

/// Returns the Service that the reports of a pod name, if none of the pods that it selects is ready, or the pod at an
/// address in them, if it is not.
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
    let is_open = symptom == Symptom::InitContainer
        || recognized.is_none_or(|found| {
            found.entry.rank == Rank::Generic || of_others.contains(&found.entry.blames)
        });
    if !calls.contains(&symptom) || !is_open {
        return None;
    }
    let namespace = &pod.meta.namespace;
    let says = recognized.is_some_and(|found| of_others.contains(&found.entry.blames));
    let reported = reports.iter().flat_map(|report| addresses(report, says));
    let mut reported = reported.filter_map(|host| {
        let at = || pod_at(&plan.related, host).filter(|it| !is_of_set_of(pod, it));
        let service = || down(plan, pod, named(&plan.related, namespace, host)?);
        // A webhook is called by the API server, whose message has the whole name of its Service.
        let unlisted = || match symptom {
            Symptom::Refused => unlisted(plan, pod, host),
            _ => None,
        };
        at().map(Unready::pod).or_else(service).or_else(unlisted)
    });
    reported.next().or_else(|| configured(plan, pod, symptom))
}

/// Returns a Service if none of the pods that it selects is ready, or not the one that is wanted of them.
fn down(plan: &Plan, pod: &Pod, (service, only): (&Service, Option<&str>)) -> Option<Unready> {
    let is_wanted = |it: &&Arc<Pod>| only.is_none_or(|name| *it.meta.name == *name);
    let selected = plan.related.pods(&service.meta.namespace).filter(is_wanted);
    let selected = selected.filter(|it| service.selects(&it.meta.labels));
    let pods: Vec<&Arc<Pod>> = selected.collect();
    let is_own = pods.iter().any(|it| is_of_set_of(pod, it));
    let is_down = !pods.is_empty() && !pods.iter().any(|it| it.is_ready());
    let mut sets = plan.related.sets(&service.meta.namespace);
    let set = sets.find(|set| set.replicas == 0 && service.selects(&set.pod_labels));
    let empty = set
        .map(|set| format!("StatefulSet {}", set.name))
        .or_else(|| {
            let mut all = plan.related.bystanders(&service.meta.namespace);
            let found = all.find(|it| is_scaled_away(it) && selects_pods_of(service, it))?;
            Some(format!("Deployment {}", found.meta.name))
        });
    let empty = empty.filter(|_| pods.is_empty() && only.is_none());
    ((is_down || empty.is_some()) && !is_own).then(|| Unready {
        empty,
        is_listed: true,
        service: Some(Arc::clone(&service.meta.name)),
        namespace: Arc::clone(&service.meta.namespace),
        pods: pods.iter().map(|it| Arc::clone(&it.meta.name)).collect(),
        trouble: pods.iter().find_map(|it| trouble(it)),
    })
}

/// Reports whether an object is a Deployment that is scaled to zero.
pub(super) fn is_scaled_away(object: &Bystander) -> bool {
    &*object.kind == "Deployment" && object.spec["replicas"] == 0
}

/// Reports whether a Service selects the pods of a Deployment.
fn selects_pods_of(service: &Service, deployment: &Bystander) -> bool {
    let labels = &deployment.spec["template"]["metadata"]["labels"];
    let mut selector = service.selector.iter();
    !service.selector.is_empty() && selector.all(|(key, value)| labels[&**key] == **value)
}

/// Ends of the names of Services that the names of their pods do not have.
const OF_SERVICES: [&str; 3] = ["-svc", "-service", "-webhook-service"];

/// Returns the pods that are not ready, or the Deployment that is scaled to zero, with the name of a Service that the input does
/// not have: `kyverno-svc.kyverno.svc`.
fn unlisted(plan: &Plan, pod: &Pod, host: &str) -> Option<Unready> {
    let parts: Vec<&str> = host.split('.').collect();
    let [name, namespace, "svc", ..] = parts.as_slice() else {
        return None;
    };
    if plan.related.service(namespace, name).is_some() {
        return None;
    }
    let ends = OF_SERVICES.iter().rev();
    let stem = ends.fold(*name, |stem, end| stem.strip_suffix(end).unwrap_or(stem));
    let is_of_it = |it: &str| it.contains(stem);
    let all = plan.related.pods(namespace);
    let down = all.filter(|it| !it.is_ready() && !it.phase.has_ended());
    let down = down.filter(|it| is_of_it(&it.meta.name) && !is_of_set_of(pod, it));
    let pods: Vec<&Arc<Pod>> = down.collect();
    let mut others = plan.related.bystanders(namespace);
    let empty = others.find(|it| is_scaled_away(it) && is_of_it(&it.meta.name));
    let empty = empty.filter(|_| pods.is_empty());
    (!pods.is_empty() || empty.is_some()).then(|| Unready {
        service: Some(Arc::from(*name)),
        namespace: Arc::from(*namespace),
        pods: pods.iter().map(|it| Arc::clone(&it.meta.name)).collect(),
        trouble: pods.iter().find_map(|it| trouble(it)),
        empty: empty.map(|it| format!("Deployment {}", it.meta.name)),
        is_listed: false,
    })
}

/// Reports whether another pod has the owner of a pod, or is that pod.
fn is_of_set_of(pod: &Pod, other: &Pod) -> bool {
    let owner = other.meta.controller();
    other.meta.uid == pod.meta.uid
        || owner.is_some_and(|owner| Some(owner) == pod.meta.controller())
}

/// Returns the pod with this address, if it runs and is not ready. A pod on the network of its node has no address of its
/// own.
fn pod_at<'r>(related: &'r RelatedObjects, address: &str) -> Option<&'r Pod> {
    if !is_ipv4(address) {
        return None;
    }
    let mut unready = related.all_pods().filter(|pod| !pod.is_ready());
    let found = unready.find(|pod| {
        pod.given().is_some_and(|object| {
            object["status"]["podIP"] == address && object["spec"]["hostNetwork"] != true
        })
    });
    found.map(|pod| &**pod)
}

/// Ends of the names of environment variables whose value is a host alone.
const HOSTS: [&str; 7] = [
    "HOST", "HOSTNAME", "SERVER", "SERVERS", "ADDR", "ADDRESS", "SERVICE",
];
/// Time by which the pods of a Service may become unready after the pod that needs them: probes notice it in turn.
const NOTICED: SignedDuration = SignedDuration::from_mins(2);

/// Returns the Service that the configuration of a pod names, if its pods became unready before this one: a message may
/// say that a connection is refused, and not whose.
fn configured(plan: &Plan, pod: &Pod, symptom: Symptom) -> Option<Unready> {
    let namespace = &pod.meta.namespace;
    let object = pod.given()?;
    // An init container waits for what its command names: `until nc -z db 5432`.
    let waits = symptom == Symptom::InitContainer;
    let list = container_list(waits);
    let containers = object["spec"][list].as_array()?;
    let hosts = |container| hosts(container, waits);
    let mut found = containers.iter().flat_map(hosts).filter_map(|host| {
        let found = named(&plan.related, namespace, host)?;
        down(plan, pod, found)
    });
    // A pod without a node has no such condition yet.
    let unready_since = |pod: &Pod| match &pod.ready {
        Some(ready) => ready.since,
        None => pod.meta.created,
    };
    let since = unready_since(pod)?.checked_add(NOTICED).ok()?;
    found.find(|service| {
        if service.empty.is_some() {
            return true;
        }
        let of_service = plan.related.pods(&service.namespace);
        let mut of_service = of_service.filter(|it| service.pods.contains(&it.meta.name));
        of_service.all(|it| unready_since(it).is_some_and(|at| at <= since))
    })
}

/// Returns the Service that has an address in the reports of a pod: `Service redis`.
pub(super) fn service_at(related: &RelatedObjects, reports: &[&str]) -> Option<String> {
    let mut hosts = reports.iter().flat_map(|report| addresses(report, false));
    let found = hosts.find_map(|host| related.service_at(host))?;
    Some(format!("Service {}", found.meta.name))
}

/// Returns the hosts that the environment and the arguments of a container name. All words of the arguments may be hosts if
/// it only waits.
fn hosts(container: &Value, waits: bool) -> impl Iterator<Item = &str> {
    let variables = container["env"].as_array().into_iter().flatten();
    let variables = variables.flat_map(|variable| {
        let name = variable["name"].as_str().unwrap_or_default();
        let value = variable["value"].as_str().unwrap_or_default();
        addresses(value, HOSTS.iter().any(|end| name.ends_with(end)))
    });
    let arguments = command(container).flat_map(move |it| addresses(it, waits));
    variables.chain(arguments)
}

/// Returns the words of a report that can be the host of an address. One word alone is one if a port follows, or if all
/// words may be hosts.
fn addresses(report: &str, are_hosts: bool) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-.:".contains(c);
    report.split(move |c| !is_part(c)).filter_map(move |word| {
        let (host, port) = word.split_once(':').unwrap_or((word, ""));
        let host = host.trim_matches('.');
        let has_port = port.starts_with(|c: char| c.is_ascii_digit());
        (are_hosts || has_port || host.contains(['.', '-'])).then_some(host)
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
