//! Lost nodes: their pods become unready after the grace period, and are deleted after their toleration time, as far as
//! the node lifecycle controller taints the nodes. docs/semantics.md, "Lost nodes".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::down_nodes::{self, UNREACHABLE, tolerated};
use crate::duration::spell;
use crate::plan::{Conditions, Plan, owns, pods_of};
use sts_controller::object::{Node, Pod, RelatedObjects};
use sts_controller::simulate::{NodeLoss, ScheduledAction};

/// Zones of the same name in two regions are different zones.
const REGION: &str = "topology.kubernetes.io/region";
/// Time between the taints of two nodes of a zone (`--node-eviction-rate`, 0.1 a second).
const INTERVAL: SignedDuration = SignedDuration::from_secs(10);
/// The same in a large zone most of whose nodes are down (`--secondary-node-eviction-rate`, 0.01 a second).
const SLOW_INTERVAL: SignedDuration = SignedDuration::from_secs(100);
/// Largest number of nodes of a small zone (`--large-cluster-size-threshold`).
const SMALL_ZONE: usize = 50;
/// Number of nodes down up to which a zone counts as normal, and the share in percent from which on it does not
/// (`--unhealthy-zone-threshold`).
const FEW_DOWN: usize = 2;
const UNHEALTHY_PERCENT: usize = 55;

/// Region and name of a zone.
type Zone<'n> = (Option<&'n Arc<str>>, String);

/// Taints of lost nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Taints {
    /// Delay of the taint of each lost node that gets one.
    delays: BTreeMap<Arc<str>, SignedDuration>,
    /// Zones whose nodes are not tainted while so many are down: name, nodes down and nodes.
    stopped: Vec<(String, usize, usize)>,
    /// True if no node of the cluster responds.
    all_down: bool,
    /// Zones with several lost nodes, each with the interval between their taints.
    paced: Vec<(String, SignedDuration)>,
}

impl Taints {
    /// Returns the taints when these nodes are lost at the same time. Upstream: `ComputeZoneState`, `handleDisruption`,
    /// `ReducedQPSFunc` and `HealthyQPSFunc` in `pkg/controller/nodelifecycle/node_lifecycle_controller.go`. The order of
    /// the nodes of a zone is random there; here it is by name.
    pub(super) fn of(lost: &BTreeSet<Arc<str>>, related: &RelatedObjects) -> Self {
        let mut taints = Taints::default();
        if lost.is_empty() {
            return taints;
        }
        let mut zones: BTreeMap<Zone<'_>, Vec<&Arc<Node>>> = BTreeMap::new();
        for node in related.nodes() {
            let region = node.meta.labels.get(REGION);
            let zone = node.zone().map(ToString::to_string);
            let of_zone = zones.entry((region, zone.unwrap_or_default()));
            of_zone.or_default().push(node);
        }
        let is_down = |node: &Node| lost.contains(&node.meta.name) || node.is_down();
        if related.nodes().all(|node| is_down(node)) {
            taints.all_down = related.has_nodes();
            return taints;
        }
        for ((_, zone), nodes) in zones {
            let gone: Vec<&&Arc<Node>> = nodes
                .iter()
                .filter(|node| lost.contains(&node.meta.name))
                .collect();
            if gone.is_empty() {
                continue;
            }
            let down = nodes.iter().filter(|node| is_down(node)).count();
            let all = nodes.len();
            let is_partial = down < all && down > FEW_DOWN && down * 100 >= all * UNHEALTHY_PERCENT;
            let interval = match is_partial {
                false => INTERVAL,
                true if all > SMALL_ZONE => SLOW_INTERVAL,
                true => {
                    taints.stopped.push((zone, down, all));
                    continue;
                }
            };
            if gone.len() > 1 {
                taints.paced.push((zone, interval));
            }
            let mut delay = SignedDuration::ZERO;
            for node in gone {
                taints.delays.insert(Arc::clone(&node.meta.name), delay);
                delay = delay.saturating_add(interval);
            }
        }
        taints
    }

    /// Describes the rules that apply, in sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.all_down {
            sentences.push(
                "no node responds, so the node controller deletes no pod (they are not ready, and stay)".to_owned(),
            );
        }
        let named = |zone: &str| match zone {
            "" => "the cluster (no zones)".to_owned(),
            zone => format!("zone {zone}"),
        };
        sentences.extend(self.stopped.iter().map(|(zone, down, all)| {
            format!(
                "{down} of {all} nodes of {} are down, so the node controller deletes none of their pods (at least 3 and \
                 {UNHEALTHY_PERCENT} %, up to {SMALL_ZONE} nodes); if it notices one node before the others, it deletes the pods \
                 of that one",
                named(zone)
            )
        }));
        sentences.extend(self.paced.iter().map(|(zone, interval)| {
            format!(
                "the node controller taints the lost nodes of {} {} apart, here by name; the order is random",
                named(zone),
                spell(*interval)
            )
        }));
        sentences
    }
}

/// Returns the events of a set when these nodes are lost now.
pub(super) fn agenda(plan: &Plan, taints: &Taints) -> Vec<ScheduledAction> {
    let pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    let losses = pods.filter_map(|pod| Some((pod, taints.loss(pod, &plan.conditions)?)));
    losses
        .flat_map(|(pod, loss)| down_nodes::actions(pod, loss))
        .collect()
}

impl Taints {
    /// Returns what happens to a pod if its node is lost now; `None` if it is not.
    pub(super) fn loss(&self, pod: &Pod, conditions: &Conditions) -> Option<NodeLoss> {
        let node = pod.node.as_ref()?;
        if !conditions.outage.lost.contains(node) {
            return None;
        }
        let noticed = noticed(conditions);
        let tainted = noticed
            .zip(self.delays.get(node))
            .and_then(|(noticed, delay)| noticed.checked_add(*delay).ok());
        let deleted = tainted.zip(tolerated(pod, UNREACHABLE, ""));
        Some(NodeLoss {
            unready: noticed,
            deleted: deleted.and_then(|(tainted, time)| tainted.checked_add(time).ok()),
            gone: None,
            is_silent: true,
        })
    }
}

/// Returns the time at which the controller manager notices that nodes are lost.
fn noticed(conditions: &Conditions) -> Option<Timestamp> {
    let grace = conditions.behaviour.version.node_monitor_grace_period();
    conditions.now.checked_add(grace).ok()
}
