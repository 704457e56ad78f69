//! The pace of the rollout that is under way, as the pods show that it has replaced.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::members::{owns, pods_of};
use sts_controller::controller::ordinal_of;
use sts_controller::object::{Pod, Snapshot, Strategy};

/// Number of pods that a rollout has to have replaced before they tell its pace.
const LEAST: usize = 3;
/// A gap between two pods that is so many times the usual one is a pause, not the pace.
const PAUSE: i32 = 4;

/// The pace of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Number of pods that are ready on the update revision.
    pub done: usize,
    /// Number of pods that the rollout is to replace.
    pub of: usize,
    /// Time from one pod being ready to the next.
    pub each: SignedDuration,
}

/// The times that the pods of a rollout took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replaced {
    /// From creation to readiness, the shortest first.
    pub(super) ready: Vec<SignedDuration>,
    /// From one pod being ready to the creation of the next, the shortest first: how long that one took to go. Empty
    /// where pods are replaced several at a time.
    pub(super) gone: Vec<SignedDuration>,
    /// The pace of the whole; `None` where all pods became ready at once.
    pub(super) pace: Option<Pace>,
}

/// Returns the times that the pods took that the rollout has replaced so far; `None` where none is under way, or it has
/// replaced too few to tell.
pub(super) fn replaced(snapshot: &Snapshot) -> Option<Replaced> {
    let (set, status) = (&snapshot.set, &snapshot.status);
    let is_observed = set.generation <= status.observed_generation;
    let is_rolling = matches!(set.strategy, Strategy::RollingUpdate(_));
    if !is_observed || !is_rolling || status.current_revision == status.update_revision {
        return None;
    }
    let began = snapshot
        .revisions
        .get(&status.update_revision)?
        .meta
        .created;
    let mut pods: Vec<(&Arc<Pod>, Timestamp, Timestamp)> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod) && pod.revision == status.update_revision)
        .filter_map(|pod| {
            let since = pod.ready.filter(|ready| ready.is_true)?.since?;
            let created = pod.meta.created.filter(|created| Some(*created) >= began)?;
            (!pod.is_terminating() && since >= created).then_some((pod, created, since))
        })
        .collect();
    if pods.len() < LEAST {
        return None;
    }
    let mut ready: Vec<SignedDuration> = pods
        .iter()
        .map(|(_, created, since)| since.duration_since(*created))
        .collect();
    ready.sort();
    // From the last pod to the first, one after the other.
    pods.sort_by_key(|(pod, ..)| std::cmp::Reverse(ordinal_of(&pod.meta.name)));
    let delay = SignedDuration::from_secs(set.min_ready_seconds.into());
    let gone = pods.windows(2).filter_map(|pair| {
        let ((one, _, before), (next, created, _)) = (pair[0], pair[1]);
        let is_next = ordinal_of(&one.meta.name) == ordinal_of(&next.meta.name) + 1;
        is_next.then(|| created.duration_since(before) - delay)
    });
    let gone: Vec<SignedDuration> = gone.collect();
    let is_in_turn = gone.iter().all(|gap| *gap >= SignedDuration::ZERO);
    let mut gone = if is_in_turn { gone } else { Vec::new() };
    gone.sort();
    let mut times: Vec<Timestamp> = pods.iter().map(|(_, _, since)| *since).collect();
    times.sort();
    let partition = usize::try_from(set.strategy.partition()).unwrap_or(0);
    let wanted = usize::try_from(set.replicas).unwrap_or(0);
    let pace = mean_gap(&times).map(|each| Pace {
        done: pods.len(),
        of: wanted.saturating_sub(partition).max(pods.len()),
        each,
    });
    Some(Replaced { ready, gone, pace })
}

/// The mean time between moments, without pauses.
fn mean_gap(times: &[Timestamp]) -> Option<SignedDuration> {
    let mut gaps: Vec<SignedDuration> = times
        .windows(2)
        .map(|pair| pair[1].duration_since(pair[0]))
        .collect();
    gaps.sort();
    let moved: Vec<&SignedDuration> = gaps.iter().filter(|gap| !gap.is_zero()).collect();
    let usual = **moved.get(moved.len() / 2)?;
    let pause = usual.checked_mul(PAUSE)?;
    let gaps: Vec<SignedDuration> = gaps.into_iter().filter(|gap| *gap <= pause).collect();
    let sum = gaps
        .iter()
        .try_fold(SignedDuration::ZERO, |sum, gap| sum.checked_add(*gap))?;
    let each = sum / i32::try_from(gaps.len()).ok()?;
    Some(SignedDuration::from_secs(each.as_secs()))
}

/// The median of times that are in order; `None` without any.
pub(super) fn median(times: &[SignedDuration]) -> Option<SignedDuration> {
    let upper = *times.get(times.len() / 2)?;
    let lower = *times.get((times.len().checked_sub(1)?) / 2)?;
    Some((lower + upper) / 2)
}
