//! Startup and termination times of pods learned from verifications of earlier rollouts (`--learn`).
//!
//! A verification has the times of the pods created since the start of its plan. Verifications of the same rollout
//! share pods, which count once, by UID.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::members::{owns, pods_of};
use crate::plan::{StartedPod, gone_before};
use crate::report::{PodTimes, Verification};
use sts_controller::object::Snapshot;

/// Percentage of the times that are cut off at each end for an estimate.
const TAIL: usize = 10;
/// Tolerance beyond the grace period. A pod that is gone for longer was waiting for something else.
const SLACK: SignedDuration = SignedDuration::from_secs(30);

/// Learned times of each set, by namespace and name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    sets: BTreeMap<(String, String), Lesson>,
    seen: BTreeSet<String>,
}

/// Learned times of one set, each list shortest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lesson {
    ready: Vec<SignedDuration>,
    gone: Vec<SignedDuration>,
}

/// Percentiles of pod times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    /// Number of pods.
    pub pods: usize,
    /// 10th percentile.
    pub p10: SignedDuration,
    /// Median.
    pub p50: SignedDuration,
    /// 90th percentile.
    pub p90: SignedDuration,
}

impl Lessons {
    /// Adds a verification.
    pub fn add(&mut self, verification: &Verification) {
        let set = &verification.metadata;
        let key = (set.namespace.clone(), set.name.clone());
        let lesson = self.sets.entry(key).or_default();
        for times in &verification.times {
            if self.seen.insert(times.uid.clone()) {
                lesson.ready.push(seconds(times.ready_seconds));
                lesson.gone.extend(times.gone_seconds.map(seconds));
            }
        }
        lesson.ready.sort();
        lesson.gone.sort();
    }

    /// Returns the learned times of a set; `None` without a verification of it.
    #[must_use]
    pub fn of_set(&self, namespace: &str, name: &str) -> Option<&Lesson> {
        self.sets.get(&(namespace.to_owned(), name.to_owned()))
    }
}

impl Lesson {
    /// Returns the startup times; `None` without any.
    #[must_use]
    pub fn ready(&self) -> Option<Percentiles> {
        percentiles(&self.ready)
    }

    /// Returns the termination times; `None` without any.
    #[must_use]
    pub fn gone(&self) -> Option<Percentiles> {
        percentiles(&self.gone)
    }
}

fn seconds(seconds: i64) -> SignedDuration {
    // Longer than any pod takes, and small enough to keep sums within the calendar.
    const LONGEST: i64 = 365 * 24 * 3600;
    SignedDuration::from_secs(seconds.clamp(0, LONGEST))
}

fn percentiles(times: &[SignedDuration]) -> Option<Percentiles> {
    let at = |percent: usize| {
        let rank = (times.len() * percent).div_ceil(100).max(1);
        times.get(rank - 1).copied()
    };
    Some(Percentiles {
        pods: times.len(),
        p10: at(TAIL)?,
        p50: at(50)?,
        p90: at(100 - TAIL)?,
    })
}

/// Returns the times of the ready pods created since a point in time, including the termination time of the
/// predecessor where pods were replaced one after another.
pub(crate) fn times_since(snapshot: &Snapshot, begins: Timestamp) -> Vec<PodTimes> {
    let pods = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    let mut started: Vec<StartedPod<'_>> = pods
        .filter_map(StartedPod::of)
        .filter(|started| started.created >= begins && !started.pod.meta.uid.is_empty())
        .collect();
    let delay = SignedDuration::from_secs(snapshot.set.min_ready_seconds.into());
    let gone: BTreeMap<Arc<str>, SignedDuration> = gone_before(&mut started, delay)
        .into_iter()
        .filter(|(pod, gone)| *gone <= SignedDuration::from_secs(pod.grace_seconds) + SLACK)
        .map(|(pod, gone)| (Arc::clone(&pod.meta.uid), gone))
        .collect();
    started
        .iter()
        .map(|started| PodTimes {
            pod: started.pod.meta.name.to_string(),
            uid: started.pod.meta.uid.to_string(),
            ready_seconds: started.took().as_secs(),
            gone_seconds: gone.get(&started.pod.meta.uid).map(SignedDuration::as_secs),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let times: Vec<SignedDuration> = (1..=20).map(SignedDuration::from_secs).collect();
        let found = percentiles(&times).unwrap();
        let seconds = [found.p10, found.p50, found.p90].map(|time| time.as_secs());
        assert_eq!((found.pods, seconds), (20, [2, 10, 18]));
        let one = percentiles(&times[..1]).unwrap();
        assert_eq!((one.p10, one.p90), (times[0], times[0]));
        assert_eq!(percentiles(&[]), None);
    }
}
