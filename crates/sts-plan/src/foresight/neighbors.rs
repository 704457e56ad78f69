//! Filters of the scheduler between a new pod and the pods that stay on their nodes: required affinity and
//! anti-affinity, in both directions, and host ports. Only checked if nodes are changed. A pod that leaves its node and is
//! created again may be anywhere later, so it excludes no node, and may satisfy an affinity on each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::NodeMismatch;
use super::nodes::{Demand, template_elsewhere};
use super::places::place;
use super::volumes::bound_volumes;
use crate::conditions::Conditions;
use crate::residents::{PodTerm, Resident, host_ports, terms};
use sts_controller::object::{Labels, Node, Pod};
use sts_controller::simulate::PodOwner;

/// Judgment of what the input leaves open: namespaces selected by labels that were not read, and pods that are about to
/// leave for good.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Judgment {
    /// It excludes no node.
    #[default]
    Lenient,
    /// It excludes nodes.
    Strict,
}

/// The new pod.
pub(super) struct Newcomer<'n> {
    pub(super) namespace: &'n str,
    pub(super) labels: &'n Labels,
    pub(super) spec: &'n Value,
    /// Its priority, by [`super::free_capacity::priority_of`]. Pods of lower priority are preempted.
    pub(super) priority: i64,
}

/// Nodes that neighbors exclude, with the reason.
#[derive(Debug, Default)]
pub(super) struct Neighbors {
    judgment: Judgment,
    excluded: BTreeMap<Arc<str>, NodeMismatch>,
}

impl Neighbors {
    /// Returns the nodes that are excluded for a pod. `is_own` names the pods that other rules count.
    pub(super) fn of(
        conditions: &Conditions,
        newcomer: &Newcomer<'_>,
        is_own: impl Fn(&Pod) -> bool,
        judgment: Judgment,
    ) -> Self {
        let mut neighbors = Neighbors {
            judgment,
            ..Neighbors::default()
        };
        let outage = &conditions.outage;
        if outage.residents.is_empty() {
            return neighbors;
        }
        let mut staying: Vec<(&Arc<Node>, &Resident)> = Vec::new();
        let mut moving: Vec<&Arc<Pod>> = Vec::new();
        // Pods that nothing creates again, on the nodes that they leave.
        let mut parting: Vec<(&Arc<Node>, &Resident)> = Vec::new();
        for resident in outage.residents.iter().filter(|it| it.is_there()) {
            let pod = &resident.pod;
            let node = pod
                .node
                .as_ref()
                .and_then(|node| conditions.related.node(node));
            let owner = PodOwner::of(pod);
            match node.filter(|_| !is_own(pod)) {
                Some(node) if !outage.moves(pod) || owner.is_ignored() => {
                    staying.push((node, resident));
                }
                Some(node) if !owner.recreates() => parting.push((node, resident)),
                _ => moving.push(pod),
            }
        }
        if judgment == Judgment::Strict {
            parting.clear();
        }
        neighbors.exclude_by_anti_affinity(conditions, newcomer, &staying);
        neighbors.exclude_by_ports(newcomer, &staying);
        let at_first: Vec<_> = staying.iter().chain(&parting).copied().collect();
        neighbors.exclude_by_affinity(conditions, newcomer, &at_first, &moving);
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

    /// Reports whether a term excludes nodes, given whether it selects a pod; `None` if that is unknown.
    fn counts(&self, selects: Option<bool>) -> bool {
        selects.unwrap_or(self.judgment == Judgment::Strict)
    }

    fn exclude_by_anti_affinity(
        &mut self,
        conditions: &Conditions,
        newcomer: &Newcomer<'_>,
        staying: &[(&Arc<Node>, &Resident)],
    ) {
        let mut closed: BTreeMap<String, BTreeSet<Arc<str>>> = BTreeMap::new();
        let mut close = |key: &str, node: &Node| {
            if let Some(at) = place(node, key) {
                closed.entry(key.to_owned()).or_default().insert(at);
            }
        };
        let own = terms(newcomer.spec, "podAntiAffinity");
        for (node, resident) in staying {
            if !newcomer.yields_to(resident) {
                continue;
            }
            let meta = &resident.pod.meta;
            for term in &own {
                let found = term.selects(newcomer.namespace, &meta.namespace, &meta.labels);
                if self.counts(found) {
                    close(&term.key, node);
                }
            }
            for term in &resident.anti_affinity {
                let found = term.selects(&meta.namespace, newcomer.namespace, newcomer.labels);
                if self.counts(found) {
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

    fn exclude_by_ports(&mut self, newcomer: &Newcomer<'_>, staying: &[(&Arc<Node>, &Resident)]) {
        let wanted = host_ports(newcomer.spec);
        if wanted.is_empty() {
            return;
        }
        for (node, resident) in staying {
            let used = &resident.ports;
            let clash = wanted
                .iter()
                .find(|port| used.iter().any(|it| it.clashes(port)));
            if let Some(port) = clash.filter(|_| newcomer.yields_to(resident)) {
                self.exclude(node, &NodeMismatch::HostPort(port.number));
            }
        }
    }

    /// Excludes the nodes that no required affinity can be satisfied on. A pod that selects itself may be the first one.
    fn exclude_by_affinity(
        &mut self,
        conditions: &Conditions,
        newcomer: &Newcomer<'_>,
        staying: &[(&Arc<Node>, &Resident)],
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
        let is_strict = self.judgment == Judgment::Strict;
        let may_match =
            |pod: &Arc<Pod>| matches(&pod.meta.namespace, &pod.meta.labels).unwrap_or(!is_strict);
        // A pod that moves may be anywhere, and so may pods of namespaces that were not read.
        let is_local = |term: &PodTerm| term.is_of_own_namespace;
        let may_be_anywhere = moving
            .iter()
            .any(|pod| may_match(pod) && has_place(pod, conditions))
            || !(is_strict || terms.iter().all(is_local));
        let found: Vec<&&Arc<Node>> = staying
            .iter()
            .filter(|(_, resident)| may_match(&resident.pod))
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

/// Reports whether a node accepts a pod that leaves its own, as far as its own fields and volumes show.
fn has_place(pod: &Pod, conditions: &Conditions) -> bool {
    let Some(given) = pod.given() else {
        return true;
    };
    let Some(demand) = Demand::of(&template_elsewhere(&given)) else {
        return true;
    };
    let volumes = bound_volumes(pod, conditions);
    let mut nodes = conditions.related.nodes();
    nodes.any(|node| demand.unfit(node, &volumes).is_none())
}

impl Newcomer<'_> {
    /// Reports whether the new pod cannot preempt a pod.
    fn yields_to(&self, resident: &Resident) -> bool {
        resident.priority >= self.priority
    }
}
