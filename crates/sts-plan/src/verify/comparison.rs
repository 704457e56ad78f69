//! Comparison of a plan with a newer snapshot.

use jiff::Timestamp;

use super::matcher::Matcher;
use super::prediction::Prediction;
use super::specification::{SpecificationState, specification_state};
use super::{ChangedObject, Difference, StaleField};
use sts_controller::object::Snapshot;
use sts_controller::simulate::ObjectEvent;

/// Verdict on a plan in view of subsequent events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub enum Verdict {
    /// The planned change has not been applied yet.
    Pending,
    /// All events match the prediction, and more are to come.
    OnTrack,
    /// On track, and faster than predicted.
    Ahead,
    /// All predicted events have happened, and no others.
    Finished,
    /// An event contradicts the prediction.
    Diverged,
    /// The set differs from the planned one.
    Stale,
}

serialized!(by_name: Verdict);

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum StepState {
    /// The step has happened.
    Done,
    /// Part of the sync's writes exist.
    Begun,
    /// The step has not happened.
    Open,
}

serialized!(by_name: StepState);

/// Overdue step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overdue {
    /// Index of the step.
    pub step: usize,
    /// Delay in seconds.
    pub by: i64,
    /// True if the delay is the controller's: all of its preconditions are met.
    pub is_controllers: bool,
}

/// Reason why a plan is stale.
#[derive(Debug, Clone, PartialEq, Eq, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(StaleKind),
    doc = "Reason why a plan is stale, in one word.",
    derive(strum::EnumIter, strum::IntoStaticStr),
    strum(serialize_all = "camelCase")
)]
pub enum Stale {
    /// The set no longer exists.
    Gone,
    /// The set was deleted and recreated.
    Replaced,
    /// The set is terminating.
    BeingDeleted,
    /// The specification differs.
    Changed(Vec<StaleField>),
}

serialized!(by_name: StaleKind);

impl Stale {
    /// Returns the reason without its fields.
    #[must_use]
    pub fn kind(&self) -> StaleKind {
        self.into()
    }
}

/// Change of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ObjectChange {
    /// It no longer exists.
    Gone,
    /// It was replaced under the same name.
    Replaced,
    /// Its resourceVersion differs.
    Modified,
}

serialized!(by_name: ObjectChange);

/// Comparison of a plan's prediction with subsequent events.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Verdict on the plan.
    pub verdict: Verdict,
    /// Reason why the plan is stale, if it is.
    pub stale: Option<Stale>,
    /// State of each step. All open if the plan is pending or stale.
    pub steps: Vec<StepState>,
    /// Differences from the prediction, the most significant first.
    pub differences: Vec<Difference>,
    /// Most overdue step.
    pub overdue: Option<Overdue>,
    /// Objects that changed since they were read.
    pub changed: Vec<ChangedObject>,
    /// Whole seconds since the start of the plan.
    pub elapsed: i64,
}

impl Comparison {
    /// Returns the number of steps that have happened.
    #[must_use]
    pub fn done(&self) -> usize {
        let done = self.steps.iter().filter(|step| **step == StepState::Done);
        done.count()
    }

    /// Returns the first step that has not happened.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        self.steps.iter().position(|step| *step != StepState::Done)
    }
}

/// Current state of the world.
#[derive(Debug, Clone, Copy)]
pub enum Now<'s> {
    /// Existing set with its objects.
    There(&'s Snapshot),
    /// No set exists; the snapshot holds the objects around its substitute, [`Prediction::stand_in`].
    Gone(&'s Snapshot),
}

impl<'s> Now<'s> {
    /// Returns the objects, with or without an existing set.
    #[must_use]
    pub fn objects(self) -> &'s Snapshot {
        match self {
            Now::There(snapshot) | Now::Gone(snapshot) => snapshot,
        }
    }
}

/// Compares a plan with the world at `then`.
#[must_use]
pub fn compare(prediction: &Prediction, seen: &Now<'_>, then: Timestamp) -> Comparison {
    let elapsed = then.duration_since(prediction.begins);
    let mut comparison = Comparison {
        verdict: Verdict::Pending,
        stale: None,
        steps: vec![StepState::Open; prediction.steps.len()],
        differences: Vec::new(),
        overdue: None,
        changed: Vec::new(),
        elapsed: elapsed.as_secs(),
    };
    let stored = !prediction.plan.metadata.uid.is_empty();
    if let (Now::Gone(_), false) = (seen, stored) {
        return comparison;
    }
    comparison.changed = changed_objects(prediction, seen.objects());
    let stale = match seen {
        Now::Gone(_) => (!prediction.predicts(ObjectEvent::SetRemoved)).then_some(Stale::Gone),
        Now::There(now) => {
            let uid = &now.set.meta.uid;
            let is_leaving = now.set.is_terminating();
            let should_leave =
                prediction.plan.set.being_deleted || prediction.predicts(ObjectEvent::SetDeleted);
            if stored && !uid.is_empty() && **uid != *prediction.plan.metadata.uid {
                Some(Stale::Replaced)
            } else if is_leaving && should_leave {
                None
            } else if is_leaving {
                Some(Stale::BeingDeleted)
            } else {
                match specification_state(prediction, now, then) {
                    SpecificationState::NotChangedYet => return comparison,
                    SpecificationState::Changed(fields) => Some(Stale::Changed(fields)),
                    SpecificationState::AsPlanned => None,
                }
            }
        }
    };
    if stale.is_some() {
        comparison.verdict = Verdict::Stale;
        comparison.stale = stale;
    } else {
        Matcher::new(prediction, seen, then).judge(&mut comparison);
    }
    comparison
}

fn changed_objects(prediction: &Prediction, now: &Snapshot) -> Vec<ChangedObject> {
    let mut changed = Vec::new();
    for ((kind, name), read) in &prediction.read {
        let change = match kind.find(now, name) {
            None => ObjectChange::Gone,
            Some(meta) if !read.uid.is_empty() && *read.uid != *meta.uid => ObjectChange::Replaced,
            Some(meta)
                if !read.resource_version.is_empty()
                    && *read.resource_version != *meta.resource_version =>
            {
                ObjectChange::Modified
            }
            Some(_) => continue,
        };
        changed.push(ChangedObject {
            resource: *kind,
            name: name.to_string(),
            change,
        });
    }
    changed
}
