//! Estimated duration range of a plan. The simulation uses one duration for all pods; real pods vary.

use jiff::SignedDuration;

use super::assumed::{UNKNOWN_READY_AFTER, USUAL_GONE_AFTER, start_so_far, start_times};
use super::pace::replaced;
use super::{Pace, Plan};
use crate::members::{owns, pods_of};

/// Maximum number of steps or pods of a plan that is simulated twice more for a range.
const MOST_STEPS: usize = 2_000;
const MOST_PODS: usize = 500;

/// Range of durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Shortest duration.
    pub shortest: SignedDuration,
    /// Longest duration.
    pub longest: SignedDuration,
}

/// Source of the startup time of pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadySource {
    /// Pods replaced by this rollout.
    Rollout,
    /// Ready pods of the set.
    Seen,
    /// `--ready-after`.
    Given,
    /// Default, without any evidence.
    Assumed,
}

/// Source of the termination time of pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoneSource {
    /// Pods replaced by this rollout.
    Rollout,
    /// `--gone-after`.
    Given,
    /// Default and grace periods, without any evidence.
    Grace,
}

/// Estimated duration range of a plan, and the pod times behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eta {
    /// Time from now to completion.
    pub total: Range,
    /// Time from a pod's creation to readiness.
    pub ready: Range,
    /// Source of `ready`.
    pub ready_from: ReadySource,
    /// Time from a pod's deletion to its removal, at most its grace period.
    pub gone: Range,
    /// Source of `gone`.
    pub gone_from: GoneSource,
    /// Pace of the rollout so far; `None` until enough pods are replaced.
    pub pace: Option<Pace>,
}

impl Plan {
    /// Estimates the duration of the plan by simulating it with the fastest and the slowest pods.
    ///
    /// Returns `None` if the plan does not complete, takes no time or is too long to simulate again, or if
    /// flags set the pod times.
    #[must_use]
    pub fn eta(&self) -> Option<Eta> {
        let asked = self.conditions.ready_after.is_some() && self.conditions.gone_after.is_some();
        let steps = self.progression.steps.len();
        let pods = self.progression.world.snapshot().pods.len();
        if asked
            || !self.completes()
            || self.duration().is_zero()
            || steps > MOST_STEPS
            || self.snapshot.pods.len().max(pods) > MOST_PODS
            || self.predecessor.is_some()
        {
            return None;
        }
        let replaced = replaced(&self.snapshot);
        let (times, source) = match &replaced {
            Some(replaced) => (replaced.ready.clone(), ReadySource::Rollout),
            None => (start_times(&self.snapshot), ReadySource::Seen),
        };
        let seen = times.first().zip(times.last());
        let gone = replaced.iter().flat_map(|replaced| &replaced.gone);
        let gone_seen = gone.clone().min().zip(gone.max());
        let (ready, ready_from) = match (self.conditions.ready_after, seen) {
            (Some(given), _) => (Range::exact(given), ReadySource::Given),
            (None, Some((shortest, longest))) => {
                let pods = pods_of(&self.snapshot);
                let starting = pods.filter_map(|pod| self.estimated_start_so_far(&pod.meta.name));
                let range = Range {
                    shortest: *shortest,
                    longest: starting.fold(*longest, SignedDuration::max),
                };
                (range, source)
            }
            (None, None) => (Range::exact(UNKNOWN_READY_AFTER), ReadySource::Assumed),
        };
        let (gone, gone_from) = match (self.conditions.gone_after, gone_seen) {
            (Some(given), _) => (Range::exact(given), GoneSource::Given),
            (None, Some((shortest, longest))) => {
                let range = Range {
                    shortest: *shortest,
                    longest: *longest,
                };
                (range, GoneSource::Rollout)
            }
            (None, None) => (self.grace_periods(), GoneSource::Grace),
        };
        let total = Range {
            shortest: self.duration_with(ready.shortest, gone.shortest)?,
            longest: self.duration_with(ready.longest, gone.longest)?,
        };
        (total.shortest < total.longest).then_some(Eta {
            total,
            ready,
            ready_from,
            gone,
            gone_from,
            pace: replaced.and_then(|replaced| replaced.pace),
        })
    }

    /// Returns how long a pod has been starting, if its startup time is an estimate: not set by a flag or
    /// assumption, and without evidence that it never becomes ready.
    pub(crate) fn estimated_start_so_far(&self, pod: &str) -> Option<SignedDuration> {
        let conditions = &self.conditions;
        if conditions.ready_after.is_some()
            || conditions.assumptions.contains_key(pod)
            || self.evidence.of_pod(pod).is_some()
        {
            return None;
        }
        start_so_far(self.snapshot.pods.get(pod)?, conditions.now)
    }

    /// Returns the range from the default termination time to the longest grace period, including future pods.
    fn grace_periods(&self) -> Range {
        let start = self.snapshot.pods.values();
        let end = self.progression.world.snapshot().pods.values();
        let pods = start.chain(end).filter(|pod| owns(&self.snapshot, pod));
        let grace = pods.map(|pod| SignedDuration::from_secs(pod.grace_seconds));
        let longest = grace.max().unwrap_or(USUAL_GONE_AFTER);
        Range {
            shortest: USUAL_GONE_AFTER.min(longest),
            longest,
        }
    }

    /// Returns the duration of the plan with the given pod times; `None` if it never completes.
    fn duration_with(
        &self,
        ready_after: SignedDuration,
        gone_after: SignedDuration,
    ) -> Option<SignedDuration> {
        let mut conditions = self.conditions.clone();
        conditions.ready_after = Some(ready_after);
        conditions.gone_after = Some(gone_after);
        let plan = Plan::with_actions(self.actions.clone(), self.snapshot.clone(), conditions);
        plan.completes().then(|| plan.duration())
    }
}

impl Range {
    fn exact(duration: SignedDuration) -> Self {
        Range {
            shortest: duration,
            longest: duration,
        }
    }
}
