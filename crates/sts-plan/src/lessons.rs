//! Startup and termination times of pods learned from verifications of earlier rollouts (`--learn`).
//!
//! A verification has the times of the pods created since the start of its plan. Verifications of the same rollout
//! share pods, which count once, by UID.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

/// Percentage of the times that are cut off at each end for an estimate.
const TAIL: usize = 10;

/// Startup and termination times of a pod created since the start of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodTimes {
    /// Pod name.
    pub pod: String,
    /// UID of the pod, which distinguishes it from others with the same name.
    pub uid: String,
    /// Whole seconds from creation to readiness.
    pub ready_seconds: i64,
    /// Whole seconds that its predecessor took to terminate; absent unless pods were replaced one after
    /// another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_seconds: Option<i64>,
}

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
    /// Adds the times that a verification of a set measured.
    pub fn add(&mut self, namespace: &str, name: &str, times: &[PodTimes]) {
        let key = (namespace.to_owned(), name.to_owned());
        let lesson = self.sets.entry(key).or_default();
        for times in times {
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
