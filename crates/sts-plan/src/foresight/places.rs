//! The number of pods of a set that find a place where they exclude each other: by required anti-affinity, by a
//! topology spread, by a port of the node.
//!
//! Places that other pods hold are not known, so that there are never more places than this.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::nodes::Demand;
use super::{Foreseen, Foresight, Input, PodTemplateView};
use sts_controller::object::{Labels, Node, Selector, Taint, labels_of};

/// The label of a node's own name.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// By what the pods of a set exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exclusion {
    /// Required anti-affinity of pods to their like, over the values of a label of nodes.
    AntiAffinity {
        /// `topologyKey`.
        key: String,
    },
    /// A topology spread that is not to be exceeded.
    Spread {
        /// `topologyKey`.
        key: String,
        /// `maxSkew`.
        max_skew: i64,
    },
    /// A port of the node.
    HostPort(i64),
}

/// A rule by which pods exclude each other.
struct Limit {
    by: Exclusion,
    /// The place of each node by name; a node that is not in it is not a place at all.
    place_of: BTreeMap<Arc<str>, Arc<str>>,
    /// Number of pods that the open places take together, those that run there already included.
    capacity: usize,
    /// True if a place takes a single pod, so that places count rather than pods.
    one_each: bool,
}

/// Notes the pods for which no place is left.
pub(super) fn foresee(view: &Input<'_>, foresight: &mut Foresight, pods: &PodTemplateView<'_>) {
    if !view.knows_nodes() {
        return;
    }
    let Some(demand) = Demand::of(&pods.template) else {
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

/// Goes through the pods in the order in which their controller comes to them, and notes those that find every place
/// taken.
fn walk(
    view: &Input<'_>,
    foresight: &mut Foresight,
    pods: &PodTemplateView<'_>,
    limit: &Limit,
    nodes: usize,
) {
    // The place of each pod; those that are placed on the way are each somewhere of its own.
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

/// The rules of a template.
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
        if excludes_its_like(term, &labels, namespace) {
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

/// The place that a node is, by a label; a node always has its name.
fn place(node: &Node, key: &str) -> Option<Arc<str>> {
    let labels = &node.meta.labels;
    let named = || (key == HOSTNAME).then(|| Arc::clone(&node.meta.name));
    labels.get(key).map(Arc::clone).or_else(named)
}

/// Places that take a pod each. Where a node is not a place, it takes any number of pods, and nothing is limited.
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

/// Reports whether a term of anti-affinity is about pods with the labels of the template, in their own namespace.
fn excludes_its_like(term: &Value, labels: &Labels, namespace: &str) -> bool {
    let list = |name: &str| term[name].as_array().into_iter().flatten();
    // These keys select pods by values that only a pod has.
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

/// The first port of the node that a container binds.
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

/// A spread limits pods where places count that take none: those stay as empty as they are, and no other may get ahead
/// of them by more than the skew.
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
