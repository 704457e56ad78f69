//! The groups of nodes of a scheduler's message: those of which the cause is true, and the others.

use std::sync::Arc;

use serde_json::Value;

use super::MOST;
use super::placement::are_all;
use crate::catalogue::{
    CauseEntry, OtherNodes, Situation, about_nodes, events_of_node, insufficient,
};
use crate::duration::age;
use crate::foresight::Demand;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Node, Pod};

/// Returns the nodes that a scheduler's message rules out for another reason than the cause.
pub(crate) fn other_nodes(plan: &Plan, pod: &Pod, message: &str, cause: &CauseEntry) -> OtherNodes {
    let catalogue = plan.conditions.catalogue;
    let mut found = catalogue.other_nodes(message, &plan.related);
    let demand = demand(pod);
    let selector = demand.selector_text();
    if !selector.is_empty() {
        let words = "node affinity/selector";
        found.constraints = found
            .constraints
            .replace(words, &format!("{words} {selector}"));
    }
    if cause.situation == Some(Situation::LocalNodeFull) {
        let local = plan.local_claims(pod).next();
        let node = local.and_then(|(_, node)| plan.related.node(&node));
        let nodes: Vec<&Arc<Node>> = node.into_iter().collect();
        found.left = nodes
            .first()
            .map_or_else(String::new, |it| it.meta.name.to_string());
        found.too_large = too_large(&demand, &nodes).unwrap_or_default();
        return found;
    }
    // A cause that the nodes show has no words of its own in the message.
    let cause = match cause.situation {
        Some(Situation::RequestTooLarge) => catalogue.of_situation(Situation::RoomLacking),
        _ => Some(cause),
    };
    let Some((left, all)) = cause.and_then(|cause| catalogue.share(message, cause)) else {
        let nodes: Vec<&Arc<Node>> = plan.related.nodes().collect();
        if are_all(nodes.len(), message) {
            found.too_large = too_large(&demand, &nodes).unwrap_or_default();
            found.drained = emptied(plan, message, &nodes).unwrap_or_default();
        }
        return found;
    };
    let nodes = remaining(plan, pod, &demand, message);
    let is_whole = plan.related.nodes().count() == usize::try_from(all).unwrap_or(0)
        && nodes.len() == usize::try_from(left).unwrap_or(0);
    if !is_whole {
        found.left = format!("{left} of {all} nodes");
        return found;
    }
    let names: Vec<&str> = nodes.iter().map(|node| &*node.meta.name).collect();
    found.left = list(&names, MOST);
    found.drained = drained(plan, message, &nodes).unwrap_or_default();
    found.too_large = too_large(&demand, &nodes).unwrap_or_default();
    found
}

/// Returns the request that is larger than each of some nodes, even empty: `cpu 4, and node n-1 has 3800m in all`, or `and the
/// largest has 3800m`.
fn too_large(demand: &Demand, nodes: &[&Arc<Node>]) -> Option<String> {
    let over: Option<Vec<_>> = nodes.iter().map(|node| demand.too_much(node)).collect();
    let (resource, asked) = over?.into_iter().next()?;
    let has = |node: &Node| {
        node.allocatable
            .get(resource.as_str())
            .map_or("0", |it| it)
            .to_owned()
    };
    let amount = |node: &Node| Quantity::parse(&has(node)).ok();
    let largest = nodes.iter().max_by_key(|node| amount(node))?;
    let has = match nodes {
        [node] => format!("node {} has {} in all", node.meta.name, has(node)),
        _ => format!("the largest has {}", has(largest)),
    };
    Some(format!("{resource} {}, and {has}", asked.canonical()))
}

/// Returns the requirements of a pod on nodes.
fn demand(pod: &Pod) -> Demand {
    let given = pod.given();
    Demand::of_spec(given.as_ref().map_or(&Value::Null, |it| &it["spec"]))
}

/// Returns the nodes that no other reason of the message rules out, as far as the objects show.
fn remaining<'p>(plan: &'p Plan, pod: &Pod, demand: &Demand, message: &str) -> Vec<&'p Arc<Node>> {
    let message = about_nodes(message);
    let says = |words: &str| message.contains(words);
    let reaches = plan.reaches(pod);
    let is_out = |node: &Arc<Node>| {
        let name = Some(&node.meta.name);
        let is_tainted = || {
            let mut repels = node
                .taints
                .iter()
                .filter(|it| &*it.effect != "PreferNoSchedule");
            repels.any(|taint| !demand.tolerates(taint))
        };
        let runs_member = || plan.observed().owned().any(|pod| pod.node.as_ref() == name);
        (says(" taint") && is_tainted())
            || (says("unschedulable") && node.unschedulable)
            || (says("affinity/selector") && !demand.selects(node))
            || (says("volume node affinity") && !reaches.iter().all(|it| it.admits(node)))
            || (says("match pod anti-affinity rules") && runs_member())
    };
    plan.related.nodes().filter(|node| !is_out(node)).collect()
}

/// Returns the first node that has nothing of the resource that is insufficient since it was restarted, while another node
/// has, with the time of that.
fn emptied(plan: &Plan, message: &str, nodes: &[&Arc<Node>]) -> Option<String> {
    let is_rebooted = |node: &&&Arc<Node>| {
        let mut events = events_of_node(&node.meta.name, &plan.related);
        events.any(|event| &*event.reason == "Rebooted")
    };
    let mut rebooted = nodes.iter().filter(is_rebooted);
    rebooted.find_map(|node| drained(plan, message, &[*node]))
}

/// Returns the first of some nodes if none of them has anything of the resource that they lack, while another node has,
/// with the time of its last reboot.
fn drained(plan: &Plan, message: &str, nodes: &[&Arc<Node>]) -> Option<String> {
    let resource = insufficient(message).next()?;
    let has = |node: &Arc<Node>| {
        node.allocatable
            .get(resource)
            .is_some_and(|it| &**it != "0")
    };
    if nodes.iter().any(|node| has(node)) || !plan.related.nodes().any(has) {
        return None;
    }
    let name = &nodes.first()?.meta.name;
    let mut events = events_of_node(name, &plan.related);
    let rebooted = events.find(|event| &*event.reason == "Rebooted");
    Some(match rebooted.and_then(|event| event.last) {
        Some(at) => format!(
            "{name} (rebooted {} ago)",
            age(plan.conditions.now.duration_since(at))
        ),
        None => name.to_string(),
    })
}
