//! Objects that exist although the input lacks their whole kind, as `kubectl get sts,pods,events -o yaml` prints it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::unread_pods::add_pods;
use crate::conditions::{Conditions, InputKind};
use crate::plan::{PlanNote, owns, pods_of};
use sts_controller::controller::{claims_of_pod, revision_of_template};
use sts_controller::object::{Meta, Pod, Revision, Snapshot};

/// Returns the objects with those that exist although the input lacks them, and what is assumed of these; `None` if the
/// input lacks none.
pub(super) fn completed(
    stored: &Snapshot,
    conditions: &Conditions,
) -> Option<(Snapshot, Vec<PlanNote>)> {
    if conditions.input != InputKind::Files {
        return None;
    }
    let mut whole = stored.clone();
    let notes: Vec<PlanNote> = [
        add_update_revision(&mut whole, conditions),
        add_other_revisions(&mut whole, stored),
        add_claims(&mut whole, conditions),
        add_pods(&mut whole, conditions),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!notes.is_empty()).then_some((whole, notes))
}

/// Adds the update revision that the status names, if the input has no revision of the set. A controller that has observed
/// the latest generation has stored its template under that name.
fn add_update_revision(whole: &mut Snapshot, conditions: &Conditions) -> Option<PlanNote> {
    let (set, status) = (&whole.set, &whole.status);
    let is_known = whole.revisions.is_empty()
        && status.observed_generation == set.generation
        && !status.update_revision.is_empty();
    if !is_known {
        return None;
    }
    let number = 1 + i64::try_from(others(whole).len()).unwrap_or(0);
    let name = Arc::clone(&status.update_revision);
    let revision = revision_of_template(set, &name, number, &conditions.behaviour);
    whole
        .revisions
        .insert(Arc::clone(&name), Arc::new(revision));
    Some(PlanNote::RevisionOfTemplate(name))
}

/// Adds the other revisions that the status and pods name, whose templates stay unknown, beside the update revision.
fn add_other_revisions(whole: &mut Snapshot, stored: &Snapshot) -> Option<PlanNote> {
    let update = whole.revisions.get(&whole.status.update_revision)?;
    if !stored.revisions.is_empty() {
        return None;
    }
    let names = others(stored);
    let meta = update.meta.clone();
    let unknown = names.iter().zip(1..).map(|(name, number)| {
        let meta = Meta {
            name: Arc::clone(name),
            ..meta.clone()
        };
        let revision = Revision::new(meta, number, Arc::new(json!({})), None);
        (Arc::clone(name), Arc::new(revision))
    });
    whole.revisions.extend(unknown);
    (!names.is_empty()).then_some(PlanNote::UnknownTemplates(names))
}

/// Returns the revisions that the status and the pods of the set name, except for the update revision, oldest first as far
/// as the status tells.
fn others(stored: &Snapshot) -> Vec<Arc<str>> {
    let status = &stored.status;
    let owned = pods_of(stored).filter(|pod| owns(stored, pod));
    let mut named: BTreeSet<&Arc<str>> = owned.map(|pod| &pod.revision).collect();
    named.remove(&status.current_revision);
    let current = [&status.current_revision].into_iter();
    let all = current.chain(named);
    let all = all.filter(|name| !name.is_empty() && **name != status.update_revision);
    all.map(Arc::clone).collect()
}

/// Adds the claims of the pods, if the input has no claim of the set: the controller creates them before their pods.
fn add_claims(whole: &mut Snapshot, conditions: &Conditions) -> Option<PlanNote> {
    let is_stored = !whole.set.meta.uid.is_empty();
    if !is_stored || !whole.claims.is_empty() {
        return None;
    }
    let owned = pods_of(whole).filter(|pod| owns(whole, pod));
    let missing: Vec<_> = owned
        .flat_map(|pod| {
            let used = whole.missing_claims(pod);
            let claims = claims_of_pod(&whole.set, pod, &conditions.behaviour);
            claims.into_iter().filter(move |claim| {
                used.contains(&claim.meta.name)
                    && !is_reported_missing(pod, &claim.meta.name, conditions)
            })
        })
        .collect();
    let names: Vec<Arc<str>> = missing.iter().map(|it| Arc::clone(&it.meta.name)).collect();
    let claims = missing.into_iter().map(Arc::new);
    whole
        .claims
        .extend(claims.map(|claim| (Arc::clone(&claim.meta.name), claim)));
    (!names.is_empty()).then_some(PlanNote::ClaimsOfPods(names))
}

/// Reports whether the scheduler or the kubelet says that a pod's claim does not exist.
fn is_reported_missing(pod: &Pod, claim: &str, conditions: &Conditions) -> bool {
    let words = format!("\"{claim}\" not found");
    let meta = &pod.meta;
    let events = conditions
        .related
        .events(&meta.namespace, "Pod", &meta.name);
    let mut events = events.iter().filter(|event| event.is_about(&meta.uid));
    let scheduled = pod.trouble.as_ref();
    scheduled.is_some_and(|trouble| trouble.message.contains(&words))
        || events.any(|event| event.message.contains(&words))
}
