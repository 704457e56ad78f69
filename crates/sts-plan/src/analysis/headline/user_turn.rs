//! The headline of a set whose controller is waiting for its user, or for the operator that owns the set.

use std::sync::Arc;

use crate::cause::{Cause, owner_report, pending_upgrade};
use crate::command::{kubectl, named};
use crate::explain;
use crate::order::Order;
use crate::plan::Plan;
use crate::words::{list, plural};
use sts_controller::controller::Hold;
use sts_controller::object::Pod;
use sts_controller::simulate::Action;

/// Maximum number of pods to name.
const NAMED: usize = 3;

/// Returns the next action of the user: deleting outdated pods, unready pods first, then from the highest ordinal down.
pub(super) fn waiting_for_user(plan: &Plan) -> String {
    let holds = plan.last.holds.iter();
    let mut pods: Vec<&Arc<Pod>> = holds
        .filter(|hold| matches!(hold, Hold::OnDelete { .. }))
        .filter_map(Hold::pod)
        .collect();
    pods.sort_by_key(|pod| Order::default().sort_key(pod));
    let Some(first) = pods.first() else {
        return "WAITING FOR YOU".to_owned();
    };
    let outdated = plural(pods.len(), "pod is outdated", "pods are outdated");
    if let Some(owner) = plan.deleter() {
        let names: Vec<&str> = pods.iter().map(|pod| &*pod.meta.name).collect();
        let names = list(&names, NAMED);
        let owns = match plan.snapshot.set.meta.controller() {
            Some(_) => "owns the set",
            None => "the labels of the set name",
        };
        if let Some(pending) = pending_upgrade(plan) {
            let all = plural(pods.len(), "outdated pod", "outdated pods");
            return format!("WAITING FOR {owner}, which {owns}, to delete the {all}: {pending}");
        }
        let report = owner_report(plan);
        let report = report.map_or_else(String::new, |report| format!("; {report}"));
        return format!(
            "WAITING FOR {owner}, which {owns}: {outdated} ({names}), and it decides when to delete them{report}"
        );
    }
    if let Some(why) = reason_to_keep(plan, first) {
        let name = &first.meta.name;
        return format!("WAITING FOR YOU: {outdated}; do not delete {name} now: {why}");
    }
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

/// Describes what the deletion of a ready pod would cost, by its claims and by the simulation; `None` if it comes back with
/// its data.
fn reason_to_keep(plan: &Plan, pod: &Arc<Pod>) -> Option<String> {
    if !pod.is_running_and_ready() {
        return None;
    }
    if let Some(claim) = plan.terminating_claim(pod) {
        return Some(format!(
            "its claim {claim} is being deleted, and goes with the pod"
        ));
    }
    let trial = plan.with_more([Action::DeletePod(Arc::clone(&pod.meta.name))]);
    let obstacles = trial.outcome.obstacles().iter();
    let mut of_pod = obstacles.filter(|obstacle| {
        let stuck = obstacle.pod();
        stuck.is_some_and(|stuck| stuck.meta.name == pod.meta.name)
    });
    let end = trial.predicted().objects();
    let found = of_pod.next()?;
    let why = match Cause::of(&trial, found) {
        Some(cause) => explain::cause(&cause).whole(),
        None => explain::obstacle(found, end, plan.conditions.now),
    };
    Some(format!("it would not come back: {why}"))
}
