//! The pods that a stuck plan leaves in another state than the specification asks for.

use std::collections::BTreeSet;

use crate::plan::{Plan, owns, pods_of};
use sts_controller::controller::pod_name;

/// Counts the pods that stay terminating, missing, unready or outdated, each once: `2 pods stay outdated, 1 missing`;
/// `None` if there are none.
pub(super) fn remaining(plan: &Plan) -> Option<String> {
    let end = plan.progression.world.snapshot();
    let is_deleted = plan.deletion().is_some() || end.set.is_terminating();
    let intended = plan.last.holds.iter().filter(|hold| hold.is_intended());
    let intended: BTreeSet<&str> = intended
        .filter_map(|hold| hold.pod().map(|pod| &*pod.meta.name))
        .collect();
    let update = &plan.last.status.update_revision;
    let (mut outdated, mut unready, mut terminating) = (0, 0, 0);
    let mut there = BTreeSet::new();
    for pod in pods_of(end).filter(|pod| owns(end, pod)) {
        there.insert(&*pod.meta.name);
        if pod.is_terminating() {
            terminating += 1;
        } else if is_deleted {
            // Nothing else is asked for.
        } else if !pod.is_running_and_ready() {
            unready += 1;
        } else if pod.revision != *update && !intended.contains(&*pod.meta.name) {
            outdated += 1;
        }
    }
    let set = &plan.snapshot.set;
    let wanted = plan.conditions.behaviour.ordinals(set);
    let missing = match is_deleted {
        true => 0,
        false => wanted
            .filter(|ordinal| !there.contains(&*pod_name(set, *ordinal)))
            .count(),
    };
    let counts = [
        (outdated, "outdated"),
        (missing, "missing"),
        (unready, "not ready"),
        (terminating, "terminating"),
    ];
    let mut counts = counts.into_iter().filter(|(pods, _)| *pods > 0);
    let (first, state) = counts.next()?;
    let text = match first {
        1 => format!("1 pod stays {state}"),
        pods => format!("{pods} pods stay {state}"),
    };
    let more: String = counts
        .map(|(pods, state)| format!(", {pods} {state}"))
        .collect();
    Some(text + &more)
}
