//! The least invasive recovery of a rollout that failing pods have stopped.

use std::sync::Arc;

use crate::cause::Cause;
use crate::plan::{Failure, Plan, foresee, judge, world_after};
use crate::remedy::RemedyAction;
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::{Action, End, run};

/// Recovery of a stuck rollout, by simulation, in order of effort.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Recovery {
    /// The rollout does not get stuck.
    NotNeeded,
    /// Delete the pod; the template is not at fault.
    DeleteAlone,
    /// Revert the template.
    RevertAlone,
    /// Revert the template and delete the pod.
    RevertAndDelete,
    /// None of these suffices.
    Neither,
}

serialized!(by_name: Recovery);

/// A recovery, with the pods that it deletes.
pub(super) struct Found {
    pub(super) recovery: Recovery,
    pub(super) deletes: Vec<Arc<str>>,
}

impl Found {
    pub(super) fn of(recovery: Recovery) -> Self {
        Found {
            recovery,
            deletes: Vec::new(),
        }
    }
}

/// Reports whether a failure has happened by the end of a plan: the pod is there, and is not ready.
pub(super) fn has_failed(stopped: &Plan, failure: &Failure) -> bool {
    let end = stopped.progression.world.snapshot();
    let Some(pod) = end.pods.get(&failure.pod) else {
        return false;
    };
    let is_it = match failure.was_ready {
        true => {
            let read = stopped.observed().pod(&failure.pod);
            read.is_some_and(|read| read.meta.uid == pod.meta.uid)
        }
        false => pod.revision == failure.revision,
    };
    is_it && !pod.is_running_and_ready()
}

/// Returns the least invasive recovery of a rollout that is stuck after these failures.
pub(super) fn find_recovery(stopped: &Plan, at: usize, failed: &[&Failure]) -> Found {
    if deletion_helps(stopped, failed) {
        return Found {
            recovery: Recovery::DeleteAlone,
            deletes: failed.iter().map(|one| Arc::clone(&one.pod)).collect(),
        };
    }
    let found = recovery(stopped, at);
    if found.recovery != Recovery::Neither {
        return found;
    }
    match undoing_helps(stopped, failed) {
        Some(deletes) if deletes.is_empty() => Found::of(Recovery::RevertAlone),
        Some(deletes) => Found {
            recovery: Recovery::RevertAndDelete,
            deletes,
        },
        None => found,
    }
}

/// Reports whether deleting the failed pods suffices, if all of them were ready before.
fn deletion_helps(stopped: &Plan, failed: &[&Failure]) -> bool {
    if failed.is_empty() || !failed.iter().all(|failure| failure.was_ready) {
        return false;
    }
    let (conditions, behaviour) = (&stopped.conditions, &stopped.conditions.behaviour);
    let mut world = world_after(&stopped.progression.world, conditions);
    let deleted = failed.iter().all(|failure| {
        let action = Action::DeletePod(Arc::clone(&failure.pod));
        world.perform(&action, behaviour).is_ok()
    });
    if !deleted {
        return false;
    }
    foresee(&mut world, conditions);
    let mut later = run(world, behaviour);
    let last = later.world.next_sync(behaviour);
    later.end == End::Rest && judge(&later.world, &last, behaviour, None).is_empty()
}

/// Returns the failed pods to delete after the template is reverted, so that the set completes: those that are still not
/// ready; `None` if it does not. The remedies of an obstacle are about one pod only.
fn undoing_helps(stopped: &Plan, failed: &[&Failure]) -> Option<Vec<Arc<str>>> {
    let (conditions, behaviour) = (&stopped.conditions, &stopped.conditions.behaviour);
    let back = stopped.fallback()?;
    let mut world = world_after(&stopped.progression.world, conditions);
    let revert = Action::EditSet(Edit::to_revision(back));
    world.perform(&revert, behaviour).ok()?;
    foresee(&mut world, conditions);
    let mut later = run(world, behaviour);
    let mut deleted = Vec::new();
    for failure in failed {
        let pod = later.world.snapshot().pods.get(&failure.pod);
        if pod.is_some_and(|pod| !pod.is_running_and_ready() && !pod.is_terminating()) {
            let action = Action::DeletePod(Arc::clone(&failure.pod));
            later.world.perform(&action, behaviour).ok()?;
            later = run(later.world, behaviour);
            deleted.push(Arc::clone(&failure.pod));
        }
    }
    let last = later.world.next_sync(behaviour);
    let completes =
        later.end == End::Rest && judge(&later.world, &last, behaviour, None).is_empty();
    completes.then_some(deleted)
}

/// Returns the least invasive recovery from the obstacle at this place that helps.
fn recovery(stopped: &Plan, at: usize) -> Found {
    let mut best = Found::of(Recovery::Neither);
    for remedy in stopped.remedies_of(at, &Cause::of_obstacles(stopped)) {
        let reverts = |remedy_action: &RemedyAction| {
            matches!(
                remedy_action,
                RemedyAction::ToRevision(..) | RemedyAction::NewTemplate
            )
        };
        let (way, deleted) = match &remedy.actions[..] {
            [remedy_action] if reverts(remedy_action) => (Recovery::RevertAlone, None),
            [RemedyAction::DeletePod(pod)] => (Recovery::DeleteAlone, Some(pod)),
            [first, RemedyAction::DeletePod(pod)] if reverts(first) => {
                (Recovery::RevertAndDelete, Some(pod))
            }
            _ => continue,
        };
        if remedy.trial.verdict.completes()
            && (best.recovery == Recovery::Neither || way == Recovery::RevertAlone)
        {
            best = Found {
                recovery: way,
                deletes: deleted.into_iter().map(Arc::clone).collect(),
            };
        }
    }
    best
}
