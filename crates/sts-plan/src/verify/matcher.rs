//! Matching of steps with the world, by the positions of objects on their lifecycles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::Difference;
use super::comparison::{Comparison, Now, StepState, Verdict};
use super::difference::{object_difference, pod_difference};
use super::lifecycle::{Lifecycle, Lifecycles, lifecycles};
use super::observe::Observed;
use super::observed::{observed, touched};
use super::order::out_of_order;
use super::prediction::{Kind, PredictedEvent, Prediction};
use crate::plan::{pods_of, revisions_of};
use sts_controller::controller::{Resource, has_available_replicas};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Actor, PodEvent};

/// Object with its lifecycle, its observed state and its position.
pub(super) struct Tracked {
    pub(super) lifecycle: Lifecycle,
    pub(super) observed: Observed,
    /// Matching positions; empty if the state is not on the lifecycle.
    positions: Vec<(usize, usize)>,
    pub(super) at: Option<(usize, usize)>,
}

pub(super) struct Matcher<'c> {
    pub(super) prediction: &'c Prediction,
    pub(super) now: &'c Snapshot,
    pub(super) then: Timestamp,
    pub(super) objects: BTreeMap<(Kind, Arc<str>), Tracked>,
    pub(super) touched: Vec<Vec<(Kind, Arc<str>)>>,
}

impl<'c> Matcher<'c> {
    pub(super) fn new(prediction: &'c Prediction, seen: &Now<'c>, then: Timestamp) -> Self {
        let now = seen.objects();
        let end = prediction.steps.len();
        let mut lifecycles: Lifecycles = lifecycles(prediction);
        for pod in pods_of(now) {
            let key = (Kind::Pod, Arc::clone(&pod.meta.name));
            lifecycles
                .entry(key)
                .or_insert_with(|| Lifecycle::unknown(end));
        }
        for claim in now.claims.keys() {
            let key = (Kind::Claim, Arc::clone(claim));
            lifecycles
                .entry(key)
                .or_insert_with(|| Lifecycle::unknown(end));
        }
        let ours = &now.set.meta.uid;
        for revision in revisions_of(now) {
            let owner = revision.meta.controller();
            if owner.is_some_and(|owner| owner.uid == *ours) {
                let key = (Kind::Revision, Arc::clone(&revision.meta.name));
                lifecycles
                    .entry(key)
                    .or_insert_with(|| Lifecycle::unknown(end));
            }
        }
        let objects = lifecycles.into_iter().map(|(key, lifecycle)| {
            let observed = observed(prediction, seen, &key);
            let positions = lifecycle.positions(&observed);
            let tracked = Tracked {
                lifecycle,
                observed,
                positions,
                at: None,
            };
            (key, tracked)
        });
        Matcher {
            prediction,
            now,
            then,
            objects: objects.collect(),
            touched: prediction
                .steps
                .iter()
                .map(|step| touched(&step.what))
                .collect(),
        }
    }

    /// Determines the position of the world in the plan, and the verdict.
    pub(super) fn judge(mut self, comparison: &mut Comparison) {
        let due = self.steps_due();
        let shared = self.shared_positions();
        if let Some(run) = nearest(&shared, due) {
            let position = self.position_within(run);
            for object in self.objects.values_mut() {
                let held = |(from, to): &&(usize, usize)| (*from..=*to).contains(&position);
                object.at = object.positions.iter().find(held).copied();
            }
            comparison.steps[..position].fill(StepState::Done);
        } else {
            self.choose_positions(due);
            for (index, state) in comparison.steps.iter_mut().enumerate() {
                *state = self.state_of(index);
            }
            self.settle_unseen(&mut comparison.steps);
        }
        let mut differences = self.differences();
        differences.extend(out_of_order(&self, &comparison.steps));
        differences.extend(self.in_trouble(&comparison.steps));
        differences.sort_by_key(Difference::rank);
        let mut seen = BTreeSet::new();
        differences
            .retain(|difference| seen.insert((difference.resource, difference.name.clone())));
        comparison.differences = differences;
        let origin = self.origin(&comparison.steps);
        let elapsed = origin.map(|origin| self.then.duration_since(origin));
        comparison.overdue = elapsed.and_then(|elapsed| self.overdue(&comparison.steps, elapsed));
        comparison.verdict = if !comparison.differences.is_empty() {
            Verdict::Diverged
        } else if comparison.next().is_none() {
            Verdict::Finished
        } else if comparison
            .next()
            .is_some_and(|next| self.waits_for_user(next))
        {
            comparison.overdue = None;
            Verdict::Pending
        } else if comparison
            .overdue
            .as_ref()
            .is_some_and(|overdue| overdue.by > self.patience().as_secs())
            && comparison.steps.iter().all(|step| *step == StepState::Open)
        {
            // Nothing has begun, although it is long overdue.
            Verdict::Pending
        } else if comparison.overdue.is_none()
            && elapsed.is_some_and(|elapsed| self.is_ahead(&comparison.steps, elapsed))
        {
            Verdict::Ahead
        } else {
            Verdict::OnTrack
        };
    }

    fn waits_for_user(&self, index: usize) -> bool {
        let what = &self.prediction.steps[index].what;
        matches!(what, PredictedEvent::Object(Actor::User, ..))
    }

    fn steps_due(&self) -> usize {
        let elapsed = self.then.duration_since(self.prediction.begins).as_secs();
        let steps = &self.prediction.steps;
        steps.partition_point(|step| step.at <= elapsed)
    }

    fn shared_positions(&self) -> Vec<(usize, usize)> {
        let mut shared = vec![(0, self.prediction.steps.len())];
        for object in self.objects.values() {
            let mut both = Vec::new();
            for (from, to) in &shared {
                for (start, end) in &object.positions {
                    let (from, to) = (*from.max(start), *to.min(end));
                    if from <= to {
                        both.push((from, to));
                    }
                }
            }
            shared = both;
        }
        shared
    }

    /// Returns the world's position within a run of indistinguishable positions, which differ only in time and
    /// status.
    fn position_within(&self, (from, to): (usize, usize)) -> usize {
        let not_yet = |index: &usize| match &self.prediction.steps[*index].what {
            PredictedEvent::Pod(PodEvent::Available, pod) => !self.is_available(pod),
            _ => false,
        };
        let position = (from..to).find(not_yet).unwrap_or(to);
        if position < self.prediction.steps.len() || self.status_is_final() {
            return position;
        }
        let writes_status = |index: &usize| match &self.prediction.steps[*index].what {
            PredictedEvent::Sync(writes) => writes
                .iter()
                .any(|write| write.resource == Resource::Status && !write.is_refused()),
            _ => false,
        };
        (from..position)
            .rev()
            .find(writes_status)
            .unwrap_or(position)
    }

    fn is_available(&self, pod: &str) -> bool {
        let pod = self.now.pods.get(pod);
        pod.is_some_and(|pod| {
            pod.is_available(self.prediction.plan.set.min_ready_seconds, self.then)
        })
    }

    fn status_is_final(&self) -> bool {
        let status = &self.now.status;
        let mut found = status.to_json(has_available_replicas(status, &self.prediction.behaviour));
        let mut planned = self.prediction.plan.outcome.status.to_json();
        for status in [&mut found, &mut planned] {
            if let Value::Object(members) = status {
                // Observations of other writers, or not written by this controller.
                for name in ["observedGeneration", "conditions", "collisionCount"] {
                    members.remove(name);
                }
            }
        }
        found == planned
    }

    /// Chooses a position for each object if they share none: the one nearest to the objects with a single
    /// matching position.
    fn choose_positions(&mut self, due: usize) {
        let certain = self
            .objects
            .values()
            .filter_map(|object| match object.positions[..] {
                [(from, to)] if to < self.prediction.steps.len() => Some((from, to)),
                _ => None,
            });
        let front = certain.map(|(from, _)| from).max().unwrap_or(due);
        for object in self.objects.values_mut() {
            object.at = nearest(&object.positions, front);
        }
    }

    /// Returns the state of a step according to the objects that it changes.
    fn state_of(&self, index: usize) -> StepState {
        let objects = self.touched[index].iter();
        let at = objects.filter_map(|key| self.objects.get(key)?.at);
        let (mut done, mut open) = (false, false);
        for (from, to) in at {
            done |= from > index;
            open |= to <= index;
        }
        match (done, open) {
            (true, false) => StepState::Done,
            (true, true) => StepState::Begun,
            _ => StepState::Open,
        }
    }

    /// Marks steps without observable changes as done if a later step is done.
    fn settle_unseen(&self, steps: &mut [StepState]) {
        let last = steps.iter().rposition(|step| *step == StepState::Done);
        for (step, touched) in steps.iter_mut().zip(&self.touched).take(last.unwrap_or(0)) {
            if !touched.iter().any(|key| self.objects.contains_key(key)) {
                *step = StepState::Done;
            }
        }
    }

    /// Reports whether a step changes an object whose state is not on its lifecycle.
    pub(super) fn touches_unmatched(&self, index: usize) -> bool {
        let mut objects = self.touched[index].iter();
        objects.any(|key| {
            let object = self.objects.get(key);
            object.is_some_and(|object| object.positions.is_empty())
        })
    }

    /// Returns the differences of objects whose state is not on their lifecycle.
    fn differences(&self) -> Vec<Difference> {
        let lost = self
            .objects
            .iter()
            .filter(|(_, object)| object.positions.is_empty());
        lost.map(|((kind, name), object)| match kind {
            Kind::Pod => pod_difference(self, name, object),
            Kind::Set | Kind::Claim | Kind::Revision => {
                object_difference(self, *kind, name, object)
            }
        })
        .collect()
    }

    /// Returns the differences of pods that should become ready but show trouble.
    fn in_trouble(&self, steps: &[StepState]) -> Vec<Difference> {
        let open = self.prediction.steps.iter().zip(steps);
        let open = open.filter(|(_, state)| **state != StepState::Done);
        let mut found = Vec::new();
        for (step, _) in open {
            let PredictedEvent::Pod(PodEvent::Ready, name) = &step.what else {
                continue;
            };
            let Some(pod) = self.now.pods.get(name) else {
                continue;
            };
            let start = self.prediction.pods.get(name);
            let known =
                start.is_some_and(|start| start.waiting.is_some() && *start.uid == *pod.meta.uid);
            if let Some(trouble) = pod.trouble.as_ref().filter(|_| !known && !pod.is_ready()) {
                found.push(Difference::trouble(name, step.at, trouble, pod));
            }
        }
        found
    }
}

/// Returns the run that contains a position or is nearest to it; the earlier one in a tie.
fn nearest(runs: &[(usize, usize)], position: usize) -> Option<(usize, usize)> {
    let distance = |(from, to): &(usize, usize)| {
        from.saturating_sub(position)
            .max(position.saturating_sub(*to))
    };
    runs.iter().copied().min_by_key(distance)
}
