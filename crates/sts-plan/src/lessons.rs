//! Lessons of earlier rollouts: how long the pods of a set took to become ready and to go, as verifications of saved plans
//! tell it (`--learn`).
//!
//! A verification has the times of the pods that were made since its plan began. Several of one rollout have the
//! same pods, which count once, by their uids.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::members::{owns, pods_of};
use crate::plan::{StartedPod, gone_before};
use crate::report::{PodTimes, Verification};
use sts_controller::object::Snapshot;

/// Share of the times that are shorter than the shortest that an estimate counts with, and likewise longer than the longest,
/// in percent.
const TAIL: usize = 10;
/// A pod that is away for longer than its grace period and so long is not still going: something else was waited for.
const SLACK: SignedDuration = SignedDuration::from_secs(30);

/// The lessons of each set, by namespace and name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lessons {
    sets: BTreeMap<(String, String), Lesson>,
    seen: BTreeSet<String>,
}

/// The times that the pods of one set took, each list with the shortest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lesson {
    ready: Vec<SignedDuration>,
    gone: Vec<SignedDuration>,
}

/// Times of pods, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    /// Number of pods.
    pub pods: usize,
    /// Nine tenths of the pods took longer, or as long.
    pub p10: SignedDuration,
    /// The median.
    pub p50: SignedDuration,
    /// Nine tenths of the pods took less time, or as long.
    pub p90: SignedDuration,
}

impl Lessons {
    /// Takes in a verification.
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

    /// The lesson of a set; `None` where no verification is of it.
    #[must_use]
    pub fn of_set(&self, namespace: &str, name: &str) -> Option<&Lesson> {
        self.sets.get(&(namespace.to_owned(), name.to_owned()))
    }
}

impl Lesson {
    /// The times from creation to readiness; `None` where no pod has shown them.
    #[must_use]
    pub fn ready(&self) -> Option<Percentiles> {
        percentiles(&self.ready)
    }

    /// The times from deletion until a pod is gone; `None` where no pod has shown them.
    #[must_use]
    pub fn gone(&self) -> Option<Percentiles> {
        percentiles(&self.gone)
    }
}

fn seconds(seconds: i64) -> SignedDuration {
    // A year is more than any pod takes, and keeps every sum within the calendar.
    const LONGEST: i64 = 365 * 24 * 3600;
    SignedDuration::from_secs(seconds.clamp(0, LONGEST))
}

/// Percentiles by the nearest rank, of times that are in order.
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

/// The times of the set's pods that were made since a moment: those that are ready, and where one was replaced after the
/// other, how long the one before took to go.
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
