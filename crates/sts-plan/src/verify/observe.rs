//! Observed states of planned objects.

use std::sync::Arc;

use sts_controller::object::Pod;

/// Stage of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not ready.
    Waiting,
    /// Running and ready.
    Ready,
    /// It is being deleted.
    Terminating,
    /// Ended on its own.
    Ended,
}

impl Stage {
    /// Determines the stage from properties.
    #[must_use]
    pub fn new(terminating: bool, ended: bool, ready: bool) -> Self {
        match (terminating, ended, ready) {
            (true, ..) => Stage::Terminating,
            (_, true, _) => Stage::Ended,
            (.., true) => Stage::Ready,
            _ => Stage::Waiting,
        }
    }

    /// Determines the stage of a pod.
    #[must_use]
    pub fn of(pod: &Pod) -> Self {
        let ended = pod.phase.has_ended();
        Stage::new(pod.is_terminating(), ended, pod.is_running_and_ready())
    }
}

/// Instance behind an object's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instance {
    /// The object that existed when the plan was made.
    Read,
    /// An object created since.
    Made,
}

#[derive(Debug, Clone)]
pub(super) enum Observed {
    /// No object of that name exists.
    Absent,
    /// Existing set, claim or revision, with its instance if known.
    There(Option<Instance>),
    /// Terminating set.
    Leaving,
    /// Existing pod.
    Pod {
        instance: Option<Instance>,
        pod: Arc<Pod>,
    },
}

/// Compares an object's UID with the one that was read; `None` if either is unknown.
pub(super) fn instance(uid: &str, read: Option<&str>) -> Option<Instance> {
    match read {
        None => Some(Instance::Made),
        Some(read) if read.is_empty() || uid.is_empty() => None,
        Some(read) if read == uid => Some(Instance::Read),
        Some(_) => Some(Instance::Made),
    }
}
