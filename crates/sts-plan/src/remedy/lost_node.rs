//! Candidate remedies of pods on lost nodes.

use std::mem::discriminant;
use std::sync::Arc;

use jiff::SignedDuration;

use super::action::RemedyAction;
use crate::down_nodes::{OUT_OF_SERVICE, tolerated};
use crate::plan::Plan;
use sts_controller::object::{Node, Pod};

/// Returns candidates for a pod on a lost node. Actions on the node come before a forced deletion of the pod.
pub(super) fn lost_node(plan: &Plan, node: &Arc<str>, pod: &Pod) -> Vec<Vec<RemedyAction>> {
    let name = || Arc::clone(&pod.meta.name);
    let restore = vec![RemedyAction::RestoreNode(Arc::clone(node), name())];
    if !plan.local_volumes(pod).is_empty() {
        // The pod cannot run on any other node.
        return vec![restore];
    }
    let known = plan.related.node(node);
    if known.is_some_and(|node| was_just_lost(plan, node)) {
        return vec![restore];
    }
    let taint = known
        .filter(|node| node.is_lost() && !node.is_out_of_service())
        .filter(|_| plan.conditions.behaviour.version.honours_out_of_service())
        .map(|_| {
            let taint = RemedyAction::OutOfService(Arc::clone(node), name());
            // Garbage collection removes only what is terminating, and the taint does not delete what tolerates it.
            let tolerates = tolerated(pod, OUT_OF_SERVICE, "nodeshutdown");
            match pod.is_terminating() || tolerates == Some(SignedDuration::ZERO) {
                true => vec![taint],
                false => vec![taint, RemedyAction::DeletePod(name())],
            }
        });
    let remove = known.map(|_| vec![RemedyAction::DeleteNode(Arc::clone(node), name())]);
    let zones = plan.zones_without_node(pod);
    if !zones.is_empty() {
        // A forced deletion only helps once another node can attach the volumes.
        let add = RemedyAction::AddNode(zones, name());
        let removals = taint.into_iter().chain(remove);
        let removals = removals.map(|removal| [vec![add.clone()], removal].concat());
        return std::iter::once(restore).chain(removals).collect();
    }
    let force = vec![RemedyAction::ForceDeletePod(name())];
    taint.into_iter().chain(remove).chain([force]).collect()
}

/// Time without an answer after which a node counts as lost for longer than a moment: that of the default tolerations.
const MOMENT: SignedDuration = SignedDuration::from_mins(5);

/// Reports whether a node stopped to respond so recently that it may be back before anybody has checked the machine.
fn was_just_lost(plan: &Plan, node: &Node) -> bool {
    let since = node.ready.as_ref().and_then(|ready| ready.since);
    let silent = since.map(|since| plan.observed().at().duration_since(since));
    node.is_lost() && silent.is_some_and(|it| it >= SignedDuration::ZERO && it < MOMENT)
}

/// Reports whether the volumes of a pod allow it to move to another node.
pub(super) fn can_move(plan: &Plan, pod: &Pod) -> bool {
    plan.local_volumes(pod).is_empty() && plan.zones_without_node(pod).is_empty()
}

/// Returns candidates for several pods on lost nodes, each applied to all pods.
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
            Some(same) => add(same, actions),
            None => all.push(actions),
        }
    }
    all
}

/// Adds the actions for one more pod, next to those of the same kind and without duplicate actions on a node.
fn add(all: &mut Vec<RemedyAction>, actions: Vec<RemedyAction>) {
    for one in actions {
        if !all.iter().any(|other| is_same(other, &one)) {
            let is_like = |other: &RemedyAction| discriminant(other) == discriminant(&one);
            let at = all.iter().rposition(is_like).map_or(all.len(), |at| at + 1);
            all.insert(at, one);
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
