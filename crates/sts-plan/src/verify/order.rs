//! Check of the order of the controller's actions.
//!
//! Pods become ready in any order, and under `Parallel` or a larger `maxUnavailable` many actions follow from that.
//! Two rules always hold. Of two pods deleted by different syncs, the first is deleted first. A controller that
//! handles one pod at a time does not touch the next before the previous one is healthy.

use std::sync::Arc;

use super::Difference;
use super::comparison::StepState;
use super::matcher::Matcher;
use super::observe::{Observed, Stage};
use super::prediction::{Kind, PredictedEvent, PredictedStep};
use sts_controller::controller::{Resource, Verb, ordinal_of};
use sts_controller::simulate::PodEvent;

/// Returns the first step that happened although a prerequisite step did not.
pub(super) fn out_of_order(matcher: &Matcher<'_>, steps: &[StepState]) -> Option<Difference> {
    let predicted = &matcher.prediction.steps;
    // Steps of objects off their lifecycle prove nothing, and are reported separately.
    let open = || {
        let open = (0..predicted.len()).filter(|index| steps[*index] == StepState::Open);
        open.filter(|index| !matcher.touches_unmatched(*index))
    };
    let done = (0..predicted.len()).filter(|index| steps[*index] != StepState::Open);
    let first_open = open().next()?;
    // Successors of any open step of a kind also follow the first one. For steps about a pod, the first two suffice,
    // as one may be about the same pod.
    let mut earlier: Vec<usize> = Vec::new();
    earlier.extend(open().find(|index| written(&predicted[*index], Verb::Delete).is_some()));
    earlier.extend(
        open()
            .filter(|index| is_awaited(&predicted[*index], ""))
            .take(2),
    );
    earlier.extend(
        open()
            .filter_map(|index| Some((readied(&predicted[index])?, index)))
            .min()
            .map(|(_, index)| index),
    );
    earlier.sort_unstable();
    for later in done.filter(|index| *index > first_open) {
        for earlier in earlier.iter().take_while(|index| **index < later) {
            if let Some(difference) = conflict(matcher, *earlier, later) {
                return Some(difference);
            }
        }
    }
    None
}

/// Returns the ordinal of the pod that becomes ready.
fn readied(step: &PredictedStep) -> Option<i64> {
    match &step.what {
        PredictedEvent::Pod(PodEvent::Ready, pod) => Some(ordinal_of(pod)),
        _ => None,
    }
}

/// Returns the contradiction if the later step happened and the earlier one did not.
fn conflict(matcher: &Matcher<'_>, earlier: usize, later: usize) -> Option<Difference> {
    let (first, second) = (
        &matcher.prediction.steps[earlier],
        &matcher.prediction.steps[later],
    );
    if let (Some(_), Some(pod)) = (
        written(first, Verb::Delete),
        gone_early(matcher, second, later),
    ) {
        return Some(Difference::too_early(matcher, &pod, first, second));
    }
    if !matcher.prediction.one_by_one {
        return None;
    }
    if let Some(pod) = gone_early(matcher, second, later) {
        return is_awaited(first, &pod)
            .then(|| Difference::too_early(matcher, &pod, first, second));
    }
    let made = written(second, Verb::Create)?;
    match &first.what {
        PredictedEvent::Pod(PodEvent::Ready, pod) if ordinal_of(pod) < ordinal_of(&made) => {
            let key = (Kind::Pod, Arc::clone(pod));
            let waits = match &matcher.objects.get(&key)?.observed {
                Observed::Pod { pod, .. } => Stage::of(pod) == Stage::Waiting,
                _ => false,
            };
            waits.then(|| Difference::not_ready(matcher, pod, first, second))
        }
        _ => None,
    }
}

/// Reports whether a controller that handles one pod at a time waits for this step before it deletes a pod.
fn is_awaited(step: &PredictedStep, pod: &str) -> bool {
    match &step.what {
        PredictedEvent::Pod(PodEvent::Ready | PodEvent::Removed, other) => **other != *pod,
        PredictedEvent::Sync(_) => written(step, Verb::Create).is_some_and(|made| *made != *pod),
        _ => false,
    }
}

/// Returns the first pod that a sync creates or deletes.
fn written(step: &PredictedStep, verb: Verb) -> Option<Arc<str>> {
    let PredictedEvent::Sync(writes) = &step.what else {
        return None;
    };
    let mut found = writes.iter().filter(|write| {
        write.verb == verb && write.resource == Resource::Pods && !write.is_refused()
    });
    found.next().map(|write| Arc::clone(&write.name))
}

/// Returns the first pod deleted by a sync whose state is beyond that step.
fn gone_early(matcher: &Matcher<'_>, step: &PredictedStep, index: usize) -> Option<Arc<str>> {
    let PredictedEvent::Sync(writes) = &step.what else {
        return None;
    };
    let deletes = writes.iter().filter(|write| {
        write.verb == Verb::Delete && write.resource == Resource::Pods && !write.is_refused()
    });
    let mut gone = deletes.filter(|write| {
        let key = (Kind::Pod, Arc::clone(&write.name));
        let at = matcher.objects.get(&key).and_then(|object| object.at);
        at.is_some_and(|(from, _)| from > index)
    });
    gone.next().map(|write| Arc::clone(&write.name))
}
