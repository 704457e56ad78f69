//! The comparison of a plan with a newer snapshot: what has happened since the plan was made.

use jiff::Timestamp;

use super::matcher::Matcher;
use super::prediction::Prediction;
use super::specification::{SpecificationState, specification_state};
use crate::report::Difference;
use crate::report::{ChangedObject, StaleField};
use sts_controller::object::Snapshot;
use sts_controller::simulate::ObjectEvent;

/// The verdict on a plan, by what has happened since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum Verdict {
    /// The planned change has not been made yet.
    Pending,
    /// All that happened is what was predicted, and more is to come.
    OnTrack,
    /// The same, and faster than predicted.
    Ahead,
    /// Everything that was predicted has happened, and nothing else.
    Finished,
    /// Something else happened than what was predicted.
    Diverged,
    /// The set is another one than what was planned.
    Stale,
}

impl Verdict {
    /// The verdict's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pending => "pending",
            Verdict::OnTrack => "onTrack",
            Verdict::Ahead => "ahead",
            Verdict::Finished => "finished",
            Verdict::Diverged => "diverged",
            Verdict::Stale => "stale",
        }
    }
}

/// The state of a step: whether it has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum StepState {
    /// It has.
    Done,
    /// A part of what its sync writes is there.
    Begun,
    /// It has not.
    Open,
}

impl StepState {
    /// The state's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StepState::Done => "done",
            StepState::Begun => "begun",
            StepState::Open => "open",
        }
    }
}

/// A step that should have happened by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overdue {
    /// Index of the step.
    pub step: usize,
    /// For how many seconds.
    pub by: i64,
    /// True if it is the controller's: everything that it waits for has happened.
    pub is_controllers: bool,
}

/// The reason that a plan is stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stale {
    /// There is no such set any more.
    Gone,
    /// The set was deleted, and another created under its name.
    Replaced,
    /// The set has been deleted and is terminating.
    BeingDeleted,
    /// It asks for something else.
    Changed(Vec<StaleField>),
}

impl Stale {
    /// The reason without its fields.
    #[must_use]
    pub fn kind(&self) -> StaleKind {
        match self {
            Stale::Gone => StaleKind::Gone,
            Stale::Replaced => StaleKind::Replaced,
            Stale::BeingDeleted => StaleKind::BeingDeleted,
            Stale::Changed(_) => StaleKind::Changed,
        }
    }
}

/// The reason that a plan is stale, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
#[expect(
    missing_docs,
    reason = "each is described at the variant of `Stale` that has its name"
)]
pub enum StaleKind {
    Gone,
    Replaced,
    BeingDeleted,
    Changed,
}

impl StaleKind {
    /// The reason's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StaleKind::Gone => "gone",
            StaleKind::Replaced => "replaced",
            StaleKind::BeingDeleted => "beingDeleted",
            StaleKind::Changed => "changed",
        }
    }
}

/// A change to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum ObjectChange {
    /// It is gone.
    Gone,
    /// Another one has its name.
    Replaced,
    /// It has another resourceVersion.
    Modified,
}

impl ObjectChange {
    /// The change's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ObjectChange::Gone => "gone",
            ObjectChange::Replaced => "replaced",
            ObjectChange::Modified => "modified",
        }
    }
}

/// The events since a plan was made, compared with its prediction.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The verdict on the plan.
    pub verdict: Verdict,
    /// The reason that it is stale, if it is.
    pub stale: Option<Stale>,
    /// For each step of the plan, whether it happened. All open where the plan is pending or stale.
    pub steps: Vec<StepState>,
    /// The differences from the prediction, the first and most telling one first.
    pub differences: Vec<Difference>,
    /// The step that should have happened longest ago and has not.
    pub overdue: Option<Overdue>,
    /// The objects that are not as they were read.
    pub changed: Vec<ChangedObject>,
    /// Whole seconds since the plan began.
    pub elapsed: i64,
}

impl Comparison {
    /// Returns the number of steps that have happened.
    #[must_use]
    pub fn done(&self) -> usize {
        let done = self.steps.iter().filter(|step| **step == StepState::Done);
        done.count()
    }

    /// The first step that has not happened.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        self.steps.iter().position(|step| *step != StepState::Done)
    }
}

/// The world as it is.
#[derive(Debug, Clone, Copy)]
pub enum Now<'s> {
    /// The set with what is around it.
    There(&'s Snapshot),
    /// There is no such set; what is around the one that stands in for it ([`Prediction::stand_in`]).
    Gone(&'s Snapshot),
}

impl<'s> Now<'s> {
    /// The objects, be the set among them or not.
    #[must_use]
    pub fn objects(self) -> &'s Snapshot {
        match self {
            Now::There(snapshot) | Now::Gone(snapshot) => snapshot,
        }
    }
}

/// Compares a plan with the world as it is at `then`.
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
    let stored = !prediction.uid.is_empty();
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
                prediction.being_deleted || prediction.predicts(ObjectEvent::SetDeleted);
            if stored && !uid.is_empty() && **uid != *prediction.uid {
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

/// The objects that are not as they were read.
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
