//! The record of a revision: pods that fail on it while none is ready. Every pod that moves to it is assumed to fail in the
//! same way. The record yields to evidence of another subject, such as a node, a volume or one pod's data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Conditions, Observed, Shown, Stuck, StuckAt};
use crate::catalogue::{Blames, Symptom, failed_container, worked_for};
use sts_controller::object::{Phase, Pod};

/// Time from being scheduled to the last change of readiness from which a pod was ready before.
const FIRST_STATUS: SignedDuration = SignedDuration::from_secs(90);

/// Verdict of one pod on its revision.
enum Testimony {
    /// The pod fails because of its revision.
    Fails,
    /// The pod worked before.
    Worked,
    /// The failure is about something else.
    Other,
}

/// Records of the revisions of a set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Records {
    /// Revisions on which pods fail and none is ready, each with the first pod that shows it.
    pub broken: BTreeMap<Arc<str>, Arc<str>>,
    /// Failing pods that become ready, because their revision is assumed to work.
    pub recovering: BTreeSet<Arc<str>>,
}

/// Returns the records of the revisions, by the evidence about the pods that were read.
pub(super) fn records(stuck: &BTreeMap<Arc<str>, Stuck>, conditions: &Conditions) -> Records {
    let mut records = Records::default();
    let Some(observed) = &conditions.observed else {
        return records;
    };
    let mut proven = BTreeSet::new();
    for pod in observed.owned().filter(|pod| !pod.revision.is_empty()) {
        let stuck = stuck.get(&pod.meta.name);
        let stuck = stuck.filter(|stuck| stuck.uid == pod.meta.uid && stuck.at == StuckAt::Start);
        let name = Arc::clone(&pod.meta.name);
        let testimony = |stuck| testimony(pod, stuck, conditions, observed.at());
        match stuck.map_or(Testimony::Other, testimony) {
            Testimony::Fails if is_assumed_to_work(&pod.revision, conditions) => {
                records.recovering.insert(name);
            }
            Testimony::Fails => {
                let revision = Arc::clone(&pod.revision);
                records.broken.entry(revision).or_insert(name);
            }
            Testimony::Worked => {
                proven.insert(Arc::clone(&pod.revision));
            }
            Testimony::Other => {}
        }
    }
    let holds = |revision: &Arc<str>| !proven.contains(revision) && is_unproven(observed, revision);
    records.broken.retain(|revision, _| holds(revision));
    records
}

fn is_assumed_to_work(revision: &str, conditions: &Conditions) -> bool {
    let mut working = conditions.working.iter();
    working.any(|name| is_revision(revision, name))
}

/// Reports whether a revision has this name, or this hash at the end of its name.
#[must_use]
pub fn is_revision(revision: &str, name: &str) -> bool {
    let set = revision.strip_suffix(name);
    set.is_some_and(|set| set.is_empty() || set.ends_with('-'))
}

fn is_unproven(observed: &Observed, revision: &str) -> bool {
    observed.ready_on(revision).next().is_none()
}

fn testimony(pod: &Pod, stuck: &Stuck, conditions: &Conditions, now: Timestamp) -> Testimony {
    let (catalogue, related) = (conditions.catalogue, &conditions.related);
    if !matches!(stuck.shown, Shown::Status | Shown::Overdue) {
        return Testimony::Other;
    }
    let found = match failed_container(pod) {
        Some((symptom, failure)) => {
            if symptom == Symptom::CrashLoop && worked_for(pod, &failure, now).is_some() {
                return Testimony::Worked;
            }
            catalogue.of_failure(symptom, pod, related, &failure)
        }
        // A pod that is not scheduled or has not started has not tried its revision.
        None if pod.trouble.is_some() || pod.phase != Phase::Running => return Testimony::Other,
        None if was_ready(pod) => return Testimony::Worked,
        None => catalogue.of_readiness(pod, related),
    };
    match found.map_or(Blames::Unknown, |found| found.entry.blames) {
        Blames::Template
        | Blames::Unknown
        | Blames::Object
        | Blames::Registry
        | Blames::Dependency => Testimony::Fails,
        Blames::Pod
        | Blames::Node
        | Blames::Cluster
        | Blames::Volume
        | Blames::Storage
        | Blames::Network
        | Blames::Policy
        | Blames::Server
        | Blames::Controller
        | Blames::Owner
        | Blames::Nobody => Testimony::Other,
    }
}

/// Reports whether an unready pod was ready before: its readiness changed long after its first status.
fn was_ready(pod: &Pod) -> bool {
    let scheduled = pod.condition("PodScheduled").and_then(|it| it.since);
    let began = scheduled.max(pod.meta.created);
    let changed = pod.ready.and_then(|ready| ready.since);
    let after = changed
        .zip(began)
        .map(|(at, began)| at.duration_since(began));
    after.is_some_and(|after| after > FIRST_STATUS)
}
