//! Operations on one pod and its claims: `StatefulPodControl`, docs/semantics.md 3.15.

use std::sync::Arc;

use super::context::SyncContext;
use super::error::SyncError;
use super::event;
use super::event::Action;
use super::hold::Hold;
use super::identity::{
    claim_volumes, identity_matches, ordinal_of, storage_matches, with_identity,
};
use super::pvc;
use super::recorder::Recorder;
use super::write::{DeleteReason, Refusal};
use crate::object::Pod;

fn report(
    context: &SyncContext<'_>,
    action: Action,
    pod: &Pod,
    error: Option<&str>,
    out: &mut Recorder<'_>,
) {
    out.event(|| event::of_pod(action, context.set, &pod.meta, error, context.behaviour));
}

fn report_failure(
    context: &SyncContext<'_>,
    action: Action,
    pod: &Pod,
    error: SyncError,
    out: &mut Recorder<'_>,
) -> SyncError {
    report(context, action, pod, Some(&error.to_string()), out);
    error
}

/// `CreateStatefulPod`: creates the claims, then the pod, then sets the owners of the claims.
pub(super) fn create_stateful_pod(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    pvc::create_claims(context, pod, out)
        .map_err(|error| report_failure(context, Action::Create, pod, error, out))?;
    let created = out.create_pod(pod);
    if let Err(refusal @ Refusal::AlreadyExists { .. }) = created {
        out.hold(|| Hold::NameTaken {
            pod: Arc::clone(pod),
        });
        return Err(refusal.into());
    }
    // The owners are set even if the pod was refused for another reason.
    pvc::update_claim_owners(context, pod, out)
        .map_err(|error| report_failure(context, Action::Update, pod, error, out))?;
    created
        .map_err(SyncError::from)
        .map_err(|error| report_failure(context, Action::Create, pod, error, out))?;
    report(context, Action::Create, pod, None, out);
    Ok(())
}

/// `createMissingPersistentVolumeClaims`, for a pod that is still pending.
pub(super) fn create_missing_claims(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    pvc::create_claims(context, pod, out)?;
    pvc::update_claim_owners(context, pod, out)
        .map_err(|error| report_failure(context, Action::Update, pod, error, out))
}

/// Maximum number of attempts for an update that meets a conflict: `retry.DefaultBackoff`.
const UPDATE_ATTEMPTS: usize = 4;

/// `UpdateStatefulPod`: repairs identity, storage and the owners of the claims. Sends the pod even if only a claim was
/// wrong. After a conflict, each attempt starts over with the cached pod.
pub(super) fn update_stateful_pod(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    let mut current = Arc::clone(pod);
    let mut refused = None;
    let mut was_sent = false;
    let mut result = Ok(());
    for _ in 0..UPDATE_ATTEMPTS {
        refused = None;
        result = match repair(context, &mut current, out) {
            Ok(Repair::Consistent) => Ok(()),
            Ok(Repair::Changed) => {
                was_sent = true;
                out.update_pod(&current).map_err(|refusal| {
                    refused = Some(refusal.to_string());
                    if let Some(cached) = context.snapshot.pods.get(&current.meta.name) {
                        current = Arc::clone(cached);
                    }
                    SyncError::from(refusal)
                })
            }
            Err(error) => Err(report_failure(
                context,
                Action::Update,
                &current,
                error,
                out,
            )),
        };
        if !result.as_ref().is_err_and(SyncError::is_conflict) {
            break;
        }
    }
    if let Some(error) = refused {
        out.hold(|| Hold::PodUpdateRefused {
            pod: Arc::clone(pod),
            error,
        });
    }
    if was_sent {
        let error = result.as_ref().err().map(ToString::to_string);
        report(context, Action::Update, &current, error.as_deref(), out);
    }
    result
}

/// Result of repairing a pod.
enum Repair {
    /// Nothing was wrong.
    Consistent,
    /// The pod has to be sent.
    Changed,
}

/// One attempt of `UpdateStatefulPod`, up to the update of the pod.
fn repair(
    context: &SyncContext<'_>,
    pod: &mut Arc<Pod>,
    out: &mut Recorder<'_>,
) -> Result<Repair, SyncError> {
    let mut repair = Repair::Consistent;
    if !identity_matches(context.set, pod) {
        *pod = Arc::new(with_identity(context.set, pod, context.behaviour));
        repair = Repair::Changed;
    }
    if !storage_matches(context.set, pod, &mut context.buffer.borrow_mut()) {
        let volumes = claim_volumes(context.set, ordinal_of(&pod.meta.name));
        *pod = Arc::new(pod.with_claim_volumes(volumes));
        repair = Repair::Changed;
        pvc::create_claims(context, pod, out)?;
    }
    if !pvc::claims_match(context, pod) {
        repair = Repair::Changed;
        pvc::update_claim_owners(context, pod, out)?;
    }
    Ok(repair)
}

pub(super) struct DeleteError {
    /// True if the pod was already gone.
    pub(super) not_found: bool,
    pub(super) error: SyncError,
}

impl From<DeleteError> for SyncError {
    fn from(error: DeleteError) -> Self {
        error.error
    }
}

/// `DeleteStatefulPod`.
pub(super) fn delete_stateful_pod(
    context: &SyncContext<'_>,
    pod: &Arc<Pod>,
    reason: DeleteReason,
    out: &mut Recorder<'_>,
) -> Result<(), DeleteError> {
    match out.delete_pod(pod, reason) {
        Ok(()) => {
            report(context, Action::Delete, pod, None, out);
            Ok(())
        }
        Err(Refusal::NotFound { .. }) if context.behaviour.delete_tolerates_not_found => {
            report(context, Action::Delete, pod, None, out);
            Ok(())
        }
        Err(refusal) => {
            let not_found = matches!(refusal, Refusal::NotFound { .. });
            let error = report_failure(context, Action::Delete, pod, refusal.into(), out);
            Err(DeleteError { not_found, error })
        }
    }
}
