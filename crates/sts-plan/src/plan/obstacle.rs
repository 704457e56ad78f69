//! Obstacles that block a set.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::Unobserved;
use sts_controller::controller::{
    Body, Hold, HoldReason, Refusal, Sync, Verb, Write, deleted_set, terminating_pods,
    unhealthy_pods,
};
use sts_controller::name::UnknownName;
use sts_controller::object::{Pod, Set, Snapshot};
use sts_controller::simulate::{Cascade, World};
use sts_controller::version::Behaviour;

/// Obstacle that blocks a set.
#[derive(Debug, Clone)]
pub enum Obstacle {
    /// The controller waits.
    Hold(Hold),
    /// A pod is unhealthy, but the controller does not wait for it.
    Unhealthy(Hold),
    /// The API server refuses to create a pod.
    CreationRefused {
        /// Pod as sent by the controller.
        pod: Arc<Pod>,
        /// Server's message.
        message: String,
    },
    /// The API server refuses to delete a pod.
    DeletionRefused {
        /// Pod to delete.
        pod: Arc<Pod>,
        /// Server's message.
        message: String,
    },
    /// The kubelet rejects or evicts a pod whenever it is created.
    Rejected {
        /// Rejected pod.
        pod: Arc<Pod>,
        /// Number of creations.
        count: i64,
    },
    /// Every sync fails.
    Error(String),
    /// The controller does not act: it has not observed the set.
    Inactive(Unobserved),
}

/// Reason of an obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObstacleReason {
    /// Reason of a hold.
    Hold(HoldReason),
    /// The API server refuses to create a pod.
    CreationRefused,
    /// The API server refuses to delete a pod.
    DeletionRefused,
    /// The kubelet rejects or evicts a pod whenever it is created.
    Rejected,
    /// Every sync fails.
    Error,
    /// The controller does not act.
    Inactive,
}

serialized!(serde_by_text: ObstacleReason);

impl ObstacleReason {
    /// Returns the name of the reason in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ObstacleReason::Hold(reason) => reason.name(),
            ObstacleReason::CreationRefused => "CreationRefused",
            ObstacleReason::DeletionRefused => "DeletionRefused",
            ObstacleReason::Rejected => "Rejected",
            ObstacleReason::Error => "Error",
            ObstacleReason::Inactive => "ControllerInactive",
        }
    }
}

impl fmt::Display for ObstacleReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for ObstacleReason {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let own = [
            ObstacleReason::CreationRefused,
            ObstacleReason::Error,
            ObstacleReason::Inactive,
        ];
        match own.into_iter().find(|reason| reason.name() == name) {
            Some(reason) => Ok(reason),
            None => name.parse::<HoldReason>().map(ObstacleReason::Hold),
        }
    }
}

impl Obstacle {
    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> ObstacleReason {
        match self {
            Obstacle::Hold(hold) | Obstacle::Unhealthy(hold) => ObstacleReason::Hold(hold.reason()),
            Obstacle::CreationRefused { .. } => ObstacleReason::CreationRefused,
            Obstacle::DeletionRefused { .. } => ObstacleReason::DeletionRefused,
            Obstacle::Rejected { .. } => ObstacleReason::Rejected,
            Obstacle::Error(_) => ObstacleReason::Error,
            Obstacle::Inactive(_) => ObstacleReason::Inactive,
        }
    }

    /// Returns the pod concerned.
    #[must_use]
    pub fn pod(&self) -> Option<&Arc<Pod>> {
        match self {
            Obstacle::Hold(hold) | Obstacle::Unhealthy(hold) => hold.pod(),
            Obstacle::CreationRefused { pod, .. }
            | Obstacle::DeletionRefused { pod, .. }
            | Obstacle::Rejected { pod, .. } => Some(pod),
            Obstacle::Error(_) | Obstacle::Inactive(_) => None,
        }
    }

    /// Reports whether both are the same wait for a pod of the same name.
    #[must_use]
    pub fn is_same(&self, other: &Obstacle) -> bool {
        let name = |obstacle: &Obstacle| obstacle.pod().map(|pod| Arc::clone(&pod.meta.name));
        self.reason() == other.reason() && name(self) == name(other)
    }
}

/// Returns the obstacles of a world at rest, or none if it is in its desired state. `deletion` is the cascade of
/// the set's deletion, if any; `last` is the sync at rest.
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

/// Returns the obstacles of a set at rest that is not deleted.
fn obstacles(world: &World, last: &Sync, behaviour: &Behaviour) -> Vec<Obstacle> {
    if waits_for_dependents(&world.snapshot().set) {
        // The garbage collector removes the set once its pods are gone.
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
    // The controller may be held by a pod in more than one way.
    let mut named: BTreeSet<Arc<str>> = BTreeSet::new();
    obstacles.retain(|it| {
        it.pod()
            .is_none_or(|pod| named.insert(Arc::clone(&pod.meta.name)))
    });
    if obstacles.is_empty() {
        let refused = last.writes.iter();
        obstacles.extend(refused.filter_map(|write| refused_creation(write, world.snapshot())));
        // A pod may have several claims.
        obstacles.dedup_by(|one, other| {
            one.pod().map(|pod| &pod.meta.name) == other.pod().map(|pod| &pod.meta.name)
        });
        // A refused creation hides no other pod that is stuck.
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
        obstacles.push(Obstacle::Error(format!("invalid spec.selector: {error}")));
    }
    obstacles
}

/// Returns the unhealthy pods of a world at rest that these obstacles do not name.
pub(crate) fn other_unhealthy(
    world: &World,
    behaviour: &Behaviour,
    named: &[Obstacle],
) -> Vec<Obstacle> {
    let name = |pod: &Arc<Pod>| Arc::clone(&pod.meta.name);
    let named: BTreeSet<Arc<str>> = named.iter().filter_map(Obstacle::pod).map(name).collect();
    let unhealthy = unhealthy_pods(world.snapshot(), world.now(), behaviour);
    let others = unhealthy.into_iter().map(Obstacle::Unhealthy);
    let is_named = |other: &Obstacle| {
        other
            .pod()
            .is_some_and(|pod| named.contains(&pod.meta.name))
    };
    others.filter(|other| !is_named(other)).collect()
}

/// Reports whether only the garbage collector keeps a deleted set.
fn waits_for_dependents(set: &Set) -> bool {
    let finalizers = set.finalizers();
    set.meta.is_terminating()
        && !finalizers.is_empty()
        && finalizers.iter().all(|name| name == FOREGROUND)
}

/// Finalizer of a set that is deleted after its pods.
const FOREGROUND: &str = "foregroundDeletion";

/// Returns a refused creation of a pod, or of its claim, unless the name is taken, which is a hold.
fn refused_creation(write: &Write, snapshot: &Snapshot) -> Option<Obstacle> {
    let refusal = write.refused.as_ref()?;
    let pod = match (write.verb, &write.body, &write.claimed_by) {
        (Verb::Create, Body::Pod(pod), _) => pod,
        // A pod that exists waits for its claim.
        (Verb::Create, Body::Claim(_), Some(pod))
            if !snapshot.pods.contains_key(&pod.meta.name) =>
        {
            pod
        }
        _ => return None,
    };
    (!matches!(refusal, Refusal::AlreadyExists { .. })).then(|| Obstacle::CreationRefused {
        pod: Arc::clone(pod),
        message: refusal.to_string(),
    })
}

/// Returns the obstacles to a deletion: terminating pods, or else the remaining set.
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
