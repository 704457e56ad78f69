//! The nodes after cordons, losses and additions.

use std::collections::BTreeSet;
use std::sync::Arc;

use thiserror::Error;

use super::{EACH, NodeActions};
use crate::conditions::Outage;
use crate::words;
use sts_controller::object::{Node, NodeReady, Related, RelatedObjects, Taint};

/// Maximum number of additional nodes.
const MOST_MORE: usize = 1_000;
const HOSTNAME: &str = "kubernetes.io/hostname";

/// An invalid node action.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NodeError {
    /// The input has no nodes.
    #[error("{0}: the input has no nodes: include them, as kubectl sts-plan dump does")]
    NoNodes(String),
    /// There is no node of that name.
    #[error("{0} not found (nodes: {1})")]
    Unknown(String, String),
    /// No node has this label.
    #[error("no node has the label {0}")]
    UnknownLabel(String),
    /// There is no such zone.
    #[error("zone {0} has no nodes (zones: {1})")]
    UnknownZone(String, String),
    /// Too many additional nodes.
    #[error("nodes+{0}: at most {MOST_MORE} nodes can be added")]
    TooMany(usize),
}

/// Returns the related objects with the changed nodes, and this outage of no node with them.
///
/// # Errors
/// When a node or a zone does not exist.
pub(crate) fn after(
    related: &RelatedObjects,
    actions: &NodeActions,
    mut outage: Outage,
) -> Result<(RelatedObjects, Outage), NodeError> {
    let mut actions = actions.resolved(related)?;
    let mut changed = related.clone();
    if !actions.drains_for_good() {
        // A maintenance cordons its nodes in turn.
        actions.drain.clear();
    }
    let actions = &actions;
    for (at, node) in actions.drain.iter().enumerate() {
        for resident in outage.running.get(node.as_str()).into_iter().flatten() {
            let meta = &resident.pod.meta;
            let name = (Arc::clone(&meta.namespace), Arc::clone(&meta.name));
            outage.order.insert(name, at);
        }
    }
    for (count, like) in &actions.more {
        if *count > MOST_MORE {
            return Err(NodeError::TooMany(*count));
        }
        let model = find(related, like)?;
        for number in 1..=*count {
            let node = like_node(&model, number);
            outage.added.insert(Arc::clone(&node.meta.name));
            changed.insert(Related::Node(node));
        }
    }
    let cordoned = actions.cordon.iter().chain(&actions.drain);
    for name in cordoned {
        let mut node = Arc::unwrap_or_clone(find(&changed, name)?);
        node.unschedulable = true;
        taint(&mut node, "node.kubernetes.io/unschedulable", "NoSchedule");
        changed.insert(Related::Node(node));
    }
    for name in &actions.drain {
        outage.leaving.insert(Arc::from(name.as_str()));
    }
    for name in lost_names(actions, related)? {
        let mut node = Arc::unwrap_or_clone(find(&changed, &name)?);
        node.ready = Some(NodeReady {
            status: Arc::from("Unknown"),
            since: None,
            reason: Arc::from("NodeStatusUnknown"),
            message: Arc::from("Kubelet stopped posting node status."),
        });
        taint(&mut node, "node.kubernetes.io/unreachable", "NoSchedule");
        outage.leaving.insert(Arc::clone(&name));
        outage.lost.insert(name);
        changed.insert(Related::Node(node));
    }
    Ok((changed, outage))
}

/// Returns the names of nodes, of a zone (`zone=ZONE`) or with a label (`LABEL=VALUE`), without repetitions.
pub(super) fn names(words: &[String], related: &RelatedObjects) -> Result<Vec<String>, NodeError> {
    let mut names: Vec<String> = Vec::new();
    for word in words {
        let found = match word.split_once('=') {
            None if word == EACH && related.has_nodes() => {
                let nodes = related.nodes();
                nodes.map(|node| node.meta.name.to_string()).collect()
            }
            None => vec![find(related, word)?.meta.name.to_string()],
            Some(("zone", zone)) => in_zone(zone, related)?,
            Some((label, value)) => with_label(label, value, related)?,
        };
        names.extend(found.into_iter().filter(|name| !words.contains(name)));
        if !word.contains('=') && (word != EACH || related.node(EACH).is_some()) {
            names.push(word.clone());
        }
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

fn with_label(
    label: &str,
    value: &str,
    related: &RelatedObjects,
) -> Result<Vec<String>, NodeError> {
    let has = |node: &&Arc<Node>| node.meta.labels.get(label).is_some_and(|it| **it == *value);
    let found = related.nodes().filter(has);
    let found: Vec<String> = found.map(|node| node.meta.name.to_string()).collect();
    match (found.is_empty(), related.has_nodes()) {
        (false, _) => Ok(found),
        (true, true) => Err(NodeError::UnknownLabel(format!("{label}={value}"))),
        (true, false) => Err(NodeError::NoNodes(format!("label {label}={value}"))),
    }
}

/// Returns the nodes of a zone.
fn in_zone(zone: &str, related: &RelatedObjects) -> Result<Vec<String>, NodeError> {
    let in_zone = |node: &&Arc<Node>| node.zone().is_some_and(|of| **of == *zone);
    let found = related.nodes().filter(in_zone);
    let found: Vec<String> = found.map(|node| node.meta.name.to_string()).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let zones = related.nodes().filter_map(|node| node.zone());
    let zones: BTreeSet<&str> = zones.map(|zone| &**zone).collect();
    Err(match related.has_nodes() {
        true => NodeError::UnknownZone(zone.to_owned(), list(zones)),
        false => NodeError::NoNodes(format!("zone {zone}")),
    })
}

fn lost_names(
    actions: &NodeActions,
    related: &RelatedObjects,
) -> Result<BTreeSet<Arc<str>>, NodeError> {
    let mut lost = BTreeSet::new();
    for what in &actions.lose {
        let Some(zone) = what.strip_prefix("zone=") else {
            lost.insert(Arc::clone(&find(related, what)?.meta.name));
            continue;
        };
        lost.extend(in_zone(zone, related)?.into_iter().map(Arc::from));
    }
    Ok(lost)
}

fn find(related: &RelatedObjects, name: &str) -> Result<Arc<Node>, NodeError> {
    if let Some(node) = related.node(name) {
        return Ok(Arc::clone(node));
    }
    Err(match related.has_nodes() {
        true => {
            let names = related.nodes().map(|node| &*node.meta.name);
            NodeError::Unknown(format!("node {name}"), list(names))
        }
        false => NodeError::NoNodes(format!("node {name}")),
    })
}

fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 6;
    let names: Vec<&str> = names.into_iter().collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => words::list(&names, SHOWN),
    }
}

fn taint(node: &mut Node, key: &str, effect: &str) {
    if !node.taints.iter().any(|taint| &*taint.key == key) {
        node.taints.push(Taint {
            key: Arc::from(key),
            value: Arc::from(""),
            effect: Arc::from(effect),
            added: None,
        });
    }
}

/// Returns a new, empty node with the labels, taints and size of another one.
pub(super) fn like_node(model: &Node, number: usize) -> Node {
    let name: Arc<str> = Arc::from(format!("{}-like-{number}", model.meta.name));
    let mut node = model.clone();
    // Beside the host name, drivers of local volumes have labels of their own for a node.
    let labels = Arc::make_mut(&mut node.meta.labels);
    for (key, value) in labels.iter_mut() {
        if &**key == HOSTNAME || *value == model.meta.name {
            *value = Arc::clone(&name);
        }
    }
    node.meta.name = name;
    node.unschedulable = false;
    node.taints
        .retain(|taint| !taint.key.starts_with("node.kubernetes.io/"));
    node.ready = Some(NodeReady {
        status: Arc::from("True"),
        since: None,
        reason: Arc::from("KubeletReady"),
        message: Arc::from(""),
    });
    node
}
