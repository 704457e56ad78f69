//! Pods that exist although the input lacks them: the status of the set counts them, and the input has others of its pods,
//! as a paste of one pod of several.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::catalogue::{events_of_set, pod_of_report};
use crate::conditions::Conditions;
use crate::members::is_assumed;
use crate::plan::{PlanNote, pods_of};
use sts_controller::controller::{claims_of_pod, pod_name, pod_of_revision};
use sts_controller::object::{Phase, Pod, Ready, Snapshot, Strategy};

/// Adds the pods that the status counts and the input lacks, with their claims, if the status counts some of them as ready,
/// and the input has a part of the set: a pod of it, or an event that tells which pods do not exist.
pub(super) fn add_pods(whole: &mut Snapshot, conditions: &Conditions) -> Option<PlanNote> {
    let missing = missing(whole, conditions)?;
    let (revisions, are_known) = revisions_of_missing(whole, missing.len())?;
    let ready = ready_of_missing(whole, missing.len());
    if ready == 0 {
        return None;
    }
    let pods: Vec<Pod> = missing
        .into_iter()
        .zip(revisions)
        .enumerate()
        .map(|(at, (ordinal, revision))| assumed(whole, ordinal, &revision, at < ready, conditions))
        .collect();
    for pod in &pods {
        for claim in claims_of_pod(&whole.set, pod, &conditions.behaviour) {
            let name = Arc::clone(&claim.meta.name);
            whole.claims.entry(name).or_insert_with(|| Arc::new(claim));
        }
    }
    let is_ready = ready == pods.len();
    let names = pods.iter().map(|pod| Arc::clone(&pod.meta.name)).collect();
    let pods = pods.into_iter().map(Arc::new);
    let pods = pods.map(|pod| (Arc::clone(&pod.meta.name), pod));
    whole.pods.extend(pods);
    Some(match is_ready {
        _ if !are_known => PlanNote::PodsOfEitherRevision(names),
        true => PlanNote::ReadyPodsOfStatus(names),
        false => PlanNote::PodsOfStatus(names),
    })
}

/// Returns the ordinals of the pods that the input lacks, the lowest first; `None` if it lacks none, or if they cannot be
/// told.
fn missing(whole: &Snapshot, conditions: &Conditions) -> Option<Vec<i64>> {
    if whole.set.meta.uid.is_empty() || whole.set.meta.is_terminating() {
        return None;
    }
    let read = pods_of(whole).count();
    let gone = not_there(whole, conditions);
    if read == 0 && gone.is_empty() {
        return None;
    }
    let counted = usize::try_from(whole.status.replicas).ok()?;
    let count = counted.checked_sub(read).filter(|count| *count > 0)?;
    let wanted = conditions.behaviour.ordinals(&whole.set);
    // More pods than wanted: a scale-down has not reached all of them.
    let surplus = whole
        .status
        .replicas
        .saturating_sub(whole.set.replicas.into());
    let ordinals = wanted.start..wanted.end.saturating_add(surplus.max(0));
    let candidates = ordinals.filter(|ordinal| {
        let name = pod_name(&whole.set, *ordinal);
        !whole.pods.contains_key(name.as_str()) && !gone.contains(name.as_str())
    });
    let found: Vec<i64> = candidates.take(count).collect();
    (found.len() == count).then_some(found)
}

/// Returns the pods that do not exist, as events of the set report: their last creation failed, or their deletion succeeded
/// after it.
fn not_there<'c>(whole: &'c Snapshot, conditions: &'c Conditions) -> BTreeSet<&'c str> {
    let events = || events_of_set(&whole.set, &conditions.related);
    let last = |pod: &str, reasons: &[&str]| -> Option<Timestamp> {
        let of_pod = events().filter(|event| reasons.contains(&&*event.reason));
        let of_pod = of_pod.filter(|event| pod_of_report(event) == Some(pod));
        of_pod.filter_map(|event| event.last).max()
    };
    let named: BTreeSet<&str> = events().filter_map(|event| pod_of_report(event)).collect();
    let gone = named.into_iter().filter(|pod| {
        last(pod, &["FailedCreate", "SuccessfulDelete"]) > last(pod, &["SuccessfulCreate"])
    });
    gone.collect()
}

/// Returns the revisions of the missing pods, in their order, and true if these are theirs; `None` if the status does not
/// count as many. A rolling update goes from the highest ordinal down. Under OnDelete, the user chooses the order, and only
/// the number of pods on each revision is known.
fn revisions_of_missing(whole: &Snapshot, count: usize) -> Option<(Vec<Arc<str>>, bool)> {
    let status = &whole.status;
    let (current, update) = (&status.current_revision, &status.update_revision);
    if update.is_empty() {
        return None;
    }
    if current == update {
        return Some((vec![Arc::clone(update); count], true));
    }
    let of_status = |counted: i64, revision: &Arc<str>| -> usize {
        let read = pods_of(whole).filter(|pod| pod.revision == *revision && !pod.is_terminating());
        usize::try_from(counted).map_or(0, |counted| counted.saturating_sub(read.count()))
    };
    let updated = of_status(status.updated_replicas, update);
    let others = of_status(status.current_replicas, current);
    let is_rolling = matches!(whole.set.strategy, Strategy::RollingUpdate(_));
    let are_known = is_rolling || updated == 0 || others == 0;
    (updated + others == count).then(|| {
        let old = std::iter::repeat_n(Arc::clone(current), others);
        let all = old.chain(std::iter::repeat_n(Arc::clone(update), updated));
        (all.collect(), are_known)
    })
}

/// Returns how many of the missing pods the status counts as ready.
fn ready_of_missing(whole: &Snapshot, count: usize) -> usize {
    let ready = pods_of(whole).filter(|pod| pod.is_running_and_ready());
    let counted = usize::try_from(whole.status.ready_replicas).unwrap_or(0);
    counted.saturating_sub(ready.count()).min(count)
}

/// Returns a pod that is assumed to exist. Of its state, only what the status counts is known.
fn assumed(
    whole: &Snapshot,
    ordinal: i64,
    revision: &Arc<str>,
    is_ready: bool,
    conditions: &Conditions,
) -> Pod {
    let template = whole.revisions.get(revision);
    let template = template.and_then(|revision| revision.template());
    let mut pod = pod_of_revision(
        &whole.set,
        ordinal,
        revision,
        template,
        &conditions.behaviour,
    );
    pod.meta.uid = Arc::from(format!("{}/{}", whole.set.meta.uid, pod.meta.name));
    pod.phase = Phase::Running;
    pod.scheduled = true;
    pod.ready = Some(Ready {
        is_true: is_ready,
        since: whole.set.meta.created.filter(|_| is_ready),
    });
    debug_assert!(is_assumed(&pod));
    pod
}
