//! Recognition of the reason for which a pod is not scheduled.

use std::cmp::Reverse;

use jiff::SignedDuration;

use super::recognition::events_without_namespace;
use super::{
    Catalogue, CauseEntry, CauseTrait, Place, Rank, Recognized, Situation, events_of_pod,
    node_claim_in,
};
use sts_controller::object::{Event, Node, Pod, RelatedObjects, Taint};

/// The reason of a pod with a scheduling gate.
const GATED: &str = "SchedulingGated";
/// The reason of an event about a ResourceClaim that cannot be created.
const NO_CLAIM: &str = "FailedResourceClaimCreation";
/// The component that reports on node pools.
const KARPENTER: &str = "karpenter";
/// Maximum time that a scale-up may take.
const SCALE_UP: SignedDuration = SignedDuration::from_mins(15);

/// The reasons of scale-ups that failed.
const FAILED_SCALE_UPS: [&str; 2] = ["FailedScaleUp", "FailedToScaleUpGroup"];

/// The ConfigMap on which the cluster autoscaler keeps the events about its node groups.
const AUTOSCALER_STATUS: &str = "cluster-autoscaler-status";

/// Reports whether no node has registered since the cluster autoscaler announced one.
fn is_in_vain_so_far(announced: &Event, related: &RelatedObjects) -> bool {
    let is_newer = |node: &Node| node.meta.created >= announced.first.or(announced.last);
    &*announced.reason == "TriggeredScaleUp"
        && related.has_nodes()
        && !related.nodes().any(|node| is_newer(node))
}

/// Returns the part of a scheduler's message that is about nodes, without the part about preemption.
pub(crate) fn about_nodes(message: &str) -> &str {
    message.split(" preemption: ").next().unwrap_or(message)
}

/// Splits reasons, each with its number of nodes. A reason can contain a comma, but no number after it.
pub(super) fn reasons_of(reasons: &str) -> impl Iterator<Item = (u32, &str)> {
    let starts = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let mut rest = reasons;
    std::iter::from_fn(move || {
        let mut commas = rest.match_indices(", ");
        let end = commas.find(|(at, comma)| starts(&rest[at + comma.len()..]));
        let (reason, after) = match end {
            Some((at, comma)) => (&rest[..at], &rest[at + comma.len()..]),
            None => (rest, ""),
        };
        rest = after;
        (!reason.is_empty()).then_some(reason)
    })
    .filter_map(|reason| {
        let (number, _) = reason.split_once(' ')?;
        Some((number.parse().ok()?, reason))
    })
}

/// Returns the name of a node, with its report of why it is not ready.
pub(crate) fn with_report(node: &Node) -> String {
    let name = &node.meta.name;
    let ready = node.ready.as_ref().filter(|_| node.is_down());
    match ready.map_or("", |ready| ready.message.trim_end_matches('.')) {
        "" => name.to_string(),
        message => format!("{name} ({message})"),
    }
}

/// Reports whether the words of a cause name a taint.
pub(crate) fn names_taint(entry: &CauseEntry, taint: &Taint) -> bool {
    let mut groups = entry.words.iter();
    groups.any(|group| group.iter().all(|word| taint.key.contains(word)))
}

/// Reports whether the words of a cause name a taint of a node.
pub(crate) fn has_taint(node: &Node, entry: &CauseEntry) -> bool {
    node.taints.iter().any(|taint| names_taint(entry, taint))
}

/// Names the scheduling gates of a pod: `gate kueue.x-k8s.io/admission`.
fn gates(pod: &Pod) -> Option<String> {
    let given = pod.given()?;
    let gates = given["spec"]["schedulingGates"].as_array()?;
    let names: Vec<&str> = gates
        .iter()
        .filter_map(|gate| gate["name"].as_str())
        .collect();
    match names.as_slice() {
        [] => None,
        [name] => Some(format!("gate {name}")),
        names => Some(format!("gates {}", names.join(", "))),
    }
}

/// Reports whether a node without a taint has devices, by the reason `1 Insufficient nvidia.com/gpu`.
fn has_untainted_device(reason: &str, related: &RelatedObjects) -> bool {
    let Some(resource) = wanted_device(reason) else {
        return false;
    };
    let mut nodes = related.nodes().filter(|node| node.taints.is_empty());
    nodes.any(|node| {
        node.capacity
            .get(resource)
            .is_some_and(|amount| &**amount != "0")
    })
}

/// Returns the device that a scheduler's message names as insufficient: `nvidia.com/gpu`.
pub(crate) fn wanted_device(message: &str) -> Option<&str> {
    insufficient(message).find(|name| name.contains('/'))
}

/// Returns the resources that a scheduler's message names as insufficient: `3 Insufficient memory, 2 Insufficient cpu`.
pub(crate) fn insufficient(message: &str) -> impl Iterator<Item = &str> {
    let resources = message.split("Insufficient ").skip(1);
    let names = resources.filter_map(|rest| rest.split([',', ' ']).next());
    names.map(|name| name.trim_end_matches('.'))
}

impl Catalogue {
    /// Recognizes the most specific report of the scheduler and the autoscalers on a pod at a moment. If a node is where the
    /// volumes of the pod are, the reason of that node counts, not of the nodes elsewhere.
    pub(crate) fn placing(
        self,
        pod: &Pod,
        related: &RelatedObjects,
        now: jiff::Timestamp,
        message: &str,
        volume_has_node: bool,
    ) -> Option<Recognized> {
        let scheduled = pod.condition("PodScheduled");
        if let Some(gated) = scheduled.filter(|it| it.reason == GATED) {
            // The scheduler does not name the gate.
            let message = gates(pod).unwrap_or_else(|| gated.message.clone());
            return self.classify(Place::Scheduler, GATED, &message);
        }
        let nominated = pod
            .given()
            .is_some_and(|it| it["status"]["nominatedNodeName"].is_string());
        let decisive = match nominated {
            true => "terminating pod on the nominated node",
            false => message,
        };
        if let Some(found) = self.classify(Place::Scheduler, "Unschedulable", decisive)
            && found.entry.rank == Rank::Decisive
        {
            let message = message.to_owned();
            return Some(Recognized { message, ..found });
        }
        const SCHEDULING_REASONS: [&str; 8] = [
            "TriggeredScaleUp",
            "NotTriggerScaleUp",
            "FailedScaleUp",
            "FailedToScaleUpGroup",
            "Nominated",
            "SchedulingGated",
            "InsufficientCapacityError",
            "NodeClassNotReady",
        ];
        let events = || events_of_pod(pod, related);
        let last = events()
            .filter(|event| SCHEDULING_REASONS.contains(&&*event.reason))
            .max_by_key(|event| event.last);
        // Scale-ups that fail each time are triggered again and again.
        let failed = events()
            .filter(|event| FAILED_SCALE_UPS.contains(&&*event.reason) && event.count > 1)
            .max_by_key(|event| event.last);
        let is_in_vain = |last: &Event, failed: &Event| {
            let gap = last.last.zip(failed.last);
            &*last.reason == "TriggeredScaleUp"
                && gap.is_none_or(|(last, failed)| last.duration_since(failed) <= SCALE_UP)
        };
        let last = match last.zip(failed) {
            Some((last, failed)) if is_in_vain(last, failed) => Some(failed),
            _ => last,
        };
        if let Some(event) = last {
            let is_coming = matches!(&*event.reason, "TriggeredScaleUp" | "Nominated");
            let is_recent = event
                .last
                .is_none_or(|last| now.duration_since(last) <= SCALE_UP);
            // A node that joins does so within this time, and the autoscaler tries again.
            let is_late = || {
                let announced = events().filter(|it| it.reason == event.reason);
                let first = announced.filter_map(|it| it.first.or(it.last)).min();
                first.is_some_and(|first| now.duration_since(first) > SCALE_UP)
            };
            if is_coming
                && is_late()
                && let Some(found) = self.refused_capacity(pod, related)
            {
                return Some(found);
            }
            if is_coming && is_late() && (is_recent || is_in_vain_so_far(event, related)) {
                let entry = self.of_situation(Situation::NodesNotJoining)?;
                let message = event.message.to_string();
                return Some(Recognized { entry, message });
            }
            if (is_recent || !is_coming)
                && let Some(found) = self.classify(Place::Scheduler, &event.reason, &event.message)
                && (is_coming || found.entry.reasons.iter().any(|it| **it == *event.reason))
            {
                let is_of_failure = found.entry.has(CauseTrait::AfterFailedScaleUp);
                let refused = is_of_failure.then(|| self.refused_capacity(pod, related));
                return Some(refused.flatten().unwrap_or(found));
            }
        }
        // Without its ResourceClaims, no device is missing yet.
        let of_claims = events().rfind(|event| &*event.reason == NO_CLAIM);
        if let Some(event) = of_claims {
            return self.classify(Place::Scheduler, &event.reason, &event.message);
        }
        // Karpenter reports on each node pool in its own words.
        let mut refusals = events()
            .rev()
            .filter(|event| &*event.reason == "FailedScheduling");
        let of_pool = refusals.find_map(|event| {
            let found = self.classify(Place::Scheduler, &event.reason, &event.message);
            found.filter(|found| found.entry.component == KARPENTER)
        });
        if of_pool.is_some() {
            return of_pool;
        }
        let mut found = self.classify(
            Place::Scheduler,
            "Unschedulable",
            self.decisive_reason(message, related, volume_has_node),
        )?;
        found.message = message.to_owned();
        // Since Kubernetes 1.36 the scheduler no longer names the taint: the nodes do.
        if found.entry.has(CauseTrait::NamesNoTaint)
            && !message.contains("untolerated taint {")
            && let Some(entry) = self.taint_of_all(related)
        {
            found.entry = entry;
        }
        if found.entry.has(CauseTrait::WordsAreTaints) {
            let tainted = related.nodes().filter(|node| has_taint(node, found.entry));
            let names: Vec<String> = tainted.map(|node| with_report(node)).collect();
            found.message = match names.as_slice() {
                [] => String::new(),
                names => format!("taint on {}", names.join(", ")),
            };
        }
        let is_room = found.entry.has(CauseTrait::LacksRoom);
        // The preempted pod was an earlier one of the same name, so the event has another uid.
        let meta = &pod.meta;
        let preempted = related
            .events(&meta.namespace, "Pod", &meta.name)
            .iter()
            .rfind(|event| &*event.reason == "Preempted");
        match preempted.filter(|_| is_room) {
            Some(event) => self.classify(Place::Scheduler, &event.reason, &event.message),
            None => Some(found),
        }
    }

    /// Recognizes why the provider refuses the node that an autoscaler has announced for a pod, by the events of Karpenter's
    /// NodeClaims, or those that the cluster autoscaler keeps on its own ConfigMap.
    fn refused_capacity(self, pod: &Pod, related: &RelatedObjects) -> Option<Recognized> {
        let announced = || events_of_pod(pod, related).rev();
        let claims = announced().filter_map(|event| node_claim_in(&event.message));
        let of_claim = |name| events_without_namespace("NodeClaim", name, related);
        let triggered = announced().find(|it| &*it.reason == "TriggeredScaleUp");
        let of_group = related
            .events("kube-system", "ConfigMap", AUTOSCALER_STATUS)
            .iter()
            .rev()
            .filter(|event| triggered.is_none_or(|it| event.last >= it.first));
        let mut reports = claims.flat_map(of_claim).chain(of_group);
        reports.find_map(|event| {
            let found = self.classify(Place::Scheduler, &event.reason, &event.message)?;
            let is_of_reason = found.entry.reasons.iter().any(|it| **it == *event.reason);
            is_of_reason.then_some(found)
        })
    }

    /// Returns the reason of a scheduler's message that decides what to do: `5 Insufficient memory` of `0/6 nodes are
    /// available: 1 node(s) were unschedulable, 5 Insufficient memory.` A node that the pod can never use is no way out,
    /// so the reasons of the other nodes come first: among them that of nodes that are starting, then the one of most
    /// nodes. Nodes without the wanted device are no way out either, if nodes with a taint can have it. Returns the whole
    /// message if it does not count nodes.
    fn decisive_reason<'m>(
        self,
        message: &'m str,
        related: &RelatedObjects,
        volume_has_node: bool,
    ) -> &'m str {
        let Some((_, reasons)) = about_nodes(message).split_once(" nodes are available: ") else {
            return message;
        };
        let known: Vec<(u32, &str, &CauseEntry)> = reasons_of(reasons)
            .filter_map(|(number, reason)| {
                let entry = self
                    .classify(Place::Scheduler, "Unschedulable", reason)?
                    .entry;
                (entry.rank != Rank::Generic).then_some((number, reason, entry))
            })
            .collect();
        let lacks_device = |reason: &str, entry: &CauseEntry| {
            entry.has(CauseTrait::WantsDevice) && !has_untainted_device(reason, related)
        };
        let has_taints = known
            .iter()
            .any(|(_, _, entry)| entry.has(CauseTrait::NamesNoTaint));
        let mut of_devices = known.iter();
        let wants_tainted = of_devices.any(|(_, reason, entry)| lacks_device(reason, entry));
        let decisive = known.iter().min_by_key(|(number, reason, entry)| {
            let place = self.causes().position(|other| other.id == entry.id);
            let is_out = match entry.has(CauseTrait::NamesNoTaint) {
                true => !wants_tainted,
                false => {
                    entry.has(CauseTrait::ExcludesNode)
                        || (has_taints && lacks_device(reason, entry))
                }
            };
            (
                volume_has_node && entry.has(CauseTrait::NotWhereVolumeIs),
                is_out,
                !entry.has(CauseTrait::NodesAreStarting),
                Reverse(*number),
                place,
            )
        });
        decisive.map_or(message, |(_, reason, _)| reason)
    }

    /// Returns the cause that every tainted node reports; `None` if they differ or none is tainted.
    fn taint_of_all(self, related: &RelatedObjects) -> Option<&'static CauseEntry> {
        let tainted: Vec<_> = related
            .nodes()
            .filter(|node| !node.taints.is_empty())
            .collect();
        let of_all = |entry: &CauseEntry| tainted.iter().all(|node| has_taint(node, entry));
        let mut of_taints = self
            .causes()
            .filter(|entry| entry.has(CauseTrait::WordsAreTaints));
        of_taints.find(|entry| !tainted.is_empty() && of_all(entry))
    }
}
