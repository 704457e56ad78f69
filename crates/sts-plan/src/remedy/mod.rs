//! Remedies of an obstacle, as data, with their effects in the simulation.

mod action;
mod candidate;
mod trial;

pub use action::{MissingObject, RemedyAction};
use candidate::candidates;
use trial::try_out;
pub use trial::{RemedyTrial, TrialOutcome};

use crate::cause::Cause;
use crate::plan::{Obstacle, Outcome, Plan};

/// Something that could be done about an obstacle, and what comes of it.
#[derive(Debug, Clone)]
pub struct Remedy {
    /// The actions, in order.
    pub actions: Vec<RemedyAction>,
    /// The effect in the simulation.
    pub trial: RemedyTrial,
}

impl Remedy {
    /// Reports whether it changes the pod template and nothing else.
    #[must_use]
    pub fn changes_only_template(&self) -> bool {
        let template = |remedy_action: &RemedyAction| {
            matches!(
                remedy_action,
                RemedyAction::ToRevision(..)
                    | RemedyAction::NewTemplate
                    | RemedyAction::RaiseMemory { .. }
            )
        };
        self.actions.iter().all(template)
    }
}

impl Plan {
    /// Returns the remedies of each of the first so many obstacles, the smallest first, every one tried in the world at
    /// the end of the plan. Each trial costs as much as a plan, so they are made on demand.
    #[must_use]
    pub fn remedies(&self, most: usize) -> Vec<Vec<Remedy>> {
        let Outcome::Blocked(obstacles) = &self.outcome else {
            return Vec::new();
        };
        let first = obstacles.iter().take(most);
        let remedies = |obstacle| self.remedies_of(obstacle, Cause::of(self, obstacle).as_ref());
        first.map(remedies).collect()
    }

    /// Returns the remedies of an obstacle of the plan's end that has this cause, as [`Plan::remedies`] has them.
    #[must_use]
    pub(crate) fn remedies_of(&self, obstacle: &Obstacle, cause: Option<&Cause>) -> Vec<Remedy> {
        let candidates = candidates(self, obstacle, cause).into_iter();
        // What the API server would refuse is not a remedy.
        let tried = candidates.filter_map(|actions| {
            let trial = try_out(self, obstacle, &actions)?;
            Some(Remedy { actions, trial })
        });
        let mut tried: Vec<Remedy> = tried.collect();
        // Where another template is enough, no pod has to be deleted besides.
        let enough: Vec<Vec<RemedyAction>> = tried
            .iter()
            .filter(|remedy| remedy.changes_only_template() && remedy.trial.verdict.completes())
            .map(|remedy| remedy.actions.clone())
            .collect();
        tried.retain(|remedy| {
            let more = |actions: &Vec<RemedyAction>| {
                remedy.actions.len() > actions.len() && remedy.actions.starts_with(actions)
            };
            !enough.iter().any(more)
        });
        tried
    }
}
