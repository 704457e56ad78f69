//! Startup and termination times of the pods of a rollout.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::members::{owns, pods_of};
use crate::plan::{StartedPod, gone_before};
use sts_controller::object::Snapshot;

/// Tolerance beyond the grace period. A pod that is gone for longer was waiting for something else.
const SLACK: SignedDuration = SignedDuration::from_secs(30);

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
