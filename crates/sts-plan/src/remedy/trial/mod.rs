//! Trials of remedies: each is applied to the world at the end of the plan, and the simulation continues.
//!
//! A trial assumes that an unready pod is broken by its revision: a pod of that name never becomes ready on it, but does on
//! another one. It assumes that a stuck terminating pod is held by its node, until it is force-deleted. A pod that cannot be
//! scheduled because of a missing claim is broken by that alone. Predicted failures still apply: a pod whose volume no node
//! can attach does not come back, and another pod that has no node keeps having none.

mod known;
mod lacking;
mod premise;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;

use super::action::{RemedyAction, RemedyEntry};
use crate::cause::Cause;
use crate::plan::{Availability, Obstacle, Plan, Retry, judge, other_unhealthy, outdated, pods_of};
use known::Known;
pub(super) use lacking::Lacking;
use premise::premise;
use sts_controller::object::{Pod, Snapshot};
use sts_controller::simulate::{
    Action, End, Forbidden, ScheduledAction, StepAction, StepWrite, World, run,
};

/// Limits of the number of pods that a trial deletes one by one; lower for a large set, where each costs more.
const MOST_DELETED: std::ops::RangeInclusive<usize> = 5..=200;
const POD_VISITS: usize = 200_000;

/// The effect of a remedy.
#[derive(Debug, Clone)]
pub struct RemedyTrial {
    /// Outcome of the trial.
    pub verdict: TrialOutcome,
    /// Time from the controller's first attempt until the simulation settles.
    pub after: SignedDuration,
    /// Time until that attempt, if the remedy does not trigger one.
    pub retry: Option<Retry>,
    /// Replaced pods, each with its new revision.
    pub restarted: BTreeMap<Arc<str>, Arc<str>>,
    /// Claims that are deleted with their data.
    pub lost: BTreeSet<Arc<str>>,
    /// Maximum number of replicas that are not ready at one moment.
    pub most_down: usize,
    /// Number of outdated pods at the end.
    pub outdated: usize,
    /// Other pods that had to be deleted, one by one, when the set was stuck on them.
    pub also_deleted: Vec<Arc<str>>,
    /// Reason that a pod which the actions remove does not come back.
    pub(super) lacking: Option<Lacking>,
}

/// The outcome of a trial.
#[derive(Debug, Clone)]
pub enum TrialOutcome {
    /// The set completes.
    Completes,
    /// This obstacle is resolved, but another one follows.
    Next(Obstacle),
    /// The obstacle remains.
    Useless(Obstacle),
    /// The set never settles.
    Livelock,
}

impl TrialOutcome {
    /// Reports whether the set completes.
    #[must_use]
    pub fn completes(&self) -> bool {
        matches!(self, TrialOutcome::Completes)
    }

    /// Reports whether the set completes, or is left with the same obstacle as by another remedy.
    pub(super) fn does_as_much_as(&self, other: &TrialOutcome) -> bool {
        match (self, other) {
            (TrialOutcome::Next(left), TrialOutcome::Next(other)) => left.is_same(other),
            _ => self.completes(),
        }
    }

    /// Reports whether the obstacle is resolved.
    #[must_use]
    pub fn helps(&self) -> bool {
        matches!(self, TrialOutcome::Completes | TrialOutcome::Next(_))
    }
}

/// Applies the actions and continues the simulation; `None` if the API server refuses one of them.
pub(super) fn try_out(
    plan: &Plan,
    obstacle: &Obstacle,
    actions: &[RemedyAction],
    entries: &[RemedyEntry],
    foreseen: &Forbidden,
    causes: &[Option<Cause>],
) -> Option<RemedyTrial> {
    let behaviour = &plan.conditions.behaviour;
    let before = &plan.progression.world;
    let mut world = before.fork(
        before.snapshot().clone(),
        premise(plan, obstacle, actions, entries, foreseen, causes),
    );
    let known = Known::of(plan, obstacle, actions, entries);
    let mut steps = Vec::new();
    let mut removals = Vec::new();
    for entry in entries {
        let Some(node) = &entry.emptied_node else {
            if let Some(request) = &entry.request {
                steps.extend(world.perform(request, behaviour).ok()?);
            }
            continue;
        };
        // Pod garbage collection removes the node's unready pods, with the one of the request.
        let at = world.now().checked_add(entry.emptied_after).ok()?;
        let others = pods_of(world.snapshot())
            .filter(|other| other.node.as_ref() == Some(node) && !other.is_ready())
            .map(|other| Action::ForceDeletePod(Arc::clone(&other.meta.name)));
        let actions = entry.request.iter().cloned().chain(others);
        removals.extend(actions.map(|action| ScheduledAction { at, action }));
    }
    let later = removals.iter().filter_map(|it| it.action.deleted_pod());
    let removed_later: BTreeSet<Arc<str>> = later.cloned().collect();
    let requests = entries.iter().filter_map(|entry| entry.request.as_ref());
    let now = requests.filter_map(Action::deleted_pod);
    let mut removed: BTreeSet<Arc<str>> = now.chain(&removed_later).cloned().collect();
    if !removals.is_empty() {
        world = world.with_agenda(removals);
    }
    let mut foresight = known.tell(&mut world, &removed_later);
    let pods = before.snapshot().pods.len().max(1);
    let most = (POD_VISITS / pods).clamp(*MOST_DELETED.start(), *MOST_DELETED.end());
    let repeats = actions
        .iter()
        .any(|remedy_action| remedy_action.deleted_pod().is_some());
    let mut also_deleted = Vec::new();
    let (mut restarted, mut lost) = (BTreeMap::new(), BTreeSet::new());
    loop {
        let progression = run(world, behaviour);
        for step in &progression.steps {
            match &step.action {
                StepAction::Controller(writes) => restarted.extend(recreated(before, writes)),
                StepAction::ClaimRemoved(claim) => {
                    lost.insert(Arc::clone(claim));
                }
                _ => {}
            }
        }
        steps.extend(progression.steps);
        world = progression.world;
        let last = world.next_sync(behaviour);
        let mut obstacles = judge(&world, &last, behaviour, plan.deletion());
        if !obstacles.is_empty() && matches!(obstacle, Obstacle::Unhealthy(_)) {
            // The controller may wait for another pod.
            let others = other_unhealthy(&world, behaviour, &obstacles).into_iter();
            obstacles.extend(others.filter(|other| other.is_same(obstacle)));
        }
        let lacking = Lacking::of(&removed, &world, &obstacles, &foresight);
        // The controller waits for another pod before it creates this one, which was there: with a deletion alone, nothing
        // is won.
        let is_waited_for = |name: &Arc<str>| {
            let waited = obstacle.pod();
            waited.is_some_and(|pod| pod.meta.name == *name && !pod.is_terminating())
        };
        let is_only_gone = matches!(actions, [RemedyAction::DeletePod(name)]
            if is_waited_for(name) && !world.snapshot().pods.contains_key(name));
        let verdict = match (progression.end, obstacles.first()) {
            // A pod that was there, and does not come back: nothing is won.
            (End::Rest, Some(first)) if lacking.is_some() || is_only_gone => {
                TrialOutcome::Useless(first.clone())
            }
            (End::Livelock, _) => TrialOutcome::Livelock,
            (End::Rest, None) => TrialOutcome::Completes,
            (End::Rest, Some(first)) => {
                match obstacles.iter().find(|left| left.is_same(obstacle)) {
                    Some(same) => TrialOutcome::Useless(same.clone()),
                    None => TrialOutcome::Next(first.clone()),
                }
            }
        };
        if let TrialOutcome::Next(next) = &verdict
            && repeats
            && next.reason() == obstacle.reason()
            && let Some(pod) = next.pod()
            && has_same_trouble(before.snapshot(), obstacle.pod(), pod)
            && also_deleted.len() < most
            && !also_deleted.contains(&pod.meta.name)
            && let deletion = Action::DeletePod(Arc::clone(&pod.meta.name))
            && let Ok(deleted) = world.perform(&deletion, behaviour)
        {
            steps.extend(deleted);
            removed.insert(Arc::clone(&pod.meta.name));
            also_deleted.push(Arc::clone(&pod.meta.name));
            foresight = known.tell(&mut world, &BTreeSet::new());
            continue;
        }
        return Some(RemedyTrial {
            verdict,
            after: world.now().duration_since(before.now()),
            retry: retry(plan, obstacle, entries),
            most_down: Availability::over(
                before.snapshot(),
                &before.snapshot().set,
                behaviour,
                before.now(),
                &steps,
            )
            .most_down,
            outdated: outdated(world.snapshot(), &last.status),
            restarted,
            lost,
            also_deleted,
            lacking,
        });
    }
}

/// Returns the time until the controller retries a refused request, if no action triggers a retry.
fn retry(plan: &Plan, obstacle: &Obstacle, entries: &[RemedyEntry]) -> Option<Retry> {
    if !matches!(
        obstacle,
        Obstacle::CreationRefused { .. } | Obstacle::DeletionRefused { .. }
    ) || entries.iter().any(|entry| entry.request.is_some())
    {
        return None;
    }
    let pod = &obstacle.pod()?.meta.name;
    plan.evidence.retry(pod, plan.conditions.now)
}

/// Reports whether two pods fail for the same reason, so that a deletion may help both.
fn has_same_trouble(before: &Snapshot, one: Option<&Arc<Pod>>, other: &Arc<Pod>) -> bool {
    let reason = |pod: &Arc<Pod>| {
        let stored = before.pods.get(&pod.meta.name)?;
        let trouble = stored.trouble.as_ref()?;
        Some(trouble.reason.clone())
    };
    one.is_none_or(|one| reason(one) == reason(other))
}

/// Returns the replacements of earlier pods among these writes, each with its revision.
fn recreated<'w>(
    before: &'w World,
    writes: &'w [StepWrite],
) -> impl Iterator<Item = (Arc<str>, Arc<str>)> + 'w {
    let created = writes.iter().filter(|write| write.creates_pod());
    created.filter_map(|write| {
        let revision = write.revision.as_ref()?;
        let there = before.snapshot().pods.contains_key(&write.name);
        there.then(|| (Arc::clone(&write.name), Arc::clone(revision)))
    })
}
