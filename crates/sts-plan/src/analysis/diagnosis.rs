//! Obstacles that keep a plan from completing, with their causes and remedies.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::cause::{Cause, CauseKey};
use crate::plan::{Obstacle, Outcome, Plan};
use crate::remedy::Remedy;

/// For how many obstacles, and for how many causes, remedies are tried: each trial costs as much as a plan.
const MOST_TRIED: usize = 5;

/// An obstacle with its cause and with what helps against it.
#[derive(Debug, Clone)]
pub struct Diagnosis<'p> {
    /// The obstacle.
    pub obstacle: &'p Obstacle,
    /// Its cause, where the objects tell.
    pub cause: Option<Cause>,
    /// The pod of the first obstacle with the same cause; `None` for that one itself.
    pub like: Option<Arc<str>>,
    /// Its remedies, the smallest first, each tried in the simulation. Empty for all but the first few obstacles and the
    /// first of each of the first few causes.
    pub remedies: Vec<Remedy>,
}

/// The diagnoses of a blocked plan, in the order of its obstacles.
pub(super) fn diagnoses(plan: &Plan) -> Vec<Diagnosis<'_>> {
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        return Vec::new();
    };
    let mut out: Vec<Diagnosis<'_>> = Vec::new();
    let mut firsts: BTreeMap<CauseKey, Arc<str>> = BTreeMap::new();
    for obstacle in obstacles {
        let cause = Cause::of(plan, obstacle);
        let like = cause
            .as_ref()
            .and_then(|cause| match firsts.entry(cause.key()) {
                Entry::Vacant(entry) => {
                    entry.insert(Arc::clone(&cause.pod));
                    None
                }
                Entry::Occupied(first) => Some(Arc::clone(first.get())),
            });
        // Of many pods, those count that have a cause of their own.
        let is_first = cause.is_some() && like.is_none() && firsts.len() <= MOST_TRIED;
        let remedies = match out.len() < MOST_TRIED || is_first {
            true => plan.remedies_of(obstacle, cause.as_ref()),
            false => Vec::new(),
        };
        out.push(Diagnosis {
            obstacle,
            cause,
            like,
            remedies,
        });
    }
    out
}
