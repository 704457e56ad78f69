//! Nodes for pods of other owners that leave theirs, by the same filters as for a set's pods.

use sts_controller::object::{Pod, labels_of};

use super::neighbors::{Judgment, Neighbors, Newcomer};
use super::nodes::Demand;
use super::room_left::{Left, Tenant, with_the_pod};
use crate::conditions::Conditions;
use crate::requests;

/// Reports whether a node accepts a pod that replaces this one, as far as its own fields and the pods that stay show.
/// Its volumes are not checked. True if the nodes are unknown.
pub(crate) fn finds_node(pod: &Pod, conditions: &Conditions) -> bool {
    let related = &conditions.related;
    let Some(given) = pod.given().filter(|_| related.has_nodes()) else {
        return true;
    };
    let mut spec = given["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("nodeName");
    }
    let template = serde_json::json!({"metadata": given["metadata"], "spec": spec});
    let spec = &template["spec"];
    let Some(demand) = Demand::of(&template) else {
        return true;
    };
    let priority = spec["priority"].as_i64().unwrap_or(0);
    let newcomer = Newcomer {
        namespace: &pod.meta.namespace,
        labels: &labels_of(&template),
        spec,
        priority,
    };
    let is_own = |other: &Pod| other.meta.uid == pod.meta.uid;
    let demand = demand.beside(Neighbors::of(
        conditions,
        &newcomer,
        is_own,
        Judgment::Lenient,
    ));
    let asked = with_the_pod(requests::of_spec(spec));
    let tenant = |other: &Pod| match is_own(other) {
        true => Tenant::Leaving,
        false => Tenant::Other,
    };
    let mut fit = related
        .nodes()
        .filter(|node| demand.unfit(node, &[]).is_none());
    fit.any(|node| {
        Left::of(conditions, node, priority, tenant)
            .fits(&asked, 1)
            .0
            > 0
    })
}
