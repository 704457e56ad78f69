//! Estimates of the time that a plan may take. The simulation has one duration for all pods; real pods have a range.

use jiff::SignedDuration;

use super::assumed::{UNKNOWN_READY_AFTER, USUAL_GONE_AFTER, lesson, start_so_far, start_times};
use super::pace::replaced;
use super::{Pace, Plan};
use crate::lessons::{Lesson, Percentiles};
use crate::members::{owns, pods_of};

/// A plan of more steps, or of more pods, is not simulated twice more for a range.
const MOST_STEPS: usize = 2_000;
const MOST_PODS: usize = 500;

/// The shortest and the longest time that something takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The shortest.
    pub shortest: SignedDuration,
    /// The longest.
    pub longest: SignedDuration,
}

/// The source of the time until a pod is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadySource {
    /// The pods that this rollout has replaced.
    Rollout,
    /// So many pods of earlier rollouts.
    Learned(usize),
    /// The ready pods of the set.
    Seen,
    /// `--ready-after`.
    Given,
    /// The usual time, since nothing shows it.
    Assumed,
}

/// The source of the time until a pod is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoneSource {
    /// The pods that this rollout has replaced.
    Rollout,
    /// So many pods of earlier rollouts.
    Learned(usize),
    /// `--gone-after`.
    Given,
    /// The usual time and the grace periods, since nothing shows it.
    Grace,
}

/// The range of time that a plan may take, and the times of pods that it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eta {
    /// From now until it completes.
    pub total: Range,
    /// From a pod's creation until it is ready.
    pub ready: Range,
    /// The source of the time until a pod is ready.
    pub ready_from: ReadySource,
    /// From a pod's deletion until it is gone: at most its grace period.
    pub gone: Range,
    /// The source of the time until a pod is gone.
    pub gone_from: GoneSource,
    /// The pace of the rollout so far; `None` where it has replaced too few pods to tell.
    pub pace: Option<Pace>,
}

impl Plan {
    /// Returns the range of time that the plan may take, by simulating it with the fastest and with the slowest pods.
    /// `None` where it does not complete, takes no time, is too long to be simulated again, or where flags say how long
    /// pods take.
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
        let lesson = lesson(&self.snapshot, &self.conditions);
        let learned = lesson.and_then(Lesson::ready);
        let (ready, ready_from) = match (self.conditions.ready_after, learned, seen) {
            (Some(given), ..) => (Range::exact(given), ReadySource::Given),
            (None, Some(learned), _) if source != ReadySource::Rollout => {
                (learned.into(), ReadySource::Learned(learned.pods))
            }
            (None, _, Some((shortest, longest))) => {
                let pods = pods_of(&self.snapshot);
                let starting = pods.filter_map(|pod| self.estimated_start_so_far(&pod.meta.name));
                let range = Range {
                    shortest: *shortest,
                    longest: starting.fold(*longest, SignedDuration::max),
                };
                (range, source)
            }
            (None, _, None) => (Range::exact(UNKNOWN_READY_AFTER), ReadySource::Assumed),
        };
        let learned = lesson.and_then(Lesson::gone);
        let (gone, gone_from) = match (self.conditions.gone_after, gone_seen, learned) {
            (Some(given), ..) => (Range::exact(given), GoneSource::Given),
            (None, Some((shortest, longest)), _) => {
                let range = Range {
                    shortest: *shortest,
                    longest: *longest,
                };
                (range, GoneSource::Rollout)
            }
            (None, None, Some(learned)) => (learned.into(), GoneSource::Learned(learned.pods)),
            (None, None, None) => (self.grace_periods(), GoneSource::Grace),
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

    /// For how long a pod has been starting, where an estimate says how long that takes: neither a flag nor an
    /// assumption does, and nothing shows that it never becomes ready.
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

    /// From the usual time to the longest grace period of the set's pods, those to come among them.
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

    /// Returns the time that the plan takes when every pod is ready and gone after these times; `None` where it never
    /// completes.
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

impl From<Percentiles> for Range {
    /// From the time of the fastest tenth to that of the slowest.
    fn from(times: Percentiles) -> Self {
        Range {
            shortest: times.p10,
            longest: times.p90,
        }
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
