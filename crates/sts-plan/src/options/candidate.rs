//! The options that apply to a plan, each with its effect.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::chain::{Chain, after, unchanged, with_edit};
use super::effect::OptionEffect;
use super::order::Order;
use super::{OptionKind, PlanOption};
use crate::analysis::Diagnosis;
use crate::members::fallback;
use crate::plan::{Plan, PlanResult, owns, pods_of};
use crate::remedy::RemedyAction;
use crate::requirement::majority;
use sts_controller::apiserver::apply::Edit;
use sts_controller::controller::{Hold, ordinal_of};
use sts_controller::object::{Pod, PodManagement, Snapshot, Strategy, labels_of};
use sts_controller::simulate::Action;

/// Maximum number of pods that are deleted by hand one after the other: each costs as much as a plan.
const MOST_BY_HAND: usize = 30;

/// Returns the options, to go on first, then what helps against obstacles.
pub(super) fn candidates(plan: &Plan, diagnoses: &[Diagnosis<'_>]) -> Vec<PlanOption> {
    let rollout = Rollout::of(plan);
    let going_on = OptionEffect::of_plan(plan);
    let mut told = vec![PlanOption {
        kind: OptionKind::GoOn,
        actions: Vec::new(),
        remedy: None,
        effect: going_on.clone(),
    }];
    told.extend(fixes(plan, diagnoses));
    let has_fixes = told.len() > 1;
    let others = [
        rollout.replace_each(),
        rollout.pause(&going_on),
        rollout.advance(),
        rollout.resume(),
        rollout.more_at_once(&going_on),
        rollout.parallel(&going_on),
        // Of a stuck set the remedy room says whether the earlier template helps.
        rollout.roll_back().filter(|_| !has_fixes),
        rollout.roll_back_moved(diagnoses),
    ];
    let sound = others
        .into_iter()
        .flatten()
        .filter(|option| option.effect.costs_no_more_than(&going_on));
    told.extend(sound);
    told
}

/// The remedies that help, in the order in which the verdict has them.
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

/// A rollout that is under way.
struct Rollout<'p> {
    plan: &'p Plan,
    /// The set's pods that stay, the highest ordinal first.
    pods: Vec<&'p Arc<Pod>>,
    /// True if an operator owns the set, and reverts what is changed in it.
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
            is_operated: snapshot.set.meta.controller().is_some(),
        }
    }

    fn is_rolling(&self) -> bool {
        matches!(self.plan.snapshot.set.strategy, Strategy::RollingUpdate(_))
    }

    fn update_revision(&self) -> &'p Arc<str> {
        &self.plan.next.status.update_revision
    }

    /// The slot of a pod, which the partition is compared with.
    fn slot(&self, pod: &Pod) -> Option<i32> {
        let behaviour = &self.plan.conditions.behaviour;
        let slot = behaviour.slot(&self.plan.snapshot.set, ordinal_of(&pod.meta.name))?;
        i32::try_from(slot).ok()
    }

    /// The pods that are still to be replaced, the highest ordinal first.
    fn outdated(&self) -> impl Iterator<Item = &'p Arc<Pod>> {
        let update = self.update_revision();
        let pods = self.pods.iter().copied();
        pods.filter(move |pod| pod.revision != *update && !pod.is_terminating())
    }

    /// The option of one edit of the set.
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
        self.edit(kind, action, &Edit::Partition(partition))
    }

    /// The partition above the next pod: those that are on their way come up, and no other is touched.
    fn pause(&self, going_on: &OptionEffect) -> Option<PlanOption> {
        if !self.is_rolling() || going_on.result != PlanResult::Complete {
            return None;
        }
        let partition = self.plan.snapshot.set.strategy.partition();
        let slots = self.outdated().filter_map(|pod| self.slot(pod));
        let next = slots.filter(|slot| *slot >= partition).max()?;
        let paused = self.partition(OptionKind::Pause, next.checked_add(1)?)?;
        (paused.effect.restarts < going_on.restarts).then_some(paused)
    }

    /// The slots of the pods that the partition holds at the end, the highest first.
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
        // The last one is no different from all.
        let next = *self.held().first().filter(|slot| **slot > 0)?;
        self.partition(OptionKind::Advance, next)
    }

    fn resume(&self) -> Option<PlanOption> {
        self.held().first()?;
        self.partition(OptionKind::Resume, 0)
    }

    /// More pods at once, as far as the budget allows, and without one a spare member beyond the quorum is left.
    fn more_at_once(&self, going_on: &OptionEffect) -> Option<PlanOption> {
        let plan = self.plan;
        plan.conditions.behaviour.max_unavailable?;
        if !self.is_rolling() || going_on.result != PlanResult::Complete || going_on.restarts < 2 {
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
        let edit = Edit::MaxUnavailable(most.to_string());
        let faster = self.edit(OptionKind::MaxUnavailable, action, &edit)?;
        (faster.effect.after < going_on.after).then_some(faster)
    }

    /// The set recreated around its pods, as one that starts them at once. It is worth that where several are missing; to
    /// end pods sooner, with what they hold, is not.
    fn parallel(&self, going_on: &OptionEffect) -> Option<PlanOption> {
        let set = &self.plan.snapshot.set;
        if set.pod_management == PodManagement::Parallel
            || self.is_operated
            || going_on.result != PlanResult::Complete
            || self.plan.tally().created < 2
            || !going_on.lost.is_empty()
        {
            return None;
        }
        let action = RemedyAction::Parallel;
        let plan = after(self.plan, action.action(&self.plan.snapshot)?)?;
        let effect = OptionEffect::of_plan(&plan);
        let helps = effect.result == PlanResult::Complete
            && effect.after < going_on.after
            && effect.restarts <= going_on.restarts
            && effect.outdated <= going_on.outdated;
        helps.then(|| PlanOption {
            kind: OptionKind::Parallel,
            actions: vec![action],
            remedy: None,
            effect,
        })
    }

    /// The snapshot with the status that the next sync computes, which names the revision of the template.
    fn observed(&self) -> Snapshot {
        Snapshot {
            status: Arc::clone(&self.plan.next.status),
            ..self.plan.snapshot.clone()
        }
    }

    /// The template becomes the earlier one again; under `OnDelete` the pods that have moved are deleted.
    fn roll_back(&self) -> Option<PlanOption> {
        let observed = self.observed();
        let back = fallback(&observed, &self.plan.conditions.behaviour)?;
        let (name, template) = (&back.meta.name, back.template()?);
        let is_current = self.is_rolling() && observed.status.current_revision == *name;
        let in_rollout = is_current || self.outdated().any(|pod| pod.revision == *name);
        if !in_rollout || self.is_operated {
            return None;
        }
        let plan = with_edit(self.plan, &Edit::ToRevision((**template).clone()))?;
        let mut actions = vec![RemedyAction::ToRevision(Arc::clone(name), back.number)];
        let effect = match self.is_rolling() {
            true => OptionEffect::of_plan(&plan),
            false => {
                let (deleted, effect) = self.one_after_the_other(plan)?;
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

    /// The partition above all pods, and the pods that have moved deleted: they come back on the earlier revision.
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
        // Of a stuck set it helps where the earlier template does.
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
        let plan = with_edit(self.plan, &Edit::Partition(partition))?;
        let (deleted, effect) = self.one_after_the_other(plan)?;
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

    /// The outdated pods of an `OnDelete` set, deleted one after the other.
    fn replace_each(&self) -> Option<PlanOption> {
        let Strategy::OnDelete(_) = self.plan.snapshot.set.strategy else {
            return None;
        };
        if !self.plan.completes() || self.plan.tally().on_delete == 0 {
            return None;
        }
        let (actions, effect) = self.one_after_the_other(unchanged(self.plan))?;
        (effect.result == PlanResult::Complete && !actions.is_empty()).then(|| PlanOption {
            kind: OptionKind::ReplaceEach,
            actions,
            remedy: None,
            effect,
        })
    }

    /// Deletes the pods that are on another revision than they come back on, each when the set is at rest: those first
    /// that do not serve, then from the highest ordinal down. `None` where that is too many, or leads nowhere.
    fn one_after_the_other(&self, began: Plan) -> Option<(Vec<RemedyAction>, OptionEffect)> {
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
            chain.go_on(after(&rest, Action::DeletePod(name))?);
        }
    }
}

/// The next pod that is to come back on another revision.
fn next_to_delete<'r>(rest: &'r Plan, done: &BTreeSet<Arc<str>>) -> Option<&'r Arc<Pod>> {
    let snapshot = &rest.snapshot;
    let status = &rest.next.status;
    let wanted = match &snapshot.set.strategy {
        Strategy::OnDelete(_) => &status.update_revision,
        // The partition stands above all pods.
        _ => &status.current_revision,
    };
    let pods = pods_of(snapshot).filter(|pod| {
        owns(snapshot, pod)
            && !pod.is_terminating()
            && pod.revision != *wanted
            && !done.contains(&pod.meta.name)
    });
    pods.min_by_key(|pod| Order::default().place(pod))
}
