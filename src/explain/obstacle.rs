//! What keeps a set from getting where it should.

use std::sync::Arc;

use super::hold;
use crate::controller::Hold;
use crate::plan::Obstacle;
use crate::snapshot::Snapshot;

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
        Obstacle::Error(error) => ("Error", None, format!("every sync fails: {error}")),
    }
}

/// Commands that look into an obstacle, the smallest first. None of them changes anything.
#[must_use]
pub fn look_into(obstacle: &Obstacle, snapshot: &Snapshot) -> Vec<String> {
    let namespace = &snapshot.set.meta.namespace;
    let (Obstacle::Hold(hold) | Obstacle::Unwell(hold)) = obstacle else {
        return vec![format!(
            "kubectl describe sts {} -n {namespace}",
            snapshot.set.meta.name
        )];
    };
    match hold {
        Hold::StaleClaim { claim, .. } | Hold::ClaimBeingDeleted { claim, .. } => {
            vec![format!("kubectl describe pvc {claim} -n {namespace}")]
        }
        Hold::SetBeingDeleted => {
            vec![format!(
                "kubectl get sts {} -n {namespace} -o yaml",
                snapshot.set.meta.name
            )]
        }
        other => other
            .pod()
            .map(|pod| format!("kubectl describe pod {} -n {namespace}", pod.meta.name))
            .into_iter()
            .collect(),
    }
}
