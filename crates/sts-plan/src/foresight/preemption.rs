//! Pods of lower priority that a pod takes the room of when it is created again.

use std::sync::Arc;

use super::free_capacity::{self, FreeCapacity, PREEMPTS_NONE, Tenant, with_the_pod};
use super::neighbors::Judgment;
use super::nodes::Demand;
use super::rivals::{Set, with_pod};
use super::volumes::claims_of;
use crate::requests;
use crate::residents::Resident;
use sts_controller::object::Pod;

/// Returns the pods, some of which a pod preempts when it is created again; none if a node takes it beside all of them.
/// `before` is the number of pods of its set that take a place first.
pub(crate) fn preempted(
    set: Set<'_>,
    pod: &str,
    revision: &Arc<str>,
    before: usize,
) -> Vec<Arc<Resident>> {
    if !set.1.related.has_nodes() {
        return Vec::new();
    }
    with_pod(set, revision, |view, pods| {
        let spec = &pods.template["spec"];
        let own = free_capacity::priority_of(view, spec);
        let outage = &view.conditions.outage;
        let is_lower =
            |it: &&Arc<Resident>| it.is_there() && it.priority < own && !outage.moves(&it.pod);
        if !outage.running.values().flatten().any(|it| is_lower(&it)) {
            return Vec::new();
        }
        let asked = with_the_pod(requests::of_spec(spec));
        let volumes = claims_of(view, pod);
        let needed = before + 1;
        let places = |priority: i64| {
            let demand = Demand::with_priority(view, pods, Judgment::Lenient, priority)?;
            let nodes = view.related.nodes();
            let open = nodes.filter(|node| demand.unfit(node, &volumes).is_none());
            let places = open.map(|node| {
                let tenant = |other: &Pod| match outage.moves(other) {
                    true => Tenant::Leaving,
                    false => Tenant::Other,
                };
                let left = FreeCapacity::of(view.conditions, node, priority, tenant);
                (node, left.fits(&asked, needed).0)
            });
            Some(places.collect::<Vec<_>>())
        };
        let count = |places: &[(_, usize)]| places.iter().map(|(_, count)| count).sum::<usize>();
        let unhindered = places(PREEMPTS_NONE);
        if unhindered.is_none_or(|places| count(&places) >= needed) {
            return Vec::new();
        }
        let open = places(own).unwrap_or_default();
        let open = open.into_iter().filter(|(_, count)| *count > 0);
        let on_open = open.filter_map(|(node, _)| outage.running.get(&node.meta.name));
        on_open.flatten().filter(is_lower).map(Arc::clone).collect()
    })
}
