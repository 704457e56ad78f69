//! Symptom of a pod and the facts of its case, by the objects that show them.

use std::sync::Arc;

use super::{Facts, Symptom, container, entry, volume};
use crate::foresight::{ClaimTrouble, Foreseen, NodeMismatch, claim_trouble, missing_object};
use crate::plan::{Obstacle, Plan, Shown, is_down, server_words};
use sts_controller::controller::Hold;
use sts_controller::object::Pod;
use sts_controller::simulate::PVC_PROTECTION;

/// Returns what the objects show of an obstacle, by the pod that shows it; `None` if they show nothing.
pub(super) fn shown(plan: &Plan, obstacle: &Obstacle, pod: &Arc<Pod>) -> Option<(Symptom, Facts)> {
    Some(match obstacle {
        Obstacle::Hold(Hold::ClaimBeingDeleted { claim, .. }) => deleted_claim(plan, claim),
        Obstacle::CreationRefused { message, .. } => refusal(message),
        Obstacle::DeletionRefused { message, .. } => {
            (Symptom::DeletionRefused, with_message(message))
        }
        Obstacle::Rejected { pod, count } => {
            let (reason, message) = pod.status_reason();
            let facts = Facts {
                reason,
                count: *count,
                ..with_message(&message)
            };
            (Symptom::KubeletRejects, facts)
        }
        _ if !pod.finalizers().is_empty() && pod.is_terminating() => {
            held_by_finalizers(pod.finalizers())
        }
        _ if plan.conditions.outage.is_lost(pod) => lost(plan, pod.node().unwrap_or_default(), pod),
        _ if pod.given().is_none() => predicted(foreseen(plan, pod)?.clone()),
        _ => match &plan.evidence.of_this(pod)?.shown {
            Shown::Refused(event) => refusal(server_words(event)),
            Shown::Finalizers(names) => held_by_finalizers(names.clone()),
            Shown::Node(node) => lost(plan, node, pod),
            Shown::Claim(found) => predicted(found.clone()),
            Shown::Volumes(event) => match volume_object(plan, pod) {
                Some(object) => predicted(Foreseen::MissingConfig {
                    object,
                    shown_by: Arc::clone(&pod.meta.name),
                }),
                None => volume::not_attached(plan, pod, &event.message),
            },
            Shown::Status | Shown::Overdue => match pod.is_terminating() {
                true => (Symptom::Terminating, terminating(plan, pod)),
                false => of_start(plan, pod),
            },
        },
    })
}

/// Returns the missing object that the reports on a pod's volumes name, if any.
fn volume_object(plan: &Plan, pod: &Pod) -> Option<String> {
    let mut reports = entry::volume_reports(pod, &plan.related);
    reports.find_map(|event| missing_object(&event.message))
}

/// Returns the cause of a claim that is being deleted.
fn deleted_claim(plan: &Plan, name: &Arc<str>) -> (Symptom, Facts) {
    let claim = plan.snapshot.claims.get(name);
    let finalizers = claim.map_or_else(Vec::new, |claim| claim.finalizers());
    let facts = Facts {
        claims: vec![Arc::clone(name)],
        finalizers: finalizers
            .into_iter()
            .filter(|name| name != PVC_PROTECTION)
            .collect(),
        volume: claim.and_then(|claim| plan.volume_of(claim)).cloned(),
        ..Facts::default()
    };
    (Symptom::ClaimDeleted, facts)
}

fn with_message(message: &str) -> Facts {
    Facts {
        message: message.to_owned(),
        ..Facts::default()
    }
}

fn held_by_finalizers(finalizers: Vec<String>) -> (Symptom, Facts) {
    let facts = Facts {
        finalizers,
        ..Facts::default()
    };
    (Symptom::Finalizers, facts)
}

/// Returns the cause of a pod whose failure is predicted.
fn predicted(found: Foreseen) -> (Symptom, Facts) {
    let symptom = match &found {
        Foreseen::Claim { trouble, .. } => match trouble {
            ClaimTrouble::ClassMissing { .. } => Symptom::ClassMissing,
            ClaimTrouble::NoDefaultClass => Symptom::ClassUnset,
            ClaimTrouble::NoVolume { .. } => Symptom::VolumeMissing,
            ClaimTrouble::Provisioner { .. } => Symptom::ProvisioningFails,
            ClaimTrouble::NoAnswer { .. } => Symptom::ProvisionerSilent,
            ClaimTrouble::VolumeRefused { .. } => Symptom::VolumeRefused,
            ClaimTrouble::Lost { .. } => Symptom::ClaimLost,
        },
        Foreseen::NoNode(nodes) if nodes.unready().next().is_some() => Symptom::NoReadyNode,
        Foreseen::NoNode(_) => Symptom::NoNode,
        Foreseen::TooFewPlaces { .. } => Symptom::TooFewNodes,
        Foreseen::MissingConfig { .. } => Symptom::MissingConfig,
    };
    let claims = match &found {
        Foreseen::Claim { claim, .. } => vec![Arc::clone(claim)],
        _ => Vec::new(),
    };
    let (unready, cordoned) = match &found {
        Foreseen::NoNode(nodes) => (
            nodes.unready().cloned().collect(),
            nodes.groups.get(&NodeMismatch::Cordoned).cloned(),
        ),
        _ => (Vec::new(), None),
    };
    let facts = Facts {
        claims,
        unready_nodes: unready,
        cordoned: cordoned.unwrap_or_default(),
        foreseen: Some(found),
        ..Facts::default()
    };
    (symptom, facts)
}

/// Returns the predicted failure of a pod that the plan creates, unless an assumption covers the pod.
pub(super) fn foreseen<'p>(plan: &'p Plan, pod: &Pod) -> Option<&'p Foreseen> {
    let found = plan.foresight.of_pod(&pod.meta.name, &pod.revision);
    found.filter(|_| !plan.conditions.assumptions.contains_key(&*pod.meta.name))
}

/// Returns what is known of the volumes of a pod that does not terminate, if nothing is known of its node.
fn terminating(plan: &Plan, pod: &Pod) -> Facts {
    if plan.unseen_node(pod).is_none() {
        return Facts::default();
    }
    Facts {
        local_claims: plan.local_volumes(pod),
        unknown_claims: plan.claims_without_volume(pod),
        ..Facts::default()
    }
}

/// Returns the cause of a pod that does not become ready.
fn of_start(plan: &Plan, pod: &Pod) -> (Symptom, Facts) {
    if let Some(node) = pod.node()
        && is_down(pod, &plan.conditions)
    {
        return lost(plan, node, pod);
    }
    if let Some(object) = pod
        .trouble
        .as_ref()
        .and_then(|it| missing_object(&it.message))
    {
        return predicted(Foreseen::MissingConfig {
            object,
            shown_by: Arc::clone(&pod.meta.name),
        });
    }
    if let Some(found) = container::failing(plan, pod) {
        return found;
    }
    if pod
        .trouble
        .as_ref()
        .is_some_and(|trouble| trouble.is_unplaced())
    {
        if let Some(claim) = plan.terminating_claim(pod) {
            return deleted_claim(plan, claim);
        }
        // The reason for a missing volume is more specific than the scheduler's message.
        return match claim_trouble(&plan.snapshot, &plan.conditions, pod) {
            Some(found) => predicted(found),
            None => volume::unschedulable(plan, pod),
        };
    }
    container::waiting(pod)
}

fn lost(plan: &Plan, node: &str, pod: &Pod) -> (Symptom, Facts) {
    let known = plan.related.node(node);
    // The plan deletes the pod later on. A loss that a flag asks for is foretold as a whole.
    let seen = match plan.conditions.outage.is_lost(pod) {
        true => pod,
        false => plan.observed().same(pod).map_or(pod, |seen| seen),
    };
    if let Some(ready) = known
        .filter(|node| node.is_down() && !node.is_lost())
        .and_then(|node| node.ready.as_ref())
    {
        let facts = Facts {
            node: Some(Arc::from(node)),
            reason: ready.reason.to_string(),
            is_terminating: seen.is_terminating(),
            ..with_message(&ready.message)
        };
        return (Symptom::NodeNotReady, facts);
    }
    let facts = Facts {
        node: Some(Arc::from(node)),
        is_terminating: seen.is_terminating(),
        local_claims: plan.local_volumes(pod),
        zones: plan.zones_without_node(pod),
        unknown_claims: plan.claims_of_unknown_place(pod),
        ..Facts::default()
    };
    let symptom = match known {
        None if plan.unseen_node(pod).is_some() => Symptom::NodeReportedLost,
        None => Symptom::NodeGone,
        Some(_) if plan.all_nodes_are_silent() => Symptom::NodesSilent,
        Some(_) => Symptom::NodeLost,
    };
    (symptom, facts)
}

/// Returns the cause of a refused creation. The message of a quota has its name and amounts: `pods "web-2" is forbidden:
/// exceeded quota: compute, requested: memory=2Gi, used: memory=10Gi, limited: memory=10Gi`.
fn refusal(message: &str) -> (Symptom, Facts) {
    let quota = message.split_once("exceeded quota: ").map(|(_, rest)| rest);
    match quota.and_then(|rest| rest.split_once(", ")) {
        Some((name, amounts)) => {
            let facts = Facts {
                quota: name.to_owned(),
                amounts: amounts.to_owned(),
                ..with_message(message)
            };
            (Symptom::Quota, facts)
        }
        None => (Symptom::Refused, with_message(message)),
    }
}
