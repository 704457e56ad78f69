//! The search with packed states.
//!
//! A state is a few bytes. Each place for a pod has the number of a [state](tables::PodState) of the pod and its
//! claims, and one more number stands for all other objects. The effect of an event on a pod state is learned once from
//! the world itself, and looked up in a table from then on. The effect of the controller is always its own: a world is
//! restored to the state, object by object where it differs from the previous one, and syncs until the controller is
//! done. Many orders of events lead to the same states, so recent results are memoized.
//!
//! Workers expand blocks of states ahead of the search, each with its own tables and world. The search merges their
//! results in order. So the numbers of states, and with them all results, do not depend on the number of workers.

mod arena;
mod expand;
mod model;
mod objects;
mod path;
mod pod_groups;
mod scratch;
mod search;
mod sync_memo;
mod tables;

use super::check::{PropertyChecker, run_until_stable_checked};
use super::{Bounds, Driver, Ends, Exploration, Outcome, Property, Reached, Wrong};
use crate::simulate::world::World;
use crate::version::Behaviour;

use model::Model;
use search::Search;

/// The reason that a search has to start over in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PackError {
    /// The world does not pack.
    Unpackable,
    /// Pods that were assumed to be interchangeable are not.
    NotInterchangeable,
}

/// Searches every order of events; `None` if the world does not pack.
pub(super) fn explore(
    start: &World,
    behaviour: &Behaviour,
    bounds: Bounds,
    property: &dyn Property,
    driver: &mut dyn Driver,
) -> Option<Exploration> {
    let mut settled = start.branch();
    let mut checker = PropertyChecker::new(property);
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
    if let Some(violation) = checker.violation(&settled) {
        outcome = Some(wrong(Wrong::Violation(violation)));
    } else {
        match run_until_stable_checked(&mut settled, behaviour, &mut checker, &mut Vec::new()) {
            Err(broken) => outcome = Some(wrong(broken)),
            Ok(sync_failed) => failed = sync_failed,
        }
    }
    if outcome.is_none() {
        let may_merge = !failed && !property.tells_pods_apart();
        for alike in [may_merge, false] {
            let model = Model::new(&settled, behaviour, property, [alike, bounds.merge_alike])?;
            match Search::new(&model, &settled, bounds)?.run(driver) {
                Ok(found) => {
                    let lowest = found.lowest.min(checker.lowest);
                    outcome = Some(Outcome { lowest, ..found });
                    break;
                }
                Err(PackError::NotInterchangeable) => {}
                Err(PackError::Unpackable) => return None,
            }
        }
    }
    Some(outcome?.into_exploration(start, behaviour, property))
}
