//! Obstacles that keep a set from getting where it should.

use std::sync::Arc;

use sts_controller::controller::{
    Body, Hold, HoldReason, Refusal, Sync, Verb, Write, deleted_set, terminating_pods,
    unhealthy_pods,
};
use sts_controller::object::{Pod, Set};
use sts_controller::simulate::{Cascade, World};
use sts_controller::version::Behaviour;

/// An obstacle that keeps a set from getting where it should.
#[derive(Debug, Clone)]
pub enum Obstacle {
    /// The controller waits.
    Hold(Hold),
    /// The controller does not wait for it, but it is not as it should be.
    Unhealthy(Hold),
    /// The API server refuses to create a pod.
    CreationRefused {
        /// The pod as the controller sends it.
        pod: Arc<Pod>,
        /// The server's words.
        message: String,
    },
    /// The API server refuses to delete a pod.
    DeletionRefused {
        /// The pod.
        pod: Arc<Pod>,
        /// The server's words.
        message: String,
    },
    /// The kubelet rejects or evicts a pod as often as it is created.
    Rejected {
        /// The pod.
        pod: Arc<Pod>,
        /// Number of times that it was created.
        count: i64,
    },
    /// Every sync fails.
    Error(String),
}

/// The reason of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObstacleReason {
    /// That of a hold.
    Hold(HoldReason),
    /// The API server refuses to create a pod.
    CreationRefused,
    /// The API server refuses to delete a pod.
    DeletionRefused,
    /// The kubelet rejects or evicts a pod as often as it is created.
    Rejected,
    /// Every sync fails.
    Error,
}

impl ObstacleReason {
    /// The reason's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ObstacleReason::Hold(reason) => reason.name(),
            ObstacleReason::CreationRefused => "CreationRefused",
            ObstacleReason::DeletionRefused => "DeletionRefused",
            ObstacleReason::Rejected => "Rejected",
            ObstacleReason::Error => "Error",
        }
    }
}

impl Obstacle {
    /// Its reason.
    #[must_use]
    pub fn reason(&self) -> ObstacleReason {
        match self {
            Obstacle::Hold(hold) | Obstacle::Unhealthy(hold) => ObstacleReason::Hold(hold.reason()),
            Obstacle::CreationRefused { .. } => ObstacleReason::CreationRefused,
            Obstacle::DeletionRefused { .. } => ObstacleReason::DeletionRefused,
            Obstacle::Rejected { .. } => ObstacleReason::Rejected,
            Obstacle::Error(_) => ObstacleReason::Error,
        }
    }

    /// The pod that it is about.
    #[must_use]
    pub fn pod(&self) -> Option<&Arc<Pod>> {
        match self {
            Obstacle::Hold(hold) | Obstacle::Unhealthy(hold) => hold.pod(),
            Obstacle::CreationRefused { pod, .. }
            | Obstacle::DeletionRefused { pod, .. }
            | Obstacle::Rejected { pod, .. } => Some(pod),
            Obstacle::Error(_) => None,
        }
    }

    /// Reports whether both are about the same wait for a pod of the same name.
    #[must_use]
    pub fn is_same(&self, other: &Obstacle) -> bool {
        let name = |obstacle: &Obstacle| obstacle.pod().map(|pod| Arc::clone(&pod.meta.name));
        self.reason() == other.reason() && name(self) == name(other)
    }
}

/// Returns the obstacles that keep a world at rest from being where it should be; empty if there are none. `deletion`
/// is how the set was deleted, if it was, and `last` the sync that finds it at rest.
pub(crate) fn judge(
    world: &World,
    last: &Sync,
    behaviour: &Behaviour,
    deletion: Option<Cascade>,
) -> Vec<Obstacle> {
    let gone = world.set_is_gone().then_some(Cascade::Background);
    match deletion.or(gone) {
        Some(cascade) => obstacles_of_deletion(world, cascade),
        None => obstacles(world, last, behaviour),
    }
}

/// Returns the obstacles that keep the set from being where it should, at rest.
fn obstacles(world: &World, last: &Sync, behaviour: &Behaviour) -> Vec<Obstacle> {
    if waits_for_dependents(&world.snapshot().set) {
        // The garbage collector lets the set go when its pods are gone.
        let leaving = terminating_pods(world.snapshot());
        return leaving.into_iter().map(Obstacle::Unhealthy).collect();
    }
    let mut obstacles: Vec<Obstacle> = last
        .holds
        .iter()
        .filter(|hold| !hold.is_intended())
        .cloned()
        .map(Obstacle::Hold)
        .collect();
    if obstacles.is_empty() {
        obstacles.extend(last.writes.iter().filter_map(refused_creation));
    }
    if obstacles.is_empty() {
        let unhealthy = unhealthy_pods(world.snapshot(), world.now(), behaviour);
        obstacles.extend(unhealthy.into_iter().map(Obstacle::Unhealthy));
    }
    if obstacles.is_empty()
        && let Some(error) = &last.error
    {
        obstacles.push(Obstacle::Error(error.to_string()));
    }
    let set = &world.snapshot().set;
    if obstacles.is_empty()
        && let Some(error) = set
            .selector
            .as_ref()
            .and_then(|selector| selector.check().err())
    {
        obstacles.push(Obstacle::Error(format!(
            "spec.selector cannot be used: {error}"
        )));
    }
    obstacles
}

/// Reports whether nothing but the garbage collector keeps a deleted set.
fn waits_for_dependents(set: &Set) -> bool {
    let finalizers = set.finalizers();
    set.meta.is_terminating()
        && !finalizers.is_empty()
        && finalizers.iter().all(|name| name == FOREGROUND)
}

/// The finalizer of a set that is deleted after its pods.
const FOREGROUND: &str = "foregroundDeletion";

/// A pod whose creation the server refuses for another reason than that its name is taken, which is a hold.
fn refused_creation(write: &Write) -> Option<Obstacle> {
    let refusal = write.refused.as_ref()?;
    let (Verb::Create, Body::Pod(pod)) = (write.verb, &write.body) else {
        return None;
    };
    (!matches!(refusal, Refusal::AlreadyExists { .. })).then(|| Obstacle::CreationRefused {
        pod: Arc::clone(pod),
        message: refusal.to_string(),
    })
}

/// Returns the obstacles to a deletion: the pods that are still terminating, otherwise the set if it is not gone.
fn obstacles_of_deletion(world: &World, cascade: Cascade) -> Vec<Obstacle> {
    let leaving = match cascade {
        Cascade::Orphan => Vec::new(),
        _ => terminating_pods(world.snapshot()),
    };
    let mut obstacles: Vec<Obstacle> = leaving.into_iter().map(Obstacle::Unhealthy).collect();
    if obstacles.is_empty() && !world.set_is_gone() {
        obstacles.push(Obstacle::Hold(deleted_set()));
    }
    obstacles
}
