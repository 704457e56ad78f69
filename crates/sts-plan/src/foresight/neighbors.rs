//! Filters of the scheduler between a new pod and the pods that stay on their nodes: required affinity and
//! anti-affinity, in both directions, and host ports. Only checked if nodes are changed. A pod that leaves its node may
//! be anywhere later, so it excludes no node, and may satisfy an affinity on each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::NodeMismatch;
use super::places::place;
use crate::conditions::Conditions;
use sts_controller::object::{Labels, Node, Phase, Pod, Selector};

/// The new pod.
pub(super) struct Newcomer<'n> {
    pub(super) namespace: &'n str,
    pub(super) labels: &'n Labels,
    pub(super) spec: &'n Value,
    /// Its priority. Pods of lower priority are preempted.
    pub(super) priority: i64,
}

/// Nodes that neighbors exclude, with the reason.
#[derive(Debug, Default)]
pub(super) struct Neighbors {
    excluded: BTreeMap<Arc<str>, NodeMismatch>,
}

impl Neighbors {
    /// Returns the nodes that are excluded for a pod. `is_own` names the pods that other rules count.
    pub(super) fn of(
        conditions: &Conditions,
        newcomer: &Newcomer<'_>,
        is_own: impl Fn(&Pod) -> bool,
    ) -> Self {
        let mut neighbors = Neighbors::default();
        let outage = &conditions.outage;
        if outage.pods.is_empty() {
            return neighbors;
        }
        let is_there = |pod: &&Arc<Pod>| {
            !pod.is_terminating() && !matches!(pod.phase, Phase::Succeeded | Phase::Failed)
        };
        let mut staying: Vec<(&Arc<Node>, &Arc<Pod>)> = Vec::new();
        let mut moving: Vec<&Arc<Pod>> = Vec::new();
        for pod in outage.pods.iter().filter(is_there) {
            let node = pod
                .node
                .as_ref()
                .and_then(|node| conditions.related.node(node));
            match node {
                Some(node) if !is_own(pod) && !outage.moves(pod) => staying.push((node, pod)),
                _ => moving.push(pod),
            }
        }
        neighbors.exclude_by_anti_affinity(conditions, newcomer, &staying);
        neighbors.exclude_by_ports(newcomer, &staying);
        neighbors.exclude_by_affinity(conditions, newcomer, &staying, &moving);
        neighbors
    }

    /// Returns the reason that a neighbor excludes the node.
    pub(super) fn mismatch(&self, node: &Node) -> Option<NodeMismatch> {
        self.excluded.get(&node.meta.name).cloned()
    }

    fn exclude(&mut self, node: &Node, why: &NodeMismatch) {
        let name = Arc::clone(&node.meta.name);
        self.excluded.entry(name).or_insert_with(|| why.clone());
    }

    fn exclude_by_anti_affinity(
        &mut self,
        conditions: &Conditions,
        newcomer: &Newcomer<'_>,
        staying: &[(&Arc<Node>, &Arc<Pod>)],
    ) {
        let mut closed: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
        let mut close = |key: &str, node: &Node| {
            if let Some(at) = place(node, key) {
                closed.entry(key.to_owned()).or_default().insert(at);
            }
        };
        let own = terms(newcomer.spec, "podAntiAffinity");
        for (node, pod) in staying {
            let Some(given) = pod
                .given()
                .filter(|given| newcomer.yields_to(&given["spec"]))
            else {
                continue;
            };
            for term in &own {
                if term.selects(newcomer.namespace, &pod.meta.namespace, &pod.meta.labels)
                    == Some(true)
                {
                    close(&term.key, node);
                }
            }
            for term in terms(&given["spec"], "podAntiAffinity") {
                if term.selects(&pod.meta.namespace, newcomer.namespace, newcomer.labels)
                    == Some(true)
                {
                    close(&term.key, node);
                }
            }
        }
        for (key, places) in closed {
            let why = NodeMismatch::AntiAffinity { key: key.clone() };
            for node in conditions.related.nodes() {
                if place(node, &key).is_some_and(|at| places.contains(&at)) {
                    self.exclude(node, &why);
                }
            }
        }
    }

    fn exclude_by_ports(&mut self, newcomer: &Newcomer<'_>, staying: &[(&Arc<Node>, &Arc<Pod>)]) {
        let wanted = host_ports(newcomer.spec);
        if wanted.is_empty() {
            return;
        }
        for (node, pod) in staying {
            let Some(given) = pod
                .given()
                .filter(|given| newcomer.yields_to(&given["spec"]))
            else {
                continue;
            };
            let used = host_ports(&given["spec"]);
            let clash = wanted
                .iter()
                .find(|port| used.iter().any(|it| it.clashes(port)));
            if let Some(port) = clash {
                self.exclude(node, &NodeMismatch::HostPort(port.number));
            }
        }
    }

    /// Excludes the nodes that no required affinity can be satisfied on. A pod that selects itself may be the first one.
    fn exclude_by_affinity(
        &mut self,
        conditions: &Conditions,
        newcomer: &Newcomer<'_>,
        staying: &[(&Arc<Node>, &Arc<Pod>)],
        moving: &[&Arc<Pod>],
    ) {
        let terms = terms(newcomer.spec, "podAffinity");
        if terms.is_empty() {
            return;
        }
        // A pod counts if it matches all terms. `None` if that is unknown.
        let matches = |namespace: &str, labels: &Labels| {
            let mut all = Some(true);
            for term in &terms {
                match term.selects(newcomer.namespace, namespace, labels) {
                    Some(false) => return Some(false),
                    Some(true) => {}
                    None => all = None,
                }
            }
            all
        };
        let may_match =
            |pod: &Arc<Pod>| matches(&pod.meta.namespace, &pod.meta.labels) != Some(false);
        // A pod that moves may be anywhere, and so may pods of namespaces that were not read.
        let is_local = |term: &PodTerm| term.is_of_own_namespace;
        let may_be_anywhere =
            moving.iter().any(|pod| may_match(pod)) || !terms.iter().all(is_local);
        let found: Vec<&&Arc<Node>> = staying
            .iter()
            .filter(|(_, pod)| may_match(pod))
            .map(|(node, _)| node)
            .collect();
        let is_first =
            found.is_empty() && matches(newcomer.namespace, newcomer.labels) != Some(false);
        for term in &terms {
            let places: BTreeSet<Arc<str>> = found
                .iter()
                .filter_map(|node| place(node, &term.key))
                .collect();
            let why = NodeMismatch::Affinity {
                key: term.key.clone(),
            };
            for node in conditions.related.nodes() {
                let fits = match place(node, &term.key) {
                    Some(at) => may_be_anywhere || is_first || places.contains(&at),
                    None => false,
                };
                if !fits {
                    self.exclude(node, &why);
                }
            }
        }
    }
}

impl Newcomer<'_> {
    /// Reports whether the new pod cannot preempt a pod with this spec.
    fn yields_to(&self, spec: &Value) -> bool {
        spec["priority"].as_i64().unwrap_or(0) >= self.priority
            || self.spec["preemptionPolicy"] == "Never"
    }
}

/// A required term of a pod affinity.
struct PodTerm {
    key: String,
    selector: Option<Selector>,
    namespaces: Vec<String>,
    /// A selector of namespaces: of all, or of some that were not read.
    of_namespaces: Option<Selector>,
    is_of_own_namespace: bool,
    /// True if values of the new pod's labels change the selector.
    is_by_keys: bool,
}

impl PodTerm {
    /// Reports whether the term of a pod in namespace `own` selects a pod with these labels; `None` if unknown.
    fn selects(&self, own: &str, namespace: &str, labels: &Labels) -> Option<bool> {
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

fn terms(spec: &Value, kind: &str) -> Vec<PodTerm> {
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
struct HostPort {
    number: i64,
    protocol: String,
    address: String,
}

impl HostPort {
    fn clashes(&self, other: &HostPort) -> bool {
        let is_any = |address: &str| matches!(address, "" | "0.0.0.0");
        self.number == other.number
            && self.protocol == other.protocol
            && (is_any(&self.address) || is_any(&other.address) || self.address == other.address)
    }
}

fn host_ports(spec: &Value) -> Vec<HostPort> {
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
