//! Pods that the controller creates, with their missing claims.

use std::sync::Arc;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::members::{owns, pods_of};
use sts_controller::controller::{ordinal_of, pod_name, takes_current_revision};
use sts_controller::object::{ClaimTemplate, Snapshot, Strategy};

/// Maximum number of missing pods to check.
const MOST_PODS: usize = 10_000;

/// The creation of a pod with its missing claims.
pub(super) struct Creation<'s> {
    pub(super) pod: Arc<str>,
    /// The specs of the pod that it replaces, and its own.
    pub(super) replaces: Option<Value>,
    pub(super) spec: Arc<Value>,
    pub(super) claims: Vec<(Arc<str>, &'s ClaimTemplate)>,
}

/// Returns the pods that the controller creates, in its order: missing ones, those that leave their nodes, and those that
/// it replaces because they are outdated.
pub(super) fn creations<'s>(snapshot: &'s Snapshot, conditions: &Conditions) -> Vec<Creation<'s>> {
    let set = &snapshot.set;
    let behaviour = &conditions.behaviour;
    let slot = |ordinal: i64| i64::try_from(behaviour.slot(set, ordinal)?).ok();
    let partition = i64::from(set.strategy.partition());
    let current = snapshot.revisions.get(&snapshot.status.current_revision);
    let held = current.and_then(|revision| revision.template());
    let stored_current = snapshot.status.current_replicas;
    let is_held = |slot: i64| takes_current_revision(set, stored_current, slot);
    let wanted = |ordinal: i64| match &held {
        Some(held) if slot(ordinal).is_some_and(is_held) => Arc::new(held["spec"].clone()),
        _ => Arc::new(set.template["spec"].clone()),
    };
    let missing = behaviour
        .ordinals(set)
        .take(MOST_PODS)
        .filter_map(|ordinal| {
            let pod: Arc<str> = Arc::from(pod_name(set, ordinal));
            let is_missing = !snapshot.pods.contains_key(&pod);
            is_missing.then(|| Creation {
                claims: missing_claims(snapshot, &pod),
                pod,
                replaces: None,
                spec: wanted(ordinal),
            })
        });
    let mut creations: Vec<Creation<'_>> = missing.collect();
    let rolls = matches!(set.strategy, Strategy::RollingUpdate(_));
    let mut replaced: Vec<_> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod) && !pod.is_terminating() && !pod.phase.has_ended())
        .filter_map(|pod| {
            let ordinal = ordinal_of(&pod.meta.name);
            let given = &pod.given()?["spec"];
            let leaves = conditions.outage.moves(pod);
            let revision = snapshot.revisions.get(&pod.revision);
            let template = revision.and_then(|it| it.template());
            let is_outdated = match &template {
                Some(template) => **template != set.template,
                None => pod.revision != snapshot.status.update_revision,
            };
            let is_in_turn = slot(ordinal).is_some_and(|slot| slot >= partition);
            let is_updated = rolls && is_in_turn && is_outdated && template.is_some();
            let spec = match is_outdated {
                true => wanted(ordinal),
                false => Arc::new(given.clone()),
            };
            (leaves || is_updated).then(|| {
                let creation = Creation {
                    pod: Arc::clone(&pod.meta.name),
                    replaces: Some(given.clone()),
                    spec,
                    claims: Vec::new(),
                };
                (!leaves, -ordinal, creation)
            })
        })
        .collect();
    replaced.sort_by_key(|(is_update, order, _)| (*is_update, *order));
    creations.extend(replaced.into_iter().map(|(.., creation)| creation));
    creations
}

/// Returns the claims of a missing pod that do not exist.
fn missing_claims<'s>(snapshot: &'s Snapshot, pod: &str) -> Vec<(Arc<str>, &'s ClaimTemplate)> {
    let templates = snapshot.set.claim_templates.iter();
    let named = templates.map(|template| (Arc::from(format!("{}-{pod}", template.name)), template));
    named
        .filter(|(name, _)| !snapshot.claims.contains_key(name))
        .collect()
}
