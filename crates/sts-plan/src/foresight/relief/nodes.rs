//! Pods that fit on additional nodes.

use std::sync::Arc;

use super::Relief;
use crate::conditions::Conditions;
use crate::foresight::{EmptyNode, claim_trouble};
use crate::members::pods_of;
use sts_controller::object::Snapshot;

/// Schedules pending pods on the additional nodes, by ordinal, while there is room.
pub(super) fn place(relief: &mut Relief, snapshot: &Snapshot, conditions: &Conditions) {
    let added = conditions.outage.added.iter();
    let nodes = added.filter_map(|name| conditions.related.node(name));
    let mut empty: Vec<EmptyNode> = nodes.map(EmptyNode::of).collect();
    let mut waiting = Vec::new();
    for pod in pods_of(snapshot) {
        let trouble = pod.trouble.as_ref().filter(|trouble| trouble.is_unplaced());
        let is_unschedulable = trouble.is_some_and(|trouble| trouble.reason == "Unschedulable");
        if !is_unschedulable
            || pod.is_terminating()
            || claim_trouble(snapshot, conditions, pod).is_some()
        {
            continue;
        }
        let taken = empty
            .iter_mut()
            .find_map(|node| node.take(snapshot, conditions, pod));
        match taken {
            Some(node) => {
                let grant = grant_of(&node, conditions);
                relief.start(&pod.meta.name, &format!("it fits on node {node}"), &grant);
            }
            None => waiting.push(Arc::clone(&pod.meta.name)),
        }
    }
    if !waiting.is_empty() {
        let names: Vec<&str> = waiting.iter().map(|name| &**name).collect();
        relief.sentences.push(format!(
            "the additional nodes have no room for {}",
            names.join(", ")
        ));
    }
}

/// Returns the assumption that adds a node: `nodes+2=node-7` for `node-7-like-2`.
fn grant_of(node: &str, conditions: &Conditions) -> String {
    let model = |name: &str| {
        name.rsplit_once("-like-")
            .map_or("", |(model, _)| model)
            .to_owned()
    };
    let own = model(node);
    let like = conditions.outage.added.iter();
    let number = like.filter(|name| model(name) == own).count();
    format!("nodes+{number}={own}")
}
