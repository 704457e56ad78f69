//! The time that pods take to become ready and to go: docs/contract.md, "Kubelet".

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;

use crate::object::Pod;

/// The assumptions about the pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kubelet {
    /// Time from the creation of a pod until it is ready.
    pub ready_after: SignedDuration,
    /// Time from the deletion of a pod until it is gone, unless its grace period is shorter.
    pub gone_after: SignedDuration,
    /// True if a pod whose status says that it will not become ready, such as `CrashLoopBackOff`, is believed; not where
    /// something is assumed of its name.
    pub believes_trouble: bool,
    /// The pods, by uid, of which something shows that they never become ready; not where something is assumed of
    /// the name.
    pub never_ready: BTreeSet<Arc<str>>,
    /// The pods, by uid, of which something shows that they never go; not where something is assumed of the name.
    pub never_gone: BTreeSet<Arc<str>>,
    /// The pods, by name, whose creation the API server keeps refusing, each with its words.
    pub forbidden: BTreeMap<Arc<str>, Arc<str>>,
    /// The outcomes foreseen for pods that the controller creates, by name and revision; not where something is assumed
    /// of the name.
    pub foreseen: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Foreseen>>,
    /// The assumptions about single pods, by name: they hold for every pod that ever has it.
    pub assumptions: BTreeMap<String, Assumption>,
}

/// The assumptions about the pods of one name. Anything not said here is as for all pods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assumption {
    /// The outcome of its start.
    pub start: Start,
    /// True if the pod that there is when a plan begins fails then. A world has no such moment: whoever makes it lets the
    /// pod fail.
    pub fails_now: bool,
    /// True if it stays terminating forever.
    pub never_gone: bool,
    /// Time from its creation until it is ready, or has failed.
    pub ready_after: Option<SignedDuration>,
    /// Time from its deletion until it is gone.
    pub gone_after: Option<SignedDuration>,
    /// The revision of which no pod of that name becomes ready.
    pub broken_on: Option<Arc<str>>,
    /// The uid of the one pod that stays terminating for ever.
    pub stays: Option<Arc<str>>,
    /// The uid of the one pod that never becomes ready; another one of its name does.
    pub stays_unready: Option<Arc<str>>,
    /// True if what is foreseen of the pods of that name holds all the same: then this is the premise of a trial, and
    /// nobody has said anything of them.
    pub keeps_foreseen: bool,
}

/// The outcome foreseen for a pod that is not created yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreseen {
    /// No node takes it.
    Unplaced,
    /// A node takes it, and its containers do not start there.
    NotStarted,
}

/// The outcome of a pod's start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// It runs and is ready.
    #[default]
    Ready,
    /// It never becomes ready.
    NeverReady,
    /// It ends in phase `Failed`.
    Fails,
}

impl Default for Kubelet {
    /// The usual times, and the trouble that pods are in is believed.
    fn default() -> Self {
        Kubelet {
            ready_after: SignedDuration::from_secs(10),
            gone_after: SignedDuration::from_secs(5),
            believes_trouble: true,
            never_ready: BTreeSet::new(),
            never_gone: BTreeSet::new(),
            forbidden: BTreeMap::new(),
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

    /// Returns the outcome foreseen for the pod, as long as it has no node.
    fn foreseen_of(&self, pod: &Pod) -> Option<Foreseen> {
        let of_name = self.foreseen.get(&pod.meta.name)?;
        let found = of_name.get(&pod.revision).copied();
        let assumed = self.assumptions.get(&*pod.meta.name);
        let holds = assumed.is_none_or(|assumed| assumed.keeps_foreseen);
        found.filter(|_| pod.node.is_none() && holds)
    }

    /// Reports whether it is foreseen that the pod cannot be scheduled.
    pub(super) fn is_unplaced(&self, pod: &Pod) -> bool {
        self.foreseen_of(pod) == Some(Foreseen::Unplaced)
    }

    /// Returns the time that the pod takes to go; `None` if it never goes.
    pub(super) fn stop(&self, pod: &Pod) -> Option<SignedDuration> {
        let assumed = self.assumptions.get(&*pod.meta.name);
        let stays = |assumed: &Assumption| {
            assumed.never_gone || assumed.stays.as_ref() == Some(&pod.meta.uid)
        };
        if assumed.map_or_else(|| self.never_gone.contains(&pod.meta.uid), stays) {
            return None;
        }
        // An assumption about the pod by name takes the place of its object's state.
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
