//! Recognition of a cause's catalogue entry, with the component's message.

use std::sync::Arc;

use jiff::SignedDuration;

use super::catalogue::{Announcement, CauseEntry, ContainerCheck, Place, Rank, causes, recognize};
use super::{CauseKind, ContainerFailure, WaitsIn};
use crate::foresight::{ClaimTrouble, Foreseen};
use crate::members::{owns, pods_of};
use crate::plan::Plan;
use sts_controller::object::{Event, Node, Phase, Pod, RelatedObjects};

/// Maximum time between pods becoming unready because of one shared dependency.
const AT_ONCE: SignedDuration = SignedDuration::from_secs(90);
/// Maximum time that a scale-up may take.
const SCALE_UP: SignedDuration = SignedDuration::from_mins(15);

/// The component that reports on node pools.
const KARPENTER: &str = "karpenter";
/// The reason of a pod with a scheduling gate.
const GATED: &str = "SchedulingGated";
/// The reasons of events about volumes that cannot attach, mount or grow.
const OF_VOLUMES: [&str; 4] = [
    "FailedAttachVolume",
    "FailedMount",
    "FileSystemResizeFailed",
    "VolumeResizeFailed",
];

/// Reports whether a volume cannot attach, mount or grow, by an event.
pub(crate) fn is_of_volume(event: &Event) -> bool {
    OF_VOLUMES.contains(&&*event.reason)
}

/// A catalogue entry with the message that identified it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recognized {
    /// Entry in the catalogue.
    pub entry: &'static CauseEntry,
    /// The component's message; empty if a status alone identifies the cause.
    pub message: String,
}

/// Returns the events of a pod, oldest first, without those of an earlier pod of its name.
fn events_of_pod<'r>(
    pod: &'r Pod,
    related: &'r RelatedObjects,
) -> impl DoubleEndedIterator<Item = &'r Arc<Event>> {
    let meta = &pod.meta;
    let events = related.events(&meta.namespace, "Pod", &meta.name).iter();
    events.filter(move |event| event.uid.is_empty() || event.uid == meta.uid)
}

/// Recognizes a report without an exit code.
fn classify(place: Place, reason: &str, message: &str) -> Option<Recognized> {
    recognized_by(&Announcement {
        place,
        reason,
        message,
        exit_code: None,
    })
}

fn recognized_by(report: &Announcement<'_>) -> Option<Recognized> {
    recognize(report).map(|entry| Recognized {
        entry,
        message: report.message.to_owned(),
    })
}

/// Returns the entry of a cause; `None` if the catalogue has none.
pub(super) fn recognized(plan: &Plan, pod: &Pod, kind: &CauseKind) -> Option<Recognized> {
    let related = &plan.related;
    match kind {
        CauseKind::CrashLoop(failure) | CauseKind::ContainerConfig(failure) => {
            container(pod, related, failure)
        }
        CauseKind::OutOfMemory(failure) => classify(
            Place::Container,
            "OOMKilled",
            match failure.memory_limit {
                Some(_) => "",
                None => "no memory limit",
            },
        ),
        CauseKind::ImagePull(failure) => {
            Some(image(pod, related, &failure.reason, &failure.message)?)
        }
        CauseKind::Unschedulable { message, .. } => scheduling(plan, pod, message),
        CauseKind::Volume { message, .. } => volume(pod, related, message),
        CauseKind::NodeLost { is_gone, .. } => {
            classify(Place::Node, if *is_gone { "gone" } else { "" }, "")
        }
        CauseKind::Finalizers(_) => classify(Place::Stop, "finalizers", ""),
        CauseKind::Terminating => {
            let kill = events_of_pod(pod, related).rfind(|event| &*event.reason == "FailedKillPod");
            match kill {
                Some(event) => classify(Place::Stop, &event.reason, &event.message),
                None => classify(Place::Stop, "", ""),
            }
        }
        CauseKind::Quota { message, .. } | CauseKind::Refused { message } => {
            classify(Place::Creation, "", message)
        }
        CauseKind::DeletionRefused { message } => classify(Place::Deletion, "", message),
        CauseKind::Rejected {
            reason, message, ..
        } => classify(Place::Rejected, reason, message),
        CauseKind::ClaimDeleted { .. } => classify(Place::Claim, "Terminating", ""),
        CauseKind::Foreseen(found) => foreseen(found),
        CauseKind::NotTakenUp { node: None, .. } => {
            classify(Place::Scheduler, "no PodScheduled condition", "")
        }
        CauseKind::NotTakenUp { node: Some(_), .. } => {
            classify(Place::Node, "no container statuses", "")
        }
        CauseKind::Starting { waits_in } => starting(pod, related, waits_in),
        CauseKind::NotReady { .. } => not_ready(plan, pod),
    }
}

/// Recognizes why a container exits. A failing probe or hook is more specific than an exit code.
fn container(
    pod: &Pod,
    related: &RelatedObjects,
    failure: &ContainerFailure,
) -> Option<Recognized> {
    let killed = events_of_pod(pod, related).rfind(|event| {
        &*event.reason == "Killing"
            && event.message.contains(&failure.container)
            && (event.message.contains("liveness probe") || event.message.contains("startup probe"))
    });
    if let Some(killing) = killed {
        let found = classify(Place::Container, &failure.reason, &killing.message)?;
        let check = found.entry.check.unwrap_or(ContainerCheck::Liveness);
        let unhealthy = events_of_pod(pod, related).rfind(|event| {
            &*event.reason == "Unhealthy" && event.message.starts_with(check.message_start())
        });
        return Some(Recognized {
            message: unhealthy.unwrap_or(killing).message.to_string(),
            ..found
        });
    }
    let hook = events_of_pod(pod, related).rfind(|event| &*event.reason == "FailedPostStartHook");
    if let Some(event) = hook {
        return classify(Place::Container, &event.reason, &event.message);
    }
    recognized_by(&Announcement {
        place: Place::Container,
        reason: &failure.reason,
        message: &format!("{} {}", failure.message, failure.last_words),
        exit_code: failure.exit_code,
    })
}

/// Recognizes why an image is not pulled. The kubelet only repeats the back-off; the registry's message is in an event.
pub(crate) fn image(
    pod: &Pod,
    related: &RelatedObjects,
    reason: &str,
    message: &str,
) -> Option<Recognized> {
    let plain = classify(Place::Image, reason, message)?;
    if plain.entry.rank != Rank::Generic {
        return Some(plain);
    }
    let mut failures = events_of_pod(pod, related).rev();
    let specific = failures.find_map(|event| {
        let is_pull = &*event.reason == "Failed" && event.message.contains("pull");
        let found = classify(Place::Image, reason, &event.message).filter(|_| is_pull)?;
        (found.entry.rank != Rank::Generic).then_some(found)
    });
    Some(specific.unwrap_or(plain))
}

/// Recognizes why a pod is not scheduled.
pub(crate) fn scheduling(plan: &Plan, pod: &Pod, message: &str) -> Option<Recognized> {
    let now = plan.conditions.now;
    placing(pod, &plan.related, now, message)
}

/// Recognizes the most specific report of the scheduler and the autoscalers on a pod at a moment.
pub(crate) fn placing(
    pod: &Pod,
    related: &RelatedObjects,
    now: jiff::Timestamp,
    message: &str,
) -> Option<Recognized> {
    let scheduled = pod.condition("PodScheduled");
    if let Some(gated) = scheduled.filter(|it| it.reason == GATED) {
        return classify(Place::Scheduler, GATED, &gated.message);
    }
    if let Some(found) = classify(Place::Scheduler, "Unschedulable", message)
        && found.entry.rank == Rank::Decisive
    {
        return Some(found);
    }
    const SCHEDULING_REASONS: [&str; 6] = [
        "TriggeredScaleUp",
        "NotTriggerScaleUp",
        "FailedScaleUp",
        "FailedToScaleUpGroup",
        "Nominated",
        "SchedulingGated",
    ];
    let events = || events_of_pod(pod, related);
    let last = events()
        .filter(|event| SCHEDULING_REASONS.contains(&&*event.reason))
        .max_by_key(|event| event.last);
    if let Some(event) = last {
        let is_coming = matches!(&*event.reason, "TriggeredScaleUp" | "Nominated");
        let is_recent = event
            .last
            .is_none_or(|last| now.duration_since(last) <= SCALE_UP);
        let found = classify(Place::Scheduler, &event.reason, &event.message);
        if let Some(found) = found
            && (is_recent || !is_coming)
            && (is_coming || found.entry.reasons.contains(&&*event.reason))
        {
            return Some(found);
        }
    }
    // Karpenter reports on each node pool in its own words.
    let mut refusals = events()
        .rev()
        .filter(|event| &*event.reason == "FailedScheduling");
    let of_pool = refusals.find_map(|event| {
        let found = classify(Place::Scheduler, &event.reason, &event.message);
        found.filter(|found| found.entry.component == KARPENTER)
    });
    if of_pool.is_some() {
        return of_pool;
    }
    let mut found = classify(Place::Scheduler, "Unschedulable", message)?;
    // Since Kubernetes 1.36 the scheduler no longer names the taint: the nodes do.
    if found.entry.names_no_taint
        && !message.contains("untolerated taint {")
        && let Some(entry) = taint_of_all(related)
    {
        found.entry = entry;
    }
    if found.entry.words_are_taints {
        let tainted = related.nodes().filter(|node| has_taint(node, found.entry));
        let names: Vec<&str> = tainted.map(|node| &*node.meta.name).collect();
        found.message = match names.as_slice() {
            [] => String::new(),
            names => format!("taint on {}", names.join(", ")),
        };
    }
    let is_room = found.entry.lacks_room;
    // The preempted pod was an earlier one of the same name, so the event has another uid.
    let meta = &pod.meta;
    let preempted = related
        .events(&meta.namespace, "Pod", &meta.name)
        .iter()
        .rfind(|event| &*event.reason == "Preempted");
    match preempted.filter(|_| is_room) {
        Some(event) => classify(Place::Scheduler, &event.reason, &event.message),
        None => Some(found),
    }
}

fn has_taint(node: &Node, entry: &CauseEntry) -> bool {
    let keys = || entry.words.iter().copied().flatten();
    let mut taints = node.taints.iter();
    taints.any(|taint| keys().any(|key| **key == *taint.key))
}

/// Returns the cause that every tainted node reports; `None` if they differ or none is tainted.
fn taint_of_all(related: &RelatedObjects) -> Option<&'static CauseEntry> {
    let tainted: Vec<_> = related
        .nodes()
        .filter(|node| !node.taints.is_empty())
        .collect();
    let of_all = |entry: &CauseEntry| tainted.iter().all(|node| has_taint(node, entry));
    let mut of_taints = causes().filter(|entry| entry.words_are_taints);
    of_taints.find(|entry| !tainted.is_empty() && of_all(entry))
}

/// Recognizes why volumes are missing. An event with the reason is more specific than the later timeout.
fn volume(pod: &Pod, related: &RelatedObjects, message: &str) -> Option<Recognized> {
    let events = events_of_pod(pod, related)
        .rev()
        .filter(|event| is_of_volume(event));
    let found: Vec<Recognized> = events
        .filter_map(|event| classify(Place::Volume, &event.reason, &event.message))
        .collect();
    let is_specific = |it: &&Recognized| it.entry.rank != Rank::Generic;
    let specific = found.iter().find(is_specific).cloned();
    specific
        .or_else(|| found.into_iter().next())
        .or_else(|| classify(Place::Volume, "FailedMount", message))
}

fn foreseen(found: &Foreseen) -> Option<Recognized> {
    match found {
        Foreseen::Claim { trouble, .. } => match trouble {
            ClaimTrouble::ClassMissing { class } => classify(
                Place::Claim,
                "ProvisioningFailed",
                &format!("storageclass {class} not found"),
            ),
            ClaimTrouble::Provisioner { message, .. } => {
                classify(Place::Claim, "ProvisioningFailed", message)
            }
            ClaimTrouble::Lost { .. } => classify(Place::Claim, "ClaimLost", ""),
            ClaimTrouble::NoDefaultClass | ClaimTrouble::NoVolume { .. } => {
                classify(Place::Claim, "", "")
            }
        },
        Foreseen::NoNode(_) | Foreseen::TooFewPlaces { .. } => classify(Place::Scheduler, "", ""),
        Foreseen::MissingConfig { .. } => classify(
            Place::Container,
            "CreateContainerConfigError",
            "secret \"\" not found",
        ),
    }
}

/// Recognizes why the containers of a scheduled pod do not start.
fn starting(pod: &Pod, related: &RelatedObjects, waits_in: &WaitsIn) -> Option<Recognized> {
    let last = |reasons: &[&str]| {
        events_of_pod(pod, related).rfind(|event| reasons.contains(&&*event.reason))
    };
    if let Some(event) = last(&["FailedCreatePodSandBox", "NetworkNotReady"]) {
        return classify(Place::Sandbox, &event.reason, &event.message);
    }
    if let Some(event) = changing_owner(pod, related) {
        return classify(Place::Volume, &event.reason, &event.message);
    }
    if let Some(event) = pulling(pod, related) {
        return classify(Place::Pulling, &event.reason, &event.message);
    }
    let reason = match waits_in {
        WaitsIn::InitContainer(_) => "init container",
        WaitsIn::Container { .. } => "",
    };
    // The kubelet reports more failures than the catalogue has: the last warning is more specific than the state.
    let warning = events_of_pod(pod, related)
        .rfind(|event| event.is_warning && &*event.reason != "FailedScheduling");
    classify(
        Place::Start,
        reason,
        warning.map_or("", |event| &event.message),
    )
}

/// Returns the kubelet's last report of an ownership change in a volume of the pod.
pub(crate) fn changing_owner<'r>(
    pod: &'r Pod,
    related: &'r RelatedObjects,
) -> Option<&'r Arc<Event>> {
    events_of_pod(pod, related).rfind(|event| &*event.reason == "VolumePermissionChangeInProgress")
}

/// Returns the event of an image pull in progress; `None` if the pull has ended.
pub(crate) fn pulling<'r>(pod: &'r Pod, related: &'r RelatedObjects) -> Option<&'r Arc<Event>> {
    let steps = events_of_pod(pod, related)
        .filter(|event| matches!(&*event.reason, "Pulling" | "Pulled" | "Failed" | "BackOff"));
    let last = steps.max_by_key(|event| event.last)?;
    (&*last.reason == "Pulling").then_some(last)
}

/// Recognizes why a pod with running containers is not ready.
fn not_ready(plan: &Plan, pod: &Pod) -> Option<Recognized> {
    let related = &plan.related;
    let ready = pod.condition("Ready");
    if let Some(gate) = ready.filter(|it| it.reason == "ReadinessGatesNotReady") {
        return classify(Place::Gate, &gate.reason, &gate.message);
    }
    let probe = events_of_pod(pod, related).rfind(|event| {
        &*event.reason == "Unhealthy" && event.message.starts_with("Readiness probe")
    });
    let message = probe.map_or("", |event| &*event.message);
    if all_at_once(plan) {
        return classify(Place::All, "", message);
    }
    classify(Place::Ready, "", message)
}

/// Reports whether all pods of the set are running and became unready together, long after their creation.
fn all_at_once(plan: &Plan) -> bool {
    let end = plan.progression.world.snapshot();
    let pods: Vec<&Arc<Pod>> = pods_of(end).filter(|pod| owns(end, pod)).collect();
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
