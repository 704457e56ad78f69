//! Outcomes of a plan.

use super::obstacle::{Obstacle, judge};
use sts_controller::apiserver::validation::Refused;
use sts_controller::controller::Sync;
use sts_controller::simulate::{Cascade, End, Progression};
use sts_controller::version::Behaviour;

/// The outcome of a plan.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The set matches its specification.
    Complete,
    /// It is not, and nothing will ever happen. At least one obstacle.
    Blocked(Vec<Obstacle>),
    /// It goes round in circles.
    Livelock,
    /// The API server refuses the change, so nothing comes of it. At least one reason.
    Rejected(Vec<Refused>),
}

/// The outcome of a plan, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
#[expect(
    missing_docs,
    reason = "each is described at the variant of `Outcome` that has its name"
)]
pub enum PlanResult {
    Complete,
    Blocked,
    Livelock,
    Rejected,
}

impl PlanResult {
    /// The result's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PlanResult::Complete => "complete",
            PlanResult::Blocked => "blocked",
            PlanResult::Livelock => "livelock",
            PlanResult::Rejected => "rejected",
        }
    }
}

impl Outcome {
    /// Returns the outcome of a progression, given the sync at its end.
    pub(super) fn of(
        progression: &Progression,
        last: &Sync,
        behaviour: &Behaviour,
        deletion: Option<Cascade>,
    ) -> Self {
        if progression.end == End::Livelock {
            return Outcome::Livelock;
        }
        let obstacles = judge(&progression.world, last, behaviour, deletion);
        match obstacles.is_empty() {
            true => Outcome::Complete,
            false => Outcome::Blocked(obstacles),
        }
    }

    /// The outcome in one word.
    #[must_use]
    pub fn result(&self) -> PlanResult {
        match self {
            Outcome::Complete => PlanResult::Complete,
            Outcome::Blocked(_) => PlanResult::Blocked,
            Outcome::Livelock => PlanResult::Livelock,
            Outcome::Rejected(_) => PlanResult::Rejected,
        }
    }

    /// The result's name in the output.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.result().name()
    }
}
