//! What is taken for granted: how long pods take, and which controller it is.

use std::sync::Arc;

use jiff::SignedDuration;

use super::{Conditions, VersionSource, owns, pods_of};
use crate::duration::{span, spell};
use sts_controller::object::{Phase, Pod, Snapshot};
use sts_controller::simulate::Kubelet;

/// How long new pods take when no ready pod of the set tells.
const UNKNOWN_READY_AFTER: SignedDuration = SignedDuration::from_secs(10);

/// The kubelet of a plan, with what was taken for granted to get there.
pub(super) fn kubelet(
    snapshot: &Snapshot,
    conditions: &Conditions,
    assumptions: &mut Vec<String>,
) -> Kubelet {
    let believes_trouble = conditions.ready_after.is_none();
    let ready_after = match conditions.ready_after {
        Some(after) => {
            assumptions.push(format!(
                "new pods are ready after {} (--ready-after)",
                spell(after)
            ));
            after
        }
        None => match usual_start(snapshot) {
            Some((after, pods)) => {
                assumptions.push(format!(
                    "new pods are ready after {}: the median of {}",
                    spell(after),
                    if pods == 1 {
                        "1 ready pod".to_owned()
                    } else {
                        format!("{pods} ready pods")
                    },
                ));
                after
            }
            None => {
                assumptions.push(format!(
                    "new pods are ready after {}: no ready pod tells how long they really take",
                    spell(UNKNOWN_READY_AFTER)
                ));
                UNKNOWN_READY_AFTER
            }
        },
    };
    assumptions.push(format!(
        "deleted pods are gone after {}, or their grace period if that is shorter",
        spell(conditions.gone_after)
    ));
    let free = |pod: &&Arc<Pod>| !conditions.assumptions.contains_key(&*pod.meta.name);
    let kept = pods_of(snapshot).filter(free).filter_map(|pod| {
        let name = &pod.meta.name;
        (pod.is_terminating() && pod.has_finalizers).then(|| {
            let finalizers = pod.finalizers().join(", ");
            format!("pod {name} is never gone: it has finalizers {finalizers}")
        })
    });
    assume_some(kept, "are never gone either", assumptions);
    let overdue = pods_of(snapshot).filter(free).filter_map(|pod| {
        if pod.has_finalizers {
            return None;
        }
        let late = conditions.now.duration_since(pod.meta.deleted?);
        let name = &pod.meta.name;
        (late > SignedDuration::ZERO).then(|| {
            format!(
                "pod {name} goes after all, {} past its grace period (if not: --assume {name}=never-gone)",
                span(late)
            )
        })
    });
    assume_some(overdue, "go after all as well", assumptions);
    if believes_trouble {
        let troubled = pods_of(snapshot).filter(free).filter_map(|pod| {
            let trouble = pod.trouble.as_ref().filter(|_| !pod.is_ready())?;
            let (name, reason) = (&pod.meta.name, &trouble.reason);
            Some(format!(
                "pod {name} never becomes ready by itself: {reason}"
            ))
        });
        assume_some(
            troubled,
            "never become ready by themselves either",
            assumptions,
        );
    }
    let late = pods_of(snapshot).filter(free).filter_map(|pod| {
        if pod.trouble.is_some() && believes_trouble {
            return None;
        }
        let name = &pod.meta.name;
        let waited = span(overdue_start(pod, ready_after, conditions)?);
        Some(format!(
            "pod {name} becomes ready after all, though it is not for {waited} already (if not: --assume \
             {name}=never-ready)"
        ))
    });
    assume_some(late, "become ready after all as well", assumptions);
    Kubelet {
        ready_after,
        gone_after: conditions.gone_after,
        believes_trouble,
        assumptions: conditions.assumptions.clone(),
    }
}

/// For how long a pod that should be ready is not, where that is much longer than pods take.
fn overdue_start(
    pod: &Pod,
    ready_after: SignedDuration,
    conditions: &Conditions,
) -> Option<SignedDuration> {
    const PATIENCE: SignedDuration = SignedDuration::from_secs(60);
    let starts = matches!(pod.phase, Phase::Pending | Phase::Running) && !pod.is_ready();
    if !starts || pod.is_terminating() {
        return None;
    }
    let since = pod
        .ready
        .and_then(|ready| ready.since)
        .or(pod.meta.created)?;
    let waited = conditions.now.duration_since(since);
    (waited
        > ready_after
            .saturating_add(ready_after)
            .saturating_add(PATIENCE))
    .then_some(waited)
}

/// Notes what is assumed of pods one by one: the first few in sentences, the others by their number.
fn assume_some(
    sentences: impl Iterator<Item = String>,
    others: &str,
    assumptions: &mut Vec<String>,
) {
    const TOLD: usize = 5;
    let mut sentences = sentences;
    assumptions.extend(sentences.by_ref().take(TOLD));
    let more = sentences.count();
    if more > 0 {
        let pods = if more == 1 { "pod" } else { "pods" };
        assumptions.push(format!("{more} more {pods} {others}"));
    }
}

/// The median time from creation to readiness over the set's ready pods, and how many those are.
fn usual_start(snapshot: &Snapshot) -> Option<(SignedDuration, usize)> {
    let mut times: Vec<SignedDuration> = snapshot
        .pods
        .values()
        .filter(|pod| owns(snapshot, pod))
        .filter_map(|pod| {
            let since = pod.ready.filter(|ready| ready.is_true)?.since?;
            Some(
                since
                    .duration_since(pod.meta.created?)
                    .max(SignedDuration::ZERO),
            )
        })
        .collect();
    times.sort();
    let upper = *times.get(times.len() / 2)?;
    let lower = *times.get((times.len() - 1) / 2)?;
    Some(((lower + upper) / 2, times.len()))
}

pub(super) fn assume_version(conditions: &Conditions, assumptions: &mut Vec<String>) {
    let version = conditions.behaviour.version;
    if conditions.version_source == VersionSource::Default {
        assumptions.push(format!(
            "the controller is of Kubernetes {version}, the newest known (--kubernetes-version)"
        ));
    }
    if let VersionSource::Server { .. } = conditions.version_source {
        assumptions.push(format!(
            "the controller is of Kubernetes {version}, as the API server (--kubernetes-version)"
        ));
    }
    if conditions.gates.values().next().is_some() {
        match conditions.version_source {
            VersionSource::Server { tells_gates: true } => assumptions.push(
                "the controller has the feature gates of the API server (--feature-gates)".to_owned(),
            ),
            VersionSource::Server { tells_gates: false } => assumptions.push(
                "feature gates have their defaults: the API server does not tell its own, or only to those who \
                 may get /metrics (--feature-gates)"
                    .to_owned(),
            ),
            _ if conditions.gates.overridden().next().is_none() => {
                assumptions.push("feature gates have their defaults (--feature-gates)".to_owned());
            }
            _ => {}
        }
    }
    if version.is_beyond_known() {
        assumptions.push(format!(
            "Kubernetes {version} is newer than what is known: planned as {}",
            version.or_newest()
        ));
    }
    if version.is_reconstructed() {
        assumptions.push(format!(
            "Kubernetes {version} is reconstructed from its change log, not verified against its controller"
        ));
    }
}
