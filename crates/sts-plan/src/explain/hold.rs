//! Holds of the controller, one sentence each.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::duration::spell;
use sts_controller::controller::Hold;
use sts_controller::object::{Phase, Pod, Snapshot};

/// One sentence on what a hold waits for, with the evidence.
#[must_use]
pub fn hold(hold: &Hold, snapshot: &Snapshot, now: Timestamp) -> String {
    let name = |pod: &Arc<Pod>| Arc::clone(&pod.meta.name);
    match hold {
        Hold::SetBeingDeleted { .. } => {
            "the set is being deleted: its pods and claims are left alone".to_owned()
        }
        Hold::PodFailed { pod, .. } => format!(
            "{} has ended in phase {}: it is recreated once it is gone",
            name(pod),
            pod.phase.name()
        ),
        Hold::StaleClaim {
            pod, claim, owner, ..
        } => format!(
            "{} is not created: its claim {claim} still belongs to its predecessor (uid {}), which the \
             garbage collector has yet to notice",
            name(pod),
            owner.uid
        ),
        Hold::ClaimBeingDeleted { pod, claim, .. } => format!(
            "{} is not created: its claim {claim} is being deleted",
            name(pod)
        ),
        Hold::NameTaken { pod, .. } => format!(
            "{} cannot be created: a pod of that name exists, {}",
            name(pod),
            stranger(snapshot, &pod.meta.name)
        ),
        Hold::RecreateWaitingForTermination { pod, .. } => format!(
            "no pod is created until {} on {} is gone: the strategy is Recreate",
            name(pod),
            revision_of(pod)
        ),
        Hold::WaitingForPodTermination { pod, .. } => {
            format!("waiting for {} to be gone: it is terminating", name(pod))
        }
        Hold::WaitingForPodReady { pod, .. } => {
            format!(
                "waiting for {} to become ready: {}",
                name(pod),
                condition_of(pod)
            )
        }
        Hold::WaitingForPodAvailable { pod, at, .. } => format!(
            "waiting for {} to be available: it is ready, {}",
            name(pod),
            not_for_long(snapshot, *at, now)
        ),
        Hold::PodUpdateRefused { pod, error, .. } => {
            format!("{} cannot be brought in line: {error}", name(pod))
        }
        Hold::ScaleDownWaitingForTermination { pod, .. } => {
            format!(
                "scaling down waits for {} to be gone: it is terminating",
                name(pod)
            )
        }
        Hold::ScaleDownWaitingForReady {
            pod,
            first_unhealthy,
            ..
        } => format!(
            "scaling down waits for {} to become ready before deleting it: {}{}",
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
            "scaling down waits for {} to be available before deleting it: it is ready, {}{}",
            name(pod),
            not_for_long(snapshot, *at, now),
            unless_first(first_unhealthy.as_deref())
        ),
        Hold::UpdateWaitingForPod { pod, at, .. } => format!(
            "the update waits for {}: {}",
            name(pod),
            match at {
                Some(_) => format!("it is ready, {}", not_for_long(snapshot, *at, now)),
                None => condition_of(pod),
            }
        ),
        Hold::UnavailableBudgetSpent {
            unavailable,
            max_unavailable,
            pod: Some(pod),
            ..
        } => format!(
            "the update waits: {unavailable} {} unavailable, {} first; maxUnavailable allows {max_unavailable}",
            if *unavailable == 1 {
                "pod is"
            } else {
                "pods are"
            },
            name(pod)
        ),
        Hold::UnavailableBudgetSpent {
            max_unavailable,
            pod: None,
            ..
        } => format!("the update waits: maxUnavailable rounds to {max_unavailable} pods"),
        Hold::HeldByPartition { pod, partition, .. } => format!(
            "{} stays on {}: it is below partition {partition}",
            name(pod),
            revision_of(pod)
        ),
        Hold::OnDelete { pod, .. } => format!(
            "{} stays on {} until the user deletes it: the strategy is OnDelete",
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

/// Describes the trouble of a pod that should be running and ready.
fn condition_of(pod: &Pod) -> String {
    if pod.is_terminating() {
        return "it is terminating".to_owned();
    }
    if let Some(trouble) = &pod.trouble {
        let what = match &trouble.container {
            Some(container) => format!("container {container} waits in {}", trouble.reason),
            None => "it cannot be scheduled".to_owned(),
        };
        return if trouble.message.is_empty() {
            what
        } else {
            format!("{what} ({})", trouble.message)
        };
    }
    match pod.phase {
        Phase::Unset => "it does not exist yet".to_owned(),
        Phase::Running if !pod.is_ready() => "it runs but is not ready".to_owned(),
        Phase::Running => "it runs and is ready".to_owned(),
        phase => format!("its phase is {}", phase.name()),
    }
}

/// That a pod has come to an end, and why, where it says so: `it has ended in phase Failed (Evicted)`.
pub(super) fn ended(pod: &Pod) -> String {
    let phase = pod.phase.name();
    match pod.status_reason() {
        (reason, _) if reason.is_empty() => format!("it has ended in phase {phase}"),
        (reason, _) => format!("it has ended in phase {phase}: {reason}"),
    }
}

fn not_for_long(snapshot: &Snapshot, at: Option<Timestamp>, now: Timestamp) -> String {
    let min_ready = snapshot.set.min_ready_seconds;
    let left = at.map(|at| at.duration_since(now));
    match left {
        Some(left) if left > SignedDuration::ZERO => format!(
            "but not available for another {} (minReadySeconds {min_ready})",
            spell(left)
        ),
        Some(_) => format!("and available at any moment (minReadySeconds {min_ready})"),
        None => format!("but its ready time is not known (minReadySeconds {min_ready})"),
    }
}

fn unless_first(first: Option<&str>) -> String {
    match first {
        Some(first) => format!(
            "; it would only be deleted regardless if it were the first unhealthy pod, which is {first}"
        ),
        None => String::new(),
    }
}

/// Tells the reason that a pod that has the right name is not the set's.
fn stranger(snapshot: &Snapshot, name: &str) -> String {
    let Some(pod) = snapshot.pods.get(name) else {
        return "which is not among the objects given".to_owned();
    };
    match pod.meta.controller() {
        Some(owner) if owner.uid == snapshot.set.meta.uid && !pod.is_created() => {
            "which the set owns but which has no phase yet".to_owned()
        }
        Some(owner) if owner.uid == snapshot.set.meta.uid => {
            "which the set owns but cannot claim in this sync".to_owned()
        }
        Some(owner) => format!("owned by {} {} (uid {})", owner.kind, owner.name, owner.uid),
        None if pod.is_terminating() => "without an owner, and terminating".to_owned(),
        None if !pod.is_created() => "without an owner, and without a phase yet".to_owned(),
        None => "without an owner, with labels that spec.selector does not match".to_owned(),
    }
}
