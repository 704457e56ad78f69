//! What keeps a set from getting where it should.

use std::sync::Arc;

use super::{owns, pods_of};
use crate::controller::{Hold, Rules, Sync};
use crate::simulate::{Cascade, World};
use crate::snapshot::Pod;

/// What keeps a set from getting where it should.
#[derive(Debug, Clone)]
pub enum Obstacle {
    /// The controller waits.
    Hold(Hold),
    /// The controller does not wait for it, but it is not as it should be.
    Unwell(Hold),
    /// Every sync fails.
    Error(String),
}

/// What keeps the set from being where it should, at rest.
pub(super) fn obstacles(world: &World, last: &Sync, rules: &Rules) -> Vec<Obstacle> {
    let mut obstacles: Vec<Obstacle> = last
        .holds
        .iter()
        .filter(|hold| !hold.is_intended())
        .cloned()
        .map(Obstacle::Hold)
        .collect();
    if obstacles.is_empty() {
        obstacles.extend(unwell(world, rules));
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

/// What is still there of a set that was deleted, though it should be gone.
pub(super) fn obstacles_of_deletion(world: &World, cascade: Cascade) -> Vec<Obstacle> {
    let snapshot = world.snapshot();
    let pods = pods_of(snapshot)
        .filter(|pod| cascade != Cascade::Orphan && owns(snapshot, pod) && pod.is_terminating())
        .map(|pod| {
            let pod = Arc::clone(pod);
            Obstacle::Unwell(Hold::WaitingForPodTermination { pod })
        });
    let mut obstacles: Vec<Obstacle> = pods.collect();
    if obstacles.is_empty() && !world.set_is_gone() {
        obstacles.push(Obstacle::Hold(Hold::SetBeingDeleted));
    }
    obstacles
}

/// Pods that are not as they should be though the controller does not wait for them: a parallel set goes on
/// past them.
fn unwell(world: &World, rules: &Rules) -> Vec<Obstacle> {
    let snapshot = world.snapshot();
    let min_ready = rules.min_ready_seconds(&snapshot.set);
    let wanted = rules.ordinals(&snapshot.set);
    let mut pods: Vec<&Arc<Pod>> = pods_of(snapshot)
        .filter(|pod| owns(snapshot, pod))
        .collect();
    pods.sort_by_key(|pod| crate::controller::ordinal_of(&pod.meta.name));
    let of_pod = |pod: &Arc<Pod>| {
        let kept = wanted.contains(&crate::controller::ordinal_of(&pod.meta.name));
        let pod = Arc::clone(pod);
        Some(match (kept, pod.is_terminating()) {
            (true, true) => Hold::WaitingForPodTermination { pod },
            (false, true) => Hold::ScaleDownWaitingForTermination { pod },
            (true, false) if !pod.is_running_and_ready() => Hold::WaitingForPodReady { pod },
            (true, false) if !pod.is_available(min_ready, world.now()) => {
                let at = pod.available_at(min_ready);
                Hold::WaitingForPodAvailable { pod, at }
            }
            _ => return None,
        })
    };
    pods.into_iter()
        .filter_map(of_pod)
        .map(Obstacle::Unwell)
        .collect()
}
