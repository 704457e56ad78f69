//! Pods on their nodes, with the fields that decide about other pods there. Each is read once, since every new pod of every
//! set is compared with all of them.

use std::sync::Arc;

use serde_json::Value;

use crate::requests::{self, Amounts};
use sts_controller::object::{Labels, Pod, Selector};

/// A pod as read, with what it takes from others.
#[derive(Debug, Clone)]
pub struct Resident {
    /// The pod.
    pub pod: Arc<Pod>,
    /// `spec.priority`.
    pub(crate) priority: i64,
    /// Its requests.
    pub(crate) asks: Amounts,
    /// Its required anti-affinity.
    pub(crate) anti_affinity: Vec<PodTerm>,
    /// Its host ports.
    pub(crate) ports: Vec<HostPort>,
}

impl Resident {
    pub(crate) fn of(pod: &Arc<Pod>) -> Self {
        let given = pod.given();
        let spec = given
            .as_deref()
            .map_or(&Value::Null, |given| &given["spec"]);
        Resident {
            pod: Arc::clone(pod),
            priority: spec["priority"].as_i64().unwrap_or(0),
            asks: requests::of_spec(spec),
            anti_affinity: terms(spec, "podAntiAffinity"),
            ports: host_ports(spec),
        }
    }

    /// Returns the same pod in another state, such as on another node.
    pub(crate) fn changed(&self, change: impl FnOnce(&mut Pod)) -> Self {
        let mut resident = self.clone();
        change(Arc::make_mut(&mut resident.pod));
        resident
    }

    /// Reports whether the pod takes room on its node: it is neither terminating nor over.
    pub(crate) fn is_there(&self) -> bool {
        let is_over = self.pod.phase.has_ended();
        !is_over && !self.pod.is_terminating()
    }
}

/// A required term of a pod affinity.
#[derive(Debug, Clone)]
pub(crate) struct PodTerm {
    pub(crate) key: String,
    selector: Option<Selector>,
    namespaces: Vec<String>,
    /// A selector of namespaces: of all, or of some that were not read.
    of_namespaces: Option<Selector>,
    pub(crate) is_of_own_namespace: bool,
    /// True if values of the new pod's labels change the selector.
    is_by_keys: bool,
}

impl PodTerm {
    /// Reports whether the term of a pod in namespace `own` selects a pod with these labels; `None` if unknown.
    pub(crate) fn selects(&self, own: &str, namespace: &str, labels: &Labels) -> Option<bool> {
        let is_matched = self
            .selector
            .as_ref()
            .is_some_and(|selector| selector.matches(labels));
        if !is_matched {
            return Some(false);
        }
        let is_listed = self.namespaces.iter().any(|name| name == namespace);
        let in_namespace = match &self.of_namespaces {
            _ if is_listed => Some(true),
            Some(all) if *all == Selector::default() => Some(true),
            Some(_) => None,
            None => Some(self.namespaces.is_empty() && own == namespace),
        };
        match self.is_by_keys {
            true if in_namespace != Some(false) => None,
            _ => in_namespace,
        }
    }
}

/// Returns the required terms of a pod's `podAffinity` or `podAntiAffinity`.
pub(crate) fn terms(spec: &Value, kind: &str) -> Vec<PodTerm> {
    let required = &spec["affinity"][kind]["requiredDuringSchedulingIgnoredDuringExecution"];
    let list = |term: &Value, name: &str| -> Vec<String> {
        let items = term[name].as_array().into_iter().flatten();
        items
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    };
    let selector = |value: &Value| match value {
        Value::Null => None,
        value => Selector::from_json(value).ok(),
    };
    let terms = required.as_array().into_iter().flatten();
    terms
        .filter_map(|term| {
            let namespaces = list(term, "namespaces");
            let by_keys = ["matchLabelKeys", "mismatchLabelKeys"];
            let of_namespaces = selector(&term["namespaceSelector"]);
            Some(PodTerm {
                key: term["topologyKey"].as_str()?.to_owned(),
                selector: selector(&term["labelSelector"]),
                is_of_own_namespace: namespaces.is_empty() && of_namespaces.is_none(),
                namespaces,
                of_namespaces,
                is_by_keys: by_keys.iter().any(|name| !list(term, name).is_empty()),
            })
        })
        .collect()
}

/// A port of the node that a container binds.
#[derive(Debug, Clone)]
pub(crate) struct HostPort {
    pub(crate) number: i64,
    protocol: String,
    address: String,
}

impl HostPort {
    /// Reports whether two pods with these ports exclude each other.
    pub(crate) fn clashes(&self, other: &HostPort) -> bool {
        let is_any = |address: &str| matches!(address, "" | "0.0.0.0");
        self.number == other.number
            && self.protocol == other.protocol
            && (is_any(&self.address) || is_any(&other.address) || self.address == other.address)
    }
}

/// Returns the ports of the node that a pod binds.
pub(crate) fn host_ports(spec: &Value) -> Vec<HostPort> {
    let of_host = spec["hostNetwork"].as_bool().unwrap_or(false);
    let list = |name: &str| spec[name].as_array().into_iter().flatten();
    // Only sidecars keep the ports of an init container.
    let sidecars = list("initContainers").filter(|it| it["restartPolicy"] == "Always");
    let containers = list("containers").chain(sidecars);
    let ports = containers.flat_map(|it| it["ports"].as_array().into_iter().flatten());
    ports
        .filter_map(|port| {
            let bound = port["hostPort"].as_i64().filter(|port| *port > 0);
            let number = bound.or_else(|| port["containerPort"].as_i64().filter(|_| of_host))?;
            Some(HostPort {
                number,
                protocol: port["protocol"].as_str().unwrap_or("TCP").to_owned(),
                address: port["hostIP"].as_str().unwrap_or_default().to_owned(),
            })
        })
        .collect()
}
