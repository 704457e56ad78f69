//! What keeps a set from getting where it should.

use std::sync::Arc;

use super::command::{kubectl, quoted};
use super::hold;
use crate::plan::Obstacle;
use sts_controller::controller::Hold;
use sts_controller::object::Snapshot;

/// The reason of an obstacle, its pod and a sentence on it.
#[must_use]
pub fn obstacle(
    obstacle: &Obstacle,
    snapshot: &Snapshot,
) -> (&'static str, Option<Arc<str>>, String) {
    match obstacle {
        Obstacle::Hold(found) | Obstacle::Unwell(found) => {
            let pod = found.pod().map(|pod| Arc::clone(&pod.meta.name));
            (found.reason(), pod, hold(found, snapshot))
        }
        Obstacle::CreationRefused { pod, message } => (
            obstacle.reason(),
            Some(Arc::clone(&pod.meta.name)),
            format!(
                "the API server refuses to create {}: {message}",
                pod.meta.name
            ),
        ),
        Obstacle::Error(error) => ("Error", None, format!("every sync fails: {error}")),
    }
}

/// Commands that look into an obstacle, the smallest first. None of them changes anything.
#[must_use]
pub fn look_into(obstacle: &Obstacle, snapshot: &Snapshot) -> Vec<String> {
    let set = quoted(&snapshot.set.meta.name);
    let (Obstacle::Hold(hold) | Obstacle::Unwell(hold)) = obstacle else {
        return vec![kubectl(snapshot, &format!("describe sts {set}"))];
    };
    match hold {
        Hold::StaleClaim { claim, .. } | Hold::ClaimBeingDeleted { claim, .. } => {
            vec![kubectl(
                snapshot,
                &format!("describe pvc {}", quoted(claim)),
            )]
        }
        Hold::SetBeingDeleted => vec![kubectl(snapshot, &format!("get sts {set} -o yaml"))],
        other => other
            .pod()
            .map(|pod| {
                kubectl(
                    snapshot,
                    &format!("describe pod {}", quoted(&pod.meta.name)),
                )
            })
            .into_iter()
            .collect(),
    }
}
