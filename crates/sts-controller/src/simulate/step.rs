//! The steps of a simulation.

use std::sync::Arc;

use jiff::Timestamp;

use super::event_queue::PodEvent;
use super::object_event::{Actor, ObjectEvent};
use super::world::World;
use crate::controller::{DeleteReason, Refusal, Resource, Verb, Write};

/// One step of a simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The time of the step.
    pub at: Timestamp,
    /// The sync or event.
    pub action: StepAction,
}

/// A sync or an event, as recorded in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepAction {
    /// A sync that changed something, with its writes.
    Controller(Vec<StepWrite>),
    /// An event of a pod.
    Pod(PodEvent, Arc<str>),
    /// A claim was removed together with its last owner.
    ClaimRemoved(Arc<str>),
    /// An action on an object by an actor other than controller and kubelet.
    Object(Actor, ObjectEvent, Arc<str>),
}

impl Step {
    /// Returns the writes of a sync; none for any other step.
    #[must_use]
    pub fn writes(&self) -> &[StepWrite] {
        match &self.action {
            StepAction::Controller(writes) => writes,
            StepAction::Pod(..) | StepAction::ClaimRemoved(_) | StepAction::Object(..) => &[],
        }
    }
}

impl StepAction {
    /// Returns the actor of the step.
    #[must_use]
    pub fn actor(&self) -> Actor {
        match self {
            StepAction::Controller(_) => Actor::Controller,
            StepAction::Pod(PodEvent::Available, _) => Actor::Clock,
            StepAction::Pod(..) => Actor::Kubelet,
            StepAction::ClaimRemoved(_) => Actor::GarbageCollector,
            StepAction::Object(actor, ..) => *actor,
        }
    }
}

/// A write, as recorded in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepWrite {
    /// The verb of the request.
    pub verb: Verb,
    /// The resource of the object.
    pub resource: Resource,
    /// The name of the object.
    pub name: Arc<str>,
    /// The revision of a pod that was created or deleted.
    pub revision: Option<Arc<str>>,
    /// The reason for a deletion; `None` for every other verb.
    pub reason: Option<DeleteReason>,
    /// The refusal, if the request was refused.
    pub refused: Option<Refusal>,
}

impl StepWrite {
    /// Reports whether the write created a pod.
    #[must_use]
    pub fn creates_pod(&self) -> bool {
        (self.resource, self.verb) == (Resource::Pods, Verb::Create) && self.refused.is_none()
    }
}

/// Reports whether every pod name occurs at most once among these writes, and always stands for the pod of its write.
pub(super) fn names_are_unambiguous(writes: &[Write]) -> bool {
    let mut verbs = writes.iter().filter(|write| write.pod_revision().is_some());
    let first = verbs.next().map(|write| write.verb);
    verbs.all(|write| Some(write.verb) == first)
        && writes.iter().all(|write| write.refused.is_none())
}

/// Returns the current revisions of the pods that a sync creates or deletes, by name.
pub(super) fn revisions_of(world: &World, writes: &[Write]) -> Vec<Option<Arc<str>>> {
    let of_pod = |write: &Write| {
        write.pod_revision()?;
        world
            .snapshot
            .pods
            .get(&write.name)
            .map(|pod| Arc::clone(&pod.revision))
    };
    writes.iter().map(of_pod).collect()
}

/// Returns the writes of a sync as recorded in a step, each with the revision of its pod.
pub(super) fn step_writes(
    writes: &[Write],
    mut revision: impl FnMut(usize, &Write) -> Option<Arc<str>>,
) -> Vec<StepWrite> {
    let step = |(at, write): (usize, &Write)| StepWrite {
        verb: write.verb,
        resource: write.resource,
        name: Arc::clone(&write.name),
        revision: revision(at, write),
        reason: write.reason,
        refused: write.refused.clone(),
    };
    writes.iter().enumerate().map(step).collect()
}
