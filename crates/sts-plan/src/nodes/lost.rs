//! Lost nodes: their pods become unready after the grace period, and are deleted after their toleration time.
//! docs/semantics.md, "Lost nodes".

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::down_nodes::{UNREACHABLE, tolerated};
use crate::plan::{Plan, owns, pods_of};
use sts_controller::simulate::{Action, ScheduledAction};

/// Returns the events of a set when these nodes are lost now.
pub(super) fn agenda(plan: &Plan, lost: &BTreeSet<Arc<str>>) -> Vec<ScheduledAction> {
    let conditions = &plan.conditions;
    let grace = conditions.behaviour.version.node_monitor_grace_period();
    let Ok(noticed) = conditions.now.checked_add(grace) else {
        return Vec::new();
    };
    let pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    let there = pods.filter(|pod| pod.node.as_ref().is_some_and(|node| lost.contains(node)));
    let mut agenda = Vec::new();
    for pod in there {
        let name = &pod.meta.name;
        agenda.push(ScheduledAction {
            at: noticed,
            action: Action::LosePod(Arc::clone(name)),
        });
        let evicted = tolerated(pod, UNREACHABLE).and_then(|time| noticed.checked_add(time).ok());
        agenda.extend(evicted.map(|at| ScheduledAction {
            at,
            action: Action::TaintEvictPod(Arc::clone(name)),
        }));
    }
    agenda
}
