//! Other nodes for a pod that its node rejects.

use std::sync::Arc;

use serde_json::Value;

use crate::conditions::{Conditions, Outage};
use crate::foresight::{self, Demand};
use crate::plan::Plan;
use sts_controller::object::{Node, Pod};

/// Says whether another node can take a pod that its node rejects, and what to do with its node until then; `None` if its
/// node is not known.
pub(super) fn elsewhere(plan: &Plan, pod: &Pod) -> Option<String> {
    let own = pod.node()?;
    if let Some((claim, node)) = plan.local_claims(pod).next() {
        return Some(format!(
            "the volume of {claim} is local to node {node}: the pod cannot go elsewhere"
        ));
    }
    let all = plan.related.all_pods();
    let conditions = Conditions {
        outage: Arc::new(Outage::among(all)),
        ..plan.conditions.clone()
    };
    let Some(found) = foresight::landing(pod, Some(&plan.snapshot), &conditions) else {
        return Some(format!(
            "if another node has what the pod needs, cordon node {own} until then"
        ));
    };
    // A pod that waits for its volume keeps its node; only one that has ended is replaced.
    let waits = !pod.phase.has_ended();
    let volumes = |node: &str| {
        let attached = plan.related.attachments();
        attached.filter(|it| *it.node == *node).count()
    };
    let most = volumes(own);
    // With as many volumes, another node may be full too.
    let is_free = |name: &&Arc<str>| !waits || most == 0 || volumes(name) < most;
    let mut others = found.iter().filter(|name| ***name != *own);
    if let Some(other) = others.find(is_free) {
        if waits {
            return Some(format!(
                "until then, cordon node {own} and delete {}: the next pod can go to node {other}",
                pod.meta.name
            ));
        }
        return Some(format!(
            "until then, cordon node {own}: the next pod can go to node {other}"
        ));
    }
    Some(match cordoned(plan, pod, own) {
        Some(node) => format!(
            "node {node} might take the pod, but is cordoned: if its maintenance is over, uncordon it, and cordon node {own}"
        ),
        None => format!(
            "no other node of the input can take the pod now, so cordoning node {own} would only leave it Pending"
        ),
    })
}

/// Returns a cordoned node that the pod selects and where its volumes can be used.
fn cordoned<'p>(plan: &'p Plan, pod: &Pod, own: &str) -> Option<&'p Arc<str>> {
    let given = pod.given();
    let demand = Demand::of_spec(given.as_ref().map_or(&Value::Null, |it| &it["spec"]));
    let reaches = plan.reaches(pod);
    let fits = |node: &&Arc<Node>| {
        *node.meta.name != *own
            && node.unschedulable
            && !node.is_down()
            && demand.selects(node)
            && !demand.is_too_much_for(node)
            && reaches.iter().all(|it| it.admits(node))
    };
    let mut nodes = plan.related.nodes();
    nodes.find(fits).map(|node| &node.meta.name)
}
