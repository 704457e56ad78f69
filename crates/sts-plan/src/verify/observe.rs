//! The view that a snapshot gives of an object that a plan speaks of.

use std::sync::Arc;

use sts_controller::object::{Phase, Pod};

/// The stage that a pod is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It is there, and not ready.
    Waiting,
    /// It runs and is ready.
    Ready,
    /// It is being deleted.
    Terminating,
    /// It came to an end by itself.
    Ended,
}

impl Stage {
    /// The stage of a pod with these properties.
    #[must_use]
    pub fn new(terminating: bool, ended: bool, ready: bool) -> Self {
        match (terminating, ended, ready) {
            (true, ..) => Stage::Terminating,
            (_, true, _) => Stage::Ended,
            (.., true) => Stage::Ready,
            _ => Stage::Waiting,
        }
    }

    /// The stage of a pod.
    #[must_use]
    pub fn of(pod: &Pod) -> Self {
        let ended = matches!(pod.phase, Phase::Failed | Phase::Succeeded);
        Stage::new(pod.is_terminating(), ended, pod.is_running_and_ready())
    }
}

/// The instance that an object's name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instance {
    /// The one that was there when the plan was made.
    Read,
    /// One that was made since.
    Made,
}

/// An object as it is now.
#[derive(Debug, Clone)]
pub(super) enum Observed {
    /// There is none of that name.
    Absent,
    /// A set, claim or revision; which one where that can be told.
    There(Option<Instance>),
    /// A set that is being deleted.
    Leaving,
    /// A pod.
    Pod {
        instance: Option<Instance>,
        pod: Arc<Pod>,
    },
}

/// Returns the instance, by the object's uid and that of the one that was read; `None` if either uid is unknown.
pub(super) fn instance(uid: &str, read: Option<&str>) -> Option<Instance> {
    match read {
        None => Some(Instance::Made),
        Some(read) if read.is_empty() || uid.is_empty() => None,
        Some(read) if read == uid => Some(Instance::Read),
        Some(_) => Some(Instance::Made),
    }
}
