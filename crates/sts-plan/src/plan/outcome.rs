//! How a plan ends.

use super::obstacle::Obstacle;
use sts_controller::apiserver::validation::Refused;

/// How a plan ends.
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

/// How a plan ends, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
