//! Nodes that lack only one thing to take a pod: a label, or the end of their maintenance.

use std::sync::Arc;

use jiff::SignedDuration;

use super::placement::required_labels;
use super::{MOST, Symptom};
use crate::catalogue::{Recognized, Situation};
use crate::command::named;
use crate::duration::age;
use crate::foresight::{Excluded, NodeMismatch, excluded};
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::{Node, Pod};

/// Parts of the keys of labels that kubelets and providers set.
const SET_BY_OTHERS: [&str; 2] = ["kubernetes.io/", "k8s.io/"];

/// Maximum age of a node that may have been forgotten.
const NEW: SignedDuration = SignedDuration::from_hours(48);

/// The nodes that lack only one thing. Each is empty if the input shows none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prospects {
    /// The newest node, if it lacks only labels that older nodes have, and the command that sets them.
    pub(crate) unlabeled: Option<Unlabeled>,
    /// The nodes that only a cordon keeps from the pod.
    pub(super) cordoned: String,
}

/// A node without the labels that a pod asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlabeled {
    /// `node n-4 (joined 1h8m ago) lacks only the label disk=nvme`.
    pub(crate) told: String,
    /// `kubectl label node n-4 disk=nvme`.
    pub(crate) command: String,
}

impl Prospects {
    /// Compares a pod that cannot be scheduled with the nodes.
    pub(super) fn of(
        plan: &Plan,
        pod: &Pod,
        symptom: Symptom,
        recognized: Option<&Recognized>,
    ) -> Self {
        if symptom != Symptom::Unschedulable {
            return Prospects::default();
        }
        let newcomer = newcomer(plan, pod);
        let is_cordon =
            recognized.is_some_and(|it| it.entry.situation == Some(Situation::NodesCordoned));
        if newcomer.is_none() && !is_cordon {
            return Prospects::default();
        }
        let nodes = excluded(pod, Some(&plan.snapshot), &plan.conditions).unwrap_or_default();
        let only = |why: &NodeMismatch| -> Vec<&Excluded> {
            let it = nodes.iter();
            it.filter(|it| it.reasons.as_slice() == std::slice::from_ref(why))
                .collect()
        };
        let cordoned = only(&NodeMismatch::Cordoned);
        let cordoned: Vec<String> = cordoned.iter().map(|it| placed(&it.node)).collect();
        let unlabeled = newcomer.filter(|(node, _)| {
            let mut fitting = only(&NodeMismatch::Selector).into_iter();
            fitting.any(|it| it.node.meta.name == node.meta.name)
        });
        Prospects {
            unlabeled: unlabeled.map(|(node, missing)| Unlabeled::of(plan, node, &missing)),
            cordoned: list(&cordoned, MOST),
        }
    }
}

impl Unlabeled {
    fn of(plan: &Plan, node: &Node, missing: &[String]) -> Self {
        let name = &node.meta.name;
        let now = plan.conditions.now;
        let since = node.meta.created.map(|at| age(now.duration_since(at)));
        let since = since.map_or_else(String::new, |since| format!(" (joined {since} ago)"));
        let labels = match missing.len() {
            1 => "the label",
            _ => "the labels",
        };
        let missing = missing.join(" ");
        Unlabeled {
            told: format!("node {name}{since} lacks only {labels} {missing}"),
            command: format!("kubectl label node {} {missing}", named(name)),
        }
    }
}

/// `n-4 in zone a`.
fn placed(node: &Node) -> String {
    let name = &node.meta.name;
    match node.zone() {
        Some(zone) => format!("{name} in zone {zone}"),
        None => name.to_string(),
    }
}

/// Returns the newest node, if it joined lately and has no value of labels that other nodes have as a pod requires them, and
/// these labels.
fn newcomer<'p>(plan: &'p Plan, pod: &Pod) -> Option<(&'p Arc<Node>, Vec<String>)> {
    let newest = plan.related.nodes().max_by_key(|node| node.meta.created)?;
    let joined = plan.conditions.now.duration_since(newest.meta.created?);
    if joined > NEW {
        return None;
    }
    let given = pod.given()?;
    let required = required_labels(&given["spec"]).into_iter();
    let missing = required.filter(|(key, _)| newest.meta.labels.get(key).is_none());
    let missing: Vec<(&str, &str)> = missing
        .filter_map(|(key, values)| Some((key, *values.first()?)))
        .collect();
    let is_own = |key: &str| !SET_BY_OTHERS.iter().any(|part| key.contains(part));
    let is_known = |key: &str, value: &str| {
        let mut nodes = plan.related.nodes();
        nodes.any(|node| node.meta.labels.get(key).is_some_and(|it| **it == *value))
    };
    let mut all = missing.iter();
    let fits = !missing.is_empty() && all.all(|(key, value)| is_own(key) && is_known(key, value));
    let told = missing.iter().map(|(key, value)| format!("{key}={value}"));
    fits.then(|| (newest, told.collect()))
}
