//! Nodes that accept a pod that is created again, the most likely first.

use std::sync::Arc;

use sts_controller::object::{Node, Pod, Snapshot, labels_of};

use super::Input;
use super::neighbors::{Judgment, Neighbors, Newcomer};
use super::nodes::Demand;
use super::room_left::{Left, Tenant, with_the_pod};
use super::volumes::reaches;
use crate::conditions::Conditions;
use crate::requests;

/// Returns the nodes that accept a pod that replaces this one, next to all other pods; `None` if that is not known. With the
/// snapshot of its set, its volumes count too. The first node has the fewest pods of its owner, and then the most room, as
/// `NodeResourcesLeastAllocated` and the default topology spread of the scheduler prefer it.
pub(crate) fn landing(
    pod: &Pod,
    set: Option<&Snapshot>,
    conditions: &Conditions,
) -> Option<Vec<Arc<str>>> {
    let related = &conditions.related;
    let given = pod.given().filter(|_| related.has_nodes())?;
    let mut spec = given["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("nodeName");
    }
    let template = serde_json::json!({"metadata": given["metadata"], "spec": spec});
    let spec = &template["spec"];
    let demand = Demand::of(&template)?;
    let priority = spec["priority"].as_i64().unwrap_or(0);
    let newcomer = Newcomer {
        namespace: &pod.meta.namespace,
        labels: &labels_of(&template),
        spec,
        priority,
    };
    let is_it = |other: &Pod| {
        other.meta.name == pod.meta.name && other.meta.namespace == pod.meta.namespace
    };
    let neighbors = Neighbors::of(conditions, &newcomer, is_it, Judgment::Lenient);
    let demand = demand.beside(neighbors);
    let asked = with_the_pod(requests::of_spec(spec));
    let view = set.map(|snapshot| Input {
        snapshot,
        related,
        conditions,
        wanted: Vec::new(),
    });
    let claims = spec["volumes"].as_array().into_iter().flatten();
    let claims = claims.filter_map(|it| it["persistentVolumeClaim"]["claimName"].as_str());
    let claims: Vec<&str> = claims.collect();
    let volumes = view.as_ref().map_or_else(Vec::new, |view| {
        reaches(view, &pod.meta.name, claims.iter())
    });
    let tenant = |other: &Pod| match is_it(other) {
        true => Tenant::Leaving,
        false => Tenant::Other,
    };
    let owner = pod.meta.controller().map(|owner| &owner.uid);
    let siblings = |node: &Node| {
        let running = conditions.outage.running.get(&node.meta.name);
        let running = running.into_iter().flatten().filter(|it| it.is_there());
        let of_owner = running.filter(|it| {
            let of = it.pod.meta.controller().map(|owner| &owner.uid);
            owner.is_some() && of == owner && !is_it(&it.pod)
        });
        of_owner.count()
    };
    let fit = related
        .nodes()
        .filter(|node| demand.unfit(node, &volumes).is_none());
    let mut found: Vec<((usize, i128), Arc<str>)> = fit
        .filter_map(|node| {
            let left = Left::of(conditions, node, priority, tenant);
            let fits = left.fits(&asked, 1).0 > 0;
            let rank = (siblings(node), left.fullness(&asked));
            fits.then(|| (rank, Arc::clone(&node.meta.name)))
        })
        .collect();
    found.sort();
    Some(found.into_iter().map(|(_, name)| name).collect())
}
