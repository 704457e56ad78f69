//! What may be worth trying about an obstacle, the smallest first.

use std::sync::Arc;

use super::cure::Cure;
use crate::plan::{Obstacle, Plan, owns, pods_of};
use sts_controller::controller::{Hold, list_revisions, ordinal_of};
use sts_controller::object::{Claim, IntOrPercent, OwnerReference, Phase, Pod, Revision, Snapshot};

/// Every candidate is a list of cures to be done one after the other.
pub(super) fn candidates(plan: &Plan, obstacle: &Obstacle) -> Vec<Vec<Cure>> {
    let (Obstacle::Hold(hold) | Obstacle::Unwell(hold)) = obstacle else {
        return failing(plan);
    };
    let end = plan.progression.world.snapshot();
    match hold {
        Hold::WaitingForPodReady { pod }
        | Hold::UpdateWaitingForPod { pod, at: None }
        | Hold::UnavailableBudgetSpent { pod: Some(pod), .. } => unready(plan, pod),
        Hold::WaitingForPodTermination { pod }
        | Hold::ScaleDownWaitingForTermination { pod }
        | Hold::PodFailed { pod } => stuck_terminating(plan, pod),
        Hold::ScaleDownWaitingForReady {
            pod,
            first_unhealthy,
        } => {
            let mut out = vec![
                vec![Cure::Mend(name(pod))],
                vec![Cure::DeletePod(name(pod))],
            ];
            let first = first_unhealthy
                .iter()
                .filter(|first| **first != pod.meta.name);
            out.extend(first.map(|first| vec![Cure::DeletePod(Arc::clone(first))]));
            out
        }
        Hold::WaitingForPodAvailable { pod, .. }
        | Hold::ScaleDownWaitingForAvailable { pod, .. }
        | Hold::UpdateWaitingForPod { pod, .. }
        | Hold::PodUpdateRefused { pod, .. } => vec![vec![Cure::DeletePod(name(pod))]],
        Hold::UnavailableBudgetSpent { pod: None, .. } => vec![vec![Cure::MaxUnavailable(1)]],
        Hold::StaleClaim { claim, owner, .. } => stale(end, claim, owner),
        Hold::ClaimBeingDeleted { claim, .. } => {
            let finalizers = end.claims.get(claim).map(|claim| claim.finalizers().len());
            match finalizers {
                Some(1..) => vec![vec![Cure::DropClaimFinalizers(Arc::clone(claim))]],
                _ => Vec::new(),
            }
        }
        Hold::NameTaken { pod } => taken(plan, end, &pod.meta.name),
        Hold::SetBeingDeleted if plan.progression.world.finalizers().next().is_some() => {
            vec![vec![Cure::DropSetFinalizers]]
        }
        Hold::SetBeingDeleted | Hold::HeldByPartition { .. } | Hold::OnDelete { .. } => Vec::new(),
    }
}

fn name(pod: &Pod) -> Arc<str> {
    Arc::clone(&pod.meta.name)
}

/// A pod that does not become ready.
fn unready(plan: &Plan, pod: &Pod) -> Vec<Vec<Cure>> {
    if pod.is_terminating() {
        return stuck_terminating(plan, pod);
    }
    let delete = || Cure::DeletePod(name(pod));
    if matches!(pod.phase, Phase::Failed | Phase::Succeeded) {
        return vec![vec![delete()]];
    }
    let mut out = vec![vec![Cure::Mend(name(pod))], vec![delete()]];
    let end = plan.progression.world.snapshot();
    if waits_for_claims(&plan.snapshot, pod) || waits_for_claims(end, pod) {
        // No template gives it a volume.
        return out;
    }
    if pod.revision == end.status.update_revision {
        // The template that the pod is of is the one that is wanted: it takes another one.
        let template = match another_revision(plan, end) {
            Some(revision) => Cure::ToRevision(Arc::clone(&revision.meta.name), revision.number),
            None => Cure::NewTemplate,
        };
        out.push(vec![template.clone()]);
        out.push(vec![template, delete()]);
        return out;
    }
    let slot = plan
        .conditions
        .behaviour
        .slot(&end.set, ordinal_of(&pod.meta.name));
    if let Some(slot) = slot.and_then(|slot| i32::try_from(slot).ok())
        && slot < end.set.strategy.partition()
    {
        out.push(vec![Cure::Partition(slot), delete()]);
    }
    out
}

/// Whether no node takes a pod since one of its claims is not there, or has no volume.
fn waits_for_claims(world: &Snapshot, pod: &Pod) -> bool {
    pod.trouble
        .as_ref()
        .is_some_and(|trouble| trouble.is_unplaced())
        && !(world.missing_claims(pod).is_empty() && world.unbound_claims(pod).is_empty())
}

/// What may end an error of every sync: another value of a field that the controller cannot use, a revision that it
/// cannot read taken away, or a name that fits.
fn failing(plan: &Plan) -> Vec<Vec<Cure>> {
    let end = plan.progression.world.snapshot();
    let set = &end.set;
    let mut out = Vec::new();
    let most = set.strategy.rolling_update();
    let most = most.and_then(|block| block.max_unavailable.as_ref());
    if matches!(most, Some(IntOrPercent::Text(_))) {
        out.push(vec![Cure::MaxUnavailable(1)]);
    }
    if set.revision_history_limit < 0 && !plan.conditions.behaviour.negative_history_limit_keeps_all
    {
        out.push(vec![Cure::HistoryLimit(10)]);
    }
    if set.retention.is_none() && plan.conditions.behaviour.missing_retention_panics {
        out.push(vec![Cure::RetainClaims]);
    }
    let unreadable = list_revisions(end, &plan.conditions.behaviour);
    let unreadable = unreadable.into_iter().filter(|it| it.template().is_none());
    out.extend(unreadable.map(|it| vec![Cure::DeleteRevision(Arc::clone(&it.meta.name))]));
    if set.meta.name.len() > LONGEST_NAME {
        out.push(vec![Cure::Anew(LONGEST_NAME)]);
    }
    out
}

/// The longest name of a set that leaves room for a dash and a hash in a label.
const LONGEST_NAME: usize = 52;

/// The revision to go back to: one of which a pod is ready, else the current one, else the newest.
fn another_revision<'s>(plan: &Plan, end: &'s Snapshot) -> Option<&'s Arc<Revision>> {
    let listed = list_revisions(end, &plan.conditions.behaviour);
    // A command names a revision by its number: 0 stands for another one, and two may have the same.
    let namesakes = |number: i64| listed.iter().filter(|it| it.number == number).count();
    let others = || {
        listed.iter().copied().filter(|revision| {
            revision.meta.name != end.status.update_revision
                && revision.template().is_some()
                && revision.number > 0
                && namesakes(revision.number) == 1
        })
    };
    let runs = |revision: &&Arc<Revision>| {
        let mut pods = pods_of(end).filter(|pod| owns(end, pod));
        pods.any(|pod| pod.revision == revision.meta.name && pod.is_running_and_ready())
    };
    let current = |revision: &&Arc<Revision>| revision.meta.name == end.status.current_revision;
    others()
        .rfind(runs)
        .or_else(|| others().find(current))
        .or_else(|| others().next_back())
}

fn stuck_terminating(plan: &Plan, pod: &Pod) -> Vec<Vec<Cure>> {
    if !pod.finalizers().is_empty() {
        return vec![vec![Cure::DropPodFinalizers(name(pod))]];
    }
    let node = pod.node().and_then(|node| plan.surroundings.node(node));
    let down = node.filter(|node| node.is_down() && !node.is_out_of_service());
    let taint = down.map(|node| vec![Cure::OutOfService(Arc::clone(&node.meta.name), name(pod))]);
    let force = vec![Cure::ForceDeletePod(name(pod))];
    taint.into_iter().chain([force]).collect()
}

fn stale(end: &Snapshot, claim: &Arc<str>, owner: &OwnerReference) -> Vec<Vec<Cure>> {
    let place = |claim: &Arc<Claim>| {
        let owners = &claim.meta.owner_references;
        owners.iter().position(|other| other == owner)
    };
    let place = end.claims.get(claim).and_then(place);
    let release = place.map(|at| vec![Cure::ReleaseClaim(Arc::clone(claim), at)]);
    let delete = vec![Cure::DeleteClaim(Arc::clone(claim))];
    release.into_iter().chain([delete]).collect()
}

/// Somebody else has the name of a pod.
fn taken(plan: &Plan, end: &Snapshot, pod: &Arc<str>) -> Vec<Vec<Cure>> {
    let Some(stranger) = end.pods.get(pod) else {
        return Vec::new();
    };
    if stranger.is_terminating() {
        return stuck_terminating(plan, stranger);
    }
    let mut out = Vec::new();
    if stranger.meta.controller().is_none()
        && let Some(selector) = &end.set.selector
    {
        let labels = selector.match_labels.iter();
        let missing: Vec<_> = labels
            .filter(|(key, value)| stranger.meta.labels.get(*key) != Some(value))
            .map(|(key, value)| (Arc::clone(key), Arc::clone(value)))
            .collect();
        if !missing.is_empty() {
            out.push(vec![Cure::LabelPod(Arc::clone(pod), missing)]);
        }
    }
    out.push(vec![Cure::DeletePod(Arc::clone(pod))]);
    out
}
