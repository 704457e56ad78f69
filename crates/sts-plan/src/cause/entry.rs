//! Catalogue entry of a cause.

use std::sync::Arc;

use jiff::SignedDuration;

use super::instead::instead;
use super::scheduling::scheduling;
use super::{CauseTrait, Facts, Symptom};
use crate::catalogue::{
    Catalogue, OF_SANDBOX, Place, Recognized, Situation, changing_owner, events_of_pod,
    failed_readiness, is_of_volume, is_over, pulling,
};
use crate::foresight::{ClaimTrouble, Foreseen};
use crate::plan::{Observed, Plan, is_down};
use sts_controller::object::{Event, Phase, Pod, RelatedObjects};

/// Maximum time between pods becoming unready because of one shared dependency.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(90);

/// Maximum age of a failure that a later report of a timeout is about.
const REPEATED: SignedDuration = SignedDuration::from_mins(10);

/// Returns the entry of a cause; `None` if the catalogue has none.
pub(super) fn recognized(
    plan: &Plan,
    pod: &Pod,
    symptom: Symptom,
    facts: &Facts,
) -> Option<Recognized> {
    let found = reported(plan, pod, symptom, facts)?;
    Some(instead(plan, pod, facts, found))
}

/// Returns the entry of what is reported on the pod itself.
fn reported(plan: &Plan, pod: &Pod, symptom: Symptom, facts: &Facts) -> Option<Recognized> {
    let related = &plan.related;
    let catalogue = plan.conditions.catalogue;
    let classify = |place| catalogue.classify(place, &facts.reason, &facts.message);
    if let Some(failure) = &facts.failure {
        return catalogue.of_failure(symptom, pod, related, failure);
    }
    let kill = events_of_pod(pod, related).rfind(|event| &*event.reason == "FailedKillPod");
    if let Some(event) = kill.filter(|_| symptom == Symptom::Terminating) {
        return catalogue.classify(Place::Stop, &event.reason, &event.message);
    }
    if let Some(cause) = &symptom.entry().cause {
        return catalogue.of_state(cause);
    }
    match symptom {
        Symptom::Unschedulable => scheduling(plan, pod, &facts.message),
        Symptom::VolumeHeld | Symptom::VolumeNotAttached => {
            volume(catalogue, pod, related, &facts.message)
        }
        Symptom::NodeNotReady => classify(Place::Node),
        Symptom::Quota | Symptom::Refused => classify(Place::Creation),
        Symptom::DeletionRefused => classify(Place::Deletion),
        Symptom::KubeletRejects => {
            let found = classify(Place::Rejected)?;
            let is_placement =
                facts.reason.starts_with("OutOf") || OF_PLACEMENT.contains(&facts.reason.as_str());
            let goes_past = is_placement && names_its_node(plan);
            let entry = catalogue.of_situation(Situation::NodeNamed);
            let entry = entry.filter(|_| goes_past).unwrap_or(found.entry);
            Some(Recognized { entry, ..found })
        }
        Symptom::InitContainer => starting(catalogue, pod, related, "init container"),
        Symptom::NotStarting => starting(catalogue, pod, related, ""),
        Symptom::NotReady => not_ready(plan, pod),
        _ => claim(catalogue, facts.foreseen.as_ref()?),
    }
}

/// The reasons for which a kubelet rejects a pod that a scheduler would not have placed there.
const OF_PLACEMENT: [&str; 4] = ["NodeAffinity", "NodeName", "NodePorts", "TaintToleration"];

/// Reports whether the template of the set names the node of its pods, so that no scheduler places them.
fn names_its_node(plan: &Plan) -> bool {
    let template = &plan.snapshot.set.object.open()["spec"]["template"];
    template["spec"]["nodeName"]
        .as_str()
        .is_some_and(|name| !name.is_empty())
}

/// Recognizes why volumes are missing. An event with the reason is more specific than the later timeout.
fn volume(
    catalogue: Catalogue,
    pod: &Pod,
    related: &RelatedObjects,
    message: &str,
) -> Option<Recognized> {
    let reports = volume_reports(pod, related);
    let found = reports
        .filter_map(|event| catalogue.classify(Place::Volume, &event.reason, &event.message));
    // Of equal reports, the first is the latest.
    let specific = found.min_by_key(|found| found.entry.rank);
    // The error of an attachment has no event.
    let reason = match message.starts_with("AttachVolume.") {
        true => "FailedAttachVolume",
        false => "FailedMount",
    };
    specific.or_else(|| catalogue.classify(Place::Volume, reason, message))
}

/// Returns the current reports on the volumes of a pod, the latest first.
pub(super) fn volume_reports<'r>(
    pod: &'r Pod,
    related: &'r RelatedObjects,
) -> impl Iterator<Item = &'r Arc<Event>> {
    let mut events: Vec<&Arc<Event>> = events_of_pod(pod, related)
        .filter(|event| is_of_volume(event) && !is_over(event, pod, related))
        .collect();
    events.sort_by_key(|event| std::cmp::Reverse(event.last));
    let latest = events.first().and_then(|event| event.last);
    events
        .into_iter()
        .filter(move |event| match &*event.reason {
            // The kubelet retries every two minutes: a failure that it did not repeat is over.
            "FailedMount" | "FailedMapVolume" => {
                let age = latest
                    .zip(event.last)
                    .map(|(latest, last)| latest.duration_since(last));
                age.is_none_or(|age| age <= REPEATED)
            }
            // A volume in use elsewhere is reported once.
            _ => true,
        })
}

/// Recognizes why a claim has no volume, by the message of its provisioner.
fn claim(catalogue: Catalogue, found: &Foreseen) -> Option<Recognized> {
    let Foreseen::Claim { trouble, .. } = found else {
        return None;
    };
    match trouble {
        ClaimTrouble::Provisioner { message, .. } => {
            catalogue.classify(Place::Claim, "ProvisioningFailed", message)
        }
        ClaimTrouble::NoAnswer { message, .. } => {
            catalogue.classify(Place::Claim, "ExternalProvisioning", message)
        }
        ClaimTrouble::VolumeRefused { reason, message } => {
            catalogue.classify(Place::Claim, reason, message)
        }
        _ => None,
    }
}

/// Recognizes why the containers of a scheduled pod do not start.
fn starting(
    catalogue: Catalogue,
    pod: &Pod,
    related: &RelatedObjects,
    reason: &str,
) -> Option<Recognized> {
    let last = |reasons: &[&str]| {
        events_of_pod(pod, related).rfind(|event| reasons.contains(&&*event.reason))
    };
    if let Some(event) = last(&OF_SANDBOX) {
        return catalogue.classify(Place::Sandbox, &event.reason, &event.message);
    }
    if let Some(event) = changing_owner(pod, related) {
        return catalogue.classify(Place::Volume, &event.reason, &event.message);
    }
    if let Some(event) = pulling(pod, related) {
        return catalogue.classify(Place::Pulling, &event.reason, &event.message);
    }
    // The kubelet reports more failures than the catalogue has: the last warning is more specific than the state.
    let is_past = |event: &Event| {
        &*event.reason == "FailedScheduling"
            || (is_of_volume(event) && is_over(event, pod, related))
    };
    let warning = events_of_pod(pod, related).rfind(|event| event.is_warning && !is_past(event));
    catalogue.classify(
        Place::Start,
        reason,
        warning.map_or("", |event| &event.message),
    )
}

/// Recognizes why a pod with running containers is not ready.
fn not_ready(plan: &Plan, pod: &Pod) -> Option<Recognized> {
    let related = &plan.related;
    let catalogue = plan.conditions.catalogue;
    let found = catalogue.of_readiness(pod, related);
    let is_told = found
        .as_ref()
        .is_some_and(|it| it.entry.place == Place::Gate || it.entry.has(CauseTrait::ProbeTells));
    // The loss of a node explains its own pods.
    let has_lost_node = || {
        let mut owned = plan.observed().owned();
        owned.any(|pod| is_down(pod, &plan.conditions))
    };
    match !is_told && all_at_once(plan.observed()) && !has_lost_node() {
        true => catalogue
            .of_situation(Situation::AllUnready)
            .map(|entry| Recognized {
                entry,
                message: failed_readiness(pod, related),
            }),
        false => found,
    }
}

/// Reports whether all pods of the set are running and became unready together, long after their creation.
fn all_at_once(observed: &Observed) -> bool {
    let pods: Vec<&Arc<Pod>> = observed.owned().collect();
    let lost = pods.iter().map(|pod| {
        let is_running = pod.phase == Phase::Running && !pod.is_ready() && !pod.is_terminating();
        let since = pod.ready.filter(|_| is_running)?.since?;
        let created = pod.meta.created?;
        (since.duration_since(created) > AT_ONCE && pod.trouble.is_none()).then_some(since)
    });
    let Some(lost) = lost.collect::<Option<Vec<_>>>() else {
        return false;
    };
    match (lost.iter().min(), lost.iter().max()) {
        (Some(first), Some(last)) => lost.len() > 1 && last.duration_since(*first) <= AT_ONCE,
        _ => false,
    }
}
