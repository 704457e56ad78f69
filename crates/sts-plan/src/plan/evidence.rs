//! Evidence in objects that pods are stuck: contract section 5, "Evidence".
//!
//! Each rule documents its inputs and the delay before it applies. An assumption about a pod overrides all evidence
//! about it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::note::PlanUnknown;
use super::patience::{SlowestStarts, flaps_since};
use super::record::Records;
use super::recreation::{RecreationLoop, recreated};
use super::refusals::{RefusedCreation, refused_creations, refused_deletions, server_words};
use super::retry::Retry;
use super::settle::Passing;
use super::{Conditions, Obstacle, Plan, owns, pods_of, record};
use crate::catalogue::{
    CauseTrait, Place, changing_owner, events_of_pod, failed_attachments, is_of_volume, is_over,
    pulling,
};
use crate::down_nodes::{
    is_gone, is_orphan, is_out_of_service, is_reported_down, is_unmarked, is_unread, node_down,
};
use crate::foresight::{Foreseen, Relief, admitted_after, claim_trouble};
use sts_controller::controller::{Resource, Sync, Verb};
use sts_controller::object::{ContainerStatus, Event, Phase, Pod, RelatedObjects, Snapshot};
use sts_controller::simulate::Forbidden;

/// Minimum time after its deletionTimestamp before a pod is overdue.
const LEAST_STOP: SignedDuration = SignedDuration::from_mins(1);
/// Number of refusals that count as persistent.
pub(super) const AGAIN_AND_AGAIN: i64 = 3;
/// Time allowed for a volume to attach after scheduling, regardless of failed attempts.
const LEAST_ATTACH: SignedDuration = SignedDuration::from_mins(2);

/// Time after which the pods of a node that is gone count as stuck: the pod garbage collector removes them before.
const NODE_ANSWERS: SignedDuration = SignedDuration::from_mins(2);
const LONGEST_PULL: SignedDuration = SignedDuration::from_mins(30);

/// Maximum age of the kubelet's last report that it changes the owner of a volume's files: it reports every minute.
const OWNER_CHANGE_REPORT: SignedDuration = SignedDuration::from_mins(2);

/// Stage of a pod's lifecycle at which it is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StuckAt {
    /// The pod never becomes ready.
    Start,
    /// The pod never terminates.
    Stop,
    /// The API server refuses to create the pod.
    Creation,
}

/// Evidence that a pod is stuck.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// Pod status: a container in a permanent waiting state, or an unschedulable pod.
    Status,
    /// Elapsed time only.
    Overdue,
    /// Repeated warnings that volumes do not attach or mount.
    Volumes(Arc<Event>),
    /// Claim that gets no volume.
    Claim(Foreseen),
    /// Node that does not respond or no longer exists.
    Node(Arc<str>),
    /// Finalizers of the pod.
    Finalizers(Vec<String>),
    /// Repeated warnings that the creation is refused.
    Refused(Arc<Event>),
}

/// Stuck pod.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuck {
    /// Stage at which the pod is stuck.
    pub at: StuckAt,
    /// Evidence.
    pub shown: Shown,
    /// Start of the problem, if known.
    pub since: Option<Timestamp>,
    /// UID of the pod; empty if it does not exist.
    pub uid: Arc<str>,
    /// True if the pod lacks a node or a volume that it can use, whatever its containers do.
    pub lacks_place: bool,
}

/// Evidence about the pods of a set, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Stuck pods.
    pub stuck: BTreeMap<Arc<str>, Stuck>,
    /// Pods that were read and do not become ready, at the time of the input.
    seen: BTreeMap<Arc<str>, Stuck>,
    /// Pods with possibly temporary trouble.
    pub passing: BTreeMap<Arc<str>, Passing>,
    /// Pods whose deletion is persistently refused, with the warning.
    pub undeletable: BTreeMap<Arc<str>, Arc<Event>>,
    /// Pods that are recreated in a loop, with their creations.
    pub recreated: BTreeMap<Arc<str>, RecreationLoop>,
    /// Records of the revisions.
    pub records: Records,
    /// Effect of objects that are assumed to exist.
    pub relief: Relief,
    /// Unknowns, in sentences.
    pub unknowns: Vec<PlanUnknown>,
}

impl Evidence {
    /// Collects the evidence in the objects under these conditions.
    #[must_use]
    pub(super) fn of(snapshot: &Snapshot, conditions: &Conditions) -> Self {
        let mut relief = Relief::of(snapshot, conditions);
        let free = |name: &str| !conditions.assumptions.contains_key(name);
        let slowest = SlowestStarts::of(snapshot);
        let mut stuck = BTreeMap::new();
        let starts = |pod: &&Arc<Pod>| relief.starts.contains_key(&pod.meta.name);
        let observed = conditions.observed.as_ref();
        let is_read = |pod: &&Arc<Pod>| observed.is_none_or(|it| it.same(pod).is_some());
        let pods = pods_of(snapshot).filter(|pod| !starts(pod) && is_read(pod));
        for pod in pods.filter(|pod| free(&pod.meta.name)) {
            let found = if pod.is_terminating() {
                stuck_stopping(pod, conditions)
            } else {
                stuck_starting(pod, snapshot, &slowest, conditions)
            };
            if let Some(found) = found {
                stuck.insert(Arc::clone(&pod.meta.name), self::stuck(pod, found));
            }
        }
        let mut unknowns = Vec::new();
        let refused = refused_creations(snapshot, conditions, &mut unknowns);
        for (name, event) in relief.creations(snapshot, conditions, refused) {
            if free(&name) {
                stuck.insert(
                    name,
                    Stuck {
                        at: StuckAt::Creation,
                        since: event.first,
                        shown: Shown::Refused(event),
                        uid: Arc::from(""),
                        lacks_place: false,
                    },
                );
            }
        }
        let seen = seen(&relief, conditions);
        let records = record::records(&seen, conditions);
        stuck.retain(|name, _| !records.recovering.contains(name));
        Evidence {
            records,
            seen,
            stuck,
            passing: BTreeMap::new(),
            undeletable: refused_deletions(snapshot, conditions),
            recreated: recreated(snapshot, conditions),
            relief,
            unknowns,
        }
    }

    /// Forgets the refusals of a quota that has room once the user has deleted these surplus pods.
    pub(super) fn make_room(&mut self, deleted: &[Arc<str>]) {
        let admitted = admitted_after(&self.forbidden().pods, deleted.len());
        if admitted.is_empty() {
            return;
        }
        self.stuck.retain(|name, _| !admitted.contains(name));
        self.relief.sentences.push(format!(
            "the quota has room for {} once {} {} gone",
            admitted.join(", "),
            deleted.join(", "),
            if deleted.len() == 1 { "is" } else { "are" }
        ));
    }

    /// Returns the obstacle that makes the next sync futile: a persistently refused deletion, or a pod that is
    /// rejected whenever it is created.
    pub(super) fn obstacle_to(&self, next: &Sync, snapshot: &Snapshot) -> Option<Obstacle> {
        let deleted = next.writes.iter().filter(|write| {
            (write.resource, write.verb) == (Resource::Pods, Verb::Delete)
                && write.refused.is_none()
        });
        let mut deleted = deleted.filter_map(|write| snapshot.pods.get(&write.name));
        deleted.find_map(|pod| {
            let name = &pod.meta.name;
            if let Some(event) = self.undeletable.get(name) {
                return Some(Obstacle::DeletionRefused {
                    pod: Arc::clone(pod),
                    message: server_words(event).to_owned(),
                });
            }
            let count = self.recreated.get(name)?.count;
            (pod.phase == Phase::Failed).then(|| Obstacle::Rejected {
                pod: Arc::clone(pod),
                count,
            })
        })
    }

    /// Returns the time of the next attempt at a refused request for a pod; `None` without one.
    #[must_use]
    pub fn retry(&self, name: &str, now: Timestamp) -> Option<Retry> {
        let of_creation = self.of_pod(name).and_then(|stuck| match &stuck.shown {
            Shown::Refused(event) => Some(event),
            _ => None,
        });
        let event = of_creation.or_else(|| self.undeletable.get(name))?;
        Retry::after(event, now)
    }

    /// Returns the evidence about a pod.
    #[must_use]
    pub fn of_pod(&self, name: &str) -> Option<&Stuck> {
        self.stuck.get(name)
    }

    /// Returns the evidence about this very pod.
    pub(crate) fn of_this(&self, pod: &Pod) -> Option<&Stuck> {
        let is_this = |stuck: &&Stuck| stuck.uid.is_empty() || stuck.uid == pod.meta.uid;
        let name = &pod.meta.name;
        let stuck = self.stuck.get(name).filter(is_this);
        stuck.or_else(|| self.seen.get(name).filter(is_this))
    }

    /// Reports whether a pod of this name was read without a node or volume that it can use: its replacement lacks it too.
    pub(crate) fn lacks_place(&self, name: &str) -> bool {
        self.seen.get(name).is_some_and(|stuck| stuck.lacks_place)
    }

    /// Returns the pod that shows why another pod fails on its revision; `None` if the revision has no record.
    pub(crate) fn witness(&self, pod: &Pod) -> Option<&Arc<str>> {
        self.records.broken.get(&pod.revision)
    }

    pub(super) fn uids(&self, at: StuckAt) -> impl Iterator<Item = Arc<str>> {
        let stuck = self.stuck.values().filter(move |stuck| stuck.at == at);
        stuck.map(|stuck| Arc::clone(&stuck.uid))
    }

    /// Returns the pods and claims whose creation is refused.
    pub(super) fn forbidden(&self) -> Forbidden {
        let mut forbidden = Forbidden::default();
        for (pod, stuck) in &self.stuck {
            let Shown::Refused(event) = &stuck.shown else {
                continue;
            };
            let words = Arc::from(server_words(event));
            match RefusedCreation::of(event).and_then(|refused| refused.claim) {
                Some(claim) => forbidden.claims.insert(Arc::from(claim), words),
                None => forbidden.pods.insert(Arc::clone(pod), words),
            };
        }
        forbidden
    }
}

type Found = (StuckAt, Shown, Option<Timestamp>);

fn stuck(pod: &Pod, (at, shown, since): Found) -> Stuck {
    let is_unplaced = || (pod.trouble.as_ref()).is_some_and(|trouble| trouble.is_unplaced());
    let lacks_place = match shown {
        Shown::Volumes(_) | Shown::Claim(_) => true,
        Shown::Status => is_unplaced(),
        _ => false,
    };
    Stuck {
        at,
        shown,
        since,
        uid: Arc::clone(&pod.meta.uid),
        lacks_place,
    }
}

/// Returns the evidence about the pods that were read and do not become ready, at the time of the input.
fn seen(relief: &Relief, conditions: &Conditions) -> BTreeMap<Arc<str>, Stuck> {
    let Some(observed) = &conditions.observed else {
        return BTreeMap::new();
    };
    let objects = observed.objects();
    let slowest = SlowestStarts::of(objects);
    let then = match observed.at() == conditions.now {
        true => Cow::Borrowed(conditions),
        false => Cow::Owned(conditions.at(observed.at())),
    };
    let pods = observed.owned().filter(|pod| {
        let name = &pod.meta.name;
        // An object that is assumed to exist ends the failure of its pods.
        let starts = relief.starts.contains_key(name);
        !starts && !conditions.assumptions.contains_key(&**name) && !pod.is_terminating()
    });
    let seen = pods.filter_map(|pod| {
        let found = stuck_starting(pod, objects, &slowest, &then)?;
        Some((Arc::clone(&pod.meta.name), stuck(pod, found)))
    });
    seen.collect()
}

fn stuck_stopping(pod: &Pod, conditions: &Conditions) -> Option<Found> {
    let deleted = pod.meta.deleted?;
    let finalizers = pod.finalizers();
    if !finalizers.is_empty() {
        return Some((StuckAt::Stop, Shown::Finalizers(finalizers), Some(deleted)));
    }
    if conditions.gone_after.is_some() || is_out_of_service(pod, conditions) {
        return None;
    }
    let late = conditions.now.duration_since(deleted);
    let lost = pod.node().filter(|_| is_down(pod, conditions));
    match lost {
        Some(node) if late > SignedDuration::ZERO => {
            Some((StuckAt::Stop, Shown::Node(Arc::from(node)), Some(deleted)))
        }
        _ if late > LEAST_STOP => Some((StuckAt::Stop, Shown::Overdue, Some(deleted))),
        _ => None,
    }
}

/// Reports whether the node of a pod is down or gone, or is reported as down if the input does not have it.
pub(crate) fn is_down(pod: &Pod, conditions: &Conditions) -> bool {
    match conditions.related.node(pod.node().unwrap_or_default()) {
        Some(node) => node.is_down(),
        None => is_gone(pod, conditions) || is_reported_down(pod, conditions),
    }
}

impl Plan {
    /// Returns the node of a pod, if the input does not have it and does not show that it is gone.
    pub(crate) fn unseen_node<'p>(&self, pod: &'p Pod) -> Option<&'p str> {
        pod.node().filter(|_| is_unread(pod, &self.conditions))
    }
}

fn stuck_starting(
    pod: &Arc<Pod>,
    snapshot: &Snapshot,
    slowest: &SlowestStarts<'_>,
    conditions: &Conditions,
) -> Option<Found> {
    // The API server stores no pod without a phase: the input lacks it.
    if !matches!(pod.phase, Phase::Pending | Phase::Running) {
        return None;
    }
    let since = not_ready_since(pod);
    if pod.is_running_and_ready() {
        // The node controller marks the pods of a node that is down.
        let node = node_down(pod, conditions).filter(|_| owns(snapshot, pod))?;
        if !is_unmarked(node, conditions.now) {
            return None;
        }
        let since = node.ready.as_ref().and_then(|ready| ready.since);
        return Some((
            StuckAt::Start,
            Shown::Node(Arc::clone(&node.meta.name)),
            since,
        ));
    }
    if pod.trouble.is_some() {
        return (!pod.is_ready()).then_some((StuckAt::Start, Shown::Status, since));
    }
    if !pod.scheduled
        && let Some(found) = claim_trouble(snapshot, conditions, pod)
    {
        return Some((StuckAt::Start, Shown::Claim(found), since));
    }
    if !owns(snapshot, pod) {
        return None;
    }
    if let Some(node) = pod.node.as_ref().filter(|_| is_orphan(pod, conditions)) {
        return Some((StuckAt::Start, Shown::Node(Arc::clone(node)), since));
    }
    if let Some(node) = node_down(pod, conditions) {
        let node = Arc::clone(&node.meta.name);
        return Some((StuckAt::Start, Shown::Node(node), since));
    }
    if conditions.ready_after.is_some() {
        return None;
    }
    let waited = conditions.now.duration_since(since?);
    if let Some(node) = pod.node().filter(|_| is_down(pod, conditions))
        && waited > NODE_ANSWERS
    {
        return Some((StuckAt::Start, Shown::Node(Arc::from(node)), since));
    }
    if pulling(pod, &conditions.related).is_some() && waited <= LONGEST_PULL {
        return None;
    }
    if let Some(event) = changing_owner(pod, &conditions.related)
        && let Some(last) = event.last
        && conditions.now.duration_since(last) < OWNER_CHANGE_REPORT
    {
        return None;
    }
    let warning = volume_warning(pod, &snapshot.set.meta.namespace, &conditions.related);
    if let Some(event) = warning.or_else(|| failed_attachment(pod, snapshot, conditions))
        && waited > LEAST_ATTACH
    {
        return Some((StuckAt::Start, Shown::Volumes(event), since));
    }
    if let Some((event, patience)) = reported_once(pod, conditions)
        && waited > patience
    {
        return Some((StuckAt::Start, Shown::Volumes(event), since));
    }
    let patience = slowest.patience_for(pod);
    // A moment of readiness in between is no start.
    let flaps = flaps_since(pod, snapshot, conditions);
    let flaps = flaps.filter(|flaps| conditions.now.duration_since(*flaps) > patience);
    let since = flaps.or(since);
    (waited > patience || flaps.is_some()).then_some((StuckAt::Start, Shown::Overdue, since))
}

/// Returns since when a pod has been unready: its last readiness transition, or its creation.
fn not_ready_since(pod: &Pod) -> Option<Timestamp> {
    pod.ready.and_then(|ready| ready.since).or(pod.meta.created)
}

/// Returns the last of repeated warnings that a pod's volumes do not attach, mount or grow. The volumes of a pod whose
/// containers run are mounted, whatever was reported before.
fn volume_warning(pod: &Pod, namespace: &str, related: &RelatedObjects) -> Option<Arc<Event>> {
    let runs = |it: &ContainerStatus| !it.init && it.waiting.is_none();
    let is_mounted = pod.phase == Phase::Running && pod.containers().iter().any(runs);
    let has_ended = |event: &Event| {
        (is_mounted && !event.reason.contains("Resize")) || is_over(event, pod, related)
    };
    let about_volumes = |event: &&Arc<Event>| is_of_volume(event) && !has_ended(event);
    let events = related.events(namespace, "Pod", &pod.meta.name).iter();
    let of_this = events.filter(|event| event.is_about(&pod.meta.uid));
    let warnings: Vec<&Arc<Event>> = of_this.filter(about_volumes).collect();
    let often: i64 = warnings.iter().map(|event| event.count).sum();
    let last = warnings.into_iter().max_by_key(|event| event.last)?;
    (often >= AGAIN_AND_AGAIN).then(|| Arc::clone(last))
}

/// Returns the error of an attachment to the node of a pod whose containers wait for it, if no event tells it any more.
fn failed_attachment(
    pod: &Pod,
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Option<Arc<Event>> {
    let related = &conditions.related;
    let mut events = events_of_pod(pod, related);
    if pod.phase != Phase::Pending || events.any(|event| event.is_warning) {
        return None;
    }
    let failed = failed_attachments(pod, snapshot, related);
    failed.into_iter().next().map(Arc::new)
}

/// Returns the report of a failure that is reported only once and has not ended, with the patience of its cause. No event
/// repeats that a volume is attached elsewhere.
fn reported_once(pod: &Pod, conditions: &Conditions) -> Option<(Arc<Event>, SignedDuration)> {
    let waits = |reason: &str| matches!(reason, "ContainerCreating" | "PodInitializing");
    let is_created = |waiting: Option<&(String, String)>| !waiting.is_some_and(|it| waits(&it.0));
    if pod
        .containers()
        .iter()
        .any(|it| is_created(it.waiting.as_ref()))
    {
        return None;
    }
    let related = &conditions.related;
    let mut events = events_of_pod(pod, related).rev();
    events.find_map(|event| {
        let catalogue = conditions.catalogue;
        let found = catalogue.classify(Place::Volume, &event.reason, &event.message)?;
        let is_lasting = found.entry.has(CauseTrait::ReportedOnce) && !is_over(event, pod, related);
        is_lasting.then(|| (Arc::clone(event), found.entry.patience()))
    })
}
