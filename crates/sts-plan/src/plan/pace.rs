//! Pace of the rollout in progress, derived from the pods that it has replaced.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::members::{owns, pods_of};
use sts_controller::controller::ordinal_of;
use sts_controller::object::{Pod, Snapshot, Strategy};

/// Minimum number of replaced pods for a pace.
const LEAST: usize = 3;
/// Multiple of the usual gap between two pods from which a gap is a pause.
const PAUSE: i32 = 4;
/// Maximum time from creation to readiness that is taken for a start. After it the pod was ready before: it lost its
/// readiness, or a container has restarted. Its status does not show the start.
const LONGEST_START: SignedDuration = SignedDuration::from_hours(1);

/// Pace of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Number of pods that are ready on the update revision.
    pub done: usize,
    /// Number of pods that the rollout replaces.
    pub of: usize,
    /// Time between one pod becoming ready and the next.
    pub each: SignedDuration,
}

/// Times of the pods that a rollout has replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replaced {
    /// Times from creation to readiness, shortest first.
    pub(super) ready: Vec<SignedDuration>,
    /// Termination times, shortest first: from one pod becoming ready to the creation of the next. Empty unless
    /// pods are replaced one after another.
    pub(super) gone: Vec<SignedDuration>,
    /// Overall pace; `None` if all pods became ready at once.
    pub(super) pace: Option<Pace>,
}

pub(crate) struct StartedPod<'s> {
    pub(crate) pod: &'s Arc<Pod>,
    pub(crate) created: Timestamp,
    /// Start of readiness.
    pub(crate) since: Timestamp,
}

impl<'s> StartedPod<'s> {
    /// Reads the startup times of a pod; `None` if it is not ready or its object does not show them.
    pub(crate) fn of(pod: &'s Arc<Pod>) -> Option<Self> {
        let since = pod.ready.filter(|ready| ready.is_true)?.since?;
        let created = pod.meta.created.filter(|created| *created <= since)?;
        let started = StartedPod {
            pod,
            created,
            since,
        };
        let longest = LONGEST_START.max(pod.startup_allowance());
        (started.took() <= longest).then_some(started)
    }

    pub(crate) fn took(&self) -> SignedDuration {
        self.since.duration_since(self.created)
    }
}

/// Returns the termination time of each pod's predecessor, derived from the gap between one pod becoming available
/// and the creation of the next. Empty unless pods are replaced one after another.
pub(crate) fn gone_before<'s>(
    pods: &mut [StartedPod<'s>],
    delay: SignedDuration,
) -> Vec<(&'s Arc<Pod>, SignedDuration)> {
    // Rollouts proceed from the highest ordinal to the lowest.
    pods.sort_by_key(|started| std::cmp::Reverse(ordinal_of(&started.pod.meta.name)));
    let gaps = pods.windows(2).filter_map(|pair| {
        let (one, next) = (&pair[0], &pair[1]);
        let is_next = ordinal_of(&one.pod.meta.name) == ordinal_of(&next.pod.meta.name) + 1;
        is_next.then(|| (next.pod, next.created.duration_since(one.since) - delay))
    });
    let gaps: Vec<_> = gaps.collect();
    match gaps.iter().all(|(_, gap)| *gap >= SignedDuration::ZERO) {
        true => gaps,
        false => Vec::new(),
    }
}

/// Returns the times of the pods that the current rollout has replaced; `None` without a rollout, or if it has
/// replaced too few.
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
    let mut pods: Vec<StartedPod<'_>> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod) && pod.revision == status.update_revision)
        .filter_map(StartedPod::of)
        .filter(|started| Some(started.created) >= began && !started.pod.is_terminating())
        .collect();
    if pods.len() < LEAST {
        return None;
    }
    let mut ready: Vec<SignedDuration> = pods.iter().map(StartedPod::took).collect();
    ready.sort();
    let delay = SignedDuration::from_secs(set.min_ready_seconds.into());
    let gone = gone_before(&mut pods, delay).into_iter();
    let mut gone: Vec<SignedDuration> = gone.map(|(_, gone)| gone).collect();
    gone.sort();
    let mut times: Vec<Timestamp> = pods.iter().map(|started| started.since).collect();
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

/// Returns the mean gap between timestamps, without pauses.
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

/// Returns the median of sorted times; `None` if empty.
pub(super) fn median(times: &[SignedDuration]) -> Option<SignedDuration> {
    let upper = *times.get(times.len() / 2)?;
    let lower = *times.get((times.len().checked_sub(1)?) / 2)?;
    Some((lower + upper) / 2)
}
