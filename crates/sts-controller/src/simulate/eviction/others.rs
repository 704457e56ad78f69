//! Pods outside the worlds: of Deployments, Jobs, DaemonSets and other controllers, and of nobody. A drain evicts them,
//! and budgets count them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::object::{Budget, Phase, Pod, Ready};

/// Annotation of a mirror pod, which the kubelet creates for a static pod.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Prefix of the uids of replacements.
const PLANNED: &str = "planned-other-";

/// Controller of a pod outside the worlds, as far as evictions and budgets depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PodOwner {
    /// A ReplicaSet or a ReplicationController: creates another pod when one terminates.
    Replicas,
    /// A StatefulSet without a world: creates the pod again when it is gone.
    Set,
    /// A Job: creates another pod when one terminates.
    Job,
    /// A DaemonSet: its pods tolerate a cordon, and `kubectl drain` ignores them.
    DaemonSet,
    /// The kubelet, for a static pod: `kubectl drain` ignores it.
    Kubelet,
    /// Another controller. It is assumed to create another pod when one terminates.
    Custom,
    /// No controller: nothing creates the pod again.
    Nobody,
}

impl PodOwner {
    /// Returns the owner of a pod.
    #[must_use]
    pub fn of(pod: &Pod) -> Self {
        let Some(owner) = pod.meta.controller() else {
            let is_mirror = pod
                .given()
                .is_some_and(|given| given["metadata"]["annotations"].get(MIRROR).is_some());
            return match is_mirror {
                true => PodOwner::Kubelet,
                false => PodOwner::Nobody,
            };
        };
        let group = owner.api_version.split_once('/').map_or("", |(of, _)| of);
        match (group, &*owner.kind) {
            ("apps" | "extensions", "ReplicaSet") | ("", "ReplicationController") => {
                PodOwner::Replicas
            }
            ("apps", "StatefulSet") => PodOwner::Set,
            ("apps" | "extensions", "DaemonSet") => PodOwner::DaemonSet,
            ("batch", "Job") => PodOwner::Job,
            ("", "Node") => PodOwner::Kubelet,
            _ => PodOwner::Custom,
        }
    }

    /// Reports whether `kubectl drain` leaves pods of this owner where they are.
    #[must_use]
    pub fn is_ignored(self) -> bool {
        matches!(self, PodOwner::DaemonSet | PodOwner::Kubelet)
    }

    /// Reports whether the owner creates a pod in place of one that is gone.
    #[must_use]
    pub fn recreates(self) -> bool {
        self != PodOwner::Nobody
    }

    /// Reports whether the owner has no subresource `scale`, which a budget that counts replicas needs.
    #[must_use]
    pub fn lacks_scale(self) -> bool {
        matches!(
            self,
            PodOwner::Job | PodOwner::DaemonSet | PodOwner::Kubelet
        )
    }
}

/// A pod outside the worlds.
#[derive(Debug, Clone)]
pub struct OtherPod {
    /// The pod.
    pub pod: Arc<Pod>,
    /// Its owner.
    pub owner: PodOwner,
    /// True if a pod that replaces it becomes ready.
    pub returns: bool,
}

/// Events of a pod whose node fails or gets a taint: docs/semantics.md, "Lost nodes".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeLoss {
    /// Time from which the pod is not ready.
    pub unready: Option<Timestamp>,
    /// Time at which taint eviction deletes it.
    pub deleted: Option<Timestamp>,
    /// Time at which pod garbage collection removes it.
    pub gone: Option<Timestamp>,
    /// True if the kubelet does not respond, so that a deleted pod stays terminating.
    pub is_silent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OtherEvent {
    Unready,
    Deleted,
    Gone,
    Ready,
}

/// The pods outside the worlds, and their pending events.
#[derive(Debug, Clone, Default)]
pub struct OtherPods {
    pods: Vec<OtherPod>,
    /// Indexes of pods that no longer exist.
    gone: BTreeSet<usize>,
    events: BTreeSet<(Timestamp, usize, OtherEvent)>,
    /// Indexes of pods whose kubelets do not respond.
    silent: BTreeSet<usize>,
    ready_after: SignedDuration,
    gone_after: SignedDuration,
}

impl OtherPods {
    /// Returns these pods, with the time that replacements take to become ready and evicted pods to terminate. A pod
    /// that is terminating goes; one that is not ready stays so.
    #[must_use]
    pub fn new(
        pods: Vec<OtherPod>,
        now: Timestamp,
        ready_after: SignedDuration,
        gone_after: SignedDuration,
    ) -> Self {
        let mut others = OtherPods {
            pods,
            ready_after,
            gone_after,
            ..OtherPods::default()
        };
        for at in 0..others.pods.len() {
            if others.pods[at].pod.is_terminating() {
                others.end(at, now);
            }
        }
        others
    }

    /// Returns the pods that exist, each with its index.
    pub fn present(&self) -> impl Iterator<Item = (usize, &OtherPod)> {
        let pods = self.pods.iter().enumerate();
        pods.filter(|(at, _)| !self.gone.contains(at))
    }

    /// Puts a pod on a node, if it still exists.
    pub fn bind(&mut self, at: usize, node: &Arc<str>) {
        if self.get(at).is_some() {
            Arc::make_mut(&mut self.pods[at].pod).node = Some(Arc::clone(node));
        }
    }

    /// Schedules the events of a pod whose node fails.
    pub fn lose(&mut self, at: usize, loss: NodeLoss) {
        if self.get(at).is_none() {
            return;
        }
        if loss.is_silent {
            self.silent.insert(at);
            // The kubelet would have stopped it.
            self.events
                .retain(|(_, of, event)| (*of, *event) != (at, OtherEvent::Gone));
        }
        let events = [
            (loss.unready, OtherEvent::Unready),
            (loss.deleted, OtherEvent::Deleted),
            (loss.gone, OtherEvent::Gone),
        ];
        let events = events.into_iter();
        let due = events.filter_map(|(time, event)| Some((time?, at, event)));
        self.events.extend(due);
    }

    /// Changes the answer whether each pod is replaced by one that becomes ready. Replacements that wait for a node and
    /// find one now become ready.
    pub fn change_nodes(&mut self, now: Timestamp, finds_node: impl Fn(&OtherPod) -> bool) {
        for at in 0..self.pods.len() {
            if self.gone.contains(&at) {
                continue;
            }
            let other = &self.pods[at];
            let returns = other.owner.recreates() && finds_node(other);
            let waits = other.pod.node.is_none()
                && other.pod.phase == Phase::Pending
                && other.pod.meta.uid.starts_with(PLANNED)
                && !self.events.iter().any(|(_, of, _)| *of == at);
            self.pods[at].returns = returns;
            if let Ok(ready) = now.checked_add(self.ready_after)
                && returns
                && waits
            {
                self.events.insert((ready, at, OtherEvent::Ready));
            }
        }
    }

    /// Returns the pods that a budget covers.
    pub(super) fn covered<'o>(&'o self, budget: &'o Budget) -> impl Iterator<Item = &'o OtherPod> {
        self.present().map(|(_, other)| other).filter(|other| {
            other.pod.meta.namespace == budget.meta.namespace
                && budget.covers(&other.pod.meta.labels)
        })
    }

    /// Returns the number of replicas of the owners of covered pods: as many as they have pods that are not finished.
    pub(super) fn scale(&self, budget: &Budget) -> i64 {
        let mut owners: BTreeMap<&Arc<str>, i64> = BTreeMap::new();
        for other in self.covered(budget) {
            if let Some(owner) = other.pod.meta.controller() {
                owners.insert(&owner.uid, 0);
            }
        }
        for (_, other) in self.present() {
            let pod = &other.pod;
            let is_over = pod.phase.has_ended();
            let owner = pod.meta.controller().filter(|_| !is_over);
            if let Some(count) = owner.and_then(|owner| owners.get_mut(&owner.uid)) {
                *count += i64::from(!pod.is_terminating());
            }
        }
        owners.values().sum()
    }

    /// Returns the pod at an index, if it still exists.
    pub(super) fn get(&self, at: usize) -> Option<&OtherPod> {
        self.pods.get(at).filter(|_| !self.gone.contains(&at))
    }

    pub(super) fn next_event(&self) -> Option<Timestamp> {
        self.events.first().map(|(at, ..)| *at)
    }

    /// Deletes a pod that is evicted. Its owner replaces it.
    pub(super) fn evict(&mut self, at: usize, now: Timestamp) {
        let Some(other) = self.get(at).cloned() else {
            return;
        };
        let is_over = other.pod.phase.has_ended();
        if is_over {
            self.gone.insert(at);
            return;
        }
        if other.pod.is_terminating() {
            return;
        }
        let pod = Arc::make_mut(&mut self.pods[at].pod);
        let grace = SignedDuration::from_secs(pod.grace_seconds.max(0));
        pod.meta.deleted = Some(now.checked_add(grace).unwrap_or(now));
        self.end(at, now);
        // A StatefulSet waits until the name is free.
        if !matches!(other.owner, PodOwner::Set | PodOwner::Nobody) {
            self.replace(&other, now);
        }
    }

    /// Applies the earliest event.
    pub(super) fn fire(&mut self) {
        let Some((now, at, event)) = self.events.pop_first() else {
            return;
        };
        match event {
            OtherEvent::Unready => {
                let Some(other) = self.get(at).cloned() else {
                    return;
                };
                let mut pod = Pod::clone(&other.pod);
                pod.ready = Some(Ready {
                    is_true: false,
                    since: Some(now),
                });
                self.pods[at].pod = Arc::new(pod);
            }
            OtherEvent::Deleted => self.evict(at, now),
            // Garbage collection may come after another removal.
            OtherEvent::Gone if self.get(at).is_none() => {}
            OtherEvent::Gone => {
                let other = self.pods[at].clone();
                self.gone.insert(at);
                // The others have replaced it when its deletion began.
                let is_replaced = other.pod.is_terminating() && other.owner != PodOwner::Set;
                if other.owner.recreates() && !other.owner.is_ignored() && !is_replaced {
                    self.replace(&other, now);
                }
            }
            OtherEvent::Ready => {
                let pod = Arc::make_mut(&mut self.pods[at].pod);
                pod.phase = Phase::Running;
                pod.ready = Some(Ready {
                    is_true: true,
                    since: Some(now),
                });
            }
        }
    }

    /// Schedules the end of a terminating pod, unless a finalizer keeps it.
    fn end(&mut self, at: usize, now: Timestamp) {
        let pod = &self.pods[at].pod;
        if pod.has_finalizers || self.silent.contains(&at) {
            return;
        }
        let grace = SignedDuration::from_secs(pod.grace_seconds.max(0));
        if let Ok(gone) = now.checked_add(self.gone_after.min(grace)) {
            self.events.insert((gone, at, OtherEvent::Gone));
        }
    }

    /// Adds the pod that its owner creates in place of another one, on an unknown node.
    fn replace(&mut self, other: &OtherPod, now: Timestamp) {
        let at = self.pods.len();
        let mut pod = Pod::clone(&other.pod);
        pod.meta.uid = Arc::from(format!("{PLANNED}{at}"));
        pod.meta.deleted = None;
        pod.node = None;
        pod.phase = Phase::Pending;
        pod.ready = None;
        self.pods.push(OtherPod {
            pod: Arc::new(pod),
            owner: other.owner,
            returns: other.returns,
        });
        let ready = now.checked_add(self.ready_after);
        if let Ok(ready) = ready
            && other.returns
        {
            self.events.insert((ready, at, OtherEvent::Ready));
        }
    }
}
