//! The plan of a change: what the API server makes of it, and what the controller does then.

mod deletion;
mod replacement;
mod single;
mod unknown_field;

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use crate::conditions::{Conditions, InputKind};
use crate::grow;
use crate::plan::Plan;
use deletion::{
    deleted_claims, deleted_pods, deletions, grown_claims, has_finalizers, told_of_claims,
};
use replacement::{before_replacement, is_way_round, recreate, way_round};
use sts_controller::apiserver::apply;
use sts_controller::apiserver::apply::{ChangeError, Edit, FieldChange, Verdict, partition_of};
use sts_controller::apiserver::server_side_apply::{
    Client, Options, Ownership, answered_server_side, change_server_side,
};
use sts_controller::object::{FieldError, Set, Snapshot, Status};
use sts_controller::simulate::{Action, Cascade};
use unknown_field::unknown_fields;

/// Maximum number of replicas of a set that is planned: far more than any real set has, and no more than fit in memory.
pub const MAX_REPLICAS: i32 = 20_000;

/// A change that a user is about to make to a set: docs/contract.md, "The change".
#[derive(Debug, Clone, Default)]
pub struct Change<'c> {
    /// The manifest that is sent; `None` where only single fields change.
    pub manifest: Option<Manifest<'c>>,
    /// The single fields that change, in order, after the manifest.
    pub edits: Vec<Edit>,
    /// The handling of fields that the API server does not know.
    pub validation: FieldValidation,
    /// The pods to delete, by name. Those that the set does not have are passed over.
    pub deleted_pods: &'c [String],
    /// The claims to delete, by name. Those that the set does not have are passed over.
    pub deleted_claims: &'c [String],
    /// The cascade of the set's deletion; `None` if the set is not deleted.
    pub delete: Option<Cascade>,
    /// Other requests to the API server that go with it, after the deletions.
    pub actions: Vec<Action>,
}

/// A manifest of the set, and how it is sent.
#[derive(Debug, Clone, Copy)]
pub struct Manifest<'c> {
    /// The manifest.
    pub value: &'c Value,
    /// The request that sends it.
    pub request: ManifestRequest<'c>,
    /// The answer of a live server to a dry run of the request, where one was asked.
    pub verdict: Option<&'c Verdict>,
}

/// The request that sends a manifest.
#[derive(Debug, Clone, Copy)]
pub enum ManifestRequest<'c> {
    /// It is created, or is the set as a file has it.
    Create,
    /// `kubectl apply`.
    Apply,
    /// `kubectl apply --server-side`.
    ApplyServerSide(Options<'c>),
}

/// The handling of fields that the API server does not know, as `kubectl --validate` has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are refused in what is applied, and are findings in what is only read.
    #[default]
    Strict,
    /// They are findings.
    Warn,
    /// They are dropped without a word.
    Ignore,
}

impl FieldValidation {
    /// The name that the API has for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FieldValidation::Strict => "Strict",
            FieldValidation::Warn => "Warn",
            FieldValidation::Ignore => "Ignore",
        }
    }
}

/// The reason that there is no plan of a change.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlanError {
    /// The change cannot be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The set cannot be read, as it is after the change.
    #[error("{0}")]
    Unreadable(FieldError),
    /// The set is larger than any that is planned.
    #[error("{0}")]
    TooLarge(FieldError),
    /// The objects have not what the change names.
    #[error("{0}")]
    Objects(String),
    /// There is neither a stored set nor a manifest.
    #[error("there is no set to plan")]
    NoSet,
    /// The set is to be deleted, and is not stored.
    #[error("it is not stored, so there is nothing to delete")]
    NothingToDelete,
    /// The set is to be deleted and created, and finalizers of its own keep it.
    #[error("it has finalizers of its own, so its name is not free when it is deleted")]
    Finalizers,
    /// A server-side apply is planned, and the stored set does not say who owns which field.
    #[error("it has no managedFields, by which a server-side apply is decided")]
    NoManagedFields,
}

/// Checks that a set is not larger than any that is planned.
///
/// # Errors
/// When it wants more than [`MAX_REPLICAS`].
pub(crate) fn check_size(set: &Set) -> Result<(), FieldError> {
    if set.replicas > MAX_REPLICAS {
        return Err(FieldError {
            path: "spec.replicas".to_owned(),
            message: format!(
                "{} replicas are wanted, and at most {MAX_REPLICAS} are planned",
                set.replicas
            ),
        });
    }
    Ok(())
}

/// Reads a set with its status.
///
/// # Errors
/// When a field has another type.
pub fn read_set(value: Value) -> Result<(Set, Status), FieldError> {
    let status = Status::of_set(&value)?;
    let set = Set::from_json(value)?;
    Ok((set, status))
}

/// The plan of a change, with what the API server remarks on it.
pub struct ChangePlan {
    /// The plan.
    pub plan: Plan,
    /// The API server's warnings.
    pub warnings: Vec<String>,
}

impl Plan {
    /// Plans a change to a set that is stored, or the creation of one that is not.
    ///
    /// `around` gives a set, with its status, the objects that its controller may meet: a manifest may name pods and
    /// claims that the stored set did not.
    ///
    /// # Errors
    /// When the change cannot be made or planned; a change that the API server refuses has a plan that says so.
    pub fn of_change(
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
            let way_round = stored
                .filter(|_| change.delete.is_none() && is_way_round(&outcome.refused))
                .and_then(|stored| way_round(stored, change, around, conditions));
            let plan = Plan::rejected(base, conditions.clone(), changes, outcome.refused)
                .taking_for_granted(outcome.not_checked);
            return Ok(planned(Plan { way_round, ..plan }));
        }
        if change.delete.is_some() {
            if has_finalizers(&base) {
                return Err(PlanError::Finalizers);
            }
            let plan = performed(change, base, outcome.changes, Some(changed), conditions)
                .taking_for_granted(outcome.not_checked);
            return Ok(planned(Plan {
                dropped: outcome.dropped,
                ..plan
            }));
        }
        let status = match stored {
            Some(stored) => Arc::clone(&stored.status),
            None => Arc::new(status),
        };
        // The claims that a snapshot holds are those of the claim templates, which cannot change.
        let snapshot = Snapshot {
            set: changed,
            status,
            ..base
        };
        let plan = performed(change, snapshot, outcome.changes, None, conditions)
            .taking_for_granted(outcome.not_checked);
        Ok(planned(Plan {
            dropped: outcome.dropped,
            ownership,
            ..plan
        }))
    }
}

/// The plan of a set whose fields stay as they are.
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

/// The assumptions on percentages that the API does not take, in sentences.
fn shares(change: &Change<'_>, set: &Set) -> Vec<String> {
    let shares = change.edits.iter().filter_map(|edit| match edit {
        Edit::PartitionShare(percent) => {
            let partition = partition_of(*percent, i64::from(set.replicas));
            Some(format!(
                "partition {percent}% is {partition} of {} replicas: rounded down, and at least 1, as maxUnavailable is; \
                 the API takes a number only",
                set.replicas
            ))
        }
        _ => None,
    });
    shares.collect()
}

/// The managers of what a change sets, and of what it leaves behind.
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

/// Without managedFields nobody owns anything, which is how kubectl shows a set unless it is asked for them.
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

/// Returns the API server's outcome for the requested set: simulated, or from the verdict of a live server.
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

/// The plan after all requested changes, with the list of them.
fn performed(
    change: &Change<'_>,
    snapshot: Snapshot,
    changes: Vec<FieldChange>,
    replacement: Option<Arc<Set>>,
    conditions: &Conditions,
) -> Plan {
    let mut listed = deletions(change, &snapshot);
    listed.extend(changes);
    // A claim goes with its pod if both are deleted, so that it comes first.
    let mut actions: Vec<Action> = deleted_claims(change, &snapshot)
        .map(|claim| Action::ReleaseClaim(Arc::clone(&claim.meta.name)))
        .collect();
    let pods = deleted_pods(change, &snapshot);
    actions.extend(pods.map(|pod| Action::DeletePod(Arc::clone(&pod.meta.name))));
    actions.extend(change.actions.iter().cloned());
    let mut told = told_of_claims(change, &snapshot, conditions);
    told.extend(grow::assumed_of(
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
            .taking_for_granted(told)
    }
}
