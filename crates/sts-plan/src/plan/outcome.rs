//! Outcomes of a plan.

use super::obstacle::{Obstacle, judge};
use sts_controller::apiserver::validation::Refused;
use sts_controller::controller::Sync;
use sts_controller::simulate::{Cascade, End, Progression};
use sts_controller::version::Behaviour;

/// Outcome of a plan.
#[derive(Debug, Clone, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(PlanResult),
    doc = "Outcome of a plan in one word.",
    derive(strum::EnumIter, strum::IntoStaticStr),
    strum(serialize_all = "kebab-case")
)]
pub enum Outcome {
    /// The set matches its specification.
    Complete,
    /// Nothing more will happen, but the set does not match its specification. Contains at least one obstacle.
    Blocked(Vec<Obstacle>),
    /// The rollout never settles.
    Livelock,
    /// The API server rejects the change. Contains at least one refusal.
    Rejected(Vec<Refused>),
}

impl Outcome {
    /// Determines the outcome of a progression from the sync at its end.
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

    /// Returns the outcome in one word.
    #[must_use]
    pub fn result(&self) -> PlanResult {
        self.into()
    }

    /// Returns the name of the result in the output.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.result().name()
    }
}
