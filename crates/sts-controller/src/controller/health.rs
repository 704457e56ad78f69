//! Unhealthy pods that no sync waits for. A parallel set does not wait for pods to be ready, and a deleted set waits
//! for nothing.

use std::sync::Arc;

use jiff::Timestamp;

use super::hold::Hold;
use super::identity::ordinal_of;
use crate::object::{Pod, Snapshot};
use crate::version::Behaviour;

/// Returns the holds of unhealthy pods, by ordinal, with the reasons that an ordered set would wait for.
#[must_use]
pub fn unhealthy_pods(snapshot: &Snapshot, now: Timestamp, behaviour: &Behaviour) -> Vec<Hold> {
    let set = &snapshot.set;
    let min_ready = behaviour.min_ready_seconds(set);
    let wanted = behaviour.ordinals(set);
    let hold = |pod: &Arc<Pod>| {
        let is_wanted = wanted.contains(&ordinal_of(&pod.meta.name));
        let pod = Arc::clone(pod);
        match (is_wanted, pod.is_terminating()) {
            (true, true) => Some(Hold::WaitingForPodTermination { pod }),
            (false, true) => Some(Hold::ScaleDownWaitingForTermination { pod }),
            (true, false) if !pod.is_running_and_ready() => Some(Hold::WaitingForPodReady { pod }),
            (true, false) if !pod.is_available(min_ready, now) => {
                let at = pod.available_at(min_ready);
                Some(Hold::WaitingForPodAvailable { pod, at })
            }
            _ => None,
        }
    };
    owned_pods(snapshot).into_iter().filter_map(hold).collect()
}

/// Returns the holds of the pods that a deleted set leaves terminating.
#[must_use]
pub fn terminating_pods(snapshot: &Snapshot) -> Vec<Hold> {
    let pods = owned_pods(snapshot).into_iter();
    pods.filter(|pod| pod.is_terminating())
        .map(|pod| Hold::WaitingForPodTermination {
            pod: Arc::clone(pod),
        })
        .collect()
}

/// Returns the hold of a deleted set that still exists, whether or not its last sync got far enough to notice.
#[must_use]
pub fn deleted_set() -> Hold {
    Hold::SetBeingDeleted
}

/// Returns the pods whose controller is the set, by ordinal.
fn owned_pods(snapshot: &Snapshot) -> Vec<&Arc<Pod>> {
    let uid = &snapshot.set.meta.uid;
    let pods = snapshot.pods.values();
    let owner = |pod: &&Arc<Pod>| pod.meta.controller().is_some_and(|owner| owner.uid == *uid);
    let mut owned: Vec<&Arc<Pod>> = pods.filter(owner).collect();
    owned.sort_by_key(|pod| ordinal_of(&pod.meta.name));
    owned
}
