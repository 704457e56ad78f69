//! The strategy `Recreate`: deletes all outdated pods, and creates nothing until they are gone: docs/semantics.md 8.2.

use std::sync::Arc;

use serde_json::{Value, json};

use super::cache::PodIndex;
use super::context::SyncContext;
use super::error::SyncError;
use super::event;
use super::hold::Hold;
use super::pod_control::delete_stateful_pod;
use super::recorder::Recorder;
use super::replicas::{Step, drive};
use super::write::DeleteReason;
use crate::object::{Pod, Status, Strategy};
use crate::version::Recreate;

/// Reports whether the pass follows this strategy: the set requests it, and the version supports it.
pub(super) fn applies(context: &SyncContext<'_>) -> bool {
    context.behaviour.recreate == Recreate::Done
        && matches!(context.set.strategy, Strategy::Recreate(_))
}

/// Fails early for a set with this strategy if the feature gate is off.
pub(super) fn check(context: &SyncContext<'_>, out: &mut Recorder<'_>) -> Result<(), SyncError> {
    if context.behaviour.recreate != Recreate::Refused
        || !matches!(context.set.strategy, Strategy::Recreate(_))
    {
        return Ok(());
    }
    let event = event::of_refused_recreate(context.set);
    let error = SyncError::new(event.message.clone());
    out.event(|| event);
    Err(error)
}

/// Deletes every outdated pod. Returns `Continue` once there is none left; `Exit` if some exist or are terminating.
pub(super) fn delete_outdated(
    context: &SyncContext<'_>,
    index: &PodIndex,
    computed: &mut Status,
    out: &mut Recorder<'_>,
) -> Result<Step, SyncError> {
    let slots = (0..context.replicas).filter_map(|slot| index.pod(slot));
    let pods: Vec<&Arc<Pod>> = slots.chain(index.condemned()).collect();
    let outdated = |pod: &Pod| pod.is_created() && !context.is_updated(pod);
    let next = |from: usize| (from..pods.len()).find(|at| outdated(pods[*at]));
    if next(0).is_none() {
        if context.current.meta.name != context.update.meta.name {
            set_progressing(context, computed, Progress::Creating);
        }
        return Ok(Step::Continue);
    }
    // In growing batches under either pod management policy.
    drive(false, pods.len(), next, |at| {
        let pod = pods[at];
        if pod.is_terminating() {
            out.hold(|| Hold::RecreateWaitingForTermination {
                pod: Arc::clone(pod),
            });
        } else {
            delete_stateful_pod(context, pod, DeleteReason::Outdated, out)?;
        }
        Ok(Step::Continue)
    })?;
    set_progressing(context, computed, Progress::Deleting);
    Ok(Step::Exit)
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Progress {
    Deleting,
    Creating,
    Complete,
}

impl Progress {
    /// Returns the status, reason and message of the condition.
    fn condition(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Progress::Deleting => ("True", "RecreateInProgress", "Deleting old revision pods"),
            Progress::Creating => (
                "True",
                "RecreateInProgress",
                "Waiting for new-revision pods to be created",
            ),
            Progress::Complete => (
                "False",
                "RecreateCompleted",
                "All pods recreated successfully",
            ),
        }
    }
}

/// Sets the condition `Progressing`. Its transition time is that of the last change of its status.
pub(super) fn set_progressing(
    context: &SyncContext<'_>,
    computed: &mut Status,
    progress: Progress,
) {
    let (status, reason, message) = progress.condition();
    let mut conditions = match computed.conditions.as_deref() {
        Some(Value::Array(conditions)) => conditions.clone(),
        _ => Vec::new(),
    };
    let mut condition = json!({
        "type": "Progressing",
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": context.now.to_string(),
    });
    match conditions
        .iter_mut()
        .find(|condition| condition["type"] == "Progressing")
    {
        Some(known) => {
            if known["status"] == status {
                condition["lastTransitionTime"] = known["lastTransitionTime"].take();
            }
            *known = condition;
        }
        None => conditions.push(condition),
    }
    computed.conditions = Some(Arc::new(Value::Array(conditions)));
}
