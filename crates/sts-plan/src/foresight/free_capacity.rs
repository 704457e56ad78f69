//! Pods that do not fit beside the pods already on the remaining nodes. Only checked if nodes are changed, as pods
//! are then rescheduled. See docs/semantics.md, "Room on nodes".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::nodes::Demand;
use super::volume_limits::VolumeLimits;
use super::volumes::reaches;
use super::{Foreseen, Foresight, Input, NodeMismatch, PodTemplateView};
use crate::conditions::Conditions;
use crate::requests::{self, Amounts, add};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::controller::claim_of_pod;
use sts_controller::object::{Node, Pod};

/// Resource of which each pod takes one.
const PODS: &str = "pods";

/// Units of the budget of a question for a node that a pod is compared with.
const UNITS_OF_A_NODE: u64 = 4;

/// Capacity of a node that is not taken by pods of other owners.
pub(super) struct FreeCapacity<'n> {
    allocatable: Amounts,
    pub(super) node: &'n Arc<Node>,
    used: Amounts,
    /// Requests of the set's own pods on the node, by name.
    own: BTreeMap<Arc<str>, Amounts>,
}

/// Relation of a pod on a node to the pod that needs room.
pub(super) enum Tenant {
    Own,
    Other,
    Leaving,
}

impl<'n> FreeCapacity<'n> {
    /// Returns the capacity of a node that pods of this priority cannot preempt.
    pub(super) fn of(
        conditions: &Conditions,
        node: &'n Arc<Node>,
        priority: i64,
        tenant: impl Fn(&Pod) -> Tenant,
    ) -> Self {
        let mut left = FreeCapacity {
            allocatable: requests::allocatable(node),
            node,
            used: Amounts::new(),
            own: BTreeMap::new(),
        };
        let running = conditions.outage.running.get(&node.meta.name);
        for resident in running.into_iter().flatten().filter(|it| it.is_there()) {
            let asks = || with_the_pod(resident.asks.clone());
            match tenant(&resident.pod) {
                Tenant::Own => {
                    left.own.insert(Arc::clone(&resident.pod.meta.name), asks());
                }
                Tenant::Other if resident.priority >= priority => add(&mut left.used, &asks()),
                Tenant::Other | Tenant::Leaving => {}
            }
        }
        left
    }

    /// Returns what the pods on the node take.
    pub(super) fn taken(&self) -> Amounts {
        let mut taken = self.used.clone();
        for own in self.own.values() {
            add(&mut taken, own);
        }
        taken
    }

    /// Returns the share of the fullest of CPU and memory with one more pod, in thousandths.
    pub(super) fn fullness(&self, asked: &Amounts) -> i128 {
        let mut taken = self.taken();
        add(&mut taken, asked);
        let share = |resource: &str| {
            let has = self.allocatable.get(resource)?.billionths()?;
            let taken = taken.get(resource)?.billionths()?;
            taken.checked_mul(1_000)?.checked_div(has)
        };
        let shares = ["cpu", "memory"].into_iter().filter_map(share);
        shares.max().unwrap_or(0)
    }

    /// Returns how many pods with these requests fit, up to `most`, and the resource that limits them.
    pub(super) fn fits(&self, asked: &Amounts, most: usize) -> (usize, Option<&str>) {
        let taken = self.taken();
        let room = self.allocatable.iter().filter_map(|(resource, has)| {
            let asked = asked.get(resource)?;
            let left =
                has.billionths()? - taken.get(resource).map_or(Some(0), Quantity::billionths)?;
            // No node has an amount that does not fit into a number.
            let asked = asked.billionths().unwrap_or(i128::MAX);
            let count = match left < asked {
                true => 0,
                false => left.checked_div(asked)?,
            };
            Some((usize::try_from(count).unwrap_or(usize::MAX), resource))
        });
        match room.min_by_key(|(count, _)| *count) {
            Some((count, resource)) if count < most => (count, Some(resource)),
            _ => (most, None),
        }
    }
}

pub(super) fn foresee(view: &Input<'_>, foresight: &mut Foresight, pods: &PodTemplateView<'_>) {
    let running = &view.conditions.outage.running;
    if running.is_empty() || !view.knows_nodes() {
        return;
    }
    let Some(demand) = Demand::of_pods(view, pods) else {
        return;
    };
    let asked = with_the_pod(requests::of_spec(&pods.template["spec"]));
    let priority = priority_of(view, &pods.template["spec"]);
    let nodes = view.related.nodes();
    let fit = nodes.filter(|node| demand.unfit(node, &[]).is_none());
    let limits = VolumeLimits::of(view.conditions);
    let mut left: Vec<FreeCapacity<'_>> = fit
        .map(|node| capacity_left(view, node, priority))
        .collect();
    // Pods placed so far, by the nodes that they may be on.
    let mut placed: BTreeMap<BTreeSet<&Arc<str>>, usize> = BTreeMap::new();
    for name in view.in_order() {
        if view.stays(name, pods.revision) {
            continue;
        }
        let nodes = u64::try_from(left.len()).unwrap_or(u64::MAX);
        let allowance = &view.conditions.allowance;
        allowance.spend(nodes.saturating_mul(UNITS_OF_A_NODE));
        for node in &mut left {
            node.own.remove(name);
        }
        let templates = view.snapshot.set.claim_templates.iter();
        let claims = templates.map(|template| claim_of_pod(&template.name, name));
        let claims: Vec<String> = claims.collect();
        let volumes = reaches(view, name, claims.iter());
        let open = |left: &&FreeCapacity<'_>| volumes.iter().all(|volume| volume.admits(left.node));
        let names: BTreeSet<&Arc<str>> = left
            .iter()
            .filter(open)
            .map(|left| &left.node.meta.name)
            .collect();
        if names.is_empty() {
            continue;
        }
        let before = placed.iter().filter(|(on, _)| on.is_subset(&names));
        let needed = before.map(|(_, count)| count).sum::<usize>() + 1;
        let mut places = 0;
        let mut full: BTreeMap<NodeMismatch, Vec<Arc<str>>> = BTreeMap::new();
        for node in left.iter().filter(open) {
            let namespace = &view.snapshot.set.meta.namespace;
            if let Some(why) = limits.mismatch(node.node, namespace, &claims) {
                let names = full.entry(why).or_default();
                names.push(Arc::clone(&node.node.meta.name));
                continue;
            }
            let (fits, lacks) = node.fits(&asked, needed);
            places += fits;
            if places >= needed {
                break;
            }
            if let Some(resource) = lacks {
                let why = NodeMismatch::Full {
                    resource: resource.to_owned(),
                    asked: asked
                        .get(resource)
                        .map_or_else(String::new, Quantity::canonical),
                };
                let names = full.entry(why).or_default();
                names.push(Arc::clone(&node.node.meta.name));
            }
        }
        if places >= needed {
            // A pod with smaller requests may leave room for both.
            if pods.asks_like_others {
                *placed.entry(names).or_default() += 1;
            }
            continue;
        }
        foresight.note(name, pods.revision, || {
            let mut none = demand.no_node(view, &volumes);
            none.groups.extend(full);
            Foreseen::NoNode(none)
        });
    }
}

/// Returns the capacity of a node that pods of this priority cannot preempt. The set's own pods count by name.
fn capacity_left<'n>(view: &Input<'_>, node: &'n Arc<Node>, priority: i64) -> FreeCapacity<'n> {
    let set = &view.snapshot.set.meta;
    FreeCapacity::of(view.conditions, node, priority, |pod| {
        let is_own = pod.meta.namespace == set.namespace
            && pod
                .meta
                .controller()
                .is_some_and(|owner| owner.uid == set.uid);
        match is_own {
            false => Tenant::Other,
            true if view.wanted.contains(&pod.meta.name) => Tenant::Own,
            true => Tenant::Leaving,
        }
    })
}

/// Priority of a pod that preempts no other (`PodEligibleToPreemptOthers` in
/// `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go`).
pub(super) const PREEMPTS_NONE: i64 = i64::MIN;

/// Returns the priority of the set's pods; the maximum if unknown, and the minimum if they preempt no pod.
pub(super) fn priority_of(view: &Input<'_>, spec: &Value) -> i64 {
    let own = view
        .wanted
        .iter()
        .filter_map(|name| view.snapshot.pods.get(name)?.given());
    // Admission takes both fields from the priority class.
    let own: Vec<_> = own.collect();
    let specs = || own.iter().map(|given| &given["spec"]);
    if specs().chain([spec]).any(never_preempts) {
        return PREEMPTS_NONE;
    }
    let named = spec["priorityClassName"].as_str();
    let unknown = match named.unwrap_or_default() {
        "" => 0,
        _ => i64::MAX,
    };
    let priorities = specs().filter_map(|spec| spec["priority"].as_i64());
    priorities.max().unwrap_or(unknown)
}

/// Returns the priority of a pod with this specification, as far as preemption depends on it.
pub(super) fn priority_of_spec(spec: &Value) -> i64 {
    match never_preempts(spec) {
        true => PREEMPTS_NONE,
        false => spec["priority"].as_i64().unwrap_or(0),
    }
}

fn never_preempts(spec: &Value) -> bool {
    spec["preemptionPolicy"] == "Never"
}

pub(super) fn with_the_pod(mut asked: Amounts) -> Amounts {
    asked.extend(Quantity::parse("1").map(|one| (PODS.to_owned(), one)));
    asked
}
