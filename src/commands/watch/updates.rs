//! Updates of one set: plans each snapshot, and shows the plan if it differs.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::time::Instant;

use super::fingerprint::fingerprint;
use super::{Observer, Subject, stages};
use sts_controller::object::Snapshot;
use sts_plan::plan::{Conditions, Plan};
use sts_plan::verify::{Now, Prediction, StageComparison, Verification, compare};

/// The last update that was shown.
struct Shown {
    prediction: Option<Prediction>,
    /// Fingerprint of its snapshot, which detects changes.
    fingerprint: String,
    /// True if a late step was reported already.
    late: bool,
}

/// Updates of one set.
#[derive(Default)]
pub(super) struct Updates {
    shown: Option<Shown>,
    /// Time at which a predicted step is late, if nothing happens until then.
    pub(super) wake: Option<Instant>,
    /// Time at which the next stage may begin, if nothing happens until then.
    pub(super) stage_begins: Option<Instant>,
}

impl Updates {
    /// Plans a snapshot, and shows the plan if it differs.
    pub(super) fn look(
        &mut self,
        snapshot: Snapshot,
        subject: &Subject,
        now: Instant,
        observer: &mut dyn Observer,
    ) -> Result<(Plan, Option<StageComparison>)> {
        let moment = observer.now();
        let conditions = Conditions {
            now: moment,
            ..subject.conditions.clone()
        };
        let plan = Plan::new(snapshot, conditions).of(&subject.source);
        let plan = Plan {
            related: Arc::clone(&subject.related),
            ..plan
        };
        let shown = self.shown.as_ref();
        let prediction = shown.and_then(|shown| shown.prediction.as_ref());
        let since = prediction.map(|prediction| {
            let there = Now::There(&plan.snapshot);
            let found = compare(prediction, &there, moment);
            let mut since = Verification::new(prediction, &found, &there, moment).since();
            if !since.steps.is_empty() {
                // A step after a late one is not late itself: it only became possible now.
                since.late = None;
            }
            since
        });
        let stages = subject.stages.as_ref();
        let stage = stages.and_then(|stages| stages.compare(&Now::There(&plan.snapshot), moment));
        let current = stage.as_ref().map(|found| &found.stage);
        self.stage_begins = current.and_then(|stage| stages::next_begins(stage, now));
        let fingerprint = fingerprint(&plan) + &stages::fingerprint(stage.as_ref());
        let is_late = since.as_ref().is_some_and(|since| since.late.is_some());
        let is_new = shown.is_none_or(|shown| shown.fingerprint != fingerprint);
        let newly_late = is_late && shown.is_some_and(|shown| !shown.late);
        if is_new || newly_late {
            let next = observer.update(&plan, since.as_ref(), current)?;
            if is_new {
                self.wake = next.as_ref().and_then(|next| late_at(next, now));
                self.shown = Some(Shown {
                    prediction: next,
                    fingerprint,
                    late: false,
                });
            } else if let Some(shown) = &mut self.shown {
                shown.late = true;
            }
        }
        Ok((plan, stage))
    }
}

/// Returns the time at which the first step of a plan is late.
fn late_at(prediction: &Prediction, now: Instant) -> Option<Instant> {
    let first = prediction.steps.first()?;
    let after = prediction.late_after(first).unsigned_abs() + Duration::from_secs(1);
    now.checked_add(after)
}
