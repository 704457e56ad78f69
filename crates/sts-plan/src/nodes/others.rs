//! Pods of other owners: those that no planned set owns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ReportLostPod;
use super::lost::Taints;
use crate::down_nodes;
use crate::foresight;
use crate::members::belongs;
use crate::plan::{Conditions, Plan};
use sts_controller::object::{Pod, Snapshot};
use sts_controller::simulate::{Kubelet, NodeLoss, OtherPod, OtherPods, PodOwner};

/// Returns the pods of the input that belong to none of the plans. A pod that is evicted comes back if a node accepts it.
pub(super) fn of(plans: &[Plan], conditions: &Conditions) -> OtherPods {
    let mut sets: BTreeMap<&Arc<str>, Vec<&Snapshot>> = BTreeMap::new();
    for plan in plans {
        let read = plan.observed.objects();
        let of_namespace = sets.entry(&read.set.meta.namespace).or_default();
        of_namespace.push(read);
    }
    let is_other = |pod: &&Arc<Pod>| {
        let sets = sets.get(&pod.meta.namespace);
        !sets.into_iter().flatten().any(|read| belongs(read, pod))
    };
    let others: Vec<&Arc<Pod>> = conditions.outage.pods.iter().filter(is_other).collect();
    let refused = refused(others.iter().copied(), conditions);
    let others = others.into_iter().map(|pod| {
        let owner = PodOwner::of(pod);
        // Only a pod that leaves its node needs another one.
        let is_placed = || !is_refused(&refused, pod) && foresight::finds_node(pod, conditions);
        OtherPod {
            pod: Arc::clone(pod),
            owner,
            returns: owner.recreates() && (!leaves(pod, conditions) || is_placed()),
        }
    });
    let usual = Kubelet::default();
    let mut others = OtherPods::new(
        others.collect(),
        conditions.now,
        conditions.ready_after.unwrap_or(usual.ready_after),
        conditions.gone_after.unwrap_or(usual.gone_after),
    );
    let taints = Taints::of(&conditions.outage.lost, &conditions.related);
    let losses = others.present().filter_map(|(at, other)| {
        let pod = &other.pod;
        let loss = taints.loss(pod, conditions);
        let loss = loss.or_else(|| down_nodes::loss(pod, conditions))?;
        // The controllers of these pods tolerate the taints of nodes that are down.
        let deleted = loss.deleted.filter(|_| !other.owner.is_ignored());
        Some((at, NodeLoss { deleted, ..loss }))
    });
    for (at, loss) in losses.collect::<Vec<_>>() {
        others.lose(at, loss);
    }
    others
}

/// Reports whether a pod leaves its node, or the node is down.
fn leaves(pod: &Pod, conditions: &Conditions) -> bool {
    conditions.outage.moves(pod) || down_nodes::loss(pod, conditions).is_some()
}

/// Returns the pods of other owners on lost nodes, except for those that stay on their nodes whatever happens.
pub(super) fn on_lost_nodes(others: &OtherPods, conditions: &Conditions) -> Vec<ReportLostPod> {
    let taints = Taints::of(&conditions.outage.lost, &conditions.related);
    let lost = others.present().filter_map(|(_, other)| {
        let pod = &other.pod;
        if other.owner.is_ignored() || pod.phase.has_ended() {
            return None;
        }
        let loss = taints.loss(pod, conditions)?;
        let deleted = loss.deleted.map(|at| at.duration_since(conditions.now));
        Some(ReportLostPod {
            namespace: pod.meta.namespace.to_string(),
            pod: pod.meta.name.to_string(),
            owner: owner_in_words(pod),
            node: pod.node().unwrap_or_default().to_owned(),
            deleted_at: deleted.map(|after| after.as_secs()),
            // A set of another plan waits until the pod is gone.
            comes_back: deleted.is_some() && other.returns && other.owner != PodOwner::Set,
        })
    });
    lost.collect()
}

/// Namespaces and names of pods.
type Names = BTreeSet<(Arc<str>, Arc<str>)>;

/// Returns the pods that a quota refuses after they have left their nodes.
pub(super) fn refused<'p>(
    pods: impl Iterator<Item = &'p Arc<Pod>>,
    conditions: &Conditions,
) -> Names {
    let mut leaving: BTreeMap<&Arc<str>, Vec<&Arc<Pod>>> = BTreeMap::new();
    for pod in pods {
        if leaves(pod, conditions) && PodOwner::of(pod).recreates() && !pod.is_terminating() {
            leaving.entry(&pod.meta.namespace).or_default().push(pod);
        }
    }
    let refused = leaving.into_iter().flat_map(|(namespace, pods)| {
        let refused = foresight::others_refused_by_quota(namespace, &pods, conditions);
        let names = refused.into_keys();
        names.map(move |name| (Arc::clone(namespace), name))
    });
    refused.collect()
}

/// Reports whether a pod is one of those that a quota refuses.
pub(super) fn is_refused(refused: &Names, pod: &Pod) -> bool {
    refused.contains(&(Arc::clone(&pod.meta.namespace), Arc::clone(&pod.meta.name)))
}

/// Returns the owner of a pod in words: `ReplicaSet api-6c9f7d5b4`, or `no controller`.
pub(super) fn owner_in_words(pod: &Pod) -> String {
    match pod.meta.controller() {
        Some(owner) => format!("{} {}", owner.kind, owner.name),
        None => "no controller".to_owned(),
    }
}
