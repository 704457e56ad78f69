//! Duration-aware evaluation of the trouble that starting pods show. Possibly temporary trouble is ignored at
//! first; a crash-looping container is in trouble in any state.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;

use super::Conditions;
use crate::catalogue::{Announcement, Place, Recognized};
use sts_controller::object::{ContainerStatus, Phase, Pod, Snapshot, Trouble};

const LOOP: i64 = 3;
/// Maximum age of a loop's last crash: the kubelet waits at most five minutes before a restart.
const LAST_CRASH: SignedDuration = SignedDuration::from_mins(10);

/// Age of a pod up to which a single restart, after the first back-off of 10 s, says nothing yet.
const FIRST_RESTART: SignedDuration = SignedDuration::from_mins(2);
/// Time in which the kubelet tries a failed pull again for the first time.
const FIRST_PULL: SignedDuration = SignedDuration::from_secs(30);

/// Possibly temporary trouble.
#[derive(Debug, Clone, PartialEq)]
pub struct Passing {
    /// Recognized cause.
    pub cause: Recognized,
    /// Trouble, removed from the pod.
    pub trouble: Arc<Trouble>,
}

/// Settles the trouble of the pods in a snapshot. Returns the pods whose trouble may be temporary.
pub(super) fn settle(
    snapshot: &mut Snapshot,
    conditions: &Conditions,
) -> BTreeMap<Arc<str>, Passing> {
    let mut passing = BTreeMap::new();
    let mut settled: Vec<(Arc<str>, Option<Arc<Trouble>>)> = Vec::new();
    for (name, pod) in &snapshot.pods {
        let starts = matches!(pod.phase, Phase::Unset | Phase::Pending | Phase::Running);
        if !starts || pod.is_terminating() || pod.is_ready() || pod.given().is_none() {
            continue;
        }
        match &pod.trouble {
            Some(trouble) => {
                if let Some(cause) = may_pass(pod, trouble, conditions) {
                    let trouble = Arc::clone(trouble);
                    passing.insert(Arc::clone(name), Passing { cause, trouble });
                    settled.push((Arc::clone(name), None));
                }
            }
            None => {
                if let Some(trouble) = crash_loop(pod, conditions) {
                    settled.push((Arc::clone(name), Some(Arc::new(trouble))));
                }
            }
        }
    }
    for (name, trouble) in settled {
        if let Some(pod) = snapshot.pods.get_mut(&name) {
            Arc::make_mut(pod).trouble = trouble;
        }
    }
    passing
}

/// Returns the cause of a pod's trouble if it is too recent to count.
fn may_pass(pod: &Pod, trouble: &Trouble, conditions: &Conditions) -> Option<Recognized> {
    let now = conditions.now;
    let related = &conditions.related;
    let (found, since, least) = match &trouble.container {
        None => (
            conditions
                .catalogue
                .placing(pod, related, now, &trouble.message, false)?,
            pod.condition("PodScheduled")
                .and_then(|condition| condition.since)
                .or(pod.meta.created),
            SignedDuration::ZERO,
        ),
        Some(name) => {
            let statuses = pod.containers();
            let status = statuses.iter().find(|status| status.name == *name)?;
            let since = pod.ready.and_then(|ready| ready.since).or(pod.meta.created);
            let (found, least) = match &*trouble.reason {
                "ImagePullBackOff" | "ErrImagePull" | "RegistryUnavailable" => (
                    conditions
                        .catalogue
                        .image(pod, related, &trouble.reason, &trouble.message)?,
                    FIRST_PULL,
                ),
                _ if status.restarts > 1 => return None,
                reason => (
                    conditions.catalogue.recognized_by(&Announcement {
                        place: Place::Container,
                        reason: &trouble.reason,
                        message: &trouble.message,
                        exit_code: status.ended.as_ref().map(|ended| ended.exit_code),
                        container: &status.name,
                    })?,
                    match reason {
                        "CrashLoopBackOff" => FIRST_RESTART,
                        _ => SignedDuration::ZERO,
                    },
                ),
            };
            (found, since, least)
        }
    };
    let age = now.duration_since(since?);
    let patience = found.entry.patience().max(least);
    (age >= SignedDuration::ZERO && age < patience).then_some(found)
}

/// Returns the trouble of a pod with a container that terminated several times, most recently a short while ago.
fn crash_loop(pod: &Pod, conditions: &Conditions) -> Option<Trouble> {
    // A startup probe that fails each time ends no run before its time is up.
    let longest = match pod.starts_until() {
        Some(_) => LAST_CRASH.saturating_add(pod.startup_allowance()),
        None => LAST_CRASH,
    };
    let crashed = |status: &&ContainerStatus| {
        let ended = status.ended.as_ref().and_then(|ended| ended.at);
        let is_recent = ended.is_some_and(|at| conditions.now.duration_since(at) <= longest);
        !status.ready && status.waiting.is_none() && status.restarts >= LOOP && is_recent
    };
    let statuses = pod.containers();
    let status = statuses.iter().find(crashed)?;
    Some(Trouble {
        container: Some(status.name.clone()),
        reason: "CrashLoopBackOff".to_owned(),
        message: String::new(),
    })
}

/// Reports whether a container of a crash loop is up just now.
pub(crate) fn is_up(trouble: &Trouble, pod: &Pod) -> bool {
    let is_it = |status: &&ContainerStatus| Some(&status.name) == trouble.container.as_ref();
    let statuses = pod.containers();
    let status = statuses.iter().find(is_it);
    status.is_some_and(|status| status.waiting.is_none())
}

/// Returns the trouble of a pod as its status has it: the reason for which a container waits, or that it starts again and
/// again.
pub(crate) fn state_of(trouble: &Trouble, pod: &Pod) -> String {
    match is_up(trouble, pod) {
        true => "keeps restarting".to_owned(),
        false => trouble.reason.clone(),
    }
}
