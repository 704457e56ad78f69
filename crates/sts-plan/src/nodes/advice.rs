//! Advice for a drain that does not end: each change of a budget is tried in the simulation before it is given.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::NodeActions;
use super::drain::run_with;
use crate::duration::spell;
use crate::plan::{Plan, foresee, judge};
use sts_controller::object::{Budget, IntOrPercent, RelatedObjects};
use sts_controller::simulate::{
    Action, BudgetCount, DrainEnd, Drained, End, GuardedBudget, WaitsFor, run,
};

/// One advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// The condition under which it is right; where there is no command, what to do.
    pub when: String,
    /// The commands, in order.
    pub commands: Vec<String>,
    /// The effect, by the simulation; empty where none was simulated.
    pub effect: String,
}

/// A change of a budget that may let the drain go on.
#[derive(Clone, Copy)]
enum Loosening {
    Unhealthy,
    OneAtATime,
}

/// Returns what helps against what the drain waits for.
pub(super) fn of(
    plans: &[Plan],
    actions: &NodeActions,
    related: &RelatedObjects,
    drained: &Drained,
) -> Vec<Advice> {
    if matches!(drained.end, DrainEnd::Done(_)) {
        return Vec::new();
    }
    let mut advice = Vec::new();
    let mut seen = BTreeSet::new();
    for stranded in &drained.stranded {
        let Some(plan) = plans.get(stranded.set) else {
            continue;
        };
        let namespace = &plan.snapshot.set.meta.namespace;
        match &stranded.waits_for {
            WaitsFor::Budget(budget, count) => {
                if !seen.insert((Arc::clone(namespace), Arc::clone(budget))) {
                    continue;
                }
                let effect = |how: Loosening| {
                    let changed = run_with(plans, actions, related, |guarded| {
                        loosened(guarded, namespace, budget, how)
                    });
                    let still = changed.stranded.iter().any(|one| {
                        one.set == stranded.set
                            && matches!(&one.waits_for, WaitsFor::Budget(name, _) if name == budget)
                    });
                    match changed.end {
                        _ if still => None,
                        DrainEnd::Done(at) => {
                            let after = spell(at.duration_since(plan.conditions.now));
                            Some(format!("the drain ends after {after}"))
                        }
                        _ => Some("the drain gets past this budget".to_owned()),
                    }
                };
                advice.extend(of_budget(namespace, budget, *count, effect));
            }
            WaitsFor::SeveralBudgets(names) => {
                if seen.insert((Arc::clone(namespace), names.join(",").into())) {
                    advice.push(Advice {
                        when: format!(
                            "{}: the eviction API takes one budget a pod, and these cover it together: {}; keep one \
                             of them",
                            stranded.pod,
                            names.join(", ")
                        ),
                        commands: Vec::new(),
                        effect: String::new(),
                    });
                }
            }
            WaitsFor::Termination => advice.push(Advice {
                when: format!(
                    "{} is terminating and does not go: see why its processes or finalizers stay (kubectl describe \
                     pod {} -n {namespace})",
                    stranded.pod, stranded.pod
                ),
                commands: Vec::new(),
                effect: String::new(),
            }),
        }
    }
    advice
}

fn of_budget(
    namespace: &str,
    budget: &str,
    count: BudgetCount,
    effect: impl Fn(Loosening) -> Option<String>,
) -> Vec<Advice> {
    let patch = |spec: &str| {
        format!("kubectl patch pdb {budget} -n {namespace} --type merge -p '{{\"spec\":{spec}}}'")
    };
    let mut advice = Vec::new();
    let tried = [
        (
            Loosening::Unhealthy,
            "a pod that is not ready may go whatever the budget".to_owned(),
            "{\"unhealthyPodEvictionPolicy\":\"AlwaysAllow\"}",
        ),
        (
            Loosening::OneAtATime,
            format!("one pod of PodDisruptionBudget {budget} may be down at a time"),
            "{\"minAvailable\":null,\"maxUnavailable\":1}",
        ),
    ];
    for (how, when, spec) in tried {
        advice.extend(effect(how).map(|effect| Advice {
            when,
            commands: vec![patch(spec)],
            effect,
        }));
    }
    let down = count.expected.saturating_sub(count.current);
    if down > 0 {
        advice.push(Advice {
            when: format!(
                "{} of {} pods of PodDisruptionBudget {budget} are healthy: repair the others first",
                count.current, count.expected
            ),
            commands: Vec::new(),
            effect: String::new(),
        });
    }
    advice
}

fn loosened(guarded: GuardedBudget, namespace: &str, name: &str, how: Loosening) -> GuardedBudget {
    let meta = &guarded.budget.meta;
    if *meta.namespace != *namespace || *meta.name != *name {
        return guarded;
    }
    let mut budget = Budget::clone(&guarded.budget);
    match how {
        Loosening::Unhealthy => budget.evicts_unhealthy = true,
        Loosening::OneAtATime => {
            budget.min_available = None;
            budget.max_unavailable = Some(IntOrPercent::Int(1));
        }
    }
    GuardedBudget {
        budget: Arc::new(budget),
        ..guarded
    }
}

/// Returns what releases the pods that stay terminating on nodes that do not answer, each with what it does then.
pub(super) fn of_lost(plan: &Plan) -> Vec<Advice> {
    let lost = &plan.conditions.outage.lost;
    let stuck: Vec<(Arc<str>, Arc<str>)> = plan
        .final_pods()
        .filter(|pod| pod.is_terminating())
        .filter_map(|pod| {
            let node = pod.node.as_ref().filter(|node| lost.contains(*node))?;
            Some((Arc::clone(&pod.meta.name), Arc::clone(node)))
        })
        .collect();
    if stuck.is_empty() {
        return Vec::new();
    }
    let effect = released(plan, &stuck);
    let mut nodes: Vec<&Arc<str>> = stuck.iter().map(|(_, node)| node).collect();
    nodes.sort();
    nodes.dedup();
    let each = |command: &dyn Fn(&str) -> String| nodes.iter().map(|node| command(node)).collect();
    let mut advice = Vec::new();
    if plan.conditions.behaviour.version.honours_out_of_service() {
        advice.push(Advice {
            when: "the node is shut down and stays so: its pods go and their volumes are detached".to_owned(),
            commands: each(&|node| {
                format!("kubectl taint node {node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute")
            }),
            effect: effect.clone(),
        });
    }
    advice.push(Advice {
        when: "the node will not come back".to_owned(),
        commands: each(&|node| format!("kubectl delete node {node}")),
        effect: effect.clone(),
    });
    let namespace = &plan.snapshot.set.meta.namespace;
    let pods = stuck.iter().map(|(pod, _)| {
        format!("kubectl delete pod {pod} -n {namespace} --grace-period=0 --force")
    });
    advice.push(Advice {
        when: "nothing of the pod can still be running (two of one name may write to one volume otherwise)".to_owned(),
        commands: pods.collect(),
        effect,
    });
    advice
}

/// Takes these pods out of the API in the world at the end of a plan, and tells what follows.
fn released(plan: &Plan, stuck: &[(Arc<str>, Arc<str>)]) -> String {
    let behaviour = &plan.conditions.behaviour;
    let mut world = plan.progression.world.branch();
    let began = world.now();
    for (pod, _) in stuck {
        if world
            .perform(&Action::ForceDeletePod(Arc::clone(pod)), behaviour)
            .is_err()
        {
            return String::new();
        }
    }
    foresee(&mut world, &plan.conditions);
    let mut later = run(world, behaviour);
    let last = later.world.next_sync(behaviour);
    let after = spell(later.world.now().duration_since(began));
    match later.end == End::Rest && judge(&later.world, &last, behaviour, None).is_empty() {
        true => format!("the set is complete after {after}"),
        false => {
            let names: Vec<&str> = stuck.iter().map(|(pod, _)| &**pod).collect();
            format!(
                "{} still does not become ready: see what stands in its way below",
                names.join(", ")
            )
        }
    }
}
