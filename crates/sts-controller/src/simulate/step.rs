//! The steps of a simulation.

use std::sync::Arc;

use jiff::Timestamp;

use super::event_queue::PodEvent;
use super::object_event::{Actor, ObjectEvent};
use super::world::World;
use crate::controller::{DeleteReason, Refusal, Resource, Verb, Write};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The time of the step.
    pub at: Timestamp,
    /// The sync or the event.
    pub action: StepAction,
}

/// A sync or an event, as a step has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepAction {
    /// A sync of the controller that changed something.
    Controller(Vec<StepWrite>),
    /// Something happened to a pod by itself.
    Pod(PodEvent, Arc<str>),
    /// A claim went with its last owner.
    ClaimRemoved(Arc<str>),
    /// An actor other than controller and kubelet did something to an object.
    Object(Actor, ObjectEvent, Arc<str>),
}

impl Step {
    /// The writes of a sync; none if it is no step of the controller.
    #[must_use]
    pub fn writes(&self) -> &[StepWrite] {
        match &self.action {
            StepAction::Controller(writes) => writes,
            StepAction::Pod(..) | StepAction::ClaimRemoved(_) | StepAction::Object(..) => &[],
        }
    }
}

impl StepAction {
    /// Returns the actor behind it.
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

/// A write, as much as a progression says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepWrite {
    /// The verb of the request.
    pub verb: Verb,
    /// The kind of object.
    pub resource: Resource,
    /// The name of the object.
    pub name: Arc<str>,
    /// The revision of a pod that was created or deleted.
    pub revision: Option<Arc<str>>,
    /// The reason for a deletion; `None` for every other verb.
    pub reason: Option<DeleteReason>,
    /// The refusal, if it was refused.
    pub refused: Option<Refusal>,
}

impl StepWrite {
    /// Reports whether it created a pod.
    #[must_use]
    pub fn creates_pod(&self) -> bool {
        (self.resource, self.verb) == (Resource::Pods, Verb::Create) && self.refused.is_none()
    }
}

/// Reports whether no pod's name can come up twice among these writes, nor stand for another pod than its write says.
pub(super) fn names_are_plain(writes: &[Write]) -> bool {
    let mut verbs = writes.iter().filter(|write| write.pod_revision().is_some());
    let first = verbs.next().map(|write| write.verb);
    verbs.all(|write| Some(write.verb) == first)
        && writes.iter().all(|write| write.refused.is_none())
}

/// The revisions of the pods that a sync creates or deletes, as their names stand for them at this moment.
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

/// The writes of a sync as a step has them, each with the revision of its pod.
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
