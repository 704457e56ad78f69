//! Nodes that accept a pod that is created again, the most likely first.

use std::ops::ControlFlow;
use std::sync::Arc;

use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Node, Pod, Snapshot, labels_of};

use super::free_capacity::{FreeCapacity, Tenant, priority_of_spec, with_the_pod};
use super::neighbors::{Judgment, Neighbors, Newcomer};
use super::nodes::{Demand, template_elsewhere};
use super::volumes::{bound_volumes, reaches};
use super::{Input, NodeMismatch, Reach};
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

/// A node that does not accept a pod, with all reasons.
pub(crate) struct Excluded {
    /// The node.
    pub(crate) node: Arc<Node>,
    /// All reasons; a lack of free capacity comes last.
    pub(crate) reasons: Vec<NodeMismatch>,
}

/// Maximum number of nodes to compare with a pod for all reasons.
const MOST_NODES: usize = 200;

/// Returns the nodes that do not accept a pod, each with all reasons; `None` if that is not known, or of too many nodes.
pub(crate) fn excluded(
    pod: &Pod,
    set: Option<&Snapshot>,
    conditions: &Conditions,
) -> Option<Vec<Excluded>> {
    if conditions.related.nodes().count() > MOST_NODES {
        return None;
    }
    let mut found = Vec::new();
    visit(pod, set, conditions, &mut |view| {
        let mut reasons = view.demand.mismatches(view.node, view.volumes);
        let left = view.room();
        let is_small = |why: &NodeMismatch| matches!(why, NodeMismatch::TooSmall { .. });
        if let (0, Some(resource)) = left.fits(view.asked, 1)
            && !reasons.iter().any(is_small)
        {
            let asked = view.asked.get(resource).map(Quantity::canonical);
            reasons.push(NodeMismatch::Full {
                resource: resource.to_owned(),
                asked: asked.unwrap_or_default(),
            });
        }
        if !reasons.is_empty() {
            let node = Arc::clone(view.node);
            found.push(Excluded { node, reasons });
        }
        ControlFlow::Continue(())
    })?;
    Some(found)
}

/// A node, and a pod that asks for room on it.
struct View<'v> {
    node: &'v Arc<Node>,
    conditions: &'v Conditions,
    demand: &'v Demand,
    volumes: &'v [Reach<'v>],
    asked: &'v Amounts,
    priority: i64,
    pod: &'v Pod,
}

impl<'v> View<'v> {
    /// Returns what the pods of at least this priority leave of the node.
    fn room(&self) -> FreeCapacity<'v> {
        let allowance = &self.conditions.allowance;
        let running = self.conditions.outage.running.get(&self.node.meta.name);
        let running = u64::try_from(running.map_or(0, Vec::len)).unwrap_or(u64::MAX);
        allowance.spend(UNITS_OF_A_NODE + running.saturating_mul(UNITS_OF_A_POD));
        let tenant = |other: &Pod| match is_same(other, self.pod) {
            true => Tenant::Leaving,
            false => Tenant::Other,
        };
        FreeCapacity::of(self.conditions, self.node, self.priority, tenant)
    }
}

/// Shows the nodes that accept a pod, with the room on them and its requests, until `show` breaks; `None` if they are not
/// known.
fn visit_fitting(
    pod: &Pod,
    set: Option<&Snapshot>,
    conditions: &Conditions,
    show: &mut dyn FnMut(&FreeCapacity<'_>, &Amounts) -> ControlFlow<()>,
) -> Option<()> {
    visit(pod, set, conditions, &mut |view| {
        if view.demand.unfit(view.node, view.volumes).is_some() {
            return ControlFlow::Continue(());
        }
        let left = view.room();
        match left.fits(view.asked, 1).0 > 0 {
            true => show(&left, view.asked),
            false => ControlFlow::Continue(()),
        }
    })
}

/// Shows each node beside what a pod asks for, until `show` breaks; `None` if that is not known.
fn visit(
    pod: &Pod,
    set: Option<&Snapshot>,
    conditions: &Conditions,
    show: &mut dyn FnMut(&View<'_>) -> ControlFlow<()>,
) -> Option<()> {
    let related = &conditions.related;
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
    let input = set.map(|snapshot| Input {
        snapshot,
        related,
        conditions,
        wanted: Vec::new(),
    });
    let volumes = match &input {
        Some(input) => reaches(input, &pod.meta.name, pod.claims()),
        None => bound_volumes(pod, conditions),
    };
    for node in related.nodes() {
        let view = View {
            node,
            conditions,
            demand: &demand,
            volumes: &volumes,
            asked: &asked,
            priority,
            pod,
        };
        if show(&view).is_break() {
            break;
        }
    }
    Some(())
}
