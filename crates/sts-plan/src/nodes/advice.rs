//! Advice for a drain that does not complete. Each budget change is tried in the simulation first.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use super::{NodesOfSet, ReportAdvice};
use crate::command::{in_namespace, named};
use crate::duration::spell;
use crate::explain::remedy_text;
use crate::plan::{Outcome, Plan};
use crate::remedy::ReportRemedy;
use sts_controller::object::{Budget, IntOrPercent, Pod, RelatedObjects};
use sts_controller::simulate::{BudgetClosure, DrainEnd, Drained, GuardedBudget, WaitsFor};

/// Returns the advice to let one node go at a time, which was tried and completes at this time.
pub(super) fn one_at_a_time(completes_after: SignedDuration, away: SignedDuration) -> ReportAdvice {
    ReportAdvice {
        when: format!(
            "one node at a time completes after {}: --return-after {}",
            spell(completes_after),
            spell(away)
        ),
        ..ReportAdvice::default()
    }
}

impl From<ReportRemedy> for ReportAdvice {
    fn from(remedy: ReportRemedy) -> Self {
        ReportAdvice {
            when: remedy.precondition,
            commands: remedy.commands,
            risk: remedy.risk,
            effect: remedy.effect,
            set: String::new(),
        }
    }
}

/// A budget change that may unblock the drain.
#[derive(Clone, Copy)]
enum BudgetChange {
    Unhealthy,
    OneAtATime,
}

/// A drain with changed budgets.
type Rerun<'r> = dyn Fn(&dyn Fn(GuardedBudget) -> GuardedBudget) -> Drained + 'r;

/// Returns the advice for the obstacles of a drain, or a maintenance, which is named `what`.
pub(super) fn of(
    plans: &[Plan],
    related: &RelatedObjects,
    drained: &Drained,
    what: &str,
    rerun: &Rerun<'_>,
) -> Vec<ReportAdvice> {
    if matches!(drained.end, DrainEnd::Done(_)) {
        return Vec::new();
    }
    let Some(now) = plans.first().map(|plan| plan.conditions.now) else {
        return Vec::new();
    };
    let mut advice = Vec::new();
    let mut seen = BTreeSet::new();
    for stranded in &drained.stranded {
        let namespace = &stranded.namespace;
        match &stranded.waits_for {
            WaitsFor::Budget(budget, count) => {
                if !seen.insert((Arc::clone(namespace), Arc::clone(budget))) {
                    continue;
                }
                let effect = |how: BudgetChange| {
                    let changed = rerun(&|guarded| changed_budget(guarded, namespace, budget, how));
                    // A stricter budget moves the wait to another of its pods.
                    let still = changed.stranded.iter().any(|one| {
                        one.namespace == *namespace
                            && matches!(&one.waits_for, WaitsFor::Budget(name, _) if name == budget)
                    });
                    match changed.end {
                        _ if still => None,
                        DrainEnd::Done(at) => {
                            let after = spell(at.duration_since(now));
                            Some(format!("the {what} completes after {after}"))
                        }
                        _ => Some(format!("the {what} gets past this budget")),
                    }
                };
                advice.extend(role_of_one_pod(
                    plans,
                    stranded.set,
                    related,
                    namespace,
                    budget,
                ));
                // No budget helps while a set never settles, and each trial takes as long as the drain.
                if !plans
                    .iter()
                    .any(|plan| matches!(plan.outcome, Outcome::Livelock))
                {
                    advice.extend(of_budget(namespace, budget, effect));
                }
                if count.expected == 0 {
                    advice.push(ReportAdvice {
                        when: format!(
                            "the pods of PodDisruptionBudget {budget} have no controller, so it expects none and allows no \
                             disruption: use a number for minAvailable, or delete the pods yourself"
                        ),
                        ..ReportAdvice::default()
                    });
                }
                if has_unhealthy(plans, related, namespace, budget) {
                    advice.push(ReportAdvice {
                        when: format!(
                            "only {} of {} pods of PodDisruptionBudget {budget} are healthy: repair the others first",
                            count.current, count.expected
                        ),
                        ..ReportAdvice::default()
                    });
                }
            }
            WaitsFor::ClosedBudget(budget, why) => {
                if seen.insert((Arc::clone(namespace), Arc::clone(budget))) {
                    advice.push(ReportAdvice {
                        when: closed_budget(namespace, budget, why),
                        ..ReportAdvice::default()
                    });
                }
            }
            WaitsFor::SeveralBudgets(names) => {
                if seen.insert((Arc::clone(namespace), names.join(",").into())) {
                    advice.push(ReportAdvice {
                        when: format!(
                            "the eviction API supports one PodDisruptionBudget per pod, but {} is covered by {}: keep only \
                             one of them",
                            stranded.pod,
                            names.join(", ")
                        ),
                        ..ReportAdvice::default()
                    });
                }
            }
            WaitsFor::Termination if is_silent(plans, related, &stranded.node) => {
                if seen.insert((Arc::clone(&stranded.node), Arc::from(""))) {
                    advice.push(ReportAdvice {
                        when: format!(
                            "node {} does not respond, so its evicted pods stay terminating, and kubectl drain waits for them: \
                             cordon it instead",
                            stranded.node
                        ),
                        ..ReportAdvice::default()
                    });
                }
            }
            WaitsFor::Termination => advice.push(ReportAdvice {
                when: format!(
                    "{} does not finish terminating: check its processes and finalizers ({})",
                    stranded.pod,
                    in_namespace(namespace, &format!("describe pod {}", named(&stranded.pod)))
                ),
                ..ReportAdvice::default()
            }),
        }
    }
    advice
}

/// Returns advice for a budget that covers one pod of a set by labels that the template does not give: those of a role.
fn role_of_one_pod(
    plans: &[Plan],
    set: Option<usize>,
    related: &RelatedObjects,
    namespace: &str,
    budget: &str,
) -> Option<ReportAdvice> {
    let read = plans.get(set?)?.observed();
    let found = related
        .budgets(namespace)
        .find(|it| *it.meta.name == *budget)?;
    let mut covered = read.owned().filter(|pod| found.covers(&pod.meta.labels));
    let (pod, None) = (covered.next()?, covered.next()) else {
        return None;
    };
    let others = read.owned().find(|other| other.meta.uid != pod.meta.uid)?;
    let selector = found.selector.as_ref()?;
    // The template gives a label to all pods.
    let role = selector
        .match_labels
        .iter()
        .find(|(key, value)| others.meta.labels.get(key) != Some(value))?;
    Some(ReportAdvice {
        when: format!(
            "PodDisruptionBudget {budget} protects only {} ({}={}): switch this role over to a pod on another node, then the \
             drain evicts {}",
            pod.meta.name, role.0, role.1, pod.meta.name
        ),
        ..ReportAdvice::default()
    })
}

fn of_budget(
    namespace: &str,
    budget: &str,
    effect: impl Fn(BudgetChange) -> Option<String>,
) -> Vec<ReportAdvice> {
    let patched = in_namespace(namespace, &format!("patch pdb {}", named(budget)));
    let patch = |spec: &str| format!("{patched} --type merge -p '{{\"spec\":{spec}}}'");
    let mut advice = Vec::new();
    let tried = [
        (
            BudgetChange::Unhealthy,
            "if unready pods can be evicted regardless of the budget".to_owned(),
            "{\"unhealthyPodEvictionPolicy\":\"AlwaysAllow\"}",
        ),
        (
            BudgetChange::OneAtATime,
            format!("if one pod of PodDisruptionBudget {budget} can be down at a time"),
            "{\"minAvailable\":null,\"maxUnavailable\":1}",
        ),
    ];
    for (how, when, spec) in tried {
        advice.extend(effect(how).map(|effect| ReportAdvice {
            when,
            commands: vec![patch(spec)],
            effect,
            ..ReportAdvice::default()
        }));
    }
    advice
}

/// Reports whether the kubelet of a node does not respond, or the node is lost in the question.
fn is_silent(plans: &[Plan], related: &RelatedObjects, node: &Arc<str>) -> bool {
    let mut plans = plans.iter();
    related.node(node).is_some_and(|node| node.is_lost())
        || plans.any(|plan| plan.conditions.outage.lost.contains(node))
}

/// Reports whether a pod of a budget was not ready when it was read. The pods that the drain itself takes down are no
/// reason to repair anything.
fn has_unhealthy(plans: &[Plan], related: &RelatedObjects, namespace: &str, budget: &str) -> bool {
    let found = related
        .budgets(namespace)
        .find(|it| *it.meta.name == *budget);
    let (Some(budget), Some(plan)) = (found, plans.first()) else {
        return false;
    };
    let pods = plan.conditions.outage.pods.iter();
    let mut covered =
        pods.filter(|pod| *pod.meta.namespace == *namespace && budget.covers(&pod.meta.labels));
    covered.any(|pod| !pod.is_ready() || pod.is_terminating())
}

/// Returns the advice on a budget that allows nothing, whatever it counts.
fn closed_budget(namespace: &str, budget: &str, why: &BudgetClosure) -> String {
    let show = in_namespace(namespace, &format!("get pdb {} -o yaml", named(budget)));
    match why {
        BudgetClosure::SyncFailed(_) => format!(
            "the disruption controller cannot count PodDisruptionBudget {budget}: let its selector leave out the pods whose \
             owner has no scale, or use a number for minAvailable ({show})"
        ),
        BudgetClosure::Disrupted(_) | BudgetClosure::Status => format!(
            "PodDisruptionBudget {budget} counts enough healthy pods, but its status allows no disruption: look for recent \
             evictions and conditions ({show})"
        ),
    }
}

fn changed_budget(
    guarded: GuardedBudget,
    namespace: &str,
    name: &str,
    how: BudgetChange,
) -> GuardedBudget {
    let meta = &guarded.budget.meta;
    if *meta.namespace != *namespace || *meta.name != *name {
        return guarded;
    }
    let mut budget = Budget::clone(&guarded.budget);
    let counted_scale = budget.counts_scale();
    match how {
        BudgetChange::Unhealthy => budget.evicts_unhealthy = true,
        BudgetChange::OneAtATime => {
            budget.min_available = None;
            budget.max_unavailable = Some(IntOrPercent::Int(1));
        }
    }
    // A bound of another kind counts replicas instead of pods.
    let others_expected = match budget.counts_scale() == counted_scale {
        true => guarded.others_expected,
        false => guarded.others_scale,
    };
    GuardedBudget {
        budget: Arc::new(budget),
        others_expected,
        ..guarded
    }
}

/// Returns the pods on lost nodes at the end of a plan, with their nodes.
fn on_lost_nodes(plan: &Plan) -> impl Iterator<Item = (&Arc<Pod>, &Arc<str>)> {
    let lost = &plan.conditions.outage.lost;
    plan.final_pods().filter_map(|pod| {
        let node = pod.node.as_ref().filter(|node| lost.contains(*node))?;
        Some((pod, node))
    })
}

/// Returns those that are still terminating.
pub(super) fn stuck_on_lost_nodes(plan: &Plan) -> impl Iterator<Item = (&Arc<Pod>, &Arc<str>)> {
    on_lost_nodes(plan).filter(|(pod, _)| pod.is_terminating())
}

/// Returns those that nothing has deleted.
pub(super) fn left_on_lost_nodes(plan: &Plan) -> impl Iterator<Item = (&Arc<Pod>, &Arc<str>)> {
    on_lost_nodes(plan)
        .filter(|(pod, _)| !pod.is_terminating() && !pod.is_ready() && !pod.phase.has_ended())
}

/// Returns the remedies for pods that stay terminating on lost nodes.
pub(super) fn of_lost(plan: &Plan) -> Vec<ReportAdvice> {
    let stuck = stuck_on_lost_nodes(plan).map(|(pod, _)| pod);
    let remedies = plan.remedies_of_lost_nodes(&stuck.collect::<Vec<_>>());
    let fixes = remedies.iter().filter(|remedy| remedy.is_fix());
    let meta = &plan.snapshot.set.meta;
    fixes
        .map(|remedy| ReportAdvice {
            set: format!("{}/{}", meta.namespace, meta.name),
            ..remedy_text(plan, remedy).into()
        })
        .collect()
}

/// Returns the advice on lost nodes of several sets: all of one set, or the first of each.
pub(super) fn of_sets(sets: &[NodesOfSet]) -> Vec<ReportAdvice> {
    let mut of_each = sets
        .iter()
        .map(|set| &set.advice)
        .filter(|it| !it.is_empty());
    match (of_each.next(), of_each.next()) {
        (None, _) => Vec::new(),
        (Some(only), None) => only.iter().take(MOST_ADVICE).cloned().collect(),
        _ => {
            let firsts = sets.iter().filter_map(|set| set.advice.first());
            let named = firsts.map(|advice| ReportAdvice {
                when: format!("{}: {}", advice.set, advice.when),
                ..advice.clone()
            });
            named.take(MOST_SETS).collect()
        }
    }
}

/// Maximum number of remedies for lost nodes of one set, and of sets with one.
const MOST_ADVICE: usize = 3;
const MOST_SETS: usize = 6;
