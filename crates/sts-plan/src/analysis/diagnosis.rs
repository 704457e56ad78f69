//! Obstacles that keep a plan from completing, with their causes and remedies.

use crate::cause::Cause;
use crate::plan::{Obstacle, Outcome, Plan};
use crate::remedy::Remedy;

/// For how many obstacles remedies are tried: each trial costs as much as a plan.
const MOST_TRIED: usize = 5;

/// An obstacle with its cause and with what helps against it.
#[derive(Debug, Clone)]
pub struct Diagnosis<'p> {
    /// The obstacle.
    pub obstacle: &'p Obstacle,
    /// Its cause, where the objects tell.
    pub cause: Option<Cause>,
    /// Its remedies, the smallest first, each tried in the simulation. Empty for all but the first few obstacles.
    pub remedies: Vec<Remedy>,
}

/// The diagnoses of a blocked plan, in the order of its obstacles.
pub(super) fn diagnoses(plan: &Plan) -> Vec<Diagnosis<'_>> {
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        return Vec::new();
    };
    let diagnose = |(index, obstacle)| {
        let cause = Cause::of(plan, obstacle);
        let remedies = match index < MOST_TRIED {
            true => plan.remedies_of(obstacle, cause.as_ref()),
            false => Vec::new(),
        };
        Diagnosis {
            obstacle,
            cause,
            remedies,
        }
    };
    obstacles.iter().enumerate().map(diagnose).collect()
}
