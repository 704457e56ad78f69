//! The check that the controller's actions came in the order in which it does things.
//!
//! Pods become ready in whatever order they like, and under `Parallel` or a larger `maxUnavailable` much follows from
//! that. Some orders hold all the same: of two pods that different syncs delete, the first goes first; and a
//! controller that takes one pod after the other does nothing to the next before the last one is well.

use std::sync::Arc;

use super::comparison::StepState;
use super::matcher::Matcher;
use super::observe::{Observed, Stage};
use super::prediction::{Kind, PredictedEvent, PredictedStep};
use crate::report::Difference;
use sts_controller::controller::{Resource, Verb, ordinal_of};
use sts_controller::simulate::PodEvent;

/// The first step that happened though one that has to come before it did not.
pub(super) fn out_of_order(matcher: &Matcher<'_>, steps: &[StepState]) -> Option<Difference> {
    let predicted = &matcher.prediction.steps;
    // Nothing can be said of the steps of an object that has left its lifecycle, which is told anyway.
    let open = || {
        let open = (0..predicted.len()).filter(|index| steps[*index] == StepState::Open);
        open.filter(|index| !matcher.is_about_the_lost(*index))
    };
    let done = (0..predicted.len()).filter(|index| steps[*index] != StepState::Open);
    let first_open = open().next()?;
    // Whatever comes after any open step of a sort comes after the first one; of those that are about a pod the
    // first two will do, since one may be about the same pod.
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

/// The ordinal of the pod that becomes ready.
fn readied(step: &PredictedStep) -> Option<i64> {
    match &step.what {
        PredictedEvent::Pod(PodEvent::Ready, pod) => Some(ordinal_of(pod)),
        _ => None,
    }
}

/// Returns the contradiction, if any, when the later step happened and the earlier one did not.
fn conflict(matcher: &Matcher<'_>, earlier: usize, later: usize) -> Option<Difference> {
    let (first, second) = (
        &matcher.prediction.steps[earlier],
        &matcher.prediction.steps[later],
    );
    if let (Some(_), Some(pod)) = (
        written(first, Verb::Delete),
        gone_early(matcher, second, later),
    ) {
        return Some(Difference::before_its_turn(matcher, &pod, first, second));
    }
    if !matcher.prediction.one_by_one {
        return None;
    }
    if let Some(pod) = gone_early(matcher, second, later) {
        return is_awaited(first, &pod)
            .then(|| Difference::before_its_turn(matcher, &pod, first, second));
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

/// Reports whether a controller that takes one pod after the other deletes none before this happened.
fn is_awaited(step: &PredictedStep, pod: &str) -> bool {
    match &step.what {
        PredictedEvent::Pod(PodEvent::Ready | PodEvent::Removed, other) => **other != *pod,
        PredictedEvent::Sync(_) => written(step, Verb::Create).is_some_and(|made| *made != *pod),
        _ => false,
    }
}

/// The pod that a sync creates or deletes first.
fn written(step: &PredictedStep, verb: Verb) -> Option<Arc<str>> {
    let PredictedEvent::Sync(writes) = &step.what else {
        return None;
    };
    let mut found = writes
        .iter()
        .filter(|write| write.verb == verb && write.resource == Resource::Pods && !write.refused);
    found.next().map(|write| Arc::clone(&write.name))
}

/// The first of the pods that a sync deletes which is beyond that.
fn gone_early(matcher: &Matcher<'_>, step: &PredictedStep, index: usize) -> Option<Arc<str>> {
    let PredictedEvent::Sync(writes) = &step.what else {
        return None;
    };
    let deletes = writes.iter().filter(|write| {
        write.verb == Verb::Delete && write.resource == Resource::Pods && !write.refused
    });
    let mut gone = deletes.filter(|write| {
        let key = (Kind::Pod, Arc::clone(&write.name));
        let at = matcher.objects.get(&key).and_then(|object| object.at);
        at.is_some_and(|(from, _)| from > index)
    });
    gone.next().map(|write| Arc::clone(&write.name))
}
