//! Number of places for pods that exclude each other by required anti-affinity, topology spread or host port.
//!
//! Places taken by other pods are unknown, so the result is an upper bound.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::nodes::Demand;
use super::{Foreseen, Foresight, Input, PodTemplateView};
use sts_controller::object::{Labels, Node, Selector, Taint, labels_of};

/// Label with a node's own name.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Rule by which the pods of a set exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exclusion {
    /// Required anti-affinity between the set's pods, over the values of a node label.
    AntiAffinity {
        /// `topologyKey`.
        key: String,
    },
    /// Required topology spread.
    Spread {
        /// `topologyKey`.
        key: String,
        /// `maxSkew`.
        max_skew: i64,
    },
    /// Host port.
    HostPort(i64),
}

/// Exclusion rule with its capacity.
struct Limit {
    by: Exclusion,
    /// Place of each node, by name. Nodes outside the map are not places.
    place_of: BTreeMap<Arc<str>, Arc<str>>,
    /// Number of pods that the available places hold together, including those already there.
    capacity: usize,
    /// True if each place holds one pod, so that places are counted instead of pods.
    one_each: bool,
}

pub(super) fn foresee(view: &Input<'_>, foresight: &mut Foresight, pods: &PodTemplateView<'_>) {
    if !view.knows_nodes() {
        return;
    }
    let Some(demand) = Demand::of_pods(view, pods) else {
        return;
    };
    let fit = demand.nodes(view);
    if fit.is_empty() {
        return;
    }
    for limit in limits(view, pods, &demand, &fit) {
        if view.wanted.len() > limit.capacity {
            walk(view, foresight, pods, &limit, fit.len());
        }
    }
}

/// Walks through the pods in the controller's order, and records those that find every place taken.
fn walk(
    view: &Input<'_>,
    foresight: &mut Foresight,
    pods: &PodTemplateView<'_>,
    limit: &Limit,
    nodes: usize,
) {
    // Place of each pod. Newly placed pods have a place of their own, with an unknown name.
    let mut at: BTreeMap<&str, Option<&Arc<str>>> = BTreeMap::new();
    for name in &view.wanted {
        let node = view.there(name).and_then(|pod| pod.node.as_ref());
        if let Some(place) = node.and_then(|node| limit.place_of.get(node)) {
            at.insert(name, Some(place));
        }
    }
    for name in view.in_order() {
        if view.stays(name, pods.revision) {
            continue;
        }
        at.remove(&**name);
        let taken = if limit.one_each {
            let known: BTreeSet<&Arc<str>> = at.values().copied().flatten().collect();
            known.len() + at.values().filter(|place| place.is_none()).count()
        } else {
            at.len()
        };
        if taken < limit.capacity {
            at.insert(name, None);
            continue;
        }
        foresight.note(name, pods.revision, || Foreseen::TooFewPlaces {
            by: limit.by.clone(),
            places: limit.capacity,
            nodes,
        });
    }
}

fn limits(
    view: &Input<'_>,
    pods: &PodTemplateView<'_>,
    demand: &Demand,
    fit: &[&Arc<Node>],
) -> Vec<Limit> {
    let spec = &pods.template["spec"];
    let labels = labels_of(&pods.template);
    let namespace = &*view.snapshot.set.meta.namespace;
    let mut limits = Vec::new();
    let required =
        &spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    for term in required.as_array().into_iter().flatten() {
        let Some(key) = term["topologyKey"].as_str() else {
            continue;
        };
        if excludes_same_labels(term, &labels, namespace) {
            let by = Exclusion::AntiAffinity {
                key: key.to_owned(),
            };
            limits.extend(one_each(by, fit, |node| place(node, key)));
        }
    }
    if let Some(port) = host_port(spec) {
        let by = Exclusion::HostPort(port);
        limits.extend(one_each(by, fit, |node| Some(Arc::clone(&node.meta.name))));
    }
    let spreads = spec["topologySpreadConstraints"].as_array();
    for spread in spreads.into_iter().flatten() {
        limits.extend(of_spread(view, spread, &labels, demand, fit));
    }
    limits
}

/// Returns a node's value of a label. Every node has its name.
pub(super) fn place(node: &Node, key: &str) -> Option<Arc<str>> {
    let labels = &node.meta.labels;
    let named = || (key == HOSTNAME).then(|| Arc::clone(&node.meta.name));
    labels.get(key).map(Arc::clone).or_else(named)
}

/// Returns a limit of one pod per place; `None` if a node is not a place, as it then takes any number of pods.
fn one_each(
    by: Exclusion,
    fit: &[&Arc<Node>],
    place: impl Fn(&Node) -> Option<Arc<str>>,
) -> Option<Limit> {
    let mut place_of = BTreeMap::new();
    for node in fit {
        place_of.insert(Arc::clone(&node.meta.name), place(node)?);
    }
    let places: BTreeSet<&Arc<str>> = place_of.values().collect();
    Some(Limit {
        by,
        capacity: places.len(),
        place_of,
        one_each: true,
    })
}

/// Reports whether an anti-affinity term covers pods with the template's labels in their own namespace.
fn excludes_same_labels(term: &Value, labels: &Labels, namespace: &str) -> bool {
    let list = |name: &str| term[name].as_array().into_iter().flatten();
    // These keys select pods by values unique to a pod.
    let by_values = ["matchLabelKeys", "mismatchLabelKeys"];
    if by_values.iter().any(|name| list(name).next().is_some()) {
        return false;
    }
    let own = || list("namespaces").any(|name| name == namespace);
    let here = term["namespaceSelector"].is_null() && list("namespaces").next().is_none();
    (here || own()) && selects(&term["labelSelector"], labels)
}

/// Reports whether a selector is set and matches.
fn selects(selector: &Value, labels: &Labels) -> bool {
    !selector.is_null()
        && Selector::from_json(selector).is_ok_and(|selector| selector.matches(labels))
}

/// Returns the first host port that a container binds.
fn host_port(spec: &Value) -> Option<i64> {
    let of_host = spec["hostNetwork"].as_bool().unwrap_or(false);
    let containers = spec["containers"].as_array().into_iter().flatten();
    let mut ports =
        containers.flat_map(|container| container["ports"].as_array().into_iter().flatten());
    ports.find_map(|port| {
        let bound = port["hostPort"].as_i64().filter(|port| *port > 0);
        bound.or_else(|| port["containerPort"].as_i64().filter(|_| of_host))
    })
}

/// Returns the limit of a topology spread. It only limits pods if unusable places count: these remain at their
/// level, and no other place may exceed it by more than the skew.
fn of_spread(
    view: &Input<'_>,
    spread: &Value,
    labels: &Labels,
    demand: &Demand,
    fit: &[&Arc<Node>],
) -> Option<Limit> {
    let key = spread["topologyKey"].as_str()?;
    let max_skew = spread["maxSkew"].as_i64().filter(|skew| *skew > 0)?;
    let by_values = spread["matchLabelKeys"].as_array();
    let is_hard = spread["whenUnsatisfiable"]
        .as_str()
        .is_none_or(|when| when == "DoNotSchedule");
    if !is_hard
        || by_values.is_some_and(|keys| !keys.is_empty())
        || !selects(&spread["labelSelector"], labels)
    {
        return None;
    }
    let ignores_affinity = spread["nodeAffinityPolicy"] == "Ignore";
    let honours_taints = spread["nodeTaintsPolicy"] == "Honor";
    let counts = |node: &Node| {
        let repels = |taint: &Taint| {
            matches!(&*taint.effect, "NoSchedule" | "NoExecute") && !demand.tolerates(taint)
        };
        (ignores_affinity || demand.selects(node))
            && !(honours_taints && node.taints.iter().any(repels))
    };
    let counted = view.related.nodes().filter(|node| counts(node));
    let places: BTreeSet<Arc<str>> = counted.filter_map(|node| place(node, key)).collect();
    let place_of: BTreeMap<Arc<str>, Arc<str>> = fit
        .iter()
        .filter_map(|node| Some((Arc::clone(&node.meta.name), place(node, key)?)))
        .collect::<BTreeMap<_, _>>();
    let open: BTreeSet<&Arc<str>> = place_of.values().collect();
    let there = |place: &Arc<str>| {
        let pods = view.wanted.iter().filter_map(|name| view.there(name));
        pods.filter(|pod| {
            let node = pod.node().and_then(|node| view.related.node(node));
            node.and_then(|node| self::place(node, key)).as_ref() == Some(place)
        })
        .count()
    };
    let closed = places.iter().filter(|place| !open.contains(place));
    let fewest = closed.map(there).min();
    let at_least = spread["minDomains"].as_i64().unwrap_or(1);
    let too_few = i64::try_from(places.len()).is_ok_and(|places| places < at_least);
    let least = if too_few { 0 } else { fewest? };
    let each = least.checked_add(usize::try_from(max_skew).ok()?)?;
    let capacity = open.len().checked_mul(each)?;
    Some(Limit {
        by: Exclusion::Spread {
            key: key.to_owned(),
            max_skew,
        },
        place_of,
        capacity,
        one_each: false,
    })
}
