//! How long a plan may take. The simulation has one duration for all pods; real pods have a range.

use jiff::SignedDuration;

use super::Plan;
use super::assumed::{UNKNOWN_READY_AFTER, USUAL_GONE_AFTER, start_times};
use crate::members::owns;

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

/// What the time until a pod is ready rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadySource {
    /// The ready pods of the set.
    Seen,
    /// `--ready-after`.
    Given,
    /// The usual time, since nothing shows it.
    Assumed,
}

/// How long a plan may take, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eta {
    /// From now until it completes.
    pub total: Range,
    /// From a pod's creation until it is ready.
    pub ready: Range,
    /// What the time until a pod is ready rests on.
    pub ready_from: ReadySource,
    /// From a pod's deletion until it is gone: at most its grace period.
    pub gone: Range,
}

impl Plan {
    /// How long the plan may take, by simulating it with the fastest and with the slowest pods. `None` where it does
    /// not complete, takes no time, is too long to be simulated again, or where flags say how long pods take.
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
        let times = start_times(&self.snapshot);
        let seen = times.first().zip(times.last());
        let ready = match (self.conditions.ready_after, seen) {
            (Some(given), _) => Range::exact(given),
            (None, Some((shortest, longest))) => Range {
                shortest: *shortest,
                longest: *longest,
            },
            (None, None) => Range::exact(UNKNOWN_READY_AFTER),
        };
        let gone = match self.conditions.gone_after {
            Some(given) => Range::exact(given),
            None => self.grace_periods(),
        };
        let total = Range {
            shortest: self.duration_with(ready.shortest, gone.shortest)?,
            longest: self.duration_with(ready.longest, gone.longest)?,
        };
        (total.shortest < total.longest).then_some(Eta {
            total,
            ready,
            ready_from: match (self.conditions.ready_after, seen) {
                (Some(_), _) => ReadySource::Given,
                (None, Some(_)) => ReadySource::Seen,
                (None, None) => ReadySource::Assumed,
            },
            gone,
        })
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

    /// How long the plan takes when every pod is ready and gone after these times; `None` where it never completes.
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
