//! The claims of a pod: those that are pinned to a node, and the other pods that use them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::catalogue::CauseTrait;
use crate::cause::Recognized;
use crate::duration::age;
use crate::foresight;
use crate::observed::claim_users;
use crate::plan::Plan;
use sts_controller::object::Pod;

/// Returns a claim without a volume that is pinned to a node which does not exist, and that node.
pub(super) fn pinned_claim(plan: &Plan, pod: &Pod) -> Option<(Arc<str>, Arc<str>)> {
    let related = &plan.related;
    // A pod that is ready on a node which is not in the input shows that the input lacks nodes.
    let mut ready = plan.observed().owned().filter(|pod| pod.is_ready());
    let knows_nodes = ready.all(|pod| pod.node().is_none_or(|node| related.node(node).is_some()));
    if !related.has_nodes() || !knows_nodes {
        return None;
    }
    let unbound = plan.snapshot.unbound_claims(pod).into_iter();
    let mut pinned = unbound.filter_map(|claim| {
        let node = claim.selected_node()?;
        let is_gone = related.node(&node).is_none();
        is_gone.then(|| (Arc::clone(&claim.meta.name), Arc::from(node)))
    });
    pinned.next()
}

/// Time by which a claim is newer than the others, if its data was lost: a rollout or a scale-up takes less.
const MUCH_NEWER: SignedDuration = SignedDuration::from_hours(2);

/// A claim of a set that is much newer than those of its other pods: its volume is empty, or restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClaim {
    /// Name of its pod.
    pub pod: Arc<str>,
    /// `claim data-db-2 is new (48m; the others 117d)`.
    pub told: String,
}

impl NewClaim {
    /// Finds it. The others may be of all ages: a set can have grown one by one.
    pub(super) fn of(plan: &Plan) -> Option<Self> {
        let [newest, next] = plan.observed().newest_claims() else {
            return None;
        };
        let ago = |at: Timestamp| age(plan.conditions.now.duration_since(at));
        let is_new = newest.created.duration_since(next.created) > MUCH_NEWER;
        is_new.then(|| NewClaim {
            pod: Arc::clone(&newest.pod),
            told: format!(
                "claim {} is new ({}; the others {})",
                newest.claim,
                ago(newest.created),
                ago(next.created)
            ),
        })
    }
}

pub(super) fn names_holder(found: &Recognized) -> bool {
    found.entry.has(CauseTrait::NamesHolder)
}

/// Returns the volume of an earlier claim that has the name of a claim of a pod without a volume.
pub(super) fn earlier_volume(plan: &Plan, pod: &Pod) -> Option<String> {
    let unbound = plan.snapshot.unbound_claims(pod).into_iter();
    let mut volumes = unbound.filter_map(|claim| {
        foresight::earlier_volume(&plan.related, &claim.meta.namespace, &claim.meta.name)
    });
    volumes.next().map(|volume| volume.meta.name.to_string())
}

/// Returns the pods of others that use a claim of a pod.
pub(super) fn other_claim_users(plan: &Plan, pod: &Pod) -> Vec<Arc<str>> {
    let snapshot = plan.observed().objects();
    let users = pod
        .claims()
        .flat_map(|claim| claim_users(snapshot, &plan.related, claim));
    let is_of_set = |name: &Arc<str>| {
        let mut owned = plan.observed().owned();
        owned.any(|pod| pod.meta.name == *name)
    };
    let mut others: Vec<Arc<str>> = users.filter(|name| !is_of_set(name)).collect();
    others.sort_unstable();
    others.dedup();
    others
}
