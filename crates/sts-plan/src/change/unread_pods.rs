//! Pods that exist although the input lacks them: the status of the set counts them, and the input has others of its pods,
//! as a paste of one pod of several, or events of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::told_pods::ToldState;
use crate::catalogue::{events_of_set, pod_of_report};
use crate::conditions::Conditions;
use crate::members::is_assumed;
use crate::plan::{PlanNote, pods_of};
use sts_controller::controller::{claims_of_pod, pod_name, pod_of_revision};
use sts_controller::object::{Phase, Pod, Ready, Snapshot, Strategy};

/// Adds the pods that the status counts and the input lacks, with their claims, if the status counts some of them as ready,
/// and the input has a part of the set: a pod of it, or an event that tells which pods do not exist, or the state of one.
pub(super) fn add_pods(whole: &mut Snapshot, conditions: &Conditions) -> Vec<PlanNote> {
    added(whole, conditions).unwrap_or_default()
}

fn added(whole: &mut Snapshot, conditions: &Conditions) -> Option<Vec<PlanNote>> {
    let told = told_pods(whole, conditions);
    let missing = missing(whole, conditions, !told.is_empty())?;
    let (revisions, are_known) = revisions_of_missing(whole, missing.len())?;
    let ready = ready_of_missing(whole, missing.len());
    let unready = unready(&missing, missing.len() - ready, &told);
    if ready == 0 && unready.keys().all(|ordinal| !told.contains_key(ordinal)) {
        return None;
    }
    let pods: Vec<Pod> = missing
        .into_iter()
        .zip(revisions)
        .map(|(ordinal, revision)| {
            let state = unready.get(&ordinal);
            let pod = assumed(whole, ordinal, &revision, state.is_none(), conditions);
            let told = state.and_then(|state| state.as_ref()?.pod(&pod));
            told.unwrap_or(pod)
        })
        .collect();
    for pod in &pods {
        for claim in claims_of_pod(&whole.set, pod, &conditions.behaviour) {
            let name = Arc::clone(&claim.meta.name);
            whole.claims.entry(name).or_insert_with(|| Arc::new(claim));
        }
    }
    let is_ready = ready == pods.len();
    let (told, others): (Vec<&Pod>, Vec<&Pod>) = pods.iter().partition(|pod| pod.given().is_some());
    let names = |pods: Vec<&Pod>| -> Vec<Arc<str>> {
        pods.into_iter()
            .map(|pod| Arc::clone(&pod.meta.name))
            .collect()
    };
    let (told, names) = (names(told), names(others));
    let of_status = match is_ready || names.len() == ready {
        _ if !are_known => PlanNote::PodsOfEitherRevision(names.clone()),
        true => PlanNote::ReadyPodsOfStatus(names.clone()),
        false => PlanNote::PodsOfStatus(names.clone()),
    };
    let pods = pods.into_iter().map(Arc::new);
    let pods = pods.map(|pod| (Arc::clone(&pod.meta.name), pod));
    whole.pods.extend(pods);
    let of_status = (!names.is_empty()).then_some(of_status);
    let of_events = (!told.is_empty()).then_some(PlanNote::PodsOfEvents(told));
    Some(of_status.into_iter().chain(of_events).collect())
}

/// Returns the states that recent events tell of pods that the input lacks, by their ordinals.
fn told_pods(whole: &Snapshot, conditions: &Conditions) -> BTreeMap<i64, ToldState> {
    let ordinals = conditions.behaviour.ordinals(&whole.set);
    let told = ordinals.filter_map(|ordinal| {
        let name = pod_name(&whole.set, ordinal);
        let is_there = whole.pods.contains_key(name.as_str());
        let told = (!is_there).then(|| ToldState::of(&name, whole, conditions))?;
        Some((ordinal, told?))
    });
    told.collect()
}

/// Returns as many of the missing pods as are not ready: those that events tell of, the latest first, and then the highest
/// ones.
fn unready<'t>(
    missing: &[i64],
    count: usize,
    told: &'t BTreeMap<i64, ToldState>,
) -> BTreeMap<i64, Option<&'t ToldState>> {
    let mut order: Vec<i64> = missing.to_vec();
    order.sort_by_key(|ordinal| {
        let last = told.get(ordinal).map(|state| state.last);
        std::cmp::Reverse((last, *ordinal))
    });
    let unready = order.into_iter().take(count);
    unready
        .map(|ordinal| (ordinal, told.get(&ordinal)))
        .collect()
}

/// Returns the ordinals of the pods that the input lacks, the lowest first; `None` if it lacks none, or if they cannot be
/// told.
fn missing(whole: &Snapshot, conditions: &Conditions, has_told: bool) -> Option<Vec<i64>> {
    if whole.set.meta.uid.is_empty() || whole.set.meta.is_terminating() {
        return None;
    }
    let read = pods_of(whole).count();
    let gone = not_there(whole, conditions);
    if read == 0 && gone.is_empty() && !has_told {
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
