//! The status that a sync computes, and the decision to write it: docs/semantics.md 3.8 and 3.12.

use std::sync::Arc;

use super::cache::Counters;
use super::context::SyncContext;
use super::error::SyncError;
use super::recorder::Recorder;
use super::recreate::{self, Progress};
use super::revision::Revisions;
use super::update::max_unavailable;
use super::write::{Body, Refusal, Resource, Verb};
use crate::object::{Snapshot, Status, Strategy};
use crate::version::{Behaviour, Completion};

/// Returns a status with names but no counters yet. Until 1.36 conditions are not carried over (quirk Q7).
pub(super) fn fresh(snapshot: &Snapshot, revisions: &Revisions, behaviour: &Behaviour) -> Status {
    let conditions = &snapshot.status.conditions;
    Status {
        conditions: conditions.clone().filter(|_| behaviour.keeps_conditions),
        observed_generation: snapshot.set.generation,
        current_revision: Arc::clone(&revisions.current.meta.name),
        update_revision: Arc::clone(&revisions.update.meta.name),
        collision_count: Some(revisions.collision_count),
        ..Status::default()
    }
}

pub(super) fn set_counters(status: &mut Status, counters: Counters, behaviour: &Behaviour) {
    status.replicas = counters.replicas;
    status.ready_replicas = counters.ready;
    status.current_replicas = counters.current;
    status.updated_replicas = counters.updated;
    status.available_replicas = if behaviour.available_replicas {
        counters.available
    } else {
        0
    };
}

/// Maximum number of attempts for a status that meets a conflict: `retry.DefaultRetry`.
const STATUS_ATTEMPTS: usize = 5;

/// `updateStatefulSetStatus`: completes the rollout if it is done, and writes a changed status.
pub(super) fn write(
    context: &SyncContext<'_>,
    mut status: Status,
    out: &mut Recorder<'_>,
) -> Result<Arc<Status>, SyncError> {
    complete_rolling_update(context, &mut status);
    if context.behaviour.max_unavailable_is_measured && context.behaviour.max_unavailable.is_some()
    {
        max_unavailable(context.set, context.behaviour)?;
    }
    let status = Arc::new(status);
    if is_inconsistent(&status, &context.snapshot.status, context.behaviour) {
        let available = has_available_replicas(&status, context.behaviour);
        let mut answer = Ok(());
        for _ in 0..STATUS_ATTEMPTS {
            let body = Body::Status(Arc::clone(&status), available);
            answer = out.send(Verb::Update, Resource::Status, &context.set.meta.name, body);
            if !matches!(answer, Err(Refusal::Conflict { .. })) {
                break;
            }
        }
        answer?;
    }
    Ok(status)
}

/// Reports whether a written status has `availableReplicas`: in 1.22 only if it is not zero.
#[must_use]
pub fn has_available_replicas(status: &Status, behaviour: &Behaviour) -> bool {
    behaviour.available_replicas
        && (behaviour.zero_availability_is_written || status.available_replicas != 0)
}

/// `completeRollingUpdate`, from 1.37 on `completeUpdate`.
fn complete_rolling_update(context: &SyncContext<'_>, status: &mut Status) {
    let rolling = matches!(context.set.strategy, Strategy::RollingUpdate(_));
    let (wanted, can_complete) = match context.behaviour.completion {
        Completion::AgainstStatus => (status.replicas, rolling),
        Completion::AgainstSpec => (i64::from(context.set.replicas), rolling),
        Completion::WhateverStrategy => (i64::from(context.set.replicas), true),
    };
    let complete = can_complete
        && status.updated_replicas == wanted
        && status.ready_replicas == wanted
        && status.replicas == wanted;
    if complete {
        if recreate::applies(context) && status.current_revision != status.update_revision {
            recreate::set_progressing(context, status, Progress::Complete);
        }
        status.current_replicas = status.updated_replicas;
        status.current_revision = Arc::clone(&status.update_revision);
    }
}

/// `inconsistentStatus`: ignores the collision count and the conditions.
fn is_inconsistent(new: &Status, stored: &Status, behaviour: &Behaviour) -> bool {
    new.observed_generation > stored.observed_generation
        || new.replicas != stored.replicas
        || new.current_replicas != stored.current_replicas
        || new.ready_replicas != stored.ready_replicas
        || new.updated_replicas != stored.updated_replicas
        || (behaviour.available_replicas && new.available_replicas != stored.available_replicas)
        || new.current_revision != stored.current_revision
        || new.update_revision != stored.update_revision
}
