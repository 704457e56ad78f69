//! Steps to take before a remedy, without which a pod that it removes does not come back, or not with its data.

use std::sync::Arc;

use super::Remedy;
use super::action::RemedyAction;
use super::trial::Lacking;
use crate::foresight::{Foreseen, exceeded_quota};
use crate::plan::Plan;

/// Maximum number of times that a remedy gets more first steps: for each pod that it removes, one at a time.
pub(super) const MOST_FIRST_STEPS: usize = 4;

/// Returns the steps that a remedy needs first, as its trial shows; empty if it needs none, or none is known.
pub(super) fn first_steps(plan: &Plan, remedy: &Remedy) -> Vec<RemedyAction> {
    let doomed = doomed_claims(plan, remedy).map(Arc::clone);
    let of_claims = doomed.map(RemedyAction::KeepVolume);
    let mut steps: Vec<RemedyAction> = of_claims.collect();
    match &remedy.trial.lacking {
        Some(Lacking::Admission { pod, message }) => {
            let quota = exceeded_quota(message);
            steps.extend(quota.map(|it| RemedyAction::AllowCreation(Arc::clone(pod), Some(it))));
        }
        Some(Lacking::Foreseen { pod, found }) => steps.extend(node_for(plan, pod, found)),
        None => {}
    }
    steps
}

/// Returns the claims that go with a pod which the remedy removes: they were being deleted before, and are protected only by
/// the pod.
fn doomed_claims<'r>(plan: &'r Plan, remedy: &'r Remedy) -> impl Iterator<Item = &'r Arc<str>> {
    let end = plan.predicted().objects();
    remedy.trial.lost.iter().filter(move |claim| {
        let deletes =
            |it: &RemedyAction| matches!(it, RemedyAction::DeleteClaim(name) if name == *claim);
        let there = end.claims.get(*claim);
        !remedy.actions.iter().any(deletes)
            && there.is_some_and(|it| it.meta.is_terminating() && it.volume_name().is_some())
    })
}

/// Returns the step that gives a pod a node: a cordoned one that would take it, or a new one where its volumes are.
fn node_for(plan: &Plan, pod: &Arc<str>, found: &Foreseen) -> Option<RemedyAction> {
    let Foreseen::NoNode(nodes) = found else {
        return None;
    };
    if let Some(node) = nodes.cordoned().next() {
        return Some(RemedyAction::Uncordon(Arc::clone(node), Arc::clone(pod)));
    }
    let there = plan.predicted().objects().pods.get(pod)?;
    let zones = plan.zones_without_node(there);
    (!zones.is_empty()).then(|| RemedyAction::AddNode(zones, Arc::clone(pod)))
}
