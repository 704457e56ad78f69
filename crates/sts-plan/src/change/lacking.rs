//! Objects that exist although the input lacks their whole kind, as `kubectl get sts,pods,events -o yaml` prints it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::MAX_REPLICAS;
use super::unread_pods::add_pods;
use crate::catalogue::events_of_pod;
use crate::conditions::{Conditions, InputKind};
use crate::plan::{PlanNote, owns, pods_of};
use sts_controller::controller::{claims_of_pod, is_member, revision_of_template};
use sts_controller::object::{Meta, Pod, Revision, Set, Snapshot};

/// Returns the objects with those that exist although the input lacks them, and what is assumed of these; `None` if the
/// input lacks none, or if the set or its status counts more pods than are supported.
pub(super) fn completed(
    stored: &Snapshot,
    conditions: &Conditions,
) -> Option<(Snapshot, Vec<PlanNote>)> {
    let counted = stored.status.replicas.max(stored.set.replicas.into());
    if conditions.input != InputKind::Files || counted > MAX_REPLICAS.into() {
        return None;
    }
    let mut whole = stored.clone();
    let notes = [
        add_update_revision(&mut whole, conditions),
        add_other_revisions(&mut whole, stored),
        add_claims(&mut whole, conditions),
    ];
    let pods = add_pods(&mut whole, conditions);
    let notes: Vec<PlanNote> = notes.into_iter().flatten().chain(pods).collect();
    (!notes.is_empty()).then_some((whole, notes))
}

/// Returns the objects around a set that is read without a uid, as a manifest or a tool such as kubectl-neat leaves it,
/// with the set of its name that owns its pods for that set; `None` if none does.
pub(super) fn owner_of_pods(
    around: &Snapshot,
    conditions: &Conditions,
) -> Option<(Snapshot, Vec<PlanNote>)> {
    if conditions.input != InputKind::Files {
        return None;
    }
    let (set, found) = with_uid(around)?;
    let owner = Snapshot {
        set: Arc::new(set),
        ..around.clone()
    };
    let (whole, notes) = completed(&owner, conditions).unwrap_or((owner, Vec::new()));
    Some((whole, [vec![found], notes].concat()))
}

/// Returns the set with the uid of the set of its name that owns its pods. Pods that are all being deleted are those of a
/// set that was.
fn with_uid(around: &Snapshot) -> Option<(Set, PlanNote)> {
    let set = &around.set;
    let is_there = |pod: &&Arc<Pod>| is_member(set, &pod.meta.name) && !pod.is_terminating();
    let mut owners = around.pods.values().filter(is_there).map(|pod| {
        let owner = pod.meta.controller();
        owner.filter(|owner| set.is_successor_of(owner))
    });
    let uid = Arc::clone(&owners.next()??.uid);
    if !owners.all(|owner| owner.is_some_and(|owner| owner.uid == uid)) {
        return None;
    }
    let mut object = (*set.object.open()).clone();
    let meta = object.get_mut("metadata")?.as_object_mut()?;
    meta.insert("uid".to_owned(), json!(uid));
    Some((Set::from_json(object).ok()?, PlanNote::UidOfPods(uid)))
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
    let mut events = events_of_pod(pod, &conditions.related);
    let scheduled = pod.trouble.as_ref();
    scheduled.is_some_and(|trouble| trouble.message.contains(&words))
        || events.any(|event| event.message.contains(&words))
}
