//! Pods that are created again and again, and what ends them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Conditions, owns, pods_of};
use crate::catalogue::{Place, Recognized, events_of_set, pod_of_report};
use sts_controller::object::{Event, Phase, Pod, Snapshot};

/// Creations of one pod in a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct RecreationLoop {
    /// Number of creations, or of evictions if only they were read.
    pub count: i64,
    /// Time of the first one.
    pub since: Timestamp,
    /// Time of the last one.
    pub last: Timestamp,
    /// The author of their ends.
    pub author: LoopAuthor,
}

/// The author of the ends of the pods of a loop.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopAuthor {
    /// Each pod fails.
    Failure,
    /// A component evicts each pod, and reports it.
    Evictor(Recognized),
    /// The controller of the set deletes each pod.
    Set,
    /// Something that no event names.
    Unknown,
}

/// Counts the creations of each pod that is created again and again, or that ends at its own deadline.
pub(super) fn recreated(
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> BTreeMap<Arc<str>, RecreationLoop> {
    let mut found: BTreeMap<Arc<str>, RecreationLoop> = BTreeMap::new();
    // The API server's event limits keep few events of a long loop.
    let reports = events_of_set(&snapshot.set, &conditions.related);
    for event in reports.filter(|event| &*event.reason == CREATED || is_failure(&event.reason)) {
        let Some((since, last)) = event.first.zip(event.last) else {
            continue;
        };
        let count = event.count;
        let times = i32::try_from(count).unwrap_or(i32::MAX);
        if count >= LEAST_LOOP
            && let Some(pod) = pod_of_report(event).and_then(|name| snapshot.pods.get(name))
            && !is_one_failure(event, pod)
            && let longest = longest_turn(event, pod, conditions)
            && (is_of_deadline(pod, last)
                || (count >= least(pod, conditions)
                    && conditions.now.duration_since(last) <= longest
                    && last.duration_since(since) / times.max(1) <= longest))
        {
            let author = author(event, pod, snapshot, conditions);
            let turns = RecreationLoop {
                count,
                since,
                last,
                author,
            };
            // The report of a failure says more than that of the creation.
            let known = found.get(&pod.meta.name);
            if known.is_none_or(|known| known.author != LoopAuthor::Failure) {
                found.insert(Arc::clone(&pod.meta.name), turns);
            }
        }
    }
    for pod in pods_of(snapshot).filter(|pod| owns(snapshot, pod)) {
        let name = &pod.meta.name;
        if !found.contains_key(name)
            && let Some(evictions) = evictions(pod, conditions)
            && evictions.is_loop(conditions.now)
        {
            found.insert(Arc::clone(name), evictions.into_loop());
        }
    }
    found
}

/// The reason of the controller's report that it has created a pod.
const CREATED: &str = "SuccessfulCreate";
/// The reason of its report that it has deleted one.
const DELETED: &str = "SuccessfulDelete";

/// Returns the minimum number of creations in a loop. The kubelet reports each eviction with its reason.
fn least(pod: &Pod, conditions: &Conditions) -> i64 {
    let meta = &pod.meta;
    let related = &conditions.related;
    let events = related.events(&meta.namespace, "Pod", &meta.name);
    let evicts = |event: &Arc<Event>| {
        let catalogue = conditions.catalogue;
        &*event.reason == "Evicted"
            && catalogue
                .classify(Place::Loop, &event.reason, &event.message)
                .is_none()
    };
    let is_evicted = pod.phase == Phase::Failed && pod.status_reason().0 == "Evicted";
    match is_evicted || events.iter().any(evicts) {
        true => LEAST_EVICTIONS,
        false => LOOP,
    }
}

/// Reports whether the controller creates a pod again because it has ended.
fn is_failure(reason: &str) -> bool {
    matches!(reason, "RecreatingFailedPod" | "RecreatingTerminatedPod")
}

/// Returns what ends a pod that the controller reports again and again.
fn author(event: &Event, pod: &Pod, snapshot: &Snapshot, conditions: &Conditions) -> LoopAuthor {
    if is_failure(&event.reason) || pod.phase == Phase::Failed {
        return LoopAuthor::Failure;
    }
    if let Some(evictions) = evictions(pod, conditions) {
        return LoopAuthor::Evictor(evictions.by);
    }
    let deleted = events_of_set(&snapshot.set, &conditions.related)
        .filter(|event| &*event.reason == DELETED && pod_of_report(event) == Some(&*pod.meta.name));
    let deleted: i64 = deleted.map(|event| event.count).sum();
    match deleted >= LEAST_LOOP {
        true => LoopAuthor::Set,
        false => LoopAuthor::Unknown,
    }
}

/// The evictions of the pods of one name, by one component.
struct Evictions {
    by: Recognized,
    count: i64,
    since: Timestamp,
    last: Timestamp,
}

impl Evictions {
    /// Reports whether they go on, by their usual distance.
    fn is_loop(&self, now: Timestamp) -> bool {
        let turns = i32::try_from(self.count - 1).unwrap_or(i32::MAX);
        let usual = self.last.duration_since(self.since) / turns.max(1);
        let longest = usual.checked_mul(STILL_TURNS).unwrap_or(LONGEST_EVICTIONS);
        self.count >= LEAST_EVICTIONS
            && now.duration_since(self.last) <= longest.clamp(LEAST_STILL, LONGEST_EVICTIONS)
    }

    fn into_loop(self) -> RecreationLoop {
        RecreationLoop {
            count: self.count,
            since: self.since,
            last: self.last,
            author: LoopAuthor::Evictor(self.by),
        }
    }
}

/// Returns the reported evictions of the pods of this name, by the component of the last one. Each pod had another uid.
fn evictions(pod: &Pod, conditions: &Conditions) -> Option<Evictions> {
    let meta = &pod.meta;
    let events = conditions
        .related
        .events(&meta.namespace, "Pod", &meta.name);
    let of_evictor = |event: &Arc<Event>| {
        let catalogue = conditions.catalogue;
        let by = catalogue.classify(Place::Loop, &event.reason, &event.message)?;
        let (first, last) = event.first.zip(event.last)?;
        Some((by, event.count, first, last))
    };
    let reported: Vec<_> = events.iter().filter_map(of_evictor).collect();
    let (by, ..) = reported.iter().max_by_key(|(_, _, _, last)| *last)?;
    let own = || {
        reported
            .iter()
            .filter(|(other, ..)| other.entry.id == by.entry.id)
    };
    Some(Evictions {
        by: by.clone(),
        count: own().map(|(_, count, ..)| count).sum(),
        since: own().map(|(_, _, first, _)| *first).min()?,
        last: own().map(|(.., last)| *last).max()?,
    })
}

/// Reports whether an event repeats the failure of one pod, which is older than its first report: the controller sends it
/// until the pod is gone.
fn is_one_failure(event: &Event, pod: &Pod) -> bool {
    let created = pod.meta.created;
    let is_older = created
        .zip(event.first)
        .is_some_and(|(created, first)| created < first);
    is_failure(&event.reason) && is_older
}

/// Reports whether a pod, created at the time of the last report, ended at its own deadline, which its replacement has too,
/// however long that is.
fn is_of_deadline(pod: &Pod, last: Timestamp) -> bool {
    let created = pod.meta.created;
    let is_of_this = created.is_none_or(|created| created.duration_since(last) <= CREATED_WITHIN);
    is_of_this && pod.phase == Phase::Failed && pod.status_reason().0 == "DeadlineExceeded"
}

/// Time within which the controller creates a pod after it has reported the failed one.
const CREATED_WITHIN: SignedDuration = SignedDuration::from_mins(1);
const LEAST_LOOP: i64 = 2;
/// Minimum number of creations in a loop.
const LOOP: i64 = 10;
/// Minimum number of evictions in a loop: each has a reason, and a single one is part of operations.
const LEAST_EVICTIONS: i64 = 3;
/// Multiple of the time between two evictions after which the last one was the last.
const STILL_TURNS: i32 = 3;
/// Bounds of that time.
const LEAST_STILL: SignedDuration = SignedDuration::from_mins(15);
const LONGEST_EVICTIONS: SignedDuration = SignedDuration::from_hours(36);

/// Returns the maximum time of one turn of a loop. A failed or evicted pod may have run for a while; one that was only
/// created may belong to frequent rollouts.
fn longest_turn(event: &Event, pod: &Pod, conditions: &Conditions) -> SignedDuration {
    let is_evicted = || {
        let evicted = evictions(pod, conditions).map(|it| it.last);
        let created = pod.meta.created;
        let gap = evicted
            .zip(created)
            .map(|(evicted, created)| created.duration_since(evicted));
        gap.is_some_and(|gap| gap.abs() <= LEAST_STILL)
    };
    match is_failure(&event.reason) || is_evicted() {
        true => SignedDuration::from_hours(2),
        false => SignedDuration::from_mins(15),
    }
}
