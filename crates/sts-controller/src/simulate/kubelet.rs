//! Time that pods take to become ready and to terminate: docs/contract.md, "Kubelet".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;

use crate::object::Pod;

/// Assumptions about pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kubelet {
    /// Time from the creation of a pod until it is ready.
    pub ready_after: SignedDuration,
    /// Time from the deletion of a pod until it is gone, unless its grace period is shorter.
    pub gone_after: SignedDuration,
    /// True if a status such as `CrashLoopBackOff` means that the pod never becomes ready. An assumption about the
    /// pod's name takes precedence.
    pub believes_trouble: bool,
    /// Uids of pods known never to become ready. An assumption about the pod's name takes precedence.
    pub never_ready: BTreeSet<Arc<str>>,
    /// Uids of pods known never to terminate. An assumption about the pod's name takes precedence.
    pub never_gone: BTreeSet<Arc<str>>,
    /// Revisions on which pods fail and none is ready: no other pod becomes ready on them. An assumption about the pod's
    /// name takes precedence.
    pub broken: BTreeSet<Arc<str>>,
    /// Pods and claims whose creation the API server keeps refusing.
    pub forbidden: Forbidden,
    /// Foreseen outcomes of pods that the controller creates, by name and revision. An assumption about the pod's name
    /// takes precedence.
    pub foreseen: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Foreseen>>,
    /// Assumptions by pod name. They hold for every pod of that name.
    pub assumptions: BTreeMap<String, Assumption>,
}

/// Pods and claims whose creation the API server keeps refusing, by name, each with its message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forbidden {
    /// Pods.
    pub pods: BTreeMap<Arc<str>, Arc<str>>,
    /// Claims. The controller creates a pod only once it has created its claims.
    pub claims: BTreeMap<Arc<str>, Arc<str>>,
}

impl Forbidden {
    /// Reports whether nothing is forbidden.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty() && self.claims.is_empty()
    }

    /// Adds others. The messages that are there stay.
    pub fn add(&mut self, others: Forbidden) {
        for (pod, message) in others.pods {
            self.pods.entry(pod).or_insert(message);
        }
        for (claim, message) in others.claims {
            self.claims.entry(claim).or_insert(message);
        }
    }

    /// Admits a pod of the set with its claims, whose names end with the pod's.
    pub fn admit(&mut self, pod: &str) {
        self.pods.remove(pod);
        let is_its = |claim: &str| {
            claim
                .strip_suffix(pod)
                .is_some_and(|template| template.ends_with('-'))
        };
        self.claims.retain(|claim, _| !is_its(claim));
    }
}

/// Assumptions about the pods of one name. Fields that are unset follow the assumptions for all pods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assumption {
    /// Outcome of the start.
    pub start: Start,
    /// True if the pod that exists when a plan begins fails then. The caller that builds the world makes the pod fail.
    pub fails_now: bool,
    /// True if the pod terminates forever.
    pub never_gone: bool,
    /// Time from the pod's creation until it is ready or has failed.
    pub ready_after: Option<SignedDuration>,
    /// Time from the pod's deletion until it is gone.
    pub gone_after: Option<SignedDuration>,
    /// Revision on which no pod of that name becomes ready.
    pub broken_on: Option<Arc<str>>,
    /// Uid of the one pod that terminates forever.
    pub stays: Option<Arc<str>>,
    /// Uid of the one pod that never becomes ready; other pods of its name do.
    pub stays_unready: Option<Arc<str>>,
    /// True if foreseen outcomes and the records of revisions still apply to the pods of that name. Used for trials, where no user has made an
    /// assumption.
    pub keeps_foreseen: bool,
}

/// Foreseen outcome of a pod that is not created yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreseen {
    /// No node fits it.
    Unplaced,
    /// A node fits it, but its containers do not start there.
    NotStarted,
}

/// Outcome of a pod's start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// The pod is running and ready.
    #[default]
    Ready,
    /// The pod never becomes ready.
    NeverReady,
    /// The pod ends in phase `Failed`.
    Fails,
}

impl Default for Kubelet {
    /// Default durations; problems in pod statuses are believed.
    fn default() -> Self {
        Kubelet {
            ready_after: SignedDuration::from_secs(10),
            gone_after: SignedDuration::from_secs(5),
            believes_trouble: true,
            never_ready: BTreeSet::new(),
            never_gone: BTreeSet::new(),
            broken: BTreeSet::new(),
            forbidden: Forbidden::default(),
            foreseen: BTreeMap::new(),
            assumptions: BTreeMap::new(),
        }
    }
}

impl Kubelet {
    /// Returns the time that the pod takes to start, and the outcome; `None` if the start never ends.
    pub(super) fn start(&self, pod: &Pod) -> Option<(SignedDuration, Start)> {
        let assumed = self.assumptions.get(&*pod.meta.name);
        let shown = || {
            (self.believes_trouble && pod.trouble.is_some())
                || self.never_ready.contains(&pod.meta.uid)
        };
        if assumed.is_none() && shown() {
            return None;
        }
        if assumed.is_some_and(|assumed| assumed.broken_on.as_ref() == Some(&pod.revision))
            || self.foreseen_of(pod).is_some()
            || self.is_on_broken_revision(pod)
        {
            return None;
        }
        if assumed.is_some_and(|assumed| assumed.stays_unready.as_ref() == Some(&pod.meta.uid)) {
            return None;
        }
        let start = assumed.map_or(Start::Ready, |assumed| assumed.start);
        let after = assumed
            .and_then(|assumed| assumed.ready_after)
            .unwrap_or(self.ready_after);
        (start != Start::NeverReady).then_some((after, start))
    }

    /// Returns the foreseen outcome of a pod without a node.
    fn foreseen_of(&self, pod: &Pod) -> Option<Foreseen> {
        let of_name = self.foreseen.get(&pod.meta.name)?;
        let found = of_name.get(&pod.revision).copied();
        let assumed = self.assumptions.get(&*pod.meta.name);
        let holds = assumed.is_none_or(|assumed| assumed.keeps_foreseen);
        found.filter(|_| pod.node.is_none() && holds)
    }

    /// Reports whether the record of its revision keeps a pod from becoming ready.
    fn is_on_broken_revision(&self, pod: &Pod) -> bool {
        let assumed = self.assumptions.get(&*pod.meta.name);
        let holds = assumed.is_none_or(|assumed| assumed.keeps_foreseen);
        holds && self.broken.contains(&pod.revision)
    }

    /// Reports whether the pod is foreseen to be unschedulable.
    pub(super) fn is_unplaced(&self, pod: &Pod) -> bool {
        self.foreseen_of(pod) == Some(Foreseen::Unplaced)
    }

    /// Returns the time that the pod takes to terminate; `None` if it never does.
    pub(super) fn stop(&self, pod: &Pod) -> Option<SignedDuration> {
        let assumed = self.assumptions.get(&*pod.meta.name);
        let stays = |assumed: &Assumption| {
            assumed.never_gone || assumed.stays.as_ref() == Some(&pod.meta.uid)
        };
        if assumed.map_or_else(|| self.never_gone.contains(&pod.meta.uid), stays) {
            return None;
        }
        // An assumption about the pod's name takes precedence over the state of its object.
        let speaks_of_start =
            |assumed: &Assumption| assumed.broken_on.is_some() || assumed.stays_unready.is_some();
        if assumed.is_none_or(speaks_of_start) && pod.has_finalizers {
            return None;
        }
        let after = assumed
            .and_then(|assumed| assumed.gone_after)
            .unwrap_or(self.gone_after);
        Some(after.min(SignedDuration::from_secs(pod.grace_seconds.max(0))))
    }
}
