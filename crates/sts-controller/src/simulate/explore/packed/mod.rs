//! The search with states as packed words.
//!
//! A state is a few bytes: for each pod that there may ever be its [life](tables::PodState), a number for one way that a
//! pod and its claims can be, and a number for the rest of the objects. What an event makes of a life is learned once,
//! from the world itself, and is a look into a table from then on. What the controller makes of a state is the
//! controller's own to say: a world is put into the state, object by object where it differs from the one before, and
//! syncs until it is done. Most states are met by many orders of events, so its answers are remembered.
//!
//! Workers go ahead of the search in blocks, each with tables and a world of its own, and the search takes in what
//! they come to in order. So the numbers of states, and with them everything that is told, are the same for any number
//! of workers.

mod alike;
mod answers;
mod arena;
mod expand;
mod model;
mod path;
mod scratch;
mod search;
mod tables;
mod things;

use super::check::{Judge, run_until_stable_checked};
use super::{Bounds, Driver, Ends, Exploration, Outcome, Property, Reached, Wrong};
use crate::simulate::world::World;
use crate::version::Behaviour;

use model::Model;
use search::Search;

/// The reason that a search has to begin again in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackError {
    /// The world does not pack.
    Unpackable,
    /// Pods that were taken to be alike are not.
    NotAlike,
}

/// Searches every order of events; `None` when the world does not pack.
pub(super) fn explore(
    start: &World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
    driver: &mut dyn Driver,
) -> Option<Exploration> {
    let mut settled = start.branch();
    let mut judge = Judge::new(property);
    let wrong = |wrong: Wrong| Outcome {
        reached: Reached::default(),
        ends: Ends::default(),
        lowest: 0,
        merged_alike: false,
        stopped: None,
        found: Some((wrong, Vec::new())),
    };
    let mut outcome = None;
    let mut failed = false;
    if let Some(violation) = judge.violation(&settled) {
        outcome = Some(wrong(Wrong::Violation(violation)));
    } else {
        match run_until_stable_checked(&mut settled, behaviour, &mut judge, &mut Vec::new()) {
            Err(broken) => outcome = Some(wrong(broken)),
            Ok(sync_failed) => failed = sync_failed,
        }
    }
    if outcome.is_none() {
        let may_be_alike = !failed && !property.tells_pods_apart();
        for alike in [may_be_alike, false] {
            let model = Model::of(&settled, behaviour, property, [alike, bounds.merge_alike])?;
            match Search::new(&model, &settled, bounds)?.run(driver) {
                Ok(found) => {
                    let lowest = found.lowest.min(judge.lowest);
                    outcome = Some(Outcome { lowest, ..found });
                    break;
                }
                Err(PackError::NotAlike) => {}
                Err(PackError::Unpackable) => return None,
            }
        }
    }
    Some(outcome?.tell(start, behaviour, property))
}
