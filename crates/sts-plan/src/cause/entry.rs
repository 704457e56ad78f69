//! Catalogue entry of a cause.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::instead::instead;
use super::neighbors::{apart, other_nodes};
use super::volume::{has_just_joined, is_going};
use super::{CauseEntry, CauseTrait, Facts, Rank, Symptom};
use crate::catalogue::{
    Catalogue, OF_SANDBOX, Place, Recognized, Situation, about_nodes, changing_owner,
    events_of_pod, failed_readiness, has_taint, is_of_volume, is_over, names_taint, pulling,
    with_report,
};
use crate::down_nodes::UNREACHABLE;
use crate::foresight::{ClaimTrouble, Foreseen, NodeMismatch, excluded};
use crate::plan::{Observed, Plan, is_down};
use sts_controller::object::{Event, Node, Phase, Pod, RelatedObjects, Taint};

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

/// Recognizes why a pod is not scheduled.
fn scheduling(plan: &Plan, pod: &Pod, message: &str) -> Option<Recognized> {
    let now = plan.conditions.now;
    let catalogue = plan.conditions.catalogue;
    let found = catalogue.placing(
        pod,
        &plan.related,
        now,
        message,
        plan.has_node_for_volumes(pod),
    )?;
    Some(by_state(plan, pod, &found).unwrap_or(found))
}

/// Returns the cause that the nodes and volumes show behind the words of a scheduler: it names neither the state of a
/// node nor the node that a volume is local to.
fn by_state(plan: &Plan, pod: &Pod, found: &Recognized) -> Option<Recognized> {
    let catalogue = plan.conditions.catalogue;
    let known = |situation: Situation, message: String| {
        let entry = catalogue.of_situation(situation)?;
        Some(Recognized { entry, message })
    };
    if let Some((situation, message)) = old_taint(plan, pod, found) {
        return known(situation, message);
    }
    match found.entry.situation {
        Some(Situation::NodesCordoned | Situation::NodesLeaving) => {
            let reaches = plan.reaches(pod);
            let fits = |node: &&Arc<Node>| reaches.iter().all(|reach| reach.admits(node));
            let fitting = plan.related.nodes().filter(fits);
            let (going, others): (Vec<_>, Vec<_>) = fitting.partition(|node| is_going(node));
            let is_left = others.iter().any(|node| node.unschedulable);
            if going.is_empty() || is_left {
                return None;
            }
            let message = format!("being removed: {}", names(&going));
            known(Situation::NodesLeaving, message)
        }
        Some(Situation::VolumeElsewhere) => {
            if apart(plan, pod).is_some() {
                return known(Situation::VolumesApart, found.message.clone());
            }
            let (_, node) = plan.local_claims(pod).next()?;
            known(Situation::VolumeNodeGone, format!("local to node {node}"))
        }
        Some(Situation::RoomLacking) => {
            let situation = without_room(plan, pod, found.entry)?;
            known(situation, found.message.clone())
        }
        _ if found.entry.has(CauseTrait::WordsAreTaints) => {
            let (situation, message) = by_taints(plan, pod, found.entry)?;
            known(situation, message)
        }
        _ if found.entry.has(CauseTrait::ExcludesNode)
            && !found.entry.has(CauseTrait::NamesNoTaint) =>
        {
            only_tainted(plan, pod)
        }
        _ => None,
    }
}

/// Returns the taint that keeps a pod off a node which it selects, although the scheduler names as many nodes that it does not
/// select. The scheduler looks at the taints of a node first.
fn only_tainted(plan: &Plan, pod: &Pod) -> Option<Recognized> {
    let trouble = pod.trouble.as_ref()?;
    if !about_nodes(&trouble.message).contains(" taint") {
        return None;
    }
    let nodes = excluded(pod, Some(&plan.snapshot), &plan.conditions)?;
    let (selected, others): (Vec<_>, Vec<_>) = nodes
        .iter()
        .partition(|it| !it.reasons.contains(&NodeMismatch::Selector));
    let taint = selected.iter().map(|it| match it.reasons.as_slice() {
        [NodeMismatch::Taint(taint)] => Some(taint),
        _ => None,
    });
    // A selected node that is ruled out for another reason is not for want of a toleration.
    let taint = taint.collect::<Option<Vec<_>>>()?.into_iter().next()?;
    if others.is_empty() {
        return None;
    }
    let reason = format!("untolerated taint {{{taint}}}");
    let catalogue = plan.conditions.catalogue;
    let found = catalogue.classify(Place::Scheduler, "Unschedulable", &reason)?;
    let message = trouble.message.clone();
    Some(Recognized { message, ..found })
}

/// Returns the situation of a pod that lacks room, if more nodes like those that there are do not help.
fn without_room(plan: &Plan, pod: &Pod, entry: &CauseEntry) -> Option<Situation> {
    if let Some((_, node)) = plan.local_claims(pod).next() {
        let is_open = |node: &&Arc<Node>| !node.unschedulable && !node.is_down();
        plan.related.node(&node).filter(is_open)?;
        return Some(Situation::LocalNodeFull);
    }
    let message = &pod.trouble.as_ref()?.message;
    let nodes = other_nodes(plan, pod, message, entry);
    let is_too_large = !nodes.too_large.is_empty() && nodes.away.is_empty();
    is_too_large.then_some(Situation::RequestTooLarge)
}

/// Lists the names of nodes.
fn names(nodes: &[&Arc<Node>]) -> String {
    let names = nodes.iter().map(|node| node.meta.name.to_string());
    names.collect::<Vec<String>>().join(", ")
}

/// Returns the situation behind a taint that the words of a cause name: its node has just joined, or is well again.
fn by_taints(plan: &Plan, pod: &Pod, entry: &CauseEntry) -> Option<(Situation, String)> {
    let named = |taint: &&Taint| names_taint(entry, taint);
    let nodes = plan.related.nodes();
    let nodes: Vec<&Arc<Node>> = nodes.filter(|it| has_taint(it, entry)).collect();
    let reaches = plan.reaches(pod);
    let joins = |node: &&&Arc<Node>| {
        has_just_joined(node, plan) && reaches.iter().all(|reach| reach.admits(node))
    };
    if let Some(node) = nodes.iter().find(joins) {
        let message = format!("taint on {}", with_report(node));
        return Some((Situation::NodeJoining, message));
    }
    let are_left = |node: &&Arc<Node>| {
        let mut taints = node.taints.iter().filter(named);
        taints.all(|taint| is_left(node, taint, plan.conditions.now))
    };
    if nodes.is_empty() || !nodes.iter().all(are_left) {
        return None;
    }
    let mut keys = nodes
        .iter()
        .flat_map(|node| node.taints.iter().filter(named));
    let key = &keys.next()?.key;
    let message = format!("taint {key} left on {}", names(&nodes));
    Some((Situation::TaintLeft, message))
}

/// Taint of a node that the cluster autoscaler removes. Its value is the time in seconds.
const TO_BE_DELETED: &str = "ToBeDeletedByClusterAutoscaler";

/// Time within which the cluster autoscaler removes a node that it has marked.
const REMOVED: SignedDuration = SignedDuration::from_hours(1);

/// Returns the situation of a node that only a taint keeps from the pod, and that ran it before or should be gone: other
/// nodes never fitted, or are full, so that this taint is what changed.
fn old_taint(plan: &Plan, pod: &Pod, found: &Recognized) -> Option<(Situation, String)> {
    let is_other_cause = found.entry.situation == Some(Situation::NodesCordoned)
        || found.entry.rank == Rank::Decisive;
    let trouble = pod.trouble.as_ref()?;
    let groups = about_nodes(&trouble.message);
    if is_other_cause || !groups.contains("nodes are available: ") || !groups.contains(" taint") {
        return None;
    }
    // Since Kubernetes 1.36 the scheduler no longer names the taint.
    let is_meant = |taint: &Taint| {
        let is_named = groups.contains("taint {") || groups.contains("taints {");
        !is_named || groups.contains(&*taint.key)
    };
    let reaches = plan.reaches(pod);
    let fits = |node: &&Arc<Node>| reaches.iter().all(|reach| reach.admits(node));
    let now = plan.conditions.now;
    let is_late = |taint: &Taint| {
        let seconds = taint.value.parse().ok();
        let marked = seconds.and_then(|it| Timestamp::from_second(it).ok());
        marked.is_some_and(|marked| now.duration_since(marked) > REMOVED)
    };
    let meta = &pod.meta;
    let mut events = plan
        .related
        .events(&meta.namespace, "Pod", &meta.name)
        .iter();
    let evicted = events.rfind(|event| {
        &*event.reason == "TaintManagerEviction" && event.message.starts_with("Marking")
    });
    let evicts = |taint: &Taint| {
        let is_before = |event: &Arc<Event>| taint.added > event.last;
        &*taint.effect == "NoExecute" && evicted.is_some_and(|event| !is_before(event))
    };
    let mut nodes = plan.related.nodes().filter(fits).filter(|it| !it.is_down());
    nodes.find_map(|node| {
        let [taint] = node.taints.as_slice() else {
            return None;
        };
        let is_system = taint.key.contains("kubernetes.io/") || is_going(node);
        let situation = match &*taint.key {
            TO_BE_DELETED if is_late(taint) => Situation::ScaleDownLeft,
            _ if evicts(taint) && !is_system => Situation::TaintSet,
            _ => return None,
        };
        let message = format!("taint {} on node {}", taint.key, node.meta.name);
        is_meant(taint).then_some((situation, message))
    })
}

/// The taints of the node lifecycle controller, each with the condition of the node that it stands for.
const TAINTS_OF_CONDITIONS: [(&str, &str); 6] = [
    ("node.kubernetes.io/memory-pressure", "MemoryPressure"),
    ("node.kubernetes.io/disk-pressure", "DiskPressure"),
    ("node.kubernetes.io/pid-pressure", "PIDPressure"),
    (
        "node.kubernetes.io/network-unavailable",
        "NetworkUnavailable",
    ),
    ("node.kubernetes.io/not-ready", "Ready"),
    (UNREACHABLE, "Ready"),
];

/// Time within which the node lifecycle controller removes a taint.
const UNTAINTED: SignedDuration = SignedDuration::from_mins(2);

/// Reports whether a taint has outlived the condition of its node.
fn is_left(node: &Node, taint: &Taint, now: Timestamp) -> bool {
    let mut known = TAINTS_OF_CONDITIONS.iter();
    let Some((_, condition)) = known.find(|(key, _)| *key == &*taint.key) else {
        return false;
    };
    let is_over = match *condition {
        "Ready" => node
            .ready
            .as_ref()
            .is_some_and(|ready| &*ready.status == "True"),
        condition => node.settled.iter().any(|it| &**it == condition),
    };
    let began = node.ready.as_ref().and_then(|ready| ready.since);
    let since = taint.added.into_iter().chain(began).max();
    is_over && since.is_none_or(|since| now.duration_since(since) > UNTAINTED)
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
