//! The order of nodes that moves the fewest pods.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Maintenance, Scene, Switchovers};
use sts_controller::simulate::DrainEnd;

/// Maximum number of nodes whose orders are all tried.
const ALL_ORDERS: usize = 4;

/// The value of an order, the best first: drains that complete, switchovers, moves and time.
fn rank(maintenance: &Maintenance) -> (u8, Switchovers, usize, jiff::Timestamp) {
    let (verdict, at) = match maintenance.drained.end {
        DrainEnd::Done(at) => (0, at),
        DrainEnd::Unknown(at) => (1, at),
        DrainEnd::Fails(at) => (2, at),
        DrainEnd::Hangs(at) => (3, at),
    };
    let moves = maintenance.drained.evictions.len();
    (verdict, maintenance.switchovers, moves, at)
}

/// Returns the best other order of these nodes that was tried, as far as the budget goes; `None` if none is better in outcome, switchovers or moves.
pub(in crate::nodes) fn better(
    scene: &Scene<'_>,
    nodes: &[Arc<str>],
    asked: &Maintenance,
) -> Option<(Vec<Arc<str>>, Maintenance)> {
    if asked.stopped.is_some() {
        return None;
    }
    let mut tried = Vec::new();
    for order in candidates(scene, nodes) {
        let run = scene.run(&order);
        if run.stopped.is_some() {
            break;
        }
        tried.push((order, run));
    }
    let best =
        |(_, one): &(_, Maintenance), (_, other): &(_, Maintenance)| rank(one).cmp(&rank(other));
    let (order, best) = tried.into_iter().min_by(best)?;
    // An order that stops somewhere has fewer moves only because it stops.
    if !matches!(best.drained.end, DrainEnd::Done(_)) {
        return None;
    }
    let worth = |maintenance: &Maintenance| {
        let (verdict, switchovers, moves, _) = rank(maintenance);
        (verdict, switchovers, moves)
    };
    (worth(&best) < worth(asked)).then_some((order, best))
}

/// Returns the orders to try: all of a few nodes; of many the one with the fewest pods first, and the opposite, each with
/// the nodes of primaries last.
fn candidates(scene: &Scene<'_>, nodes: &[Arc<str>]) -> BTreeSet<Vec<Arc<str>>> {
    let mut orders = BTreeSet::new();
    if nodes.len() <= ALL_ORDERS {
        permute(nodes.to_vec(), 0, &mut orders);
        orders.remove(nodes);
        return orders;
    }
    let outage = scene.plans.first().map(|plan| &plan.conditions.outage);
    let pods = |node: &Arc<str>| {
        let running = outage.and_then(|outage| outage.running.get(node));
        running.map_or(0, Vec::len)
    };
    let has_primary = |node: &Arc<str>| {
        scene.plans.iter().any(|plan| {
            let mut owned = plan.observed().owned();
            owned.any(|pod| scene.actions.order.is_last(pod) && pod.node.as_ref() == Some(node))
        })
    };
    let mut fewest = nodes.to_vec();
    fewest.sort_by_key(|node| (pods(node), Arc::clone(node)));
    let reversed: Vec<Arc<str>> = nodes.iter().rev().cloned().collect();
    for order in [fewest, reversed, nodes.to_vec()] {
        let mut last = order.clone();
        last.sort_by_key(has_primary);
        orders.extend([order, last]);
    }
    orders.remove(nodes);
    orders
}

fn permute(mut nodes: Vec<Arc<str>>, from: usize, orders: &mut BTreeSet<Vec<Arc<str>>>) {
    if from + 1 >= nodes.len() {
        orders.insert(nodes);
        return;
    }
    for at in from..nodes.len() {
        nodes.swap(from, at);
        permute(nodes.clone(), from + 1, orders);
        nodes.swap(from, at);
    }
}
