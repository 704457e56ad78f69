//! Plan of a change: its result on the API server and the reaction of the controller.

mod deletion;
mod lacking;
mod replacement;
mod single;
mod told_pods;
mod unknown_field;
mod unread_pods;

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use crate::conditions::{Conditions, InputKind};
use crate::grow;
use crate::plan::Plan;
use deletion::{
    claim_deletion_notes, deleted_claims, deleted_pods, deletions, grown_claims, has_finalizers,
};
use replacement::{before_replacement, can_recreate, recreate, workaround};
use sts_controller::apiserver::apply;
use sts_controller::apiserver::apply::{ChangeError, Edit, FieldChange, Verdict, partition_of};
use sts_controller::apiserver::server_side_apply::{
    Client, Options, Ownership, answered_server_side, change_server_side,
};
use sts_controller::object::{FieldError, Set, Snapshot, Status};
use sts_controller::simulate::{Action, Cascade};
use unknown_field::unknown_fields;

/// Maximum number of replicas of a planned set: far beyond real sets, and bounded by memory.
pub const MAX_REPLICAS: i32 = 20_000;

/// User's change to a set: docs/contract.md, "The change".
#[derive(Debug, Clone, Default)]
pub struct Change<'c> {
    /// Manifest to submit; `None` if only single fields change.
    pub manifest: Option<Manifest<'c>>,
    /// Field changes, applied in order after the manifest.
    pub edits: Vec<Edit>,
    /// Handling of unknown fields.
    pub validation: FieldValidation,
    /// Names of the pods to delete. Pods that the set does not have are ignored.
    pub deleted_pods: &'c [String],
    /// Names of the claims to delete. Claims that the set does not have are ignored.
    pub deleted_claims: &'c [String],
    /// Cascade of the set's deletion; `None` if it is not deleted.
    pub delete: Option<Cascade>,
    /// Further requests to the API server, after the deletions.
    pub actions: Vec<Action>,
}

/// Manifest of the set, and how it is submitted.
#[derive(Debug, Clone, Copy)]
pub struct Manifest<'c> {
    /// Manifest.
    pub value: &'c Value,
    /// Request that submits it.
    pub request: ManifestRequest<'c>,
    /// Result of a server-side dry run, if one was requested.
    pub verdict: Option<&'c Verdict>,
}

/// Request that submits a manifest.
#[derive(Debug, Clone, Copy)]
pub enum ManifestRequest<'c> {
    /// Creation, or the state of the set in a file.
    Create,
    /// `kubectl apply`.
    Apply,
    /// `kubectl apply --server-side`.
    ApplyServerSide(Options<'c>),
}

/// Handling of unknown fields, as with `kubectl --validate`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::IntoStaticStr)]
pub enum FieldValidation {
    /// Rejected in applied manifests, reported as findings in others.
    #[default]
    Strict,
    /// Reported as findings.
    Warn,
    /// Silently dropped.
    Ignore,
}

sts_controller::named!(FieldValidation);

/// Reason why a change cannot be planned.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlanError {
    /// The change is invalid.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The resulting set is malformed.
    #[error("{0}")]
    Unreadable(FieldError),
    /// The set exceeds the supported size.
    #[error("{0}")]
    TooLarge(FieldError),
    /// The objects do not match the change.
    #[error("{0}")]
    Objects(String),
    /// Neither a stored set nor a manifest exists.
    #[error("there is no set to plan")]
    NoSet,
    /// The set to delete is not stored.
    #[error("it is not stored, so there is nothing to delete")]
    NothingToDelete,
    /// The set to recreate has finalizers that keep it.
    #[error("its finalizers keep it after the deletion, so its name is not free")]
    Finalizers,
    /// The stored set lacks the field owners that a server-side apply needs.
    #[error("it has no managedFields, which a server-side apply requires")]
    NoManagedFields,
}

/// Checks that a set does not exceed the supported size.
///
/// # Errors
/// If it has more than [`MAX_REPLICAS`] replicas.
pub(crate) fn check_size(set: &Set) -> Result<(), FieldError> {
    if set.replicas > MAX_REPLICAS {
        return Err(FieldError {
            path: "spec.replicas".to_owned(),
            message: format!(
                "{} replicas exceed the supported maximum of {MAX_REPLICAS}",
                set.replicas
            ),
        });
    }
    Ok(())
}

/// Reads a set and its status.
///
/// # Errors
/// If a field has the wrong type.
pub fn read_set(value: Value) -> Result<(Set, Status), FieldError> {
    let status = Status::of_set(&value)?;
    let set = Set::from_json(value)?;
    Ok((set, status))
}

/// Plan of a change, with the API server's warnings.
pub struct ChangePlan {
    /// Plan.
    pub plan: Plan,
    /// Warnings of the API server.
    pub warnings: Vec<String>,
}

impl Plan {
    /// Plans a change to a stored set, or the creation of a set.
    ///
    /// `around` returns the objects for a set and status, as a manifest may name pods and claims that the
    /// stored set does not.
    ///
    /// # Errors
    /// If the change is invalid or cannot be planned. A change that the API server rejects still has a plan.
    pub fn of_change(
        stored: Option<&Snapshot>,
        change: &Change<'_>,
        around: &dyn Fn(Arc<Set>, Arc<Status>) -> Snapshot,
        conditions: &Conditions,
    ) -> Result<ChangePlan, PlanError> {
        let completed = stored.and_then(|stored| lacking::completed(stored, conditions));
        let Some((stored, notes)) = completed else {
            return Plan::of_known_change(stored, change, around, conditions);
        };
        let mut planned = Plan::of_known_change(Some(&stored), change, around, conditions)?;
        planned.plan.assumptions.notes(notes);
        Ok(planned)
    }

    /// Plans a change among objects of which the input lacks no kind.
    fn of_known_change(
        stored: Option<&Snapshot>,
        change: &Change<'_>,
        around: &dyn Fn(Arc<Set>, Arc<Status>) -> Snapshot,
        conditions: &Conditions,
    ) -> Result<ChangePlan, PlanError> {
        match (stored, change.manifest) {
            (None, _) if change.delete.is_some() => return Err(PlanError::NothingToDelete),
            (None, None) => return Err(PlanError::NoSet),
            (Some(stored), None) if change.edits.is_empty() => {
                return unchanged(stored, change, conditions);
            }
            _ => {}
        }
        check_managed_fields(stored, change)?;
        let mut outcome = submit(stored, change, conditions)?;
        let ownership = ownership(stored, change, &outcome, conditions);
        let unknown = unknown_fields(change, conditions, &mut outcome);
        let planned = |plan: Plan| ChangePlan {
            plan: Plan { unknown, ..plan },
            warnings: outcome.warnings,
        };

        let (set, status) = read_set(outcome.set).map_err(PlanError::Unreadable)?;
        check_size(&set).map_err(PlanError::TooLarge)?;
        outcome.not_checked.extend(shares(change, &set));
        let changed = Arc::new(set);
        let base = match (stored, change.delete) {
            (None, _) => around(Arc::clone(&changed), Arc::default()),
            (Some(stored), None) => stored.clone(),
            (Some(stored), Some(_)) => before_replacement(stored, &changed, around),
        };
        if !outcome.refused.is_empty() {
            let mut changes = deletions(change, &base);
            changes.extend(outcome.changes);
            let workaround = stored
                .filter(|_| change.delete.is_none() && can_recreate(&outcome.refused))
                .and_then(|stored| workaround(stored, change, around, conditions));
            let plan = Plan::rejected(base, conditions.clone(), changes, outcome.refused)
                .with_assumptions(outcome.not_checked);
            return Ok(planned(Plan { workaround, ..plan }));
        }
        if change.delete.is_some() {
            if has_finalizers(&base) {
                return Err(PlanError::Finalizers);
            }
            let plan = performed(change, base, outcome.changes, Some(changed), conditions)
                .with_assumptions(outcome.not_checked);
            return Ok(planned(Plan {
                dropped: outcome.dropped,
                ..plan
            }));
        }
        if stored.is_none()
            && let Some((owner, notes)) = lacking::owner_of_pods(&base, conditions)
        {
            let mut plan = performed(change, owner, Vec::new(), None, conditions)
                .with_assumptions(outcome.not_checked);
            plan.assumptions.notes(notes);
            return Ok(planned(plan));
        }
        let status = match stored {
            Some(stored) => Arc::clone(&stored.status),
            None => Arc::new(status),
        };
        // The snapshot holds the claims of the claim templates, which are immutable.
        let snapshot = Snapshot {
            set: changed,
            status,
            ..base
        };
        let plan = performed(change, snapshot, outcome.changes, None, conditions)
            .with_assumptions(outcome.not_checked);
        Ok(planned(Plan {
            dropped: outcome.dropped,
            ownership,
            ..plan
        }))
    }
}

fn unchanged(
    stored: &Snapshot,
    change: &Change<'_>,
    conditions: &Conditions,
) -> Result<ChangePlan, PlanError> {
    check_size(&stored.set).map_err(PlanError::TooLarge)?;
    let is_untouched = change.deleted_pods.is_empty()
        && change.deleted_claims.is_empty()
        && change.delete.is_none()
        && change.actions.is_empty();
    let conditions = &Conditions {
        as_recorded: conditions.input == InputKind::Files && is_untouched,
        ..conditions.clone()
    };
    Ok(ChangePlan {
        plan: performed(change, stored.clone(), Vec::new(), None, conditions),
        warnings: Vec::new(),
    })
}

/// Returns the assumptions behind percentages that the API does not accept, in sentences.
fn shares(change: &Change<'_>, set: &Set) -> Vec<String> {
    let shares = change.edits.iter().filter_map(|edit| match edit {
        Edit::PartitionShare(percent) => {
            let partition = partition_of(*percent, i64::from(set.replicas));
            Some(format!(
                "partition {percent}% is {partition} of {} replicas: rounded down to at least 1, like maxUnavailable; \
                 the API only accepts a number",
                set.replicas
            ))
        }
        _ => None,
    });
    shares.collect()
}

/// Returns the managers of the changed fields, and of the fields that the change keeps.
fn ownership(
    stored: Option<&Snapshot>,
    change: &Change<'_>,
    outcome: &apply::Outcome,
    conditions: &Conditions,
) -> Ownership {
    let Some(stored) = stored.filter(|_| outcome.refused.is_empty()) else {
        return Ownership::default();
    };
    let client = match change.manifest {
        None => Client::Edits,
        Some(manifest) => match manifest.request {
            ManifestRequest::ApplyServerSide(options) => Client::Manager(options.manager),
            ManifestRequest::Create | ManifestRequest::Apply => Client::Manifest(manifest.value),
        },
    };
    let minor = conditions.behaviour.defaulting.minor;
    let object = stored.set.object.open();
    Ownership::of(client, &object, &outcome.set, &outcome.changes, minor)
}

/// Rejects a server-side apply to a set without managedFields, as kubectl prints it by default.
fn check_managed_fields(stored: Option<&Snapshot>, change: &Change<'_>) -> Result<(), PlanError> {
    let Some(manifest) = change.manifest.filter(|_| change.delete.is_none()) else {
        return Ok(());
    };
    let is_decided_here = manifest.verdict.is_none()
        && matches!(manifest.request, ManifestRequest::ApplyServerSide(_));
    let lacks = |stored: &Snapshot| {
        let object = stored.set.object.open();
        object["metadata"]["managedFields"]
            .as_array()
            .is_none_or(Vec::is_empty)
    };
    match is_decided_here && stored.is_some_and(lacks) {
        true => Err(PlanError::NoManagedFields),
        false => Ok(()),
    }
}

/// Submits the change to the simulated API server, or uses the verdict of a live one.
fn submit(
    stored: Option<&Snapshot>,
    change: &Change<'_>,
    conditions: &Conditions,
) -> Result<apply::Outcome, ChangeError> {
    let behaviour = &conditions.behaviour;
    let object = stored.map(|stored| stored.set.object.open());
    let object = object.as_deref();
    let edits = change.edits.clone();
    let Some(manifest) = change.manifest else {
        let manifest = None;
        return apply::change(object, &apply::Request { manifest, edits }, behaviour);
    };
    if let (Some(object), Some(_)) = (object, change.delete) {
        return recreate(object, change, behaviour);
    }
    let apply = |edits| {
        let manifest = Some(manifest.value.clone());
        apply::change(object, &apply::Request { manifest, edits }, behaviour)
    };
    match (manifest.request, manifest.verdict) {
        (ManifestRequest::Create, _) if object.is_none() => {
            apply::create(manifest.value, &edits, behaviour)
        }
        (ManifestRequest::ApplyServerSide(options), Some(verdict)) => {
            answered_server_side(object, manifest.value, verdict, edits, &options, behaviour)
        }
        (ManifestRequest::ApplyServerSide(options), None) => {
            change_server_side(object, manifest.value, edits, &options, behaviour)
        }
        (_, Some(verdict)) => apply::answered(object, verdict, edits, behaviour, apply),
        (_, None) => apply(edits),
    }
}

/// Plans all requested changes and lists them.
fn performed(
    change: &Change<'_>,
    snapshot: Snapshot,
    changes: Vec<FieldChange>,
    replacement: Option<Arc<Set>>,
    conditions: &Conditions,
) -> Plan {
    let mut listed = deletions(change, &snapshot);
    listed.extend(changes);
    // If a claim and its pod are both deleted, the claim is removed with the pod, so it comes first.
    let mut actions: Vec<Action> = deleted_claims(change, &snapshot)
        .map(|claim| Action::ReleaseClaim(Arc::clone(&claim.meta.name)))
        .collect();
    let pods = deleted_pods(change, &snapshot);
    actions.extend(pods.map(|pod| Action::DeletePod(Arc::clone(&pod.meta.name))));
    actions.extend(change.actions.iter().cloned());
    let mut notes = claim_deletion_notes(change, &snapshot, conditions);
    notes.extend(grow::assumed_of(
        &grown_claims(change),
        &snapshot,
        conditions,
    ));
    actions.extend(change.delete.map(Action::DeleteSet));
    actions.extend(replacement.map(Action::CreateSet));
    Plan {
        change: listed,
        ..Plan::with_actions(actions, snapshot, conditions.clone())
            .with_kept_pods_failing()
            .with_assumptions(notes)
    }
}
