//! What could be done about an obstacle, as data, with what the simulation says comes of it.

mod candidate;
mod cure;
mod trial;

use candidate::candidates;
pub use cure::Cure;
use trial::try_out;
pub use trial::{Trial, Verdict};

use crate::plan::{Obstacle, Outcome, Plan};

/// Something that could be done about an obstacle, and what comes of it.
#[derive(Debug, Clone)]
pub struct Remedy {
    /// What is done, in order.
    pub cures: Vec<Cure>,
    /// What the simulation says comes of it.
    pub trial: Trial,
}

impl Plan {
    /// What could be done about each of the first so many obstacles, the smallest first, every one tried in the
    /// world at the end of the plan. Each trial costs as much as a plan, so they are made when somebody asks.
    #[must_use]
    pub fn remedies(&self, most: usize) -> Vec<Vec<Remedy>> {
        let Outcome::Blocked(obstacles) = &self.outcome else {
            return Vec::new();
        };
        let first = obstacles.iter().take(most);
        first.map(|obstacle| self.remedies_of(obstacle)).collect()
    }

    /// What could be done about an obstacle of the plan's end, as [`Plan::remedies`] has it.
    #[must_use]
    pub fn remedies_of(&self, obstacle: &Obstacle) -> Vec<Remedy> {
        let candidates = candidates(self, obstacle).into_iter();
        let tried = candidates.map(|cures| Remedy {
            trial: try_out(self, obstacle, &cures),
            cures,
        });
        tried.collect()
    }
}
