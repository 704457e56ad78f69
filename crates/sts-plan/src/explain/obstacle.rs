//! Descriptions of obstacles.

use jiff::Timestamp;

use super::hold;
use crate::command::{kubectl, named};
use crate::plan::{Obstacle, Unobserved};
use sts_controller::controller::Hold;
use sts_controller::object::Snapshot;

/// Describes an obstacle in one sentence.
#[must_use]
pub fn obstacle(obstacle: &Obstacle, snapshot: &Snapshot, now: Timestamp) -> String {
    match obstacle {
        Obstacle::Hold(found) | Obstacle::Unhealthy(found) => hold(found, snapshot, now),
        Obstacle::CreationRefused { pod, message } => {
            format!(
                "the API server refuses to create {}: {message}",
                pod.meta.name
            )
        }
        Obstacle::DeletionRefused { pod, message } => {
            format!(
                "the API server refuses to delete {}: {message}",
                pod.meta.name
            )
        }
        Obstacle::Rejected { pod, count } => format!(
            "the kubelet rejects {} ({}, {count} attempts)",
            pod.meta.name,
            pod.status_reason().0
        ),
        Obstacle::Error(error) => format!("every sync fails: {error}"),
        Obstacle::Inactive(unobserved) => inactive(unobserved),
    }
}

/// Describes a controller that does not act.
fn inactive(unobserved: &Unobserved) -> String {
    let (generation, observed) = (unobserved.generation, unobserved.observed);
    let shown = match &unobserved.stopped {
        Some(stopped) => stopped.to_string(),
        None => format!(
            "it has not observed generation {generation} of the set (observedGeneration {observed})"
        ),
    };
    format!("the StatefulSet controller does not act: {shown}")
}

/// Returns read-only commands that show an obstacle.
#[must_use]
pub fn look_into(obstacle: &Obstacle, snapshot: &Snapshot) -> Vec<String> {
    let set = named(&snapshot.set.meta.name);
    let (Obstacle::Hold(hold) | Obstacle::Unhealthy(hold)) = obstacle else {
        return vec![kubectl(snapshot, &format!("describe sts {set}"))];
    };
    match hold {
        Hold::StaleClaim { claim, .. } | Hold::ClaimBeingDeleted { claim, .. } => {
            vec![kubectl(snapshot, &format!("describe pvc {}", named(claim)))]
        }
        Hold::SetBeingDeleted { .. } => vec![kubectl(snapshot, &format!("get sts {set} -o yaml"))],
        other => other
            .pod()
            .map(|pod| kubectl(snapshot, &format!("describe pod {}", named(&pod.meta.name))))
            .into_iter()
            .collect(),
    }
}
