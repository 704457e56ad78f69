//! Times of a world on a plan: when the plan really began, and whether the next step is late or ahead.

use jiff::{SignedDuration, Timestamp};

use super::comparison::{Overdue, StepState};
use super::matcher::Matcher;
use super::prediction::{CONTROLLER_ACTS, PredictedEvent, SLACK};
use sts_controller::simulate::PodEvent;

impl Matcher<'_> {
    /// Returns the actual start of the plan. If the plan waits for the user's change, that is the creation of
    /// the oldest resulting object, or `None` without one.
    pub(super) fn origin(&self, steps: &[StepState]) -> Option<Timestamp> {
        if self.prediction.plan.change.is_empty() && !self.prediction.plan.metadata.uid.is_empty() {
            return Some(self.prediction.begins);
        }
        let mut origin: Option<Timestamp> = None;
        for (index, keys) in self.touched.iter().enumerate() {
            if steps[index] == StepState::Open {
                continue;
            }
            for (kind, name) in keys {
                let made = kind
                    .find(self.now, name)
                    .and_then(|meta| meta.created)
                    .filter(|created| *created >= self.prediction.begins);
                let at = SignedDuration::from_secs(self.prediction.steps[index].at);
                let began = made.and_then(|made| made.checked_sub(at).ok());
                origin = match (origin, began) {
                    (Some(one), Some(other)) => Some(one.min(other)),
                    (one, other) => one.or(other),
                };
            }
        }
        origin.map(|origin| origin.max(self.prediction.begins))
    }

    pub(super) fn overdue(&self, steps: &[StepState], elapsed: SignedDuration) -> Option<Overdue> {
        let open = steps.iter().position(|step| *step != StepState::Done)?;
        let step = &self.prediction.steps[open];
        let is_controllers = matches!(step.what, PredictedEvent::Sync(_));
        // The controller reacts to actual events, not to predicted times.
        if is_controllers && let Some(due) = self.due(open) {
            let late = self.then.duration_since(due);
            return (late > CONTROLLER_ACTS).then(|| Overdue {
                step: open,
                by: late.as_secs(),
                is_controllers,
            });
        }
        let late = elapsed.saturating_sub(SignedDuration::from_secs(step.at));
        (elapsed > self.prediction.late_after(step)).then(|| Overdue {
            step: open,
            by: late.as_secs(),
            is_controllers,
        })
    }

    /// Returns when the step at `index` was due, based on the actual time of the preceding event; `None` if
    /// unknown.
    fn due(&self, index: usize) -> Option<Timestamp> {
        let steps = &self.prediction.steps;
        let before = steps[..index]
            .iter()
            .rev()
            .find(|step| !step.is_status_alone())?;
        let PredictedEvent::Pod(event, name) = &before.what else {
            return None;
        };
        let ready = self
            .now
            .pods
            .get(name)?
            .ready
            .filter(|ready| ready.is_true)?;
        let delay = match event {
            PodEvent::Ready => 0,
            PodEvent::Available => self.prediction.plan.set.min_ready_seconds.into(),
            PodEvent::Removed | PodEvent::Failed => return None,
        };
        let delay = SignedDuration::from_secs(delay);
        let wait = SignedDuration::from_secs(steps[index].at - before.at);
        ready.since?.checked_add(delay).ok()?.checked_add(wait).ok()
    }

    /// Returns the tolerated delay before a plan begins: the duration of the plan, but at least five minutes.
    pub(super) fn patience(&self) -> SignedDuration {
        const LEAST: SignedDuration = SignedDuration::from_mins(5);
        let last = self.prediction.steps.last();
        let whole = last.map_or(0, |last| last.at);
        SignedDuration::from_secs(whole).max(LEAST)
    }

    pub(super) fn is_ahead(&self, steps: &[StepState], elapsed: SignedDuration) -> bool {
        let last = steps.iter().rposition(|step| *step == StepState::Done);
        last.is_some_and(|last| {
            let at = SignedDuration::from_secs(self.prediction.steps[last].at);
            at.saturating_sub(elapsed) > SLACK.saturating_add(at / 4)
        })
    }
}
