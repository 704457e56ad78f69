//! The nodes, pods and volumes around a pod that explain why it waits, or where it could go.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;

use super::culprit::Case;
use super::own_use::OwnUse;
use super::told::Told;
use super::{MOST, Symptom, free_storage};
use crate::catalogue::{CauseTrait, about_nodes, events_of_node};
use crate::cause::{Fact, Facts};
use crate::down_nodes;
use crate::duration::age;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::{Event, Node, PersistentVolume, Pod};

impl Told {
    /// Looks around a pod, as far as its symptom asks for it.
    pub(super) fn of_surroundings(&mut self, case: Case<'_>, facts: &Facts) {
        let (plan, pod) = (case.plan, case.pod);
        match case.symptom {
            Symptom::VolumeHeld | Symptom::VolumeNotAttached => {
                let lost = lost_nodes(plan, pod);
                self.add(Fact::LostNode, Some(list(&lost, MOST)));
                self.add(Fact::NodeAddress, address(plan, pod));
            }
            Symptom::NodeLost => {
                self.add(Fact::Notice, notice(plan, pod));
                self.add(Fact::ShutDown, shut_down(plan, pod));
            }
            Symptom::KubeletRejects => self.of_own_use(case),
            Symptom::Unschedulable => {
                self.of_own_use(case);
                if let Some(found) = case.recognized {
                    self.add(Fact::Preemptor, preemptor(plan, pod, &found.message));
                    if found.entry.has(CauseTrait::LacksStorage) {
                        self.add(Fact::FreeStorage, free_storage::told(plan, pod));
                    }
                }
                self.add(Fact::Apart, apart(plan, pod));
                let own = own_pods(plan, pod, &facts.message);
                self.add(Fact::OwnPods, Some(list(&own, MOST)));
                let holders = port_holders(plan, pod, &facts.message);
                self.add(Fact::PortHolders, Some(list(&holders, MOST)));
                self.add(Fact::Keyless, keyless(plan, pod));
                self.add(Fact::Rival, rival(plan, pod));
            }
            Symptom::ProvisioningFails | Symptom::ProvisionerSilent => {
                self.add(Fact::SelectedNode, selected_node(plan, pod));
            }
            _ => {}
        }
    }

    /// The memory and the local storage for whose use the pod was evicted.
    fn of_own_use(&mut self, case: Case<'_>) {
        let own = OwnUse::of(case.plan, case.pod);
        self.add(Fact::OwnMemory, Some(own.memory));
        self.add(Fact::OwnStorage, Some(own.storage));
    }
}

/// Returns the nodes that do not respond and may still have the volumes of a pod: those that the volumes are attached to,
/// or else those where they can be used.
fn lost_nodes(plan: &Plan, pod: &Pod) -> Vec<Arc<str>> {
    let own = pod.node().unwrap_or_default();
    let volumes: Vec<&Arc<PersistentVolume>> = volumes(plan, pod).map(|(_, it)| it).collect();
    let attached = plan.related.attachments().filter(|it| {
        let mut names = volumes.iter().map(|volume| &volume.meta.name);
        *it.node != *own && names.any(|name| *name == it.volume)
    });
    let attached: Vec<&Arc<str>> = attached.map(|it| &it.node).collect();
    let is_lost = |node: &&Arc<Node>| node.is_lost() && *node.meta.name != *own;
    let lost = || plan.related.nodes().filter(is_lost);
    let has = |node: &&Arc<Node>| match attached.is_empty() {
        true => volumes.iter().all(|volume| volume.admits(node)),
        false => attached.contains(&&node.meta.name),
    };
    let names = lost().filter(has).map(|node| Arc::clone(&node.meta.name));
    names.collect()
}

/// Returns the claims of a pod with their volumes.
fn volumes<'p>(
    plan: &'p Plan,
    pod: &'p Pod,
) -> impl Iterator<Item = (&'p Arc<str>, &'p Arc<PersistentVolume>)> {
    pod.claims().filter_map(|name| {
        let claim = plan.snapshot.claims.get(name)?;
        Some((name, plan.volume_of(claim)?))
    })
}

/// Returns the address of the node of a pod: `10.20.9.5, the address of node n-1`.
fn address(plan: &Plan, pod: &Pod) -> Option<String> {
    let node = plan.related.node(pod.node()?)?;
    let (address, name) = (&node.address, &node.meta.name);
    (!address.is_empty()).then(|| format!("{address}, the address of node {name}"))
}

/// Returns the pod that a report of a preemption names by its uid, or by its name: `Preempted by pod 8a1f on node n-1`. If
/// that pod no longer exists, its successor may: the only pod with a higher priority that came to the node since then.
fn preemptor(plan: &Plan, pod: &Pod, message: &str) -> Option<String> {
    let (_, rest) = message.split_once("Preempted by ")?;
    let rest = rest.trim_start_matches("pod ");
    let word = rest.split([' ', '\n']).next()?;
    let mut all = plan.related.all_pods();
    let (found, certainty) = match all.find(|it| *it.meta.uid == *word) {
        Some(named) => (named, ""),
        None => {
            let (_, node) = rest.split_once(" on node ")?;
            let node = node.split_whitespace().next()?;
            (newcomer(plan, pod, node)?, "probably ")
        }
    };
    let priority = priority(found).map_or_else(String::new, |it| format!(" (priority {it})"));
    let meta = &found.meta;
    Some(format!(
        "{certainty}{}/{}{priority}",
        meta.namespace, meta.name
    ))
}

/// Maximum time between the creation of a pod that preempts another, and that of the other's successor.
const PREEMPTION: SignedDuration = SignedDuration::from_mins(10);

/// Returns the only pod with a higher priority on a node that was created about when the successor of a preempted pod was.
fn newcomer<'p>(plan: &'p Plan, pod: &Pod, node: &str) -> Option<&'p Arc<Pod>> {
    let own = priority(pod)?;
    let created = pod.meta.created?;
    let is_it = |other: &&Arc<Pod>| {
        other.node().is_some_and(|it| *it == *node)
            && priority(other).is_some_and(|it| it > own)
            && (other.meta.created).is_some_and(|at| at.duration_since(created).abs() <= PREEMPTION)
    };
    let mut all = plan.related.all_pods().filter(is_it);
    all.next().filter(|_| all.next().is_none())
}

/// Returns the priority of a pod, which the API server writes from its class.
fn priority(pod: &Pod) -> Option<i64> {
    pod.given()?["spec"]["priority"].as_i64()
}

/// Returns the places of two volumes of a pod that no node can be in at once: `data-db-1 is in zone a, wal-db-1 in zone b`.
pub(crate) fn apart(plan: &Plan, pod: &Pod) -> Option<String> {
    let places = volumes(plan, pod).filter_map(|(claim, volume)| {
        let (hosts, zones) = (volume.hosts(), volume.zones());
        match hosts.is_empty() {
            false => Some((claim, "node", hosts)),
            true => (!zones.is_empty()).then_some((claim, "zone", zones)),
        }
    });
    let places: Vec<(&Arc<str>, &str, BTreeSet<&str>)> = places.collect();
    let named = |of: &BTreeSet<&str>| list(&of.iter().collect::<Vec<_>>(), MOST);
    let mut pairs = places
        .iter()
        .enumerate()
        .flat_map(|(at, one)| places[at + 1..].iter().map(move |other| (one, other)));
    let (one, other) =
        pairs.find(|(one, other)| one.1 == other.1 && one.2.is_disjoint(&other.2))?;
    Some(format!(
        "{} is in {} {}, {} in {}",
        one.0,
        one.1,
        named(&one.2),
        other.0,
        named(&other.2)
    ))
}

/// Returns the other pods of the set, if the nodes whose ports are taken are as many as they.
fn own_pods(plan: &Plan, pod: &Pod, message: &str) -> Vec<Arc<str>> {
    let mut reasons = about_nodes(message).split([',', ':']).map(str::trim);
    let taken = reasons.find_map(|it| {
        let (count, _) = it.split_once(" node(s) didn't have free ports")?;
        count.parse::<usize>().ok()
    });
    let owned = plan.observed().owned();
    let others = owned.filter(|it| it.meta.name != pod.meta.name && it.node.is_some());
    let names = others
        .filter(|it| !host_ports(it).is_empty())
        .map(|it| Arc::clone(&it.meta.name));
    let names: Vec<Arc<str>> = names.collect();
    match taken == Some(names.len()) {
        true => names,
        false => Vec::new(),
    }
}

/// Returns the host ports of a pod.
fn host_ports(pod: &Pod) -> Vec<i64> {
    let given = pod.given();
    let containers = given.as_ref().map(|it| &it["spec"]["containers"]);
    let containers = containers.and_then(Value::as_array).into_iter().flatten();
    let ports = containers.flat_map(|it| it["ports"].as_array().into_iter().flatten());
    let ports = ports.filter_map(|port| port["hostPort"].as_i64());
    ports.filter(|port| *port > 0).collect()
}

/// Returns the pods of others that have a host port of a pod, each with its node: `edge/proxy-7d4f on n-1`.
fn port_holders(plan: &Plan, pod: &Pod, message: &str) -> Vec<String> {
    if !about_nodes(message).contains("didn't have free ports") {
        return Vec::new();
    }
    let wanted = host_ports(pod);
    let is_own = |other: &Pod| {
        let mut owned = plan.observed().owned();
        owned.any(|own| own.meta.uid == other.meta.uid)
    };
    let holds = |other: &&Arc<Pod>| {
        let ports = host_ports(other);
        !other.phase.has_ended() && ports.iter().any(|port| wanted.contains(port)) && !is_own(other)
    };
    let holders = plan.related.all_pods().filter(holds);
    let told = holders.filter_map(|it| {
        let (meta, node) = (&it.meta, it.node()?);
        Some(format!("{}/{} on {node}", meta.namespace, meta.name))
    });
    told.collect()
}

/// Returns the nodes that are in the zone of a volume by their own label, and lack the label by which the volume asks for
/// it: `node n-1 is in zone a, but lacks the label topology.ebs.csi.aws.com/zone`.
fn keyless(plan: &Plan, pod: &Pod) -> Option<String> {
    volumes(plan, pod).find_map(|(_, volume)| {
        let (key, nodes) = nodes_without_key(plan, volume)?;
        let first = nodes.first()?;
        let zone = first.zone()?;
        let names: Vec<&str> = nodes.iter().map(|node| &*node.meta.name).collect();
        let words = match names.len() {
            1 => ("node", "is", "lacks"),
            _ => ("nodes", "are", "lack"),
        };
        Some(format!(
            "{} {} {} in zone {zone}, but {} the label {key}, by which the volume asks for it",
            words.0,
            list(&names, MOST),
            words.1,
            words.2
        ))
    })
}

/// Returns the label by which a volume asks for its zone, and the nodes of that zone that lack it; `None` if a node has it.
pub(crate) fn nodes_without_key<'p>(
    plan: &'p Plan,
    volume: &'p PersistentVolume,
) -> Option<(&'p str, Vec<&'p Arc<Node>>)> {
    let zones = volume.zones();
    let key = volume.zone_keys().into_iter().next()?;
    let has_key = |node: &&Arc<Node>| node.meta.labels.get(key).is_some();
    let is_there = |node: &&Arc<Node>| {
        let mut of_node = node.zone().into_iter();
        !has_key(node) && of_node.any(|zone| zones.contains(&**zone))
    };
    let is_reached = plan.related.nodes().any(|node| volume.admits(node));
    let nodes: Vec<&Arc<Node>> = plan.related.nodes().filter(is_there).collect();
    (!is_reached && !nodes.is_empty()).then_some((key, nodes))
}

/// The reasons of events by which a handler of the provider's notices announces the end of a machine, in lower case.
const NOTICES: [&str; 9] = [
    "spotinterruption",
    "spotinterrupted",
    "spottermination",
    "terminatescheduled",
    "preemptscheduled",
    "asglifecycle",
    "instanceterminating",
    "instancestopping",
    "nodepreempted",
];

/// Returns the last event that announced the end of the machine of a pod's node, with its age: `SpotInterruption, 30m0s ago`.
fn notice(plan: &Plan, pod: &Pod) -> Option<String> {
    let name = pod.node()?;
    let is_notice =
        |event: &&Arc<Event>| NOTICES.contains(&event.reason.to_ascii_lowercase().as_str());
    let of_node = events_of_node(name, &plan.related).filter(is_notice);
    let last = of_node.max_by_key(|event| event.last)?;
    let ago = plan.observed().at().duration_since(last.last?);
    Some(format!("{}, {} ago", last.reason, age(ago)))
}

/// Tells since when the machine of a pod's node is shut down, if a taint says so.
fn shut_down(plan: &Plan, pod: &Pod) -> Option<String> {
    let taint = down_nodes::shut_down(plan.related.node(pod.node()?)?)?;
    let since = taint
        .added
        .map(|it| plan.observed().at().duration_since(it));
    let since = since.map_or_else(String::new, |it| format!(" for {}", age(it)));
    Some(format!("shut down at its provider{since}"))
}

/// Returns the node that is selected for a claim without a volume.
fn selected_node(plan: &Plan, pod: &Pod) -> Option<String> {
    let unbound = plan.snapshot.unbound_claims(pod).into_iter();
    let mut nodes = unbound.filter_map(|claim| claim.selected_node());
    nodes.next().map(|node| node.to_string())
}

/// Returns the pod of another owner that uses a claim of a pod, with its node.
fn rival(plan: &Plan, pod: &Pod) -> Option<String> {
    let uses = |other: &&Arc<Pod>| {
        let mut claims = pod.claims();
        claims.any(|claim| other.claims().any(|of| of == claim))
    };
    let is_other = |other: &&Arc<Pod>| other.meta.uid != pod.meta.uid && !other.phase.has_ended();
    let mut others = plan.related.pods(&pod.meta.namespace);
    let other = others.find(|it| is_other(it) && it.node.is_some() && uses(it))?;
    let node = other.node()?;
    let owner = other.meta.controller();
    let owner = owner.map_or_else(String::new, |it| format!(" of {} {}", it.kind, it.name));
    Some(format!("{}{owner} on node {node}", other.meta.name))
}
