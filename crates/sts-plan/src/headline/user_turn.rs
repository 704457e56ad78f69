//! The headline of a set whose controller is waiting for its user.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::command::{kubectl, named};
use crate::plan::Plan;
use sts_controller::controller::{Hold, ordinal_of};
use sts_controller::object::Pod;

/// Returns the next action of the user: deleting outdated pods, unready pods first, then from the highest ordinal down.
pub(super) fn waiting_for_user(plan: &Plan) -> String {
    let holds = plan.last.holds.iter();
    let mut pods: Vec<&Arc<Pod>> = holds
        .filter(|hold| matches!(hold, Hold::OnDelete { .. }))
        .filter_map(Hold::pod)
        .collect();
    pods.sort_by_key(|pod| {
        (
            pod.is_running_and_ready(),
            Reverse(ordinal_of(&pod.meta.name)),
        )
    });
    let Some(first) = pods.first() else {
        return "WAITING FOR YOU".to_owned();
    };
    let command = kubectl(
        &plan.snapshot,
        &format!("delete pod {}", named(&first.meta.name)),
    );
    match pods.len() {
        1 => format!(
            "WAITING FOR YOU: {} is outdated; delete it: {command}",
            first.meta.name
        ),
        several => {
            let then = pods[1].meta.name.clone();
            let more = if several > 2 { ", ..." } else { "" };
            format!(
                "WAITING FOR YOU: {several} pods are outdated; delete them one at a time, and wait until each is ready: \
                 {command}, then {then}{more}"
            )
        }
    }
}
