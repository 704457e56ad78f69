//! Recognition of a catalogue entry by the events of a pod, with the component's message.

use std::sync::Arc;

use super::{Announcement, Catalogue, CauseEntry, Place, Rank, Situation};
use sts_controller::object::{Attachment, Event, Phase, Pod, RelatedObjects, Set, Snapshot};

/// The reasons of events about volumes that cannot attach, mount or grow.
const OF_VOLUMES: [&str; 5] = [
    "FailedAttachVolume",
    "FailedMapVolume",
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
pub(crate) fn events_of_pod<'r>(
    pod: &'r Pod,
    related: &'r RelatedObjects,
) -> impl DoubleEndedIterator<Item = &'r Arc<Event>> {
    let meta = &pod.meta;
    let events = related.events(&meta.namespace, "Pod", &meta.name).iter();
    events.filter(move |event| event.is_about(&meta.uid))
}

/// Returns the events of a set, oldest first, without those of an earlier set of its name.
pub(crate) fn events_of_set<'r>(
    set: &'r Set,
    related: &'r RelatedObjects,
) -> impl DoubleEndedIterator<Item = &'r Arc<Event>> {
    let meta = &set.meta;
    let events = related.events(&meta.namespace, "StatefulSet", &meta.name);
    events.iter().filter(|event| event.is_about(&meta.uid))
}

/// Returns the events of a node, oldest first.
pub(crate) fn events_of_node<'r>(
    node: &'r str,
    related: &'r RelatedObjects,
) -> impl Iterator<Item = &'r Arc<Event>> {
    events_without_namespace("Node", node, related)
}

/// Returns the events of an object without a namespace: they are kept in the namespace default.
pub(super) fn events_without_namespace<'r>(
    kind: &'r str,
    name: &'r str,
    related: &'r RelatedObjects,
) -> impl Iterator<Item = &'r Arc<Event>> {
    let namespaces = ["", "default"].into_iter();
    namespaces.flat_map(move |namespace| related.events(namespace, kind, name))
}

/// Returns the pod that an event of the controller names: `create Pod web-1 in StatefulSet web successful`, `create Claim
/// data-web-3 for Pod web-3 in StatefulSet web failed error: ...`, `StatefulSet prod/web is recreating failed Pod web-1`.
pub(crate) fn pod_of_report(event: &Event) -> Option<&str> {
    let (_, rest) = event.message.split_once("Pod ")?;
    rest.split_whitespace().next()
}

/// The reasons of events about the sandbox, images and containers of a pod. The kubelet comes to them once all volumes of
/// the pod are mounted.
const AFTER_VOLUMES: [&str; 8] = [
    "FailedCreatePodSandBox",
    "AddedInterface",
    "Pulling",
    "Pulled",
    "Failed",
    "BackOff",
    "Created",
    "Started",
];

/// Returns the NodeClaim that a report of Karpenter names.
pub(crate) fn node_claim_in(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("nodeclaim/")?;
    rest.split([',', ' ']).next()
}

/// Reports whether a failed attachment or mount has ended, by a later event or by the attachment itself.
pub(crate) fn is_over(failed: &Event, pod: &Pod, related: &RelatedObjects) -> bool {
    if failed.reason.contains("Resize") {
        return false;
    }
    let volume = |event: &Event| event.message.split('"').nth(1).map(str::to_owned);
    let of_volume = volume(failed);
    let is_attachment = &*failed.reason == "FailedAttachVolume";
    let ends = |event: &&Arc<Event>| match &*event.reason {
        "SuccessfulAttachVolume" => is_attachment && volume(event) == of_volume,
        reason => AFTER_VOLUMES.contains(&reason),
    };
    let mut events = events_of_pod(pod, related).filter(ends);
    // The attachment to the node of the pod is made once, and kept.
    let holds = |it: &&Arc<Attachment>| {
        it.is_attached
            && !it.meta.is_terminating()
            && pod.node().is_some_and(|node| *it.node == *node)
            && of_volume.as_deref() == Some(&*it.volume)
    };
    events.any(|event| event.last > failed.last)
        || (is_attachment && related.attachments().any(|it| holds(&it)))
}

/// Returns the failed attachments of the volumes of a pod to its node, as events: the attachments keep their error, which
/// events do not outlive.
pub(crate) fn failed_attachments(
    pod: &Pod,
    snapshot: &Snapshot,
    related: &RelatedObjects,
) -> Vec<Event> {
    let claims = pod.claims().filter_map(|it| snapshot.claims.get(it));
    let volumes: Vec<String> = claims.filter_map(|it| it.volume_name()).collect();
    let fails = move |it: &&Arc<Attachment>| {
        !it.is_attached
            && !it.attach_error.is_empty()
            && volumes.iter().any(|volume| **volume == *it.volume)
            && pod.node().is_some_and(|node| *it.node == *node)
    };
    let failed = related.attachments().filter(fails);
    let failed = failed.map(|it| {
        let message = format!(
            "AttachVolume.Attach failed for volume \"{}\" : {}",
            it.volume, it.attach_error
        );
        Event {
            meta: it.meta.clone(),
            kind: Arc::from("Pod"),
            name: Arc::clone(&pod.meta.name),
            uid: Arc::clone(&pod.meta.uid),
            is_warning: true,
            reason: Arc::from("FailedAttachVolume"),
            message: Arc::from(message),
            container: Arc::from(""),
            count: 1,
            first: it.meta.created,
            last: it.attach_failed,
        }
    });
    failed.collect()
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

/// The reasons of events about the sandbox of a pod.
pub(crate) const OF_SANDBOX: [&str; 2] = ["FailedCreatePodSandBox", "NetworkNotReady"];

impl Catalogue {
    /// Recognizes a report without an exit code.
    pub(crate) fn classify(self, place: Place, reason: &str, message: &str) -> Option<Recognized> {
        self.recognized_by(&Announcement {
            place,
            reason,
            message,
            exit_code: None,
            container: "",
        })
    }

    /// Returns the entry of a cause that the state of the objects identifies.
    pub(crate) fn of_state(self, id: &str) -> Option<Recognized> {
        self.by_id(id).map(|entry| Recognized {
            entry,
            message: String::new(),
        })
    }

    pub(crate) fn recognized_by(self, report: &Announcement<'_>) -> Option<Recognized> {
        self.recognize(report).map(|entry| Recognized {
            entry,
            message: report.message.to_owned(),
        })
    }

    /// Recognizes why an image is not pulled. The kubelet only repeats the back-off; the registry's message is in an event.
    pub(crate) fn image(
        self,
        pod: &Pod,
        related: &RelatedObjects,
        reason: &str,
        message: &str,
    ) -> Option<Recognized> {
        let plain = self.classify(Place::Image, reason, message)?;
        if plain.entry.rank != Rank::Generic {
            return Some(plain);
        }
        let mut failures = events_of_pod(pod, related).rev();
        let specific = failures.find_map(|event| {
            let is_pull = &*event.reason == "Failed" && event.message.contains("pull");
            let found = self
                .classify(Place::Image, reason, &event.message)
                .filter(|_| is_pull)?;
            (found.entry.rank != Rank::Generic).then_some(found)
        });
        Some(specific.unwrap_or(plain))
    }

    /// Returns what a pod that is not overdue waits for, if an event or its node reports it.
    pub(crate) fn progress(
        self,
        pod: &Pod,
        related: &RelatedObjects,
    ) -> Option<&'static CauseEntry> {
        let node = related.node(pod.node().unwrap_or_default());
        if !pod.is_terminating() && node.is_some_and(|node| node.is_down()) {
            return self.of_situation(Situation::NodeDown);
        }
        let sandbox =
            || events_of_pod(pod, related).rfind(|event| OF_SANDBOX.contains(&&*event.reason));
        let unattached = || {
            events_of_pod(pod, related).rfind(|event| {
                &*event.reason == "FailedAttachVolume" && !is_over(event, pod, related)
            })
        };
        let (place, event) = if let Some(event) = changing_owner(pod, related) {
            (Place::Volume, event)
        } else if let Some(event) = unattached() {
            (Place::Volume, event)
        } else if let Some(event) = pulling(pod, related) {
            (Place::Pulling, event)
        } else {
            (Place::Sandbox, sandbox()?)
        };
        let is_starting = pod.phase == Phase::Pending && !pod.is_terminating();
        let found = self.classify(place, &event.reason, &event.message);
        let found = found.filter(|found| is_starting && found.entry.rank != Rank::Generic);
        found.map(|found| found.entry)
    }
}
