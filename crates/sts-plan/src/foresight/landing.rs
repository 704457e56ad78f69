//! Nodes that accept a pod that is created again, the most likely first.

use std::ops::ControlFlow;
use std::sync::Arc;

use sts_controller::object::{Node, Pod, Snapshot, labels_of};

use super::Input;
use super::free_capacity::{FreeCapacity, Tenant, priority_of_spec, with_the_pod};
use super::neighbors::{Judgment, Neighbors, Newcomer};
use super::nodes::{Demand, template_elsewhere};
use super::volumes::{bound_volumes, reaches};
use crate::conditions::Conditions;
use crate::requests;
use crate::requests::Amounts;

/// Work of a look at a node, and at each pod on it.
const UNITS_OF_A_NODE: u64 = 20;
const UNITS_OF_A_POD: u64 = 60;

/// Returns the nodes that accept a pod that replaces this one, next to all other pods; `None` if that is not known. The
/// snapshot of its set has its claims, of which those without a volume in the input count too. The first node has the fewest pods of its owner, and then the most room, as
/// `NodeResourcesLeastAllocated` and the default topology spread of the scheduler prefer it.
pub(crate) fn landing(
    pod: &Pod,
    set: Option<&Snapshot>,
    conditions: &Conditions,
) -> Option<Vec<Arc<str>>> {
    let owner = pod.meta.controller().map(|owner| &owner.uid);
    let siblings = |node: &Node| {
        let running = conditions.outage.running.get(&node.meta.name);
        let running = running.into_iter().flatten().filter(|it| it.is_there());
        let of_owner = running.filter(|it| {
            let of = it.pod.meta.controller().map(|owner| &owner.uid);
            owner.is_some() && of == owner && !is_same(&it.pod, pod)
        });
        of_owner.count()
    };
    let mut found: Vec<((usize, i128), Arc<str>)> = Vec::new();
    visit_fitting(pod, set, conditions, &mut |left, asked| {
        let rank = (siblings(left.node), left.fullness(asked));
        found.push((rank, Arc::clone(&left.node.meta.name)));
        ControlFlow::Continue(())
    })?;
    found.sort();
    Some(found.into_iter().map(|(_, name)| name).collect())
}

/// Reports whether a node accepts a pod that replaces this one, by the same filters; `None` if that is not known.
pub(super) fn has_landing(pod: &Pod, conditions: &Conditions) -> Option<bool> {
    let mut has_one = false;
    visit_fitting(pod, None, conditions, &mut |_, _| {
        has_one = true;
        ControlFlow::Break(())
    })?;
    Some(has_one)
}

fn is_same(one: &Pod, other: &Pod) -> bool {
    one.meta.name == other.meta.name && one.meta.namespace == other.meta.namespace
}

/// Shows the nodes that accept a pod, with the room on them and its requests, until `visit` breaks; `None` if they are not
/// known.
fn visit_fitting(
    pod: &Pod,
    set: Option<&Snapshot>,
    conditions: &Conditions,
    visit: &mut dyn FnMut(&FreeCapacity<'_>, &Amounts) -> ControlFlow<()>,
) -> Option<()> {
    let related = &conditions.related;
    let allowance = &conditions.allowance;
    let given = pod.given().filter(|_| related.has_nodes())?;
    let template = template_elsewhere(&given);
    let spec = &template["spec"];
    let demand = Demand::of(&template)?;
    let priority = priority_of_spec(spec);
    let newcomer = Newcomer {
        namespace: &pod.meta.namespace,
        labels: &labels_of(&template),
        spec,
        priority,
    };
    let is_it = |other: &Pod| is_same(other, pod);
    let neighbors = Neighbors::of(conditions, &newcomer, is_it, Judgment::Lenient);
    let demand = demand.beside(neighbors);
    let asked = with_the_pod(requests::of_spec(spec));
    let view = set.map(|snapshot| Input {
        snapshot,
        related,
        conditions,
        wanted: Vec::new(),
    });
    let volumes = match &view {
        Some(view) => reaches(view, &pod.meta.name, pod.claims()),
        None => bound_volumes(pod, conditions),
    };
    let tenant = |other: &Pod| match is_it(other) {
        true => Tenant::Leaving,
        false => Tenant::Other,
    };
    for node in related.nodes() {
        if demand.unfit(node, &volumes).is_some() {
            continue;
        }
        let running = conditions.outage.running.get(&node.meta.name);
        let running = u64::try_from(running.map_or(0, Vec::len)).unwrap_or(u64::MAX);
        allowance.spend(UNITS_OF_A_NODE + running.saturating_mul(UNITS_OF_A_POD));
        let left = FreeCapacity::of(conditions, node, priority, tenant);
        if left.fits(&asked, 1).0 > 0 && visit(&left, &asked).is_break() {
            break;
        }
    }
    Some(())
}
