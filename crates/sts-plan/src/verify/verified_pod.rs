//! Predicted and observed states of each pod.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Now, Prediction, Stage};
use crate::report::PodPeriod;
use crate::report::timeline::{State, Timeline};
use sts_controller::object::Pod;

/// Pod of a verified plan, predicted and observed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifiedPod {
    /// Pod name.
    pub name: String,
    /// Predicted periods, in order.
    pub predicted: Vec<PodPeriod>,
    /// Observed periods, in order, until the verification. Periods before the pod's creation and of deleted
    /// pods are unknown.
    pub found: Vec<PodPeriod>,
}

/// Returns the planned and the existing pods, by ordinal and name.
pub(super) fn verified_pods(
    prediction: &Prediction,
    now: &Now<'_>,
    then: Timestamp,
) -> Vec<VerifiedPod> {
    let there = &now.objects().pods;
    let mut pods: Vec<VerifiedPod> = Vec::new();
    let mut planned: BTreeSet<String> = BTreeSet::new();
    for lane in Timeline::predicted(prediction).lanes {
        let pod = there.get(lane.pod.as_str());
        planned.insert(lane.pod.clone());
        pods.push(VerifiedPod {
            predicted: lane.periods(0),
            found: pod.map_or_else(Vec::new, |pod| found(prediction, pod, then)),
            name: lane.pod,
        });
    }
    let unplanned = there.iter().filter(|(name, _)| !planned.contains(&***name));
    pods.extend(unplanned.map(|(name, pod)| VerifiedPod {
        name: name.to_string(),
        predicted: Vec::new(),
        found: found(prediction, pod, then),
    }));
    pods
}

/// Derives the periods since the start of the plan from a pod's creation, readiness transitions and deletion.
fn found(prediction: &Prediction, pod: &Pod, then: Timestamp) -> Vec<PodPeriod> {
    let seconds = |at: Timestamp| at.duration_since(prediction.begins).as_secs();
    let now = seconds(then);
    let within = |at: i64, from: i64| at.clamp(from, now.max(from));
    let start = prediction.pods.get(&pod.meta.name);
    let is_the_same = start.is_some_and(|start| start.uid == *pod.meta.uid);
    let born = match pod.meta.created {
        Some(_) if is_the_same => 0,
        Some(at) => within(seconds(at), 0),
        None => 0,
    };
    // A new pod's condition turns false when its kubelet first sees it. Only a formerly ready pod lost its
    // readiness then.
    let was_ready = is_the_same && start.is_some_and(|start| start.stage == Stage::Ready);
    let mut turns: Vec<(i64, State)> = Vec::new();
    let turned = pod.ready.and_then(|ready| ready.since).map(seconds);
    let turned = turned.filter(|at| *at > born && *at <= now);
    if pod.phase.has_ended() {
        turns.push((born, State::Failed));
    } else if pod.is_ready() {
        // The start of a temporary loss of readiness is not recorded.
        if !was_ready {
            turns.push((born, State::Unready));
        }
        turns.push((turned.unwrap_or(born), State::Ready));
        let wait = turned.map_or(0, |_| i64::from(prediction.plan.set.min_ready_seconds));
        turns.push((turned.unwrap_or(born) + wait, State::Available));
    } else if let Some(at) = turned.filter(|_| was_ready) {
        turns.extend([(born, State::Available), (at, State::Unready)]);
    } else {
        turns.push((born, State::Unready));
    }
    if let Some(at) = pod.meta.deleted {
        // deletionTimestamp is the end of the grace period.
        turns.push((
            within(seconds(at) - pod.grace_seconds, born),
            State::Terminating,
        ));
    }
    let ends = turns.iter().skip(1).map(|(at, _)| Some(*at)).chain([None]);
    let periods = turns.iter().zip(ends).map(|((from, state), to)| PodPeriod {
        state: *state,
        revision: pod.revision.to_string(),
        from: *from,
        to,
    });
    let mut periods: Vec<PodPeriod> = periods
        .filter(|period| period.from <= now && period.to.is_none_or(|to| to > period.from))
        .collect();
    if let Some(last) = periods.last_mut() {
        last.to = None;
    }
    periods
}
