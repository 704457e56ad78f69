//! Nodes that can take a pod, regardless of other pods: the filters of the scheduler, as far as template and nodes
//! show.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::free_capacity;
use super::neighbors::{Judgment, Neighbors, Newcomer};
use super::volumes::{Reach, claims_of};
use super::{Foreseen, Foresight, Input, PodTemplateView};
use crate::requests::{self, Amounts};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Node, Pod, Taint, Term, labels_of};

/// Taint of a cordoned node.
pub(crate) const CORDONED: &str = "node.kubernetes.io/unschedulable";
/// Taints of an unhealthy node.
const NOT_WELL: [&str; 2] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
];

/// Reason why a node does not accept a pod; the first that applies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeMismatch {
    /// It does not match `nodeSelector` or the required node affinity.
    Selector,
    /// Its total capacity is below the pod's request.
    TooSmall {
        /// Name of the resource.
        resource: String,
        /// Requested amount.
        asked: String,
    },
    /// It cannot attach the volume of a claim.
    Volume,
    /// It has a taint that the pod does not tolerate, in kubectl's notation: `dedicated=db:NoSchedule`.
    Taint(String),
    /// It is not ready, with the message of its condition.
    NotReady(Arc<str>),
    /// Required anti-affinity, of the pod or of one that stays, excludes it.
    AntiAffinity {
        /// `topologyKey`.
        key: String,
    },
    /// No pod that the required affinity selects is in the same place.
    Affinity {
        /// `topologyKey`.
        key: String,
    },
    /// It has as many volumes of a driver as it can, with the driver's name.
    VolumeLimit(Arc<str>),
    /// A pod that stays uses the host port.
    HostPort(i64),
    /// It is cordoned, and would otherwise take the pod.
    Cordoned,
    /// Its free capacity is below the pod's request.
    Full {
        /// Name of the resource; `pods` for the number of pods.
        resource: String,
        /// Requested amount.
        asked: String,
    },
}

/// Nodes that do not accept a pod, and the reasons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnfitNodes {
    /// Nodes by reason.
    pub groups: BTreeMap<NodeMismatch, Vec<Arc<str>>>,
    /// `nodeSelector` in kubectl's notation; empty without one.
    pub selector: String,
    /// True if the pod also requires node affinity.
    pub has_affinity: bool,
}

impl UnfitNodes {
    /// Reports whether a volume of the pod rules out some nodes.
    pub(crate) fn is_for_volume(&self) -> bool {
        self.groups.contains_key(&NodeMismatch::Volume)
    }

    /// Reports whether a node would take the pod if it had more free capacity.
    #[must_use]
    pub fn is_for_room(&self) -> bool {
        let mut reasons = self.groups.keys();
        reasons.any(|why| matches!(why, NodeMismatch::Full { .. }))
    }

    /// Reports whether another template may find a node.
    pub(super) fn is_of_template(&self) -> bool {
        let of_node = |why: &NodeMismatch| {
            matches!(
                why,
                NodeMismatch::Volume | NodeMismatch::NotReady(_) | NodeMismatch::Cordoned
            )
        };
        !self.groups.keys().all(of_node)
    }

    /// Returns the nodes that would take the pod if they were not cordoned.
    pub(crate) fn cordoned(&self) -> impl Iterator<Item = &Arc<str>> {
        let nodes = self.groups.get(&NodeMismatch::Cordoned);
        nodes.into_iter().flatten()
    }

    /// Returns the nodes that would take the pod once they are ready.
    pub(crate) fn unready(&self) -> impl Iterator<Item = &Arc<str>> {
        let groups = self.groups.iter();
        let unready = groups.filter(|(why, _)| matches!(why, NodeMismatch::NotReady(_)));
        unready.flat_map(|(_, names)| names)
    }

    /// Reports whether only a claim's volume rules out the nodes that would otherwise take the pod.
    pub(crate) fn is_for_volume_alone(&self) -> bool {
        let soft =
            |why: &NodeMismatch| matches!(why, NodeMismatch::NotReady(_) | NodeMismatch::Cordoned);
        self.groups.contains_key(&NodeMismatch::Volume)
            && self
                .groups
                .keys()
                .all(|why| *why == NodeMismatch::Volume || soft(why))
    }
}

/// Requirements of a pod template on nodes.
pub(crate) struct Demand {
    selector: Vec<(String, String)>,
    terms: Option<Vec<Term>>,
    tolerations: Vec<Toleration>,
    requests: Amounts,
    neighbors: Neighbors,
}

/// A check of a node for a pod with these volumes.
type Check = fn(&Demand, &Node, &[Reach<'_>]) -> Option<NodeMismatch>;

/// The checks of a node, in the order in which their reasons are told.
const CHECKS: [Check; 7] = [
    Demand::unselected,
    Demand::too_small,
    |_, node, volumes| {
        let mut volumes = volumes.iter();
        let is_out = volumes.any(|volume| !volume.admits(node));
        is_out.then_some(NodeMismatch::Volume)
    },
    Demand::tainted,
    Demand::not_ready,
    |demand, node, _| demand.neighbors.mismatch(node),
    Demand::cordoned,
];

fn is_not_well(taint: &Taint) -> bool {
    NOT_WELL.contains(&&*taint.key)
}

fn is_cordon(taint: &Taint) -> bool {
    &*taint.key == CORDONED
}

/// Formats a taint, or a toleration of one, as kubectl does: `dedicated=db:NoSchedule`.
pub(crate) fn taint_text(key: &str, value: &str, effect: &str) -> String {
    let value = match value {
        "" => String::new(),
        value => format!("={value}"),
    };
    match effect {
        "" => format!("{key}{value}"),
        effect => format!("{key}{value}:{effect}"),
    }
}

struct Toleration {
    key: String,
    operator: String,
    value: String,
    effect: String,
}

/// Returns the template of a pod that is created again, on any node.
pub(super) fn template_elsewhere(given: &Value) -> Value {
    let mut spec = given["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("nodeName");
    }
    serde_json::json!({"metadata": given["metadata"], "spec": spec})
}

impl Demand {
    /// Reads the requirements of a template; `None` if a custom scheduler places the pod.
    pub(super) fn of(template: &Value) -> Option<Self> {
        let spec = &template["spec"];
        let scheduler = spec["schedulerName"].as_str().unwrap_or_default();
        let named = spec["nodeName"].as_str().unwrap_or_default();
        let is_free = named.is_empty() && matches!(scheduler, "" | "default-scheduler");
        is_free.then(|| Demand::of_spec(spec))
    }

    /// Reads the requirements of a pod's specification, whichever scheduler places the pod.
    pub(crate) fn of_spec(spec: &Value) -> Self {
        let selector = spec["nodeSelector"].as_object().into_iter().flatten();
        let required =
            &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        let terms = match required {
            Value::Null => None,
            // Malformed terms are left to API server validation.
            required => Term::all_from_json(required)
                .ok()
                .filter(|terms| !terms.is_empty()),
        };
        let tolerations = spec["tolerations"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Demand {
            selector: selector
                .map(|(key, value)| (key.clone(), text(value)))
                .collect(),
            terms,
            tolerations: tolerations
                .map(|toleration| Toleration {
                    key: text(&toleration["key"]),
                    operator: text(&toleration["operator"]),
                    value: text(&toleration["value"]),
                    effect: text(&toleration["effect"]),
                })
                .collect(),
            requests: requests::of_spec(spec),
            neighbors: Neighbors::default(),
        }
    }

    /// Reads the requirements of a set's new pods, next to the pods of other owners if nodes are changed.
    pub(super) fn of_pods(view: &Input<'_>, pods: &PodTemplateView<'_>) -> Option<Self> {
        Demand::judged(view, pods, Judgment::Lenient)
    }

    /// Reads the same requirements, with a judgment of what the input leaves open about other pods.
    pub(super) fn judged(
        view: &Input<'_>,
        pods: &PodTemplateView<'_>,
        judgment: Judgment,
    ) -> Option<Self> {
        let priority = free_capacity::priority_of(view, &pods.template["spec"]);
        Demand::with_priority(view, pods, judgment, priority)
    }

    /// Reads the same requirements as those of pods of this priority.
    pub(super) fn with_priority(
        view: &Input<'_>,
        pods: &PodTemplateView<'_>,
        judgment: Judgment,
        priority: i64,
    ) -> Option<Self> {
        let set = &view.snapshot.set.meta;
        let newcomer = Newcomer {
            namespace: &set.namespace,
            labels: &labels_of(&pods.template),
            spec: &pods.template["spec"],
            priority,
        };
        let is_own = |pod: &Pod| {
            pod.meta.namespace == set.namespace
                && pod
                    .meta
                    .controller()
                    .is_some_and(|owner| owner.uid == set.uid)
        };
        let neighbors = Neighbors::of(view.conditions, &newcomer, is_own, judgment);
        Some(Demand {
            neighbors,
            ..Demand::of(&pods.template)?
        })
    }

    /// Adds the neighbors that exclude nodes.
    pub(super) fn beside(self, neighbors: Neighbors) -> Self {
        Demand { neighbors, ..self }
    }

    /// Returns the nodes that could take a pod without volumes.
    pub(super) fn nodes<'v>(&self, view: &Input<'v>) -> Vec<&'v Arc<Node>> {
        let nodes = view.related.nodes();
        nodes
            .filter(|node| self.unfit(node, &[]).is_none())
            .collect()
    }

    /// Returns the first reason why a node never accepts a pod with these volumes; `None` if it could.
    pub(super) fn unfit(&self, node: &Node, volumes: &[Reach<'_>]) -> Option<NodeMismatch> {
        let mut checks = CHECKS.iter();
        checks.find_map(|check| check(self, node, volumes))
    }

    /// Returns all reasons why a node never accepts a pod with these volumes.
    pub(super) fn mismatches(&self, node: &Node, volumes: &[Reach<'_>]) -> Vec<NodeMismatch> {
        let checks = CHECKS.iter();
        checks
            .filter_map(|check| check(self, node, volumes))
            .collect()
    }

    fn unselected(&self, node: &Node, _: &[Reach<'_>]) -> Option<NodeMismatch> {
        (!self.selects(node)).then_some(NodeMismatch::Selector)
    }

    fn too_small(&self, node: &Node, _: &[Reach<'_>]) -> Option<NodeMismatch> {
        let (resource, asked) = self.too_much(node)?;
        Some(NodeMismatch::TooSmall {
            resource: resource.clone(),
            asked: asked.canonical(),
        })
    }

    fn tainted(&self, node: &Node, _: &[Reach<'_>]) -> Option<NodeMismatch> {
        let mut taints = self.repelling(node);
        let taint = taints.find(|taint| !is_not_well(taint) && !is_cordon(taint))?;
        let told = taint_text(&taint.key, &taint.value, &taint.effect);
        Some(NodeMismatch::Taint(told))
    }

    fn not_ready(&self, node: &Node, _: &[Reach<'_>]) -> Option<NodeMismatch> {
        if !node.is_down() && !self.repelling(node).any(is_not_well) {
            return None;
        }
        let ready = node.ready.as_ref().filter(|_| node.is_down());
        let message = ready.map_or_else(|| Arc::from(""), |ready| Arc::clone(&ready.message));
        Some(NodeMismatch::NotReady(message))
    }

    fn cordoned(&self, node: &Node, _: &[Reach<'_>]) -> Option<NodeMismatch> {
        let is_cordoned =
            self.repelling(node).any(is_cordon) || (node.unschedulable && !self.bears_a_cordon());
        is_cordoned.then_some(NodeMismatch::Cordoned)
    }

    /// Returns the taints of a node that keep the pod away.
    fn repelling<'n>(&self, node: &'n Node) -> impl Iterator<Item = &'n Taint> {
        let repels = |taint: &&Taint| matches!(&*taint.effect, "NoSchedule" | "NoExecute");
        let taints = node.taints.iter().filter(repels);
        taints.filter(|taint| !self.tolerates(taint))
    }

    /// Returns the nodes that never accept a pod with these volumes, by reason.
    pub(super) fn no_node(&self, view: &Input<'_>, volumes: &[Reach<'_>]) -> UnfitNodes {
        let mut groups: BTreeMap<NodeMismatch, Vec<Arc<str>>> = BTreeMap::new();
        for node in view.related.nodes() {
            if let Some(why) = self.unfit(node, volumes) {
                let group = groups.entry(why).or_default();
                group.push(Arc::clone(&node.meta.name));
            }
        }
        UnfitNodes {
            groups,
            selector: self.selector_text(),
            has_affinity: self.terms.is_some(),
        }
    }

    /// Returns the pairs of `nodeSelector`: `disk=ssd,zone=a`; empty without any.
    pub(crate) fn selector_text(&self) -> String {
        let pairs = self.selector.iter();
        let pairs: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
        pairs.join(",")
    }

    /// Reports whether a node matches `nodeSelector` and the required node affinity.
    pub(crate) fn selects(&self, node: &Node) -> bool {
        let labels = &node.meta.labels;
        let mut selector = self.selector.iter();
        selector.all(|(key, value)| labels.get(key.as_str()).is_some_and(|has| **has == **value))
            && self
                .terms
                .as_ref()
                .is_none_or(|terms| terms.iter().any(|term| term.admits(node)))
    }

    /// Returns the first resource whose request exceeds the node's total capacity.
    pub(crate) fn too_much(&self, node: &Node) -> Option<(&String, &Quantity)> {
        // A node without reported capacity may have any.
        if node.allocatable.is_empty() {
            return None;
        }
        self.requests.iter().find(|(resource, asked)| {
            match node.allocatable.get(resource.as_str()) {
                Some(has) => Quantity::parse(has).is_ok_and(|has| has < **asked),
                None => !matches!(resource.as_str(), "cpu" | "memory" | "ephemeral-storage"),
            }
        })
    }

    /// Reports whether a request is larger than the whole node.
    pub(crate) fn is_too_much_for(&self, node: &Node) -> bool {
        self.too_much(node).is_some()
    }

    pub(crate) fn tolerates(&self, taint: &Taint) -> bool {
        self.tolerations.iter().any(|toleration| {
            let of_key = match (toleration.key.as_str(), toleration.operator.as_str()) {
                ("", "Exists") => true,
                (key, _) if *key != *taint.key => false,
                (_, "" | "Equal") => *toleration.value == *taint.value,
                // `Exists`, and numeric comparisons, which are assumed to match.
                _ => true,
            };
            of_key && matches!(&*toleration.effect, effect if effect.is_empty() || *effect == *taint.effect)
        })
    }

    fn bears_a_cordon(&self) -> bool {
        self.tolerates(&Taint {
            key: Arc::from(CORDONED),
            value: Arc::from(""),
            effect: Arc::from("NoSchedule"),
            added: None,
        })
    }
}

pub(super) fn foresee(view: &Input<'_>, foresight: &mut Foresight, pods: &PodTemplateView<'_>) {
    if !view.knows_nodes() {
        return;
    }
    let Some(demand) = Demand::of_pods(view, pods) else {
        return;
    };
    let bare_fits = demand.nodes(view);
    for name in &view.wanted {
        let volumes = claims_of(view, name);
        let mut fits = bare_fits.iter();
        if fits.any(|node| volumes.iter().all(|volume| volume.admits(node))) {
            continue;
        }
        foresight.note(name, pods.revision, || {
            Foreseen::NoNode(demand.no_node(view, &volumes))
        });
    }
}
