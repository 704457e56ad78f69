//! Nodes with local volumes that go for good: the pods move one after the other, each with a new claim. The order is claim,
//! pod, volume: a claim that a pod uses stays until the pod is gone, and the controller creates it again with the pod.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::change::like_node;
use super::{DrainFlag, NodeActions, ReportAdvice};
use crate::command::{in_namespace, named};
use crate::duration::spell;
use crate::plan::Plan;
use sts_controller::controller::ordinal_of;
use sts_controller::object::{PersistentVolume, Pod};
use sts_controller::simulate::Action;

/// Maximum number of pods of a set.
const MOST_PODS: usize = 3;

/// Returns the steps for the pods of a set whose volumes no other node can use. The plan is the one without evictions; each
/// step is tried in the simulation.
pub(super) fn steps(plan: &Plan, actions: &NodeActions, flags: &[DrainFlag]) -> Vec<ReportAdvice> {
    if actions.returns.is_some() || plan.deletion().is_some() || has_fewer_copies(plan) {
        return Vec::new();
    }
    let drained: BTreeSet<&str> = actions.drain.iter().map(String::as_str).collect();
    let leaves = |pod: &&Arc<Pod>| pod.node().is_some_and(|node| drained.contains(node));
    let mut pods: Vec<&Arc<Pod>> = plan.observed().owned().filter(leaves).collect();
    pods.sort_by_key(|pod| ordinal_of(&pod.meta.name));
    let moves = pods.into_iter().filter_map(|pod| {
        let claims = local_claims(plan, pod, &drained);
        (!claims.is_empty()).then_some((pod, claims))
    });
    let moves: Vec<_> = moves.collect();
    let count = moves.len();
    let steps = moves.iter().take(MOST_PODS).enumerate();
    steps
        .map(|(at, (pod, claims))| step(plan, pod, claims, flags, (at + 1, count)))
        .collect()
}

/// Reports whether a pod is not ready already: its copy of the data may be the one that is missing.
fn has_fewer_copies(plan: &Plan) -> bool {
    let wanted = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
    plan.observed().ready().count() < wanted.count()
}

/// Returns the claims of a pod whose volumes only the drained nodes can use, each with the volume. A volume that a new node of
/// the same kind could use is not local.
fn local_claims<'p>(
    plan: &'p Plan,
    pod: &Pod,
    drained: &BTreeSet<&str>,
) -> Vec<(Arc<str>, &'p Arc<PersistentVolume>)> {
    let stored = plan.observed.objects();
    let related = &plan.related;
    let claims = pod.claims().filter_map(|name| {
        let claim = stored.claims.get(name)?.given()?;
        let volume = related.volume(claim["spec"]["volumeName"].as_str()?)?;
        let node = related.node(pod.node()?)?;
        if volume.admits(&like_node(node, 1)) {
            return None;
        }
        let stay = |name: &str| !drained.contains(name);
        let mut others = related.nodes().filter(|node| stay(&node.meta.name));
        (!others.any(|node| volume.admits(node))).then(|| (Arc::clone(name), volume))
    });
    claims.collect()
}

fn step(
    plan: &Plan,
    pod: &Pod,
    claims: &[(Arc<str>, &Arc<PersistentVolume>)],
    flags: &[DrainFlag],
    (number, count): (usize, usize),
) -> ReportAdvice {
    let meta = &pod.meta;
    let (name, namespace) = (&meta.name, &*meta.namespace);
    let node = pod.node().unwrap_or_default();
    let names: Vec<&str> = claims.iter().map(|(claim, _)| &**claim).collect();
    let kubectl = |text: &str| in_namespace(namespace, text);
    let mut commands: Vec<String> = names
        .iter()
        .map(|claim| kubectl(&format!("delete pvc {} --wait=false", named(claim))))
        .collect();
    let flags = flags.iter().map(|flag| format!(" {}", flag.flag));
    commands.push(format!(
        "kubectl drain {} --pod-selector=statefulset.kubernetes.io/pod-name={}{}",
        named(node),
        named(name),
        flags.collect::<String>()
    ));
    // The others are deleted with their claims.
    let kept = claims
        .iter()
        .filter(|(_, volume)| !volume.is_deleted_with_claim);
    commands
        .extend(kept.map(|(_, volume)| format!("kubectl delete pv {}", named(&volume.meta.name))));
    commands.push(kubectl(&format!(
        "wait --for=condition=Ready pod/{} --timeout=10m",
        named(name)
    )));
    let of = match count {
        1 => String::new(),
        count => format!(", {number} of {count}"),
    };
    ReportAdvice {
        when: format!(
            "if node {node} goes for good{of}: move {name} to new volumes once its data is elsewhere"
        ),
        commands,
        risk: format!("the data of {} is lost", names.join(", ")),
        effect: tried(plan, name, &names),
        ..ReportAdvice::default()
    }
}

/// Returns the simulated effect of the deletion of the claims and the pod.
fn tried(plan: &Plan, pod: &Arc<str>, claims: &[&str]) -> String {
    let claims = claims
        .iter()
        .map(|claim| Action::ReleaseClaim(Arc::from(*claim)));
    let evicted = Action::EvictPod(Arc::clone(pod));
    let trial = plan.with_more(claims.chain([evicted]));
    let mut end = trial.final_pods();
    let ready = end.find(|it| it.meta.name == *pod && it.is_running_and_ready());
    let since = ready.and_then(|pod| pod.ready.as_ref()?.since);
    match since {
        Some(at) => {
            let after = spell(at.duration_since(plan.conditions.now));
            format!("{pod} is ready on new volumes after {after}")
        }
        None => format!("{pod} finds no new volume: provide one on another node first"),
    }
}
