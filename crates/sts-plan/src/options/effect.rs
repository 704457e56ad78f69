//! The effect of an option: its outcome and its cost.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use crate::plan::{Availability, Obstacle, Plan, PlanResult, outdated};
use crate::remedy::{Remedy, TrialOutcome};
use crate::requirement::majority;
use sts_controller::controller::ordinal_of;
use sts_controller::simulate::{ObjectEvent, Step, StepAction};

/// The effect of an option, from now on.
#[derive(Debug, Clone)]
pub struct OptionEffect {
    /// Result of the rollout.
    pub result: PlanResult,
    /// Remaining obstacle, if it is blocked.
    pub obstacle: Option<Obstacle>,
    /// Time until the set settles.
    pub after: SignedDuration,
    /// Number of pod replacements.
    pub restarts: usize,
    /// Number of outdated pods at the end.
    pub outdated: usize,
    /// `spec.replicas`.
    pub replicas: i32,
    /// Maximum number of replicas that are not ready at one moment.
    pub most_down: usize,
    /// Minimum number of ready pods.
    pub lowest_ready: usize,
    /// True if fewer than a majority of at least three replicas are ready at some moment.
    pub loses_quorum: bool,
    /// Claims that are deleted with their data.
    pub lost: Vec<Arc<str>>,
}

impl OptionEffect {
    /// Returns the effect of a plan.
    pub(super) fn of_plan(plan: &Plan) -> Self {
        OptionEffect::of_steps(plan, &plan.progression.steps, plan)
    }

    /// Returns the effect of steps that begin with one plan and end with another of the same set.
    pub(super) fn of_steps(first: &Plan, steps: &[Step], last: &Plan) -> Self {
        let set = &last.snapshot.set;
        let availability = Availability::over(
            &first.snapshot,
            &first.snapshot.set,
            &first.conditions.behaviour,
            first.conditions.now,
            steps,
        );
        OptionEffect {
            result: last.outcome.result(),
            obstacle: last.outcome.obstacles().first().cloned(),
            after: last
                .progression
                .world
                .now()
                .duration_since(first.conditions.now),
            restarts: restarts(first, steps),
            outdated: outdated(last.progression.world.snapshot(), &last.last.status),
            lost: lost(first, steps).into_iter().collect(),
            ..OptionEffect::down(set.replicas, availability.most_down.max(down_at_end(last)))
        }
    }

    /// Returns the effect of a remedy at the end of the plan.
    pub(super) fn of_remedy(plan: &Plan, remedy: &Remedy) -> Self {
        let trial = &remedy.trial;
        let until = OptionEffect::of_plan(plan);
        let lost: BTreeSet<Arc<str>> = until.lost.iter().chain(&trial.lost).cloned().collect();
        let wait = trial
            .retry
            .map_or(SignedDuration::ZERO, |retry| retry.likely());
        let (result, obstacle) = match &trial.verdict {
            TrialOutcome::Completes => (PlanResult::Complete, None),
            TrialOutcome::Next(left) | TrialOutcome::Useless(left) => {
                (PlanResult::Blocked, Some(left.clone()))
            }
            TrialOutcome::Livelock => (PlanResult::Livelock, None),
        };
        OptionEffect {
            result,
            obstacle,
            after: until.after + wait + trial.after,
            restarts: until.restarts + trial.restarted.len(),
            outdated: trial.outdated,
            lost: lost.into_iter().collect(),
            ..OptionEffect::down(until.replicas, until.most_down.max(trial.most_down))
        }
    }

    /// Returns an effect with only the counts of unready pods.
    fn down(replicas: i32, most_down: usize) -> Self {
        let wanted = usize::try_from(replicas).unwrap_or(0);
        let needed = usize::try_from(majority(i64::from(replicas))).unwrap_or(0);
        let lowest_ready = wanted.saturating_sub(most_down);
        OptionEffect {
            result: PlanResult::Complete,
            obstacle: None,
            after: SignedDuration::ZERO,
            restarts: 0,
            outdated: 0,
            replicas,
            most_down,
            lowest_ready,
            loses_quorum: replicas > 2 && lowest_ready < needed,
            lost: Vec::new(),
        }
    }

    /// Reports whether it loses no data or quorum beyond what the other loses.
    pub(super) fn costs_no_more_than(&self, other: &OptionEffect) -> bool {
        let is_lost_too = |claim: &Arc<str>| other.lost.contains(claim);
        (!self.loses_quorum || other.loses_quorum) && self.lost.iter().all(is_lost_too)
    }
}

/// Counts the replicas that are not ready at the end, including those never created.
fn down_at_end(plan: &Plan) -> usize {
    let snapshot = plan.predicted().objects();
    let wanted = plan.conditions.behaviour.ordinals(&snapshot.set);
    let ready = plan.final_pods().filter(|pod| {
        let serves = pod.is_running_and_ready() && !pod.is_terminating();
        serves && wanted.contains(&ordinal_of(&pod.meta.name))
    });
    usize::try_from(snapshot.set.replicas)
        .unwrap_or(0)
        .saturating_sub(ready.count())
}

/// Counts the replacements of earlier pods.
fn restarts(plan: &Plan, steps: &[Step]) -> usize {
    let mut seen: BTreeSet<&Arc<str>> = plan.snapshot.pods.keys().collect();
    let writes = steps.iter().flat_map(Step::writes);
    let created = writes.filter(|write| write.creates_pod());
    created.filter(|write| !seen.insert(&write.name)).count()
}

fn lost(plan: &Plan, steps: &[Step]) -> BTreeSet<Arc<str>> {
    let claims = steps.iter().filter_map(|step| match &step.action {
        StepAction::ClaimRemoved(name) | StepAction::Object(_, ObjectEvent::ClaimDeleted, name) => {
            Some(name)
        }
        _ => None,
    });
    claims
        .filter(|name| plan.snapshot.claims.contains_key(*name))
        .cloned()
        .collect()
}
