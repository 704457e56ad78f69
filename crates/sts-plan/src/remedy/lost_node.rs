//! Candidates for remedies of pods on nodes that do not answer.

use std::mem::discriminant;
use std::sync::Arc;

use super::action::RemedyAction;
use crate::plan::Plan;
use sts_controller::object::Pod;

/// A pod on a node that does not answer: the node is said to be down or taken away before anything is forced.
pub(super) fn lost_node(plan: &Plan, node: &Arc<str>, pod: &Pod) -> Vec<Vec<RemedyAction>> {
    let name = || Arc::clone(&pod.meta.name);
    let restore = vec![RemedyAction::RestoreNode(Arc::clone(node), name())];
    if !plan.local_volumes(pod).is_empty() {
        // It could not run anywhere else.
        return vec![restore];
    }
    let known = plan.related.node(node);
    let taint = known
        .filter(|node| node.is_down() && !node.is_out_of_service())
        .filter(|_| plan.conditions.behaviour.version.honours_out_of_service())
        .map(|_| vec![RemedyAction::OutOfService(Arc::clone(node), name())]);
    let remove = known.map(|_| vec![RemedyAction::DeleteNode(Arc::clone(node), name())]);
    let zones = plan.zones_without_node(pod);
    if !zones.is_empty() {
        // Nothing is to be forced before there is a node that can have its volumes.
        let add = RemedyAction::AddNode(zones, name());
        let removals = taint.into_iter().chain(remove);
        let removals = removals.map(|removal| [vec![add.clone()], removal].concat());
        return std::iter::once(restore).chain(removals).collect();
    }
    let force = vec![RemedyAction::ForceDeletePod(name())];
    taint.into_iter().chain(remove).chain([force]).collect()
}

/// Reports whether a pod of a lost node can come back on another one, as far as its volumes tell.
pub(super) fn can_move(plan: &Plan, pod: &Pod) -> bool {
    plan.local_volumes(pod).is_empty() && plan.zones_without_node(pod).is_empty()
}

/// Several pods, each on a node that does not answer: what helps one, done for each.
pub(super) fn lost_nodes(plan: &Plan, pods: &[&Arc<Pod>]) -> Vec<Vec<RemedyAction>> {
    let placed = pods
        .iter()
        .filter_map(|pod| Some((pod.node.as_ref()?, pod)));
    let of_each = placed.map(|(node, pod)| lost_node(plan, node, pod));
    let mut all: Vec<Vec<RemedyAction>> = Vec::new();
    for actions in of_each.flatten() {
        let kinds = |actions: &[RemedyAction]| -> Vec<_> {
            let mut kinds: Vec<_> = actions.iter().map(discriminant).collect();
            kinds.dedup();
            kinds
        };
        match all.iter_mut().find(|it| kinds(it) == kinds(&actions)) {
            Some(alike) => add(alike, actions),
            None => all.push(actions),
        }
    }
    all
}

/// Adds the actions for one more pod, each to its like; what is done to a node is done once for all of its pods.
fn add(alike: &mut Vec<RemedyAction>, actions: Vec<RemedyAction>) {
    for one in actions {
        if !alike.iter().any(|other| is_same(other, &one)) {
            let like = |other: &RemedyAction| discriminant(other) == discriminant(&one);
            let at = alike
                .iter()
                .rposition(like)
                .map_or(alike.len(), |at| at + 1);
            alike.insert(at, one);
        }
    }
}

fn is_same(one: &RemedyAction, other: &RemedyAction) -> bool {
    match (one, other) {
        (RemedyAction::OutOfService(node, _), RemedyAction::OutOfService(same, _))
        | (RemedyAction::DeleteNode(node, _), RemedyAction::DeleteNode(same, _))
        | (RemedyAction::RestoreNode(node, _), RemedyAction::RestoreNode(same, _)) => node == same,
        (RemedyAction::AddNode(zones, _), RemedyAction::AddNode(same, _)) => zones == same,
        (one, other) => one == other,
    }
}
