//! Everything that can be said of a plan, worked out once. Exit code, gates, headline, summary, JSON and every picture
//! read it, and work nothing out again.

mod input;
mod verdict;

use jiff::Timestamp;

pub use input::{InputCheck, NotChecked};
pub use verdict::Verdict;

use crate::cause::Cause;
use crate::plan::{Outcome, Plan};

/// What can be said of a plan.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// How the set is doing.
    pub verdict: Verdict,
    /// Since when, where anything says so.
    pub since: Option<Timestamp>,
    /// Why, where the objects tell.
    pub cause: Option<Cause>,
    /// What the input lacks.
    pub input: InputCheck,
}

impl Analysis {
    /// Works out what can be said of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let input = InputCheck::of(plan);
        let verdict = match input.is_contradictory() {
            true => Verdict::IncompleteInput,
            false => Verdict::of(plan),
        };
        let cause = match &plan.outcome {
            Outcome::Blocked(obstacles) => obstacles.iter().find_map(|it| Cause::of(plan, it)),
            _ => None,
        };
        Analysis {
            verdict,
            since: verdict::since(verdict, cause.as_ref()),
            cause,
            input,
        }
    }
}
