//! Remedies of an obstacle, with their effects in the simulation.

mod action;
mod candidate;
mod diagnosis;
mod first_step;
mod leader;
mod lost_node;
mod quorum;
mod report;
mod trial;

use action::{Assumed, RemedyEffect};
pub(crate) use action::{FORCED_DETACH, RemedyEntry, UNTIL_RECREATED};
pub use action::{MissingObject, RemedyAction};
use candidate::candidates;
pub use diagnosis::Diagnosis;
pub(crate) use diagnosis::diagnoses;
use first_step::{MOST_FIRST_STEPS, first_steps};
use lost_node::lost_nodes;
pub use report::ReportRemedy;
use trial::try_out;
pub use trial::{RemedyTrial, TrialOutcome};

use std::cell::LazyCell;
use std::sync::Arc;

use crate::cause::Cause;
use crate::foresight::refused;
use crate::plan::{Obstacle, Plan};
use sts_controller::controller::Hold;
use sts_controller::object::Pod;
use sts_controller::simulate::Forbidden;

/// A sequence of actions against an obstacle, with its effect.
#[derive(Debug, Clone)]
pub struct Remedy {
    /// The actions, in order.
    pub actions: Vec<RemedyAction>,
    /// Everything about each action.
    pub(crate) entries: Vec<RemedyEntry>,
    /// The effect in the simulation.
    pub trial: RemedyTrial,
}

impl Remedy {
    /// Reports whether its commands only show the problem.
    pub(crate) fn only_looks(&self) -> bool {
        self.is_all(RemedyEffect::Looks)
    }

    /// Reports whether it helps and changes something.
    #[must_use]
    pub(crate) fn is_fix(&self) -> bool {
        self.trial.verdict.helps() && !self.only_looks()
    }

    /// Reports whether it helps and creates or completes the object that a pod lacks.
    pub(crate) fn provides_object(&self) -> bool {
        let provides =
            |entry: &RemedyEntry| matches!(entry.assumed, Some(Assumed::ObjectProvided(..)));
        self.is_fix() && self.entries.iter().any(provides)
    }

    /// Reports whether it lets the set adopt a pod that the API server then does not let it update.
    fn is_refused_adoption(&self) -> bool {
        let TrialOutcome::Next(Obstacle::Hold(Hold::PodUpdateRefused { pod, .. })) =
            &self.trial.verdict
        else {
            return false;
        };
        let is_of_pod = |action: &RemedyAction| matches!(action, RemedyAction::LabelPod(name, _) if *name == pod.meta.name);
        self.actions.iter().any(is_of_pod)
    }

    /// Reports whether it changes the pod template.
    pub(crate) fn changes_template(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| entry.effect == RemedyEffect::ChangesTemplate)
    }

    /// Reports whether it changes the pod template and nothing else.
    pub(crate) fn changes_only_template(&self) -> bool {
        self.is_all(RemedyEffect::ChangesTemplate)
    }

    fn is_all(&self, effect: RemedyEffect) -> bool {
        self.entries.iter().all(|entry| entry.effect == effect)
    }
}

impl Plan {
    /// Returns the remedies of each of the first `most` obstacles, smallest first. Each is tried in the world at the end of
    /// the plan, which costs as much as a plan.
    #[must_use]
    pub fn remedies(&self, most: usize) -> Vec<Vec<Remedy>> {
        let causes = Cause::of_obstacles(self);
        let first = 0..causes.len().min(most);
        first.map(|at| self.remedies_of(at, &causes)).collect()
    }

    /// Returns the remedies of the obstacle at this place, as [`Plan::remedies`] does, given the causes of all obstacles.
    #[must_use]
    pub(crate) fn remedies_of(&self, at: usize, causes: &[Option<Cause>]) -> Vec<Remedy> {
        let Some(obstacle) = self.outcome.obstacles().get(at) else {
            return Vec::new();
        };
        let cause = causes.get(at).and_then(Option::as_ref);
        let mut candidates = candidates(self, obstacle, cause);
        candidates.retain(|actions| !actions.iter().any(|action| self.takes_down(action)));
        let mut tried = self.tried(obstacle, causes, candidates);
        // If a template change does as much, no pod has to be deleted as well.
        let alone: Vec<(Vec<RemedyAction>, TrialOutcome)> = tried
            .iter()
            .filter(|remedy| remedy.changes_only_template() && remedy.trial.verdict.helps())
            .map(|remedy| (remedy.actions.clone(), remedy.trial.verdict.clone()))
            .collect();
        tried.retain(|remedy| !remedy.is_refused_adoption());
        tried.retain(|remedy| {
            let is_more = |actions: &Vec<RemedyAction>| {
                remedy.actions.len() > actions.len() && remedy.actions.starts_with(actions)
            };
            let mut shorter = alone.iter().filter(|(actions, _)| is_more(actions));
            !shorter.any(|(_, verdict)| verdict.does_as_much_as(&remedy.trial.verdict))
        });
        tried
    }

    /// Reports whether an action deletes a pod that serves now, and that only the actions or the nodes of the question take
    /// down: the answer is read before them.
    fn takes_down(&self, action: &RemedyAction) -> bool {
        let is_replaced = |pod: &Arc<str>| {
            let read = self.observed().pod(pod);
            let serves = read.filter(|read| read.is_running_and_ready() && !read.is_terminating());
            let end = self.predicted().objects().pods.get(pod);
            serves.is_some_and(|read| end.is_none_or(|end| end.meta.uid != read.meta.uid))
        };
        self.is_about_actions() && action.deleted_pod().is_some_and(is_replaced)
    }

    /// Returns the remedies of these pods, which are stuck terminating on lost nodes. Each applies to all pods.
    #[must_use]
    pub(crate) fn remedies_of_lost_nodes(&self, pods: &[&Arc<Pod>]) -> Vec<Remedy> {
        let is_of_one = |obstacle: &&Obstacle| {
            let stuck = obstacle.pod();
            stuck.is_some_and(|stuck| pods.iter().any(|pod| pod.meta.name == stuck.meta.name))
        };
        match self.outcome.obstacles().iter().find(is_of_one) {
            Some(obstacle) => self.tried(obstacle, &[], lost_nodes(self, pods)),
            None => Vec::new(),
        }
    }

    /// Tries candidates and drops those that the API server would refuse.
    fn tried(
        &self,
        obstacle: &Obstacle,
        causes: &[Option<Cause>],
        candidates: Vec<Vec<RemedyAction>>,
    ) -> Vec<Remedy> {
        let conditions = &self.conditions;
        let foreseen = LazyCell::new(|| refused(&self.snapshot, conditions, &conditions.grants));
        let try_one = |actions| self.try_one(obstacle, causes, actions, &foreseen);
        let tried = candidates.into_iter().filter_map(|actions| {
            let mut remedy = try_one(actions)?;
            // Steps that the removed pods need come first, and are tried with the remedy.
            for _ in 0..MOST_FIRST_STEPS {
                let mut first = first_steps(self, &remedy);
                first.retain(|step| !remedy.actions.contains(step));
                if first.is_empty() {
                    break;
                }
                first.extend(remedy.actions.iter().cloned());
                remedy = try_one(first)?;
            }
            Some(remedy)
        });
        tried.collect()
    }

    fn try_one(
        &self,
        obstacle: &Obstacle,
        causes: &[Option<Cause>],
        actions: Vec<RemedyAction>,
        foreseen: &Forbidden,
    ) -> Option<Remedy> {
        let end = self.progression.world.snapshot();
        let entries = actions.iter().map(|action| action.entry(self, end, causes));
        let mut entries: Vec<RemedyEntry> = entries.collect();
        if let [RemedyAction::Partition(_), RemedyAction::DeletePod(pod)] = actions.as_slice()
            && let Some(deletion) = entries.last_mut()
        {
            // Nothing tells yet that the new template helps, and the pods above the partition take it as well.
            let next = &end.status.update_revision;
            deletion.condition = Some(format!(
                "if {next} fixes {pod}, which the partition keeps from it"
            ));
        }
        let mut trial = try_out(self, obstacle, &actions, &entries, foreseen, causes)?;
        // Their data stays in their volumes.
        trial.lost.retain(|claim| {
            let kept = RemedyAction::KeepVolume(Arc::clone(claim));
            !actions.contains(&kept)
        });
        Some(Remedy {
            actions,
            entries,
            trial,
        })
    }
}
