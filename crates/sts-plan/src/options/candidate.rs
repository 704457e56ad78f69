//! The options of a plan with their effects.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::chain::{Chain, after, unchanged, with_edit};
use super::effect::OptionEffect;
use super::{OptionKind, PlanOption};
use crate::order::Order;
use crate::plan::{Plan, PlanResult, owns, pods_of};
use crate::remedy::{Diagnosis, RemedyAction};
use crate::requirement::majority;
use sts_controller::apiserver::apply::Edit;
use sts_controller::controller::{Hold, ordinal_of};
use sts_controller::object::{Pod, PodManagement, Snapshot, Strategy, labels_of};
use sts_controller::simulate::Action;

/// Maximum number of manual deletions: each costs as much as a plan.
const MOST_BY_HAND: usize = 30;

/// Returns the options, first to continue, then the remedies of obstacles, and the number of kinds that the budget of
/// the question left out.
pub(super) fn candidates(plan: &Plan, diagnoses: &[Diagnosis<'_>]) -> (Vec<PlanOption>, usize) {
    let question = plan.conditions.allowance.question();
    let rollout = Rollout::of(plan);
    let baseline = OptionEffect::of_plan(plan);
    let mut options = vec![PlanOption {
        kind: OptionKind::GoOn,
        actions: Vec::new(),
        remedy: None,
        effect: baseline.clone(),
    }];
    options.extend(fixes(plan, diagnoses));
    let has_fixes = options.len() > 1;
    let others: [&dyn Fn() -> Option<PlanOption>; 8] = [
        &|| rollout.replace_each(),
        &|| rollout.pause(&baseline),
        &|| rollout.advance(),
        &|| rollout.resume(),
        &|| rollout.more_at_once(&baseline),
        &|| rollout.parallel(&baseline),
        // For a stuck set, the remedies already include a rollback that helps.
        &|| rollout.roll_back().filter(|_| !has_fixes),
        &|| rollout.roll_back_moved(diagnoses),
    ];
    let mut left_out = 0;
    for other in others {
        let option = question.exhausted().is_none().then(other).flatten();
        // An option that was cut off has no effect.
        if question.exhausted().is_some() {
            left_out += 1;
            continue;
        }
        options.extend(option.filter(|option| option.effect.costs_no_more_than(&baseline)));
    }
    (options, left_out)
}

/// Returns the remedies that help, in the order of the diagnoses.
fn fixes<'p>(plan: &'p Plan, diagnoses: &'p [Diagnosis<'_>]) -> impl Iterator<Item = PlanOption> {
    let remedies = diagnoses.iter().flat_map(|diagnosis| &diagnosis.remedies);
    let mut seen: Vec<&[RemedyAction]> = Vec::new();
    let helping = remedies.filter(move |remedy| {
        let is_new = !seen.contains(&&*remedy.actions);
        seen.push(&remedy.actions);
        is_new && remedy.is_fix()
    });
    helping.map(|remedy| PlanOption {
        kind: OptionKind::Fix,
        actions: remedy.actions.clone(),
        remedy: Some(remedy.clone()),
        effect: OptionEffect::of_remedy(plan, remedy),
    })
}

/// A rollout in progress.
struct Rollout<'p> {
    plan: &'p Plan,
    /// Pods of the set, highest ordinal first.
    pods: Vec<&'p Arc<Pod>>,
    /// True if an operator owns the set and reverts changes.
    is_operated: bool,
}

impl<'p> Rollout<'p> {
    fn of(plan: &'p Plan) -> Self {
        let snapshot = &plan.snapshot;
        let mut pods: Vec<&Arc<Pod>> = pods_of(snapshot)
            .filter(|pod| owns(snapshot, pod))
            .collect();
        pods.sort_by_key(|pod| std::cmp::Reverse(ordinal_of(&pod.meta.name)));
        Rollout {
            plan,
            pods,
            is_operated: plan.operator().is_some(),
        }
    }

    fn is_rolling(&self) -> bool {
        matches!(self.plan.snapshot.set.strategy, Strategy::RollingUpdate(_))
    }

    fn update_revision(&self) -> &'p Arc<str> {
        &self.plan.next.status.update_revision
    }

    /// Returns the slot of a pod, which the controller compares with the partition.
    fn slot(&self, pod: &Pod) -> Option<i32> {
        let behaviour = &self.plan.conditions.behaviour;
        let slot = behaviour.slot(&self.plan.snapshot.set, ordinal_of(&pod.meta.name))?;
        i32::try_from(slot).ok()
    }

    /// Returns the outdated pods, highest ordinal first.
    fn outdated(&self) -> impl Iterator<Item = &'p Arc<Pod>> {
        let update = self.update_revision();
        let pods = self.pods.iter().copied();
        pods.filter(move |pod| pod.revision != *update && !pod.is_terminating())
    }

    /// Returns the option of one edit of the set, if it completes.
    fn edit(&self, kind: OptionKind, action: RemedyAction, edit: &Edit) -> Option<PlanOption> {
        if self.is_operated {
            return None;
        }
        let plan = with_edit(self.plan, edit)?;
        let effect = OptionEffect::of_plan(&plan);
        (effect.result == PlanResult::Complete).then(|| PlanOption {
            kind,
            actions: vec![action],
            remedy: None,
            effect,
        })
    }

    fn partition(&self, kind: OptionKind, partition: i32) -> Option<PlanOption> {
        let action = RemedyAction::Partition(partition);
        self.edit(kind, action, &Edit::partition(partition))
    }

    /// Returns the option to set the partition above the next pod: pods in progress finish, no other is updated.
    fn pause(&self, baseline: &OptionEffect) -> Option<PlanOption> {
        if !self.is_rolling() || baseline.result != PlanResult::Complete {
            return None;
        }
        let partition = self.plan.snapshot.set.strategy.partition();
        let slots = self.outdated().filter_map(|pod| self.slot(pod));
        let next = slots.filter(|slot| *slot >= partition).max()?;
        let paused = self.partition(OptionKind::Pause, next.checked_add(1)?)?;
        (paused.effect.restarts < baseline.restarts).then_some(paused)
    }

    /// Returns the slots of the pods that the partition holds at the end, highest first.
    fn held(&self) -> Vec<i32> {
        if !self.plan.completes() {
            return Vec::new();
        }
        let holds = self.plan.last.holds.iter();
        let held = holds.filter_map(|hold| match hold {
            Hold::HeldByPartition { pod, .. } => self.slot(pod),
            _ => None,
        });
        let mut held: Vec<i32> = held.collect();
        held.sort_unstable_by(|a, b| b.cmp(a));
        held
    }

    fn advance(&self) -> Option<PlanOption> {
        // Advancing to the last pod is the same as resuming.
        let next = *self.held().first().filter(|slot| **slot > 0)?;
        self.partition(OptionKind::Advance, next)
    }

    fn resume(&self) -> Option<PlanOption> {
        self.held().first()?;
        self.partition(OptionKind::Resume, 0)
    }

    /// Returns the option to update more pods at once, within the budget. Without a budget, it keeps one spare member
    /// beyond the quorum.
    fn more_at_once(&self, baseline: &OptionEffect) -> Option<PlanOption> {
        let plan = self.plan;
        plan.conditions.behaviour.max_unavailable?;
        if !self.is_rolling() || baseline.result != PlanResult::Complete || baseline.restarts < 2 {
            return None;
        }
        let set = &plan.snapshot.set;
        let replicas = i64::from(set.replicas);
        let labels = labels_of(&set.template);
        let budgets = plan.related.budgets(&set.meta.namespace);
        let allowed = budgets
            .filter(|budget| budget.covers(&labels))
            .map(|budget| budget.allows(replicas).unwrap_or(0))
            .min();
        let spare = replicas - majority(replicas);
        let most = match allowed {
            Some(allowed) => allowed.min(spare),
            None => spare - 1,
        };
        let most = i32::try_from(most).ok().filter(|most| *most > 1)?;
        let action = RemedyAction::MaxUnavailable(most);
        let edit = Edit::max_unavailable(&most.to_string());
        let faster = self.edit(OptionKind::MaxUnavailable, action, &edit)?;
        (faster.effect.after < baseline.after).then_some(faster)
    }

    /// Returns the option to recreate the set around its pods as Parallel, if several pods are missing. Deleting pods sooner
    /// is not worth it.
    fn parallel(&self, baseline: &OptionEffect) -> Option<PlanOption> {
        let set = &self.plan.snapshot.set;
        if set.pod_management == PodManagement::Parallel
            || self.is_operated
            || baseline.result != PlanResult::Complete
            || self.plan.tally().created < 2
            || !baseline.lost.is_empty()
        {
            return None;
        }
        let action = RemedyAction::Parallel;
        let plan = after(
            self.plan,
            action.entry(self.plan, &self.plan.snapshot, &[]).request?,
        )?;
        let effect = OptionEffect::of_plan(&plan);
        let helps = effect.result == PlanResult::Complete
            && effect.after < baseline.after
            && effect.restarts <= baseline.restarts
            && effect.outdated <= baseline.outdated;
        helps.then(|| PlanOption {
            kind: OptionKind::Parallel,
            actions: vec![action],
            remedy: None,
            effect,
        })
    }

    /// Returns the snapshot with the next sync's status, which names the template's revision.
    fn after_next_status(&self) -> Snapshot {
        Snapshot {
            status: Arc::clone(&self.plan.next.status),
            ..self.plan.snapshot.clone()
        }
    }

    /// Returns the option to roll back the template; with `OnDelete`, it also deletes the updated pods.
    fn roll_back(&self) -> Option<PlanOption> {
        let next = self.after_next_status();
        let behaviour = &self.plan.conditions.behaviour;
        let back = self.plan.observed().fallback(&next, behaviour)?;
        let name = &back.meta.name;
        let is_current = self.is_rolling() && next.status.current_revision == *name;
        let in_rollout = is_current || self.outdated().any(|pod| pod.revision == *name);
        if !in_rollout || self.is_operated {
            return None;
        }
        let plan = with_edit(self.plan, &Edit::to_revision(back))?;
        let mut actions = vec![RemedyAction::ToRevision(Arc::clone(name), back.number)];
        let effect = match self.is_rolling() {
            true => OptionEffect::of_plan(&plan),
            false => {
                let (deleted, effect) = self.one_by_one(plan)?;
                actions.extend(deleted);
                effect
            }
        };
        (effect.result == PlanResult::Complete).then(|| PlanOption {
            kind: OptionKind::RollBack,
            actions,
            remedy: None,
            effect,
        })
    }

    /// Returns the option to roll back only the pods: a partition above all pods, and the updated pods deleted.
    fn roll_back_moved(&self, diagnoses: &[Diagnosis<'_>]) -> Option<PlanOption> {
        let status = &self.plan.next.status;
        let set = &self.plan.snapshot.set;
        if !self.is_rolling()
            || self.is_operated
            || status.current_revision == status.update_revision
            || self.outdated().next().is_none()
        {
            return None;
        }
        // For a stuck set, it helps if a rollback of the template does.
        let is_of_template = || {
            let remedies = diagnoses.iter().flat_map(|it| &it.remedies);
            let mut remedies = remedies.filter(|it| it.trial.verdict.helps());
            remedies.any(|remedy| {
                let mut actions = remedy.actions.iter();
                actions.any(|action| matches!(action, RemedyAction::ToRevision(..)))
            })
        };
        if !self.plan.completes() && !is_of_template() {
            return None;
        }
        let partition = set.replicas;
        let plan = with_edit(self.plan, &Edit::partition(partition))?;
        let (deleted, effect) = self.one_by_one(plan)?;
        if deleted.is_empty() || effect.result != PlanResult::Complete {
            return None;
        }
        let actions = std::iter::once(RemedyAction::Partition(partition)).chain(deleted);
        Some(PlanOption {
            kind: OptionKind::RollBackMoved,
            actions: actions.collect(),
            remedy: None,
            effect,
        })
    }

    /// Returns the option to delete the outdated pods of an `OnDelete` set one by one.
    fn replace_each(&self) -> Option<PlanOption> {
        let Strategy::OnDelete(_) = self.plan.snapshot.set.strategy else {
            return None;
        };
        if !self.plan.completes() || self.plan.tally().on_delete == 0 {
            return None;
        }
        let (actions, effect) = self.one_by_one(unchanged(self.plan))?;
        (effect.result == PlanResult::Complete && !actions.is_empty()).then(|| PlanOption {
            kind: OptionKind::ReplaceEach,
            actions,
            remedy: None,
            effect,
        })
    }

    /// Deletes the pods whose replacements have another revision, each when the set has settled: unready pods first, then
    /// from the highest ordinal down. Returns `None` if there are too many or the set does not settle.
    fn one_by_one(&self, began: Plan) -> Option<(Vec<RemedyAction>, OptionEffect)> {
        let mut chain = Chain::new(self.plan, began);
        let mut deleted = Vec::new();
        let mut done: BTreeSet<Arc<str>> = BTreeSet::new();
        loop {
            let rest = chain.rest();
            let Some(pod) = next_to_delete(&rest, &done) else {
                return Some((deleted, chain.effect()));
            };
            let name = Arc::clone(&pod.meta.name);
            let is_safe = rest.completes() || !pod.is_running_and_ready();
            if deleted.len() >= MOST_BY_HAND || !is_safe {
                return None;
            }
            done.insert(Arc::clone(&name));
            deleted.push(RemedyAction::DeletePod(Arc::clone(&name)));
            chain.append(after(&rest, Action::DeletePod(name))?);
        }
    }
}

/// Returns the next pod to delete.
fn next_to_delete<'r>(rest: &'r Plan, done: &BTreeSet<Arc<str>>) -> Option<&'r Arc<Pod>> {
    let snapshot = &rest.snapshot;
    let status = &rest.next.status;
    let wanted = match &snapshot.set.strategy {
        Strategy::OnDelete(_) => &status.update_revision,
        // The partition is above all pods.
        _ => &status.current_revision,
    };
    let pods = pods_of(snapshot).filter(|pod| {
        owns(snapshot, pod)
            && !pod.is_terminating()
            && pod.revision != *wanted
            && !done.contains(&pod.meta.name)
    });
    pods.min_by_key(|pod| Order::default().sort_key(pod))
}
