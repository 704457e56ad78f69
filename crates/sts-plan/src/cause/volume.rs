//! Causes of pods that cannot use their volumes or be scheduled.

use std::fmt;
use std::sync::Arc;

use jiff::SignedDuration;

use super::{Facts, Symptom};
use crate::catalogue::events_of_pod;
use crate::down_nodes::OUT_OF_SERVICE;
use crate::plan::{Observed, Plan};
use sts_controller::object::{Node, Pod, Taint};

/// The beginnings of taints on nodes that are being removed.
const GOING: [&str; 4] = [
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "karpenter.sh/disrupt",
    OUT_OF_SERVICE,
];

/// The pod that uses a volume, with its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeHolder {
    /// Name of the pod.
    pub pod: Arc<str>,
    /// Node of the pod, if it is scheduled.
    pub node: Option<Arc<str>>,
}

impl fmt::Display for VolumeHolder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(out, "{} on node {node}", self.pod),
            None => write!(out, "{}", self.pod),
        }
    }
}

/// Reports whether a node is being removed: it does not come back, whoever uncordons it.
pub(crate) fn is_going(node: &Node) -> bool {
    let goes = |taint: &Taint| GOING.iter().any(|key| taint.key.starts_with(key));
    node.meta.is_terminating() || node.taints.iter().any(goes)
}

/// Time that a node may take from its registration until it is ready.
const JOINED: SignedDuration = SignedDuration::from_mins(5);

/// Reports whether a node is not ready yet because it has only just registered.
pub(super) fn has_just_joined(node: &Node, plan: &Plan) -> bool {
    let now = plan.conditions.now;
    let created = node.meta.created;
    let is_new = created.is_some_and(|created| now.duration_since(created) <= JOINED);
    is_new && node.is_down() && !node.is_lost()
}

/// Returns another pod that uses a claim of this one.
pub(super) fn holder(observed: &Observed, pod: &Pod) -> Option<VolumeHolder> {
    let holder = observed.holder_of_claims(pod)?;
    Some(VolumeHolder {
        pod: Arc::clone(&holder.meta.name),
        node: holder.node.clone(),
    })
}

/// Words before the names of the pods that use a volume.
const USED_BY: &str = "is already used by pod(s) ";

/// Returns the pod of another owner that uses a volume, by the name in the message of the attach-detach controller:
/// `Volume is already used by pod(s) copy-1, copy-2`.
fn named_holder(plan: &Plan, pod: &Pod) -> Option<VolumeHolder> {
    let mut events = events_of_pod(pod, &plan.related);
    let rest = events.rfind(|it| it.message.contains(USED_BY))?;
    let (_, rest) = rest.message.split_once(USED_BY)?;
    let name = rest.split([',', ' ', '\n']).next()?.trim_end_matches('.');
    if name.is_empty() || *name == *pod.meta.name {
        return None;
    }
    let mut others = plan.related.pods(&pod.meta.namespace);
    let read = others.find(|it| *it.meta.name == *name);
    Some(VolumeHolder {
        pod: Arc::from(name),
        node: read.and_then(|it| it.node.clone()),
    })
}

/// Returns the cause of a pod whose volumes cannot be attached or mounted, by the last warning.
pub(super) fn not_attached(plan: &Plan, pod: &Pod, message: &str) -> (Symptom, Facts) {
    let holder = holder(plan.observed(), pod).or_else(|| named_holder(plan, pod));
    let symptom = match holder {
        Some(_) => Symptom::VolumeHeld,
        None => Symptom::VolumeNotAttached,
    };
    let facts = Facts {
        message: message.to_owned(),
        holder,
        ..Facts::default()
    };
    (symptom, facts)
}

/// Returns the cause of a pod that cannot be scheduled.
pub(super) fn unschedulable(plan: &Plan, pod: &Pod) -> (Symptom, Facts) {
    let reaches = plan.reaches(pod);
    // Uncordoning a node that cannot attach the volumes, that is being removed, or that reports a fault does not help.
    let can_return =
        |node: &&Arc<Node>| node.unschedulable && node.faults.is_empty() && !is_going(node);
    let fits = |node: &&Arc<Node>| reaches.iter().all(|reach| reach.admits(node));
    let fitting = || plan.related.nodes().filter(fits);
    // A node that joins now may be the one for which the cordoned node makes way.
    let waits = fitting().any(|node| has_just_joined(node, plan));
    let cordoned = fitting()
        .filter(|node| !waits && can_return(node))
        .map(|node| Arc::clone(&node.meta.name))
        .collect();
    let zones = reaches.iter().flat_map(|reach| reach.zones());
    let mut zones: Vec<String> = zones.map(str::to_owned).collect();
    zones.sort();
    zones.dedup();
    let end = plan.predicted().objects();
    let mut waits_for = end.missing_claims(pod);
    let unbound = end.unbound_claims(pod).into_iter();
    waits_for.extend(unbound.map(|claim| Arc::clone(&claim.meta.name)));
    let trouble = pod.trouble.as_ref();
    let facts = Facts {
        message: trouble.map_or_else(String::new, |trouble| trouble.message.clone()),
        cordoned,
        zones,
        claims: waits_for,
        local_claims: plan.local_claims(pod).map(|(claim, _)| claim).collect(),
        holder: holder(plan.observed(), pod),
        ..Facts::default()
    };
    (Symptom::Unschedulable, facts)
}
