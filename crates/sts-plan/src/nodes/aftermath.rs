//! The pods of a set after their evictions: those that do not come back, may not, come back on another revision, or may
//! come back on the same node.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{ReportHomeless, ReportMove, advice, host_path};
use crate::down_nodes::{UNREACHABLE, tolerated};
use crate::foresight;
use crate::plan::Plan;
use crate::residents::Resident;
use sts_controller::controller::ordinal_of;
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Drained, OtherPods};

/// Revisions of a set's pods at the end of a plan without evictions, by pod.
pub(super) type Revisions = BTreeMap<Arc<str>, Arc<str>>;

/// Pods of a set after their evictions.
pub(super) struct Aftermath {
    /// Pods that do not come back.
    pub(super) homeless: Vec<ReportHomeless>,
    /// Pods that come back once another pod has terminated.
    pub(super) delayed: Vec<ReportHomeless>,
    /// Pods that may not come back.
    pub(super) uncertain: Vec<ReportHomeless>,
    /// Pods that come back on another revision only because of their eviction.
    pub(super) updated: Vec<ReportMove>,
    /// Pods that may be bound to their drained node again.
    pub(super) returning: Vec<ReportMove>,
    /// Pods that come back only if they preempt others.
    pub(super) preempting: Vec<ReportHomeless>,
    /// Pods that leave data behind on their nodes.
    pub(super) leaving_data: Vec<ReportHomeless>,
}

/// The course of a drain that all sets share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'c> {
    pub(super) drained: Option<&'c Drained>,
    /// Pods of other owners, as read.
    pub(super) others: &'c OtherPods,
    /// True if the nodes come back, so that their pods find a place in the end.
    pub(super) returns: bool,
}

impl Aftermath {
    /// Returns the pods of the set at an index, given its plan with the evictions.
    pub(super) fn of(
        at: usize,
        plan: &Plan,
        before: Option<&Revisions>,
        shared: Shared<'_>,
    ) -> Self {
        let mut homeless = stuck_or_foreseen(plan);
        let mut delayed = Vec::new();
        let known: BTreeSet<String> = homeless.iter().map(|one| one.pod.clone()).collect();
        let end = plan.predicted().objects();
        let steps = shared.drained.iter().flat_map(|drained| &drained.evictions);
        let steps = steps.filter(|step| step.set == Some(at));
        let mut evicted: BTreeMap<Arc<str>, (Arc<str>, Timestamp)> = BTreeMap::new();
        for step in steps {
            evicted.insert(Arc::clone(&step.pod), (Arc::clone(&step.node), step.at));
        }
        let wanted = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
        let lasts = |name: &str| {
            let drained = shared.drained.iter().flat_map(|drained| &drained.stranded);
            let mut stays = drained.filter(|one| one.set == Some(at));
            wanted.contains(&ordinal_of(name)) && !stays.any(|one| *one.pod == *name)
        };
        let objects = (&plan.snapshot, &plan.conditions);
        let mut uncertain = Vec::new();
        let (mut updated, mut returning) = (Vec::new(), Vec::new());
        let (mut preempting, mut leaving_data) = (Vec::new(), Vec::new());
        let mut placed = 0;
        for (name, (node, moment)) in &evicted {
            if known.contains(&**name) || !lasts(name) {
                continue;
            }
            match end.pods.get(name).filter(|pod| pod.is_ready()) {
                None => match why_not_back(plan, name, end) {
                    (message, Return::Delayed) => delayed.push(one(name, message)),
                    (message, Return::Never) => homeless.push(one(name, message)),
                },
                Some(pod) => {
                    let rivals = match shared.returns {
                        true => Vec::new(),
                        false => rivals(at, plan, *moment, shared),
                    };
                    if foresight::may_be_displaced(objects, name, &pod.revision, &rivals) {
                        uncertain.push(one(name, displaced(name, &rivals)));
                    } else if foresight::depends_on_unread(objects, name, &pod.revision) {
                        let why = "whether other pods exclude it depends on the labels of namespaces, or on the time at \
                                   which pods leave for good";
                        uncertain.push(one(name, format!("{name} may not come back: {why}")));
                    }
                    if !shared.returns {
                        let victims = foresight::preempted(objects, name, &pod.revision, placed);
                        preempting.extend(preempts(name, &victims));
                        placed += 1;
                        let read = plan.observed().pod(name);
                        let left = read.into_iter().flat_map(|read| host_path::data(read));
                        leaving_data.extend(left_behind(name, node, &left.collect::<Vec<_>>()));
                    }
                    let change = |to: &Arc<str>| ReportMove {
                        pod: name.to_string(),
                        to: to.to_string(),
                    };
                    let read = plan.observed().pod(name);
                    let stayed = before.and_then(|before| before.get(name));
                    let is_changed = read.is_some_and(|read| {
                        !read.revision.is_empty()
                            && read.revision != pod.revision
                            && stayed == Some(&read.revision)
                    });
                    if is_changed {
                        updated.push(change(&pod.revision));
                    }
                    if !shared.returns
                        && foresight::tolerates_cordon(objects, name, &pod.revision, node)
                    {
                        returning.push(change(node));
                    }
                }
            }
        }
        Aftermath {
            homeless,
            delayed,
            uncertain,
            updated,
            returning,
            preempting,
            leaving_data,
        }
    }
}

/// Maximum number of listed names.
const SHOWN: usize = 3;

/// Describes the preemption of some of these pods.
fn preempts(pod: &str, victims: &[Arc<Resident>]) -> Option<ReportHomeless> {
    let names = victims.iter().map(|it| {
        let meta = &it.pod.meta;
        let node = it.pod.node().unwrap_or_default();
        format!("{}/{} on {node}", meta.namespace, meta.name)
    });
    let names: Vec<String> = names.collect();
    let of = match names.as_slice() {
        [] => return None,
        [only] => only.clone(),
        several => format!("one or more of {}", crate::words::list(several, SHOWN)),
    };
    let message = format!("{pod} comes back only if it preempts {of} (lower priority)");
    Some(one(pod, message))
}

/// Describes the data of `hostPath` volumes at these paths.
fn left_behind(pod: &str, node: &str, paths: &[String]) -> Option<ReportHomeless> {
    if paths.is_empty() {
        return None;
    }
    let paths = crate::words::list(paths, SHOWN);
    let message = format!(
        "{pod} keeps data in hostPath {paths}, which stays on {node}: on another node it starts with what is there, maybe \
         nothing"
    );
    Some(one(pod, message))
}

fn one(pod: &str, message: String) -> ReportHomeless {
    ReportHomeless {
        pod: pod.to_owned(),
        message,
    }
}

/// Returns the pods that are stuck on lost nodes, or that no node accepts.
fn stuck_or_foreseen(plan: &Plan) -> Vec<ReportHomeless> {
    let stuck = advice::stuck_on_lost_nodes(plan).map(|(pod, node)| {
        let name = &pod.meta.name;
        one(
            name,
            format!("{name} is stuck terminating: node {node} is not responding"),
        )
    });
    let left = advice::left_on_lost_nodes(plan).map(|(pod, node)| {
        let name = &pod.meta.name;
        let why = match tolerated(pod, UNREACHABLE, "") {
            None => format!("it tolerates {UNREACHABLE} forever"),
            Some(_) => "the node controller sets no taint".to_owned(),
        };
        one(
            name,
            format!("{name} stays on {node}, which does not respond: {why}, so nothing deletes it"),
        )
    });
    let stuck = stuck.chain(left);
    let stops = plan.foreseen_stops().into_iter().map(|(pod, why)| {
        let name = &pod.meta.name;
        one(name, foresight::describe(name, &why))
    });
    stuck.chain(stops).collect()
}

enum Return {
    Never,
    Delayed,
}

/// Describes why an evicted pod is not ready at the end.
fn why_not_back(plan: &Plan, name: &str, end: &Snapshot) -> (String, Return) {
    if end.pods.contains_key(name) {
        return (format!("{name} does not become ready again"), Return::Never);
    }
    if let Some(message) = plan.progression.world.kubelet().forbidden.pods.get(name) {
        let message = format!("{name} is not created again: {message}");
        return (message, Return::Never);
    }
    let wanted = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
    let before = wanted.clone().filter(|ordinal| *ordinal < ordinal_of(name));
    let names =
        before.map(|ordinal| sts_controller::controller::pod_name(&plan.snapshot.set, ordinal));
    for lower in names {
        match end.pods.get(lower.as_str()) {
            Some(pod) if pod.is_terminating() => {
                let message = format!(
                    "{name} is not created again until {lower} has terminated (OrderedReady)"
                );
                return (message, Return::Delayed);
            }
            Some(pod) if pod.is_running_and_ready() => {}
            _ => {
                let message =
                    format!("{name} is not created again: {lower} is not ready (OrderedReady)");
                return (message, Return::Never);
            }
        }
    }
    (format!("{name} is not created again"), Return::Never)
}

/// Returns the pods of other owners and sets that leave their nodes before a pod of a set is created again.
fn rivals(set: usize, plan: &Plan, evicted: Timestamp, shared: Shared<'_>) -> Vec<Arc<Resident>> {
    let gone_after = plan
        .conditions
        .gone_after
        .unwrap_or(SignedDuration::from_secs(5));
    let until = evicted.checked_add(gone_after).unwrap_or(evicted);
    let evictions = shared.drained.iter().flat_map(|drained| &drained.evictions);
    let rivals = evictions.filter(|step| step.set != Some(set) && step.at <= until);
    let residents = &plan.conditions.outage.residents;
    rivals
        .filter_map(|step| {
            let is_it = |it: &&Arc<Resident>| {
                it.pod.meta.name == step.pod && it.pod.meta.namespace == step.namespace
            };
            let rival = residents.iter().find(is_it)?;
            let recreates = || {
                let mut others = shared.others.present().map(|(_, other)| other);
                others.any(|other| {
                    other.pod.meta.uid == rival.pod.meta.uid && other.owner.recreates()
                })
            };
            (step.set.is_some() || recreates()).then(|| Arc::clone(rival))
        })
        .collect()
}

fn displaced(name: &str, rivals: &[Arc<Resident>]) -> String {
    let names: Vec<&str> = rivals.iter().map(|it| &*it.pod.meta.name).collect();
    let leave = match names.len() {
        1 => "leaves its node",
        _ => "leave their nodes",
    };
    let names = crate::words::list(&names, SHOWN);
    format!("{name} may not come back: {names} {leave} too and may take the room")
}
