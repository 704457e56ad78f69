//! Deletions before the first sync.

use std::sync::Arc;

use serde_json::Value;

use super::Change;
use crate::conditions::Conditions;
use crate::members::belongs;
use sts_controller::apiserver::apply::{Effect, FieldChange};
use sts_controller::controller::ordinal_of;
use sts_controller::object::{Claim, Pod, Snapshot};
use sts_controller::simulate::{Action, Expansion};

/// Returns the pods of a set to delete, without duplicates, in the given order.
pub(super) fn deleted_pods<'s>(
    change: &'s Change<'_>,
    snapshot: &'s Snapshot,
) -> impl Iterator<Item = &'s Arc<Pod>> {
    let names = each_once(change.deleted_pods);
    let pods = names.filter_map(|name| snapshot.pods.get(name.as_str()));
    pods.filter(|pod| belongs(snapshot, pod))
}

/// Returns the claims of a set to delete, without duplicates, in the given order.
pub(super) fn deleted_claims<'s>(
    change: &'s Change<'_>,
    snapshot: &'s Snapshot,
) -> impl Iterator<Item = &'s Arc<Claim>> {
    each_once(change.deleted_claims).filter_map(|name| snapshot.claims.get(name.as_str()))
}

fn each_once(names: &[String]) -> impl Iterator<Item = &String> {
    let named = names.iter().enumerate();
    let first = named.filter(|(at, name)| !names[..*at].contains(name));
    first.map(|(_, name)| name)
}

/// Adds notes on when each deleted claim is removed, and on restoring a backup under its name.
pub(super) fn claim_deletion_notes(
    change: &Change<'_>,
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Vec<String> {
    let claims = deleted_claims(change, snapshot);
    let ordinals = conditions.behaviour.ordinals(&snapshot.set);
    claims
        .flat_map(|claim| {
            let name = &claim.meta.name;
            let mut pods = snapshot.pods.values();
            let user = pods.find(|pod| pod.claims().any(|used| used == name));
            let goes = match user {
                Some(pod) if !change.deleted_pods.iter().any(|it| **it == *pod.meta.name) => {
                    format!("{name} remains, terminating, until {} is deleted", pod.meta.name)
                }
                Some(pod) => format!("{name} is removed with {}", pod.meta.name),
                None => format!("no pod uses {name}"),
            };
            let restored = match ordinals.contains(&ordinal_of(name)) {
                true => format!(
                    "the controller creates a new, empty {name} as soon as the old one is gone: to restore a backup under \
                     that name, scale down its pod first (--replicas)"
                ),
                false => format!(
                    "a claim restored as {name} is used when its pod is created again, regardless of its size and class"
                ),
            };
            [goes, restored]
        })
        .collect()
}

/// Returns the claims to resize, each with its kind of expansion.
pub(super) fn grown_claims(change: &Change<'_>) -> Vec<(Arc<str>, Expansion)> {
    let grown = change.actions.iter().filter_map(|action| match action {
        Action::GrowClaim(growth) => Some((Arc::clone(&growth.claim), growth.expansion)),
        _ => None,
    });
    grown.collect()
}

/// Returns the changes to objects other than the set.
fn others(change: &Change<'_>, snapshot: &Snapshot) -> Vec<FieldChange> {
    let listed = change.actions.iter().filter_map(|action| match action {
        Action::DeletePod(name) => Some(FieldChange::deletion("pod", name, None)),
        Action::GrowClaim(growth) => {
            let claim = snapshot.claims.get(&growth.claim)?;
            Some(FieldChange {
                path: format!(
                    "persistentvolumeclaim/{}.spec.resources.requests.storage",
                    growth.claim
                ),
                old: claim.storage.as_deref().map(Value::from),
                new: Some(Value::from(&*growth.size)),
                effect: Effect::None,
            })
        }
        _ => None,
    });
    listed.collect()
}

pub(super) fn deletions(change: &Change<'_>, snapshot: &Snapshot) -> Vec<FieldChange> {
    let pods = deleted_pods(change, snapshot);
    let claims = deleted_claims(change, snapshot);
    let mut out: Vec<FieldChange> = claims
        .map(|claim| FieldChange::deletion("persistentvolumeclaim", &claim.meta.name, None))
        .collect();
    out.extend(pods.map(|pod| FieldChange::deletion("pod", &pod.meta.name, None)));
    out.extend(others(change, snapshot));
    out.extend(change.delete.map(|cascade| {
        let policy = Some(cascade.policy());
        FieldChange::deletion("statefulset", &snapshot.set.meta.name, policy)
    }));
    out
}

/// Reports whether finalizers other than those of the cascade delay the deletion of the set.
pub(super) fn has_finalizers(snapshot: &Snapshot) -> bool {
    !snapshot.set.finalizers().is_empty()
}
