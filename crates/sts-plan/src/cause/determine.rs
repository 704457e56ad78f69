//! The cause of an obstacle, from the evidence about its pod.

use std::sync::Arc;

use super::entry;
use super::{
    Blame, Cause, CauseTrait, Facts, Place, Recognized, Symptom, container, template, volume,
};
use crate::catalogue::worked_for;
use crate::foresight::{ClaimTrouble, Foreseen, NodeMismatch, claim_trouble, missing_object};
use crate::plan::{
    Observed, Obstacle, Plan, Predicted, Shown, StuckAt, deploying_tool, is_down, server_words,
};
use sts_controller::controller::Hold;
use sts_controller::object::Pod;
use sts_controller::simulate::PVC_PROTECTION;

impl Cause {
    /// Returns the causes of the obstacles of a plan, in their order. An analysis determines them once.
    pub(crate) fn of_obstacles(plan: &Plan) -> Vec<Option<Self>> {
        let obstacles = plan.outcome.obstacles().iter();
        obstacles.map(|it| Cause::of(plan, it)).collect()
    }

    /// Returns the cause of an obstacle at the end of a plan; `None` if no object shows it.
    #[must_use]
    pub fn of(plan: &Plan, obstacle: &Obstacle) -> Option<Self> {
        let subject = subject(plan, obstacle.pod()?);
        let waited_for = &obstacle.pod()?.meta.name;
        let foretold = (subject.meta.name != *waited_for).then(|| Arc::clone(waited_for));
        let pod = subject;
        let name = &pod.meta.name;
        let end = plan.predicted().objects();
        let stuck = plan.evidence.of_this(pod);
        let (symptom, facts) = match obstacle {
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
            _ if is_lost_by_flag(plan, pod) => lost(plan, pod.node().unwrap_or_default(), pod),
            _ if pod.given().is_none() => predicted(foreseen(plan, pod)?.clone()),
            _ => match &stuck?.shown {
                Shown::Refused(event) => refusal(server_words(event)),
                Shown::Finalizers(names) => held_by_finalizers(names.clone()),
                Shown::Node(node) => lost(plan, node, pod),
                Shown::Claim(found) => predicted(found.clone()),
                Shown::Volumes(event) => match volume_object(plan, pod) {
                    Some(object) => predicted(Foreseen::MissingConfig {
                        object,
                        shown_by: Arc::clone(name),
                    }),
                    None => volume::not_attached(plan, pod, &event.message),
                },
                Shown::Status | Shown::Overdue => match pod.is_terminating() {
                    true => (Symptom::Terminating, Facts::default()),
                    false => of_start(plan, pod),
                },
            },
        };
        let began = match symptom {
            Symptom::ClaimDeleted => {
                let mut claims = facts.claims.iter().filter_map(|it| end.claims.get(it));
                claims.next().and_then(|it| it.meta.deleted)
            }
            Symptom::KubeletRejects => plan.evidence.recreated.get(name).map(|it| it.since),
            Symptom::DeletionRefused => {
                (plan.evidence.undeletable.get(name)).and_then(|event| event.first)
            }
            _ => None,
        };
        let recognized = entry::recognized(plan, pod, symptom, &facts);
        let symptom = specific(symptom, recognized.as_ref());
        let difference = template::difference(plan, pod);
        let comes_back_on = template::comes_back_on(plan, pod);
        let other = template::other(plan, comes_back_on.as_ref());
        let entry = recognized.as_ref().map(|it| it.entry);
        let leaves_data = recognized.as_ref().is_some_and(|it| {
            // A process may end with the exit code of a command that was never found, after it has written data.
            let is_by_exit =
                !it.entry.exit_codes.is_empty() && it.entry.end_of_words(&it.message).is_none();
            it.entry.has(CauseTrait::LeavesData) && !is_by_exit
        });
        Some(Cause {
            may_have_migrated: !leaves_data
                && difference.is_older
                && pod.claims().next().is_some()
                && ran(symptom, &facts)
                    .is_some_and(|container| difference.images.contains(container)),
            recognized,
            also: container::also_failing(pod, &facts),
            template_helps: difference.may_fix(symptom, &facts, entry, other),
            comes_back_on,
            retry: plan.evidence.retry(name, plan.conditions.now),
            owner: plan
                .snapshot
                .set
                .meta
                .controller()
                .map(|owner| format!("{} {}", owner.kind, owner.name)),
            managed_by: deploying_tool(plan).map(|(tool, _)| tool),
            worked_for: match (symptom, &facts.failure) {
                (Symptom::CrashLoop | Symptom::CheckFails, Some(failure)) => {
                    worked_for(pod, failure, plan.observed().at())
                }
                _ => None,
            },
            symptom,
            facts,
            pod: Arc::clone(name),
            node: pod.node.clone(),
            foretold,
            since: stuck.and_then(|stuck| stuck.since).or(began),
            blame: blame(plan.observed(), plan.predicted(), pod),
            difference,
            shared: None,
            is_overdue: stuck
                .is_some_and(|stuck| stuck.at != StuckAt::Start || stuck.shown == Shown::Overdue),
        })
    }
}

/// Returns the pod whose objects show the cause: the pod that failed on the revision, for one that is only assumed to fail
/// there too, and the pod itself otherwise. A replacement finds no more room than the pod that was read.
pub(crate) fn subject<'p>(plan: &'p Plan, pod: &'p Arc<Pod>) -> &'p Arc<Pod> {
    let is_assumed = plan.evidence.of_this(pod).is_none()
        && pod.trouble.is_none()
        && !pod.is_terminating()
        && !pod.is_ready()
        && !plan.conditions.assumptions.contains_key(&*pod.meta.name)
        && foreseen(plan, pod).is_none();
    let witness = plan.evidence.witness(pod).filter(|_| is_assumed);
    let name = &pod.meta.name;
    let lacks_place = plan.evidence.lacks_place(name);
    let shown_by = witness.map(|witness| if lacks_place { name } else { witness });
    shown_by
        .and_then(|name| plan.observed().pod(name))
        .unwrap_or(pod)
}

/// Returns the missing object that the reports on a pod's volumes name, if any.
fn volume_object(plan: &Plan, pod: &Pod) -> Option<String> {
    let mut reports = entry::volume_reports(pod, &plan.related);
    reports.find_map(|event| missing_object(&event.message))
}

/// Returns the terminating claim of a pod, if any.
fn terminating_claim(plan: &Plan, pod: &Pod) -> Option<Arc<str>> {
    let mut claims = (pod.claims()).filter_map(|name| plan.snapshot.claims.get(name));
    let claim = claims.find(|claim| claim.meta.is_terminating())?;
    Some(Arc::clone(&claim.meta.name))
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

/// Returns the more specific symptom that the cause of one implies.
fn specific(symptom: Symptom, found: Option<&Recognized>) -> Symptom {
    let Some(entry) = found.map(|found| found.entry) else {
        return symptom;
    };
    match symptom {
        Symptom::CrashLoop if entry.check.is_some() => Symptom::CheckFails,
        Symptom::NotReady if entry.place == Place::Gate => Symptom::GateNotMet,
        symptom => symptom,
    }
}

/// Returns the container whose process has run and failed, if the failure is of one.
fn ran(symptom: Symptom, facts: &Facts) -> Option<&String> {
    let is_unstarted = facts.failure.as_ref().is_some_and(|it| it.is_unstarted);
    let has_run = symptom.entry().ran && !is_unstarted;
    facts.container().filter(|_| has_run)
}

/// Returns the predicted failure of a pod that the plan creates, unless an assumption covers the pod.
fn foreseen<'p>(plan: &'p Plan, pod: &Pod) -> Option<&'p Foreseen> {
    let found = plan.foresight.of_pod(&pod.meta.name, &pod.revision);
    found.filter(|_| !plan.conditions.assumptions.contains_key(&*pod.meta.name))
}

/// Returns the cause of a pod that does not become ready.
fn of_start(plan: &Plan, pod: &Pod) -> (Symptom, Facts) {
    if let Some(node) = pod.node()
        && is_down(node, &plan.related)
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
        if let Some(claim) = terminating_claim(plan, pod) {
            return deleted_claim(plan, &claim);
        }
        // The reason for a missing volume is more specific than the scheduler's message.
        return match claim_trouble(&plan.snapshot, &plan.conditions, pod) {
            Some(found) => predicted(found),
            None => volume::unschedulable(plan, pod),
        };
    }
    container::waiting(pod)
}

/// Reports whether a flag loses the node of a pod.
fn is_lost_by_flag(plan: &Plan, pod: &Pod) -> bool {
    let lost = &plan.conditions.outage.lost;
    pod.node.as_ref().is_some_and(|node| lost.contains(node))
}

fn lost(plan: &Plan, node: &str, pod: &Pod) -> (Symptom, Facts) {
    let known = plan.related.node(node);
    // The plan deletes the pod later on. A loss that a flag asks for is foretold as a whole.
    let seen = match is_lost_by_flag(plan, pod) {
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
        None => Symptom::NodeGone,
        Some(_) if all_nodes_are_silent(plan) => Symptom::NodesSilent,
        Some(_) => Symptom::NodeLost,
    };
    (symptom, facts)
}

/// Reports whether no node reports to the API server. Then the nodes are not at fault.
fn all_nodes_are_silent(plan: &Plan) -> bool {
    let mut nodes = plan.related.nodes();
    plan.related.nodes().nth(1).is_some() && nodes.all(|node| node.is_lost())
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

/// Returns the verdict on a pod's template, by the other pods as they were read. The prediction only tells which
/// revision is the update revision.
fn blame(observed: &Observed, predicted: Predicted<'_>, pod: &Pod) -> Blame {
    let is_other = |sibling: &&Arc<Pod>| sibling.meta.name != pod.meta.name;
    if observed.has_ready_sibling(pod) {
        Blame::Pod
    } else if observed.ready().any(|sibling| is_other(&sibling))
        && pod.revision == predicted.objects().status.update_revision
    {
        Blame::Template
    } else {
        Blame::Unknown
    }
}
