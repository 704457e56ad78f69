//! The assumptions of a trial about the pods.

use std::sync::Arc;

use super::super::action::{RemedyAction, RemedyEntry};
use crate::catalogue::Cure;
use crate::cause::{Blames, Cause, schedules_differently};
use crate::foresight::admitted_after;
use crate::members::surplus;
use crate::plan::{Observed, Obstacle, Plan, pods_of};
use sts_controller::object::Pod;
use sts_controller::simulate::{Assumption, Forbidden, Kubelet, Start, World};

/// Returns the assumptions about the pods in a trial, given the causes of the obstacles. `foreseen` is refused before its
/// actions.
pub(super) fn premise(
    plan: &Plan,
    obstacle: &Obstacle,
    actions: &[RemedyAction],
    entries: &[RemedyEntry],
    foreseen: &Forbidden,
    causes: &[Option<Cause>],
) -> Kubelet {
    let world = &plan.progression.world;
    let mut kubelet = world.kubelet().clone();
    // The trial foresees what is refused after its actions.
    let forbidden = &mut kubelet.forbidden;
    let stays = |pod: &Arc<str>, message: &Arc<str>| foreseen.pods.get(pod) != Some(message);
    forbidden.pods.retain(|pod, message| stays(pod, message));
    let stays = |claim: &Arc<str>, message: &Arc<str>| foreseen.claims.get(claim) != Some(message);
    forbidden
        .claims
        .retain(|claim, message| stays(claim, message));
    let is_other = |pod: &Pod| {
        let stuck = obstacle.pod();
        stuck.is_none_or(|stuck| stuck.meta.name != pod.meta.name)
    };
    let is_restored = |node: &Arc<str>| {
        let restores =
            |it: &RemedyAction| matches!(it, RemedyAction::RestoreNode(name, _) if name == node);
        actions.iter().any(restores)
    };
    for pod in pods_of(world.snapshot()) {
        if pod.node.as_ref().is_some_and(is_restored) {
            // All pods of a node that comes back recover.
            let name = pod.meta.name.to_string();
            kubelet.assumptions.entry(name).or_default();
            continue;
        }
        let finished = pod.phase.has_ended();
        let unready = !pod.is_terminating() && !pod.is_running_and_ready() && !finished;
        if !unready && !pod.is_terminating() {
            continue;
        }
        if unready && is_other(pod) && is_left(plan, obstacle, causes, actions, pod) {
            let name = pod.meta.name.to_string();
            kubelet.assumptions.entry(name).or_default().start = Start::NeverReady;
            continue;
        }
        if lacks_claim(world, pod) || (unready && is_alone(plan.observed(), world, pod)) {
            continue;
        }
        let name = pod.meta.name.to_string();
        let lacks_place = unready && plan.evidence.lacks_place(&name);
        if lacks_place && is_other(pod) && !schedules_differently(plan, pod) {
            let assumed = kubelet.assumptions.entry(name).or_default();
            assumed.start = Start::NeverReady;
            continue;
        }
        let assumed = kubelet.assumptions.entry(name).or_insert(Assumption {
            // No trial moves a volume to a node that cannot attach it.
            keeps_foreseen: true,
            ..Assumption::default()
        });
        if pod.is_terminating() {
            assumed.never_gone = false;
            assumed.stays = Some(Arc::clone(&pod.meta.uid));
        } else {
            if assumed.start == Start::NeverReady {
                assumed.start = Start::Ready;
            }
            assumed.broken_on = Some(Arc::clone(&pod.revision));
        }
    }
    let usual = kubelet.ready_after;
    for (pod, detached) in entries.iter().flat_map(|entry| &entry.detached_after) {
        let assumed = kubelet.assumptions.entry(pod.to_string()).or_default();
        let before = assumed.ready_after.unwrap_or(usual);
        assumed.ready_after = Some(before.saturating_add(*detached));
    }
    let unwanted = surplus(world.snapshot(), &plan.conditions.behaviour);
    let is_surplus = |pod: &&Arc<str>| unwanted.iter().any(|it| it.meta.name == **pod);
    let deleted = actions.iter().filter_map(RemedyAction::deleted_pod);
    let gone = deleted.filter(is_surplus).count();
    for pod in admitted_after(&kubelet.forbidden.pods, gone) {
        kubelet.forbidden.admit(&pod);
    }
    for assumed in entries.iter().filter_map(|entry| entry.assumed.as_ref()) {
        assumed.apply(plan.conditions.catalogue, &mut kubelet);
        if assumed.resolves_foreseen() {
            kubelet.foreseen.clear();
        }
        // The reason that a pod fails is that of its revision.
        let fixed = assumed
            .fixed_pod()
            .and_then(|pod| world.snapshot().pods.get(pod));
        if let Some(pod) = fixed {
            kubelet.broken.remove(&pod.revision);
        }
    }
    kubelet
}

/// Reports whether only this pod is broken: other pods on its revision are ready.
fn is_alone(observed: &Observed, world: &World, pod: &Pod) -> bool {
    let kubelet = world.kubelet();
    let shown = pod.trouble.is_some() || kubelet.never_ready.contains(&pod.meta.uid);
    shown && !kubelet.assumptions.contains_key(&*pod.meta.name) && observed.has_ready_sibling(pod)
}

/// Reports whether only this pod is broken because of a missing claim: its replacement gets its claims first.
fn lacks_claim(world: &World, pod: &Pod) -> bool {
    let kubelet = world.kubelet();
    let believed = kubelet.believes_trouble && !kubelet.assumptions.contains_key(&*pod.meta.name);
    let unplaced = pod
        .trouble
        .as_ref()
        .is_some_and(|trouble| trouble.is_unplaced());
    let missing = || !world.snapshot().missing_claims(pod).is_empty();
    believed && unplaced && !pod.is_terminating() && missing()
}

/// Reports whether a pod fails for another cause than the one that the actions address, and that no template and no new
/// pod cures: it is not ready after them either.
fn is_left(
    plan: &Plan,
    obstacle: &Obstacle,
    causes: &[Option<Cause>],
    actions: &[RemedyAction],
    pod: &Pod,
) -> bool {
    let obstacles = plan.outcome.obstacles().iter().zip(causes);
    let of = |wanted: &str| {
        let mut found = obstacles.clone();
        let found = found.find(|(it, _)| it.pod().is_some_and(|it| *it.meta.name == *wanted));
        found.and_then(|(_, cause)| cause.as_ref())
    };
    let addressed = obstacle.pod().and_then(|it| of(&it.meta.name));
    let (Some(left), Some(addressed)) = (of(&pod.meta.name), addressed) else {
        return false;
    };
    let outside = [
        Blames::Dependency,
        Blames::Network,
        Blames::Node,
        Blames::Registry,
        Blames::Server,
        Blames::Storage,
        Blames::Volume,
    ];
    let is_outside = matches!(left.cure(), Cure::Outside | Cure::Claim | Cure::RestoreNode)
        || outside.contains(&left.blames());
    // A larger limit is of no use to a pod that fails for another reason.
    let is_memory = |it: &RemedyAction| matches!(it, RemedyAction::RaiseMemory { .. });
    let is_untouched = actions.iter().any(is_memory) && left.is_specific();
    left.foretold.is_none()
        && left.name() != addressed.name()
        && !left.template_helps
        && (is_outside || is_untouched)
}
