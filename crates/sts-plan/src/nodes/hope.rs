//! Pods that are not ready now, and have to become ready elsewhere so that a drain completes.

use std::sync::Arc;

use crate::down_nodes::loss;
use crate::plan::Plan;
use sts_controller::object::Pod;
use sts_controller::simulate::{DrainEnd, Drained, Start};

/// Returns the pods without which a drain that completes would not: with them assumed never to become ready, it is
/// simulated again.
pub(super) fn of(
    plans: &[Plan],
    drained: &Drained,
    run: &dyn Fn(&[Plan]) -> Drained,
) -> Vec<String> {
    if !matches!(drained.end, DrainEnd::Done(_)) {
        return Vec::new();
    }
    // Any other pod that is not ready stays so.
    let moves = |pod: &Pod| {
        let mut moved = drained.evictions.iter();
        moved.any(|it| it.pod == pod.meta.name && it.namespace == pod.meta.namespace)
    };
    let broken = |plan: &Plan| -> Vec<Arc<Pod>> {
        let pods = plan.observed().owned();
        let broken = pods.filter(|pod| moves(pod) && is_broken(pod, plan));
        broken.map(Arc::clone).collect()
    };
    let all: Vec<Vec<Arc<Pod>>> = plans.iter().map(broken).collect();
    let names = all.iter().flatten();
    let names = names.map(|pod| format!("{}/{}", pod.meta.namespace, pod.meta.name));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Vec::new();
    }
    let planned = plans.iter().zip(&all).map(|(plan, broken)| {
        let mut conditions = plan.conditions.clone();
        for pod in broken {
            let assumed = conditions.assumptions.entry(pod.meta.name.to_string());
            assumed.or_default().start = Start::NeverReady;
        }
        let stored = plan.stored().into_owned();
        plan.again(plan.actions.clone(), stored, conditions)
    });
    let planned: Vec<Plan> = planned.collect();
    match run(&planned).end {
        DrainEnd::Done(_) => Vec::new(),
        _ => names,
    }
}

/// Reports whether a pod runs, is not ready, and its node is not to blame.
fn is_broken(pod: &Pod, plan: &Plan) -> bool {
    let conditions = &plan.conditions;
    !pod.is_ready()
        && !pod.is_terminating()
        && pod.node.is_some()
        && plan.evidence.of_this(pod).is_some()
        && loss(pod, conditions).is_none()
        && !conditions.outage.is_lost(pod)
        && !conditions.assumptions.contains_key(&*pod.meta.name)
}
