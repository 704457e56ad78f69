//! One-sentence descriptions of the controller's holds.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::evidence::missing_volumes;
use crate::duration::{age, spell};
use crate::members::{owns, pods_of};
use crate::plan::is_up;
use crate::words::list;
use sts_controller::controller::Hold;
use sts_controller::object::{Phase, Pod, Snapshot};

/// Reports whether all pods of the set have the update revision. A status from before the last change does not tell.
fn is_updated(snapshot: &Snapshot) -> bool {
    let status = &snapshot.status;
    let update = &status.update_revision;
    let mut pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    status.observed_generation >= snapshot.set.generation
        && !update.is_empty()
        && pods.all(|pod| pod.revision == *update)
}

/// Describes a hold and the state of the pod it waits for.
#[must_use]
pub fn hold(hold: &Hold, snapshot: &Snapshot, now: Timestamp) -> String {
    let name = |pod: &Arc<Pod>| Arc::clone(&pod.meta.name);
    match hold {
        Hold::SetBeingDeleted { .. } => {
            "the set is being deleted: the controller leaves its pods and claims alone".to_owned()
        }
        Hold::PodFailed { pod, .. } => format!("{} is {}; being recreated", name(pod), ended(pod)),
        Hold::StaleClaim {
            pod, claim, owner, ..
        } => format!(
            "{} is not created: its claim {claim} is still owned by a deleted pod (uid {}); waiting for the garbage \
             collector",
            name(pod),
            owner.uid
        ),
        Hold::ClaimBeingDeleted { pod, claim, .. } => format!(
            "{} is not created: its claim {claim} is being deleted",
            name(pod)
        ),
        Hold::NameTaken { pod, .. } => format!(
            "{} cannot be created: a pod with that name exists, {}",
            name(pod),
            stranger(snapshot, &pod.meta.name)
        ),
        Hold::RecreateWaitingForTermination { pod, .. } => format!(
            "no pod is created until {} on {} has terminated (strategy Recreate)",
            name(pod),
            revision_of(pod)
        ),
        Hold::WaitingForPodTermination { pod, .. } => {
            format!("waiting for {} to terminate", name(pod))
        }
        Hold::WaitingForPodReady { pod, .. } => until_ready(pod, now),
        Hold::WaitingForPodAvailable { pod, at, .. } => format!(
            "waiting for {} to become available: ready, {}",
            name(pod),
            remaining(snapshot, *at, now)
        ),
        Hold::PodUpdateRefused { pod, error, .. } => {
            let name = name(pod);
            let given = snapshot.pods.get(&name).unwrap_or(pod);
            let missing = missing_volumes(given, &snapshot.set);
            if missing.is_empty() {
                return format!("{name} cannot be updated in place: {error}");
            }
            let volumes = list(&missing, missing.len());
            format!(
                "{name} cannot be updated in place: it has no volume {volumes}, and none can be added to a pod; {error}"
            )
        }
        Hold::ScaleDownWaitingForTermination { pod, .. } => {
            format!("the scale-down is waiting for {} to terminate", name(pod))
        }
        Hold::ScaleDownWaitingForReady {
            pod,
            first_unhealthy,
            ..
        } => format!(
            "the scale-down is waiting for {} to become ready before it deletes it: {}{}",
            name(pod),
            condition_of(pod),
            unless_first(first_unhealthy.as_deref())
        ),
        Hold::ScaleDownWaitingForAvailable {
            pod,
            at,
            first_unhealthy,
            ..
        } => format!(
            "the scale-down is waiting for {} to become available before it deletes it: ready, {}{}",
            name(pod),
            remaining(snapshot, *at, now),
            unless_first(first_unhealthy.as_deref())
        ),
        // A set of which all pods have the update revision is being scaled up, or recovers.
        Hold::UpdateWaitingForPod { pod, at: None, .. }
            if is_updated(snapshot) && pod.is_created() && !pod.is_terminating() =>
        {
            until_ready(pod, now)
        }
        Hold::UpdateWaitingForPod { pod, at, .. } => format!(
            "the update is waiting for {}: {}",
            name(pod),
            match at {
                Some(_) => format!("ready, {}", remaining(snapshot, *at, now)),
                None => condition_of(pod),
            }
        ),
        Hold::UnavailableBudgetSpent {
            unavailable,
            max_unavailable,
            pod: Some(pod),
            ..
        } => format!(
            "the update is waiting: {} unavailable ({} first), maxUnavailable is {max_unavailable}",
            match unavailable {
                1 => "1 pod".to_owned(),
                pods => format!("{pods} pods"),
            },
            name(pod)
        ),
        Hold::UnavailableBudgetSpent {
            max_unavailable,
            pod: None,
            ..
        } => format!("the update is waiting: maxUnavailable rounds to {max_unavailable} pods"),
        Hold::HeldByPartition { pod, partition, .. } => format!(
            "{} stays on {}: held by partition {partition}",
            name(pod),
            revision_of(pod)
        ),
        Hold::OnDelete { pod, .. } => format!(
            "{} stays on {} until you delete it (strategy OnDelete)",
            name(pod),
            revision_of(pod)
        ),
    }
}

fn revision_of(pod: &Pod) -> &str {
    if pod.revision.is_empty() {
        "no revision"
    } else {
        &pod.revision
    }
}

/// Describes the wait for a pod to become ready.
fn until_ready(pod: &Pod, now: Timestamp) -> String {
    // A process that has failed already is not given the rest of the time.
    let until = pod.starts_until().filter(|_| pod.trouble.is_none());
    let left = until.map(|until| until.duration_since(now));
    let left = left.filter(|left| *left > SignedDuration::ZERO);
    let left = left.map_or_else(String::new, |left| {
        format!("; its startup probe gives it {} more", age(left))
    });
    format!(
        "waiting for {} to become ready: {}{left}",
        pod.meta.name,
        condition_of(pod)
    )
}

/// Describes why a pod is not running and ready.
pub(super) fn condition_of(pod: &Pod) -> String {
    if pod.is_terminating() {
        return "terminating".to_owned();
    }
    if let Some(trouble) = &pod.trouble {
        let what = match &trouble.container {
            Some(container) if is_up(trouble, pod) => {
                format!("container {container} keeps restarting")
            }
            Some(container) => format!("container {container} is in {}", trouble.reason),
            None => "cannot be scheduled".to_owned(),
        };
        return if trouble.message.is_empty() {
            what
        } else {
            format!("{what} ({})", trouble.message)
        };
    }
    match pod.phase {
        Phase::Unset => "not created yet".to_owned(),
        Phase::Running if !pod.is_ready() => "running but not ready".to_owned(),
        Phase::Running => "running and ready".to_owned(),
        phase => phase.name().to_owned(),
    }
}

/// Describes the final phase of a pod with its reason: `Failed (Evicted)`.
fn ended(pod: &Pod) -> String {
    let phase = pod.phase.name();
    match pod.status_reason() {
        (reason, _) if reason.is_empty() => phase.to_owned(),
        (reason, _) => format!("{phase} ({reason})"),
    }
}

/// Describes the time until a ready pod is available.
fn remaining(snapshot: &Snapshot, at: Option<Timestamp>, now: Timestamp) -> String {
    let min_ready = snapshot.set.min_ready_seconds;
    let left = at.map(|at| at.duration_since(now));
    match left {
        Some(left) if left > SignedDuration::ZERO => {
            format!("available in {} (minReadySeconds {min_ready})", spell(left))
        }
        Some(_) => format!("available any moment (minReadySeconds {min_ready})"),
        None => format!("but since when is unknown (minReadySeconds {min_ready})"),
    }
}

fn unless_first(first: Option<&str>) -> String {
    match first {
        Some(first) => {
            format!("; only the first unhealthy pod, {first}, would be deleted without that")
        }
        None => String::new(),
    }
}

/// Describes why a pod with the right name does not belong to the set.
fn stranger(snapshot: &Snapshot, name: &str) -> String {
    let Some(pod) = snapshot.pods.get(name) else {
        return "which is not in the input".to_owned();
    };
    match pod.meta.controller() {
        Some(owner) if owner.uid == snapshot.set.meta.uid && !pod.is_created() => {
            "which the set owns but which has no phase yet".to_owned()
        }
        Some(owner) if owner.uid == snapshot.set.meta.uid => {
            "which the set owns but cannot claim in this sync".to_owned()
        }
        Some(owner) if snapshot.set.is_successor_of(owner) => format!(
            "owned by an earlier StatefulSet {} (uid {}): the garbage collector deletes it, and its claims stay",
            owner.name, owner.uid
        ),
        Some(owner) => format!("owned by {} {} (uid {})", owner.kind, owner.name, owner.uid),
        None if pod.is_terminating() => "without an owner, and terminating".to_owned(),
        None if !pod.is_created() => "without an owner, and without a phase yet".to_owned(),
        None => "without an owner, with labels that spec.selector does not match".to_owned(),
    }
}
