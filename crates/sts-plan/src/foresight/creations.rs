//! Pods that the controller creates, with their missing claims.

use std::sync::Arc;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::members::{owns, pods_of};
use sts_controller::controller::{claim_of_pod, ordinal_of, pod_name, takes_current_revision};
use sts_controller::object::{Claim, ClaimTemplate, Pod, Snapshot, Strategy};

/// Maximum number of missing pods to check.
const MOST_PODS: usize = 10_000;

/// The creation of a pod with its missing claims.
pub(super) struct Creation<'s> {
    pub(super) pod: Arc<str>,
    /// The object or template of the pod that it replaces, and that of its own.
    pub(super) replaces: Option<Arc<Value>>,
    pub(super) object: Arc<Value>,
    pub(super) claims: Vec<ClaimCreation<'s>>,
}

/// The creation of a claim.
pub(super) struct ClaimCreation<'s> {
    pub(super) name: Arc<str>,
    pub(super) template: &'s ClaimTemplate,
    /// True if one of this name is being deleted, and goes with its pod.
    pub(super) replaces: bool,
}

/// Returns the pods that the controller creates, in its order: missing ones, those that are being deleted or have ended,
/// those that leave their nodes, and those that it replaces because they are outdated.
pub(super) fn creations<'s>(snapshot: &'s Snapshot, conditions: &Conditions) -> Vec<Creation<'s>> {
    let set = &snapshot.set;
    let behaviour = &conditions.behaviour;
    let slot = |ordinal: i64| i64::try_from(behaviour.slot(set, ordinal)?).ok();
    let partition = i64::from(set.strategy.partition());
    let current = snapshot.revisions.get(&snapshot.status.current_revision);
    let held = current.and_then(|revision| revision.template());
    let stored = snapshot.status.current_replicas;
    // A sync counts again while a pod terminates.
    let current = pods_of(snapshot).filter(|pod| {
        let is_current = pod.revision == snapshot.status.current_revision;
        owns(snapshot, pod) && !pod.is_terminating() && is_current
    });
    let counted_again = i64::try_from(current.count()).map_or(stored, |pods| pods.min(stored));
    let template_for = |ordinal: i64, of_current: i64| {
        let is_held = |slot: i64| takes_current_revision(set, of_current, slot);
        match held {
            Some(held) if slot(ordinal).is_some_and(is_held) => Arc::clone(held),
            _ => Arc::clone(&set.template),
        }
    };
    let wanted = |ordinal: i64| template_for(ordinal, stored);
    let missing = behaviour
        .ordinals(set)
        .take(MOST_PODS)
        .filter_map(|ordinal| {
            let pod: Arc<str> = Arc::from(pod_name(set, ordinal));
            let there = snapshot.pods.get(&pod);
            let is_gone = |there: &Arc<Pod>| there.is_terminating() || there.phase.has_ended();
            // The share of a pod that has ended is free already.
            let counted = there.filter(|there| !there.phase.has_ended());
            there.is_none_or(is_gone).then(|| Creation {
                claims: new_claims(snapshot, &pod),
                pod,
                replaces: counted.and_then(|there| object_of(snapshot, there)),
                object: match there.is_some() {
                    true => template_for(ordinal, counted_again),
                    false => wanted(ordinal),
                },
            })
        });
    let mut creations: Vec<Creation<'_>> = missing.collect();
    let rolls = matches!(set.strategy, Strategy::RollingUpdate(_));
    let mut replaced: Vec<_> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod) && !pod.is_terminating() && !pod.phase.has_ended())
        .filter_map(|pod| {
            let ordinal = ordinal_of(&pod.meta.name);
            let leaves = conditions.outage.moves(pod);
            let revision = snapshot.revisions.get(&pod.revision);
            let template = revision.and_then(|it| it.template());
            let is_outdated = match &template {
                Some(template) => **template != set.template,
                None => pod.revision != snapshot.status.update_revision,
            };
            let is_in_turn = slot(ordinal).is_some_and(|slot| slot >= partition);
            let is_updated = rolls && is_in_turn && is_outdated && template.is_some();
            if !leaves && !is_updated {
                return None;
            }
            let own = object_of(snapshot, pod)?;
            let creation = Creation {
                pod: Arc::clone(&pod.meta.name),
                object: match (is_updated, is_outdated) {
                    (true, _) => Arc::clone(&set.template),
                    (false, true) => wanted(ordinal),
                    (false, false) => Arc::clone(&own),
                },
                replaces: Some(own),
                claims: Vec::new(),
            };
            Some((!leaves, -ordinal, creation))
        })
        .collect();
    replaced.sort_by_key(|(is_update, order, _)| (*is_update, *order));
    creations.extend(replaced.into_iter().map(|(.., creation)| creation));
    creations
}

/// Returns the claims of a new pod that the controller creates: those that do not exist, and those that go with the pod before
/// it.
fn new_claims<'s>(snapshot: &'s Snapshot, pod: &str) -> Vec<ClaimCreation<'s>> {
    let templates = snapshot.set.claim_templates.iter();
    let all = templates.filter_map(|template| {
        let name: Arc<str> = Arc::from(claim_of_pod(&template.name, pod));
        let there = snapshot.claims.get(&name);
        let goes = |claim: &Arc<Claim>| claim.meta.is_terminating();
        there.is_none_or(goes).then_some(ClaimCreation {
            name,
            template,
            replaces: there.is_some(),
        })
    });
    all.collect()
}

/// Returns the object with the spec of a pod: its own, or the template of its revision if the simulation created it.
pub(super) fn object_of(snapshot: &Snapshot, pod: &Pod) -> Option<Arc<Value>> {
    let of_revision = || snapshot.revisions.get(&pod.revision)?.template().cloned();
    pod.given().or_else(of_revision)
}
