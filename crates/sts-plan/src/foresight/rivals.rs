//! Pods that leave their nodes at the same time and compete for the room on the others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::free_capacity::{self, FreeCapacity, Tenant, with_the_pod};
use super::neighbors::Judgment;
use super::nodes::Demand;
use super::places::place;
use super::volumes::claims_of;
use super::{Input, PodTemplateView};
use crate::conditions::Conditions;
use crate::requests::{self, Amounts};
use crate::residents::{PodTerm, Resident, host_ports, terms};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Labels, Node, Pod, Snapshot, labels_of};

/// The objects and the conditions of a plan.
pub(crate) type Set<'p> = (&'p Snapshot, &'p Conditions);

/// All that the rivals ask for of a resource, as a share of it.
const WHOLE: i128 = 1_000_000;

/// Returns the template of a pod after its eviction, and the requirements of its claims.
pub(super) fn with_pod<T>(
    (snapshot, conditions): Set<'_>,
    revision: &Arc<str>,
    check: impl FnOnce(&Input<'_>, &PodTemplateView<'_>) -> T,
) -> T {
    let stored = snapshot.revisions.get(revision);
    let template = stored.and_then(|revision| revision.template());
    let template = template.map_or_else(|| Arc::clone(&snapshot.set.template), Arc::clone);
    let view = Input {
        snapshot,
        related: &conditions.related,
        conditions,
        wanted: snapshot.pods.keys().map(Arc::clone).collect(),
    };
    let pods = PodTemplateView {
        revision,
        template,
        asks_like_others: true,
    };
    check(&view, &pods)
}

/// Reports whether a pod that is created again may be bound to its cordoned node.
pub(crate) fn tolerates_cordon(set: Set<'_>, pod: &str, revision: &Arc<str>, node: &str) -> bool {
    with_pod(set, revision, |view, pods| {
        let node = view.related.node(node);
        let demand = Demand::of_pods(view, pods);
        let volumes = claims_of(view, pod);
        demand
            .zip(node)
            .is_some_and(|(demand, node)| demand.unfit(node, &volumes).is_none())
    })
}

/// Reports whether what was not read about other pods decides if a node takes this one: the labels of namespaces that an
/// affinity selects, or the time at which pods leave for good.
pub(crate) fn depends_on_unread(set: Set<'_>, pod: &str, revision: &Arc<str>) -> bool {
    with_pod(set, revision, |view, pods| {
        let volumes = claims_of(view, pod);
        let finds = |judgment: Judgment| {
            Demand::judged(view, pods, judgment).is_none_or(|demand| {
                let mut nodes = view.related.nodes();
                nodes.any(|node| demand.unfit(node, &volumes).is_none())
            })
        };
        finds(Judgment::Lenient) && !finds(Judgment::Strict)
    })
}

/// Reports whether pods that leave their nodes before this one is created again may take all the room that it needs, or
/// exclude it from all nodes.
/// Their own requirements are not checked, and parts of a pod may be on two nodes, so the answer is true too often rather
/// than not often enough.
pub(crate) fn may_be_displaced(
    set: Set<'_>,
    pod: &str,
    revision: &Arc<str>,
    rivals: &[Arc<Resident>],
) -> bool {
    if rivals.is_empty() || !set.1.related.has_nodes() {
        return false;
    }
    with_pod(set, revision, |view, pods| {
        let Some(demand) = Demand::of_pods(view, pods) else {
            return false;
        };
        let volumes = claims_of(view, pod);
        let spec = &pods.template["spec"];
        let asked = with_the_pod(requests::of_spec(spec));
        let priority = free_capacity::priority_of(view, spec);
        let mut wanted = Amounts::new();
        for rival in rivals {
            requests::add(&mut wanted, &with_the_pod(rival.asks.clone()));
        }
        let nodes = view.related.nodes();
        let open = nodes.filter(|node| demand.unfit(node, &volumes).is_none());
        let open: Vec<&Arc<Node>> = open.collect();
        let newcomer = Excluding {
            namespace: &view.snapshot.set.meta.namespace,
            labels: &labels_of(&pods.template),
            spec,
        };
        if newcomer.may_find_all_taken(rivals, &open) {
            return true;
        }
        let mut shares = Vec::new();
        let mut scarce = BTreeSet::new();
        for node in open {
            let moves = |other: &Pod| match view.conditions.outage.moves(other) {
                true => Tenant::Leaving,
                false => Tenant::Other,
            };
            let left = FreeCapacity::of(view.conditions, node, priority, moves);
            if left.fits(&asked, 1).0 == 0 {
                continue;
            }
            match least_share(&left, node, &asked, &wanted) {
                Some((resource, share)) => {
                    scarce.insert(resource);
                    shares.push(share);
                }
                // The rivals together leave room on this node.
                None => return false,
            }
        }
        // Each resource that the rivals ask for can be spent once.
        let total: i128 = shares.iter().sum();
        let most = i128::try_from(scarce.len()).map_or(i128::MAX, |count| count * WHOLE);
        !shares.is_empty() && total < most
    })
}

/// The new pod, as far as others exclude it from a place or it excludes them.
struct Excluding<'n> {
    namespace: &'n str,
    labels: &'n Labels,
    spec: &'n Value,
}

impl Excluding<'_> {
    /// Reports whether the rivals may each take a place beside which the new pod cannot be, until none is left.
    fn may_find_all_taken(&self, rivals: &[Arc<Resident>], open: &[&Arc<Node>]) -> bool {
        let ports = host_ports(self.spec);
        let own = terms(self.spec, "podAntiAffinity");
        // Number of rivals that exclude the pod, by the key of the places that they take.
        let mut by_key: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        for rival in rivals {
            let meta = &rival.pod.meta;
            let selects_rival = |term: &&PodTerm| {
                term.selects(self.namespace, &meta.namespace, &meta.labels) != Some(false)
            };
            let selects_pod = |term: &&PodTerm| {
                term.selects(&meta.namespace, self.namespace, self.labels) != Some(false)
            };
            let clashes = ports
                .iter()
                .any(|port| rival.ports.iter().any(|it| it.clashes(port)));
            let by_own = own.iter().filter(selects_rival);
            let by_rival = rival.anti_affinity.iter().filter(selects_pod);
            let keys = by_own.chain(by_rival).map(|term| Some(term.key.as_str()));
            let keys: BTreeSet<Option<&str>> = keys.chain(clashes.then_some(None)).collect();
            for key in keys {
                *by_key.entry(key).or_default() += 1;
            }
        }
        by_key.into_iter().any(|(key, rivals)| {
            let places = open.iter().map(|node| match key {
                Some(key) => place(node, key),
                None => Some(Arc::clone(&node.meta.name)),
            });
            let places: Option<BTreeSet<Arc<str>>> = places.collect();
            places.is_some_and(|places| rivals >= places.len())
        })
    }
}

/// Returns the smallest share of what the rivals ask for that leaves too little room on a node, with the resource; `None`
/// if all of it leaves enough.
fn least_share(
    left: &FreeCapacity<'_>,
    node: &Node,
    asked: &Amounts,
    wanted: &Amounts,
) -> Option<(String, i128)> {
    let allocatable = requests::allocatable(node);
    let taken = left.taken();
    let number = |amounts: &Amounts, resource: &str| -> Option<i128> {
        amounts.get(resource).map_or(Some(0), Quantity::billionths)
    };
    let shares = asked.keys().filter_map(|resource| {
        let has = allocatable.get(resource)?.billionths()?;
        let gap = has - number(&taken, resource)? - number(asked, resource)?;
        let wanted = number(wanted, resource)?;
        let share = gap.max(0).checked_mul(WHOLE)?.checked_div(wanted)?;
        (wanted > gap).then(|| (resource.clone(), share))
    });
    shares.min_by_key(|(_, share)| *share)
}
