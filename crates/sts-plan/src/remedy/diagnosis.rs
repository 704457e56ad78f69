//! Obstacles of a plan, with causes and remedies.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::{Remedy, leader, quorum};
use crate::catalogue::CauseTrait;
use crate::cause::{Cause, CauseEntry, CauseKey, entry_of_set};
use crate::plan::{Obstacle, Plan};

/// Maximum number of obstacles and of causes with simulated remedies: each trial costs as much as a plan.
const MOST_TRIED: usize = 5;

/// Obstacle with its cause and remedies.
#[derive(Debug, Clone)]
pub struct Diagnosis<'p> {
    /// Obstacle.
    pub obstacle: &'p Obstacle,
    /// Cause, if the objects show one.
    pub cause: Option<Cause>,
    /// Catalogue entry of an obstacle that no pod shows.
    pub of_set: Option<&'static CauseEntry>,
    /// Pod of the first obstacle with the same cause; `None` for that obstacle itself.
    pub like: Option<Arc<str>>,
    /// Remedies, the least invasive first, each simulated. Empty for all but the first few obstacles and the
    /// first obstacle of each of the first few causes.
    pub remedies: Vec<Remedy>,
}

/// Returns the diagnoses of a blocked plan, in the order of its obstacles, but for those of data that are gone, which come
/// first, whatever else holds the set, and for pods that only miss another one, which come after it.
pub(crate) fn diagnoses(plan: &Plan) -> Vec<Diagnosis<'_>> {
    let obstacles = plan.outcome.obstacles();
    let causes = Cause::of_obstacles(plan);
    let mut out: Vec<Diagnosis<'_>> = Vec::new();
    let mut firsts: BTreeMap<CauseKey, Arc<str>> = BTreeMap::new();
    let before = OnceCell::new();
    for (at, (obstacle, cause)) in obstacles.iter().zip(&causes).enumerate() {
        let like = cause
            .as_ref()
            .and_then(|cause| match firsts.entry(cause.key()) {
                Entry::Vacant(entry) => {
                    entry.insert(Arc::clone(&cause.pod));
                    None
                }
                Entry::Occupied(first) => Some(Arc::clone(first.get())),
            });
        // If there are many pods, only those with a distinct cause are tried.
        let is_first = cause.is_some() && like.is_none() && firsts.len() <= MOST_TRIED;
        let remedies = match out.len() < MOST_TRIED || is_first {
            true => match repair_first(plan, cause.as_ref(), &before) {
                remedies if remedies.is_empty() => plan.remedies_of(at, &causes),
                remedies => remedies,
            },
            false => Vec::new(),
        };
        out.push(Diagnosis {
            obstacle,
            cause: cause.clone(),
            of_set: entry_of_set(plan, obstacle),
            like,
            remedies,
        });
    }
    let is_of_data = |it: &Diagnosis<'_>| {
        let entry = it.cause.as_ref().and_then(Cause::entry);
        entry.is_some_and(|entry| entry.has(CauseTrait::DataGone))
    };
    out.sort_by_key(|it| !is_of_data(it));
    leader::mark(plan, &mut out);
    let causes = out.iter().filter_map(|it| it.cause.as_ref());
    if let Some(shared) = causes.filter_map(Cause::shareable).next() {
        let causes = out.iter_mut().filter_map(|it| it.cause.as_mut());
        let symptoms = causes.filter(|it| it.pod != shared.pod && !it.is_specific());
        symptoms.for_each(|it| it.shared = Some(shared.clone()));
    }
    quorum::mark(plan, &mut out);
    out
}

/// Returns the remedies of a pod that is stuck already, as the plan has them without the actions and the nodes of the
/// question, if another pod is to fail as it does because of them. That plan and its causes are made once, in `before`.
fn repair_first(
    plan: &Plan,
    cause: Option<&Cause>,
    before: &OnceCell<(Plan, Vec<Option<Cause>>)>,
) -> Vec<Remedy> {
    let Some(cause) = cause.filter(|it| it.foretold.is_some() && plan.is_about_actions()) else {
        return Vec::new();
    };
    let (before, causes) = before.get_or_init(|| {
        let before = plan.without_actions();
        let causes = Cause::of_obstacles(&before);
        (before, causes)
    });
    let is_it = |it: &Option<Cause>| it.as_ref().is_some_and(|it| it.pod == cause.pod);
    let Some(at) = causes.iter().position(is_it) else {
        return Vec::new();
    };
    let mut remedies = before.remedies_of(at, causes);
    for remedy in &mut remedies {
        if let Some(entry) = remedy.entries.first_mut() {
            let pod = &cause.pod;
            entry.condition = Some(match &entry.condition {
                Some(condition) => format!("repair {pod} first: {condition}"),
                None => format!("repair {pod} first"),
            });
        }
    }
    remedies
}
