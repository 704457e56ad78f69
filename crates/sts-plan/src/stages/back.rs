//! The simulated rollback from the end of a stage to the state before the first stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Around, ReportTakes};
use crate::change::{Change, FieldValidation, Manifest, ManifestRequest};
use crate::conditions::Conditions;
use crate::explain;
use crate::plan::{Outcome, Plan, PlanResult, pods_of};
use sts_controller::apiserver::apply;
use sts_controller::apiserver::apply::{Edit, FieldChange};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Assumption, Cascade, Start, next_sync};

/// The rollback from the end of a stage.
#[derive(Debug, Clone)]
pub struct WayBack {
    /// Commands of the rollback.
    pub commands: Vec<String>,
    /// Duration and cost.
    pub summary: ReportTakes,
    /// Outcome.
    pub end: WayBackEnd,
    /// Pods to delete manually, because the controller would wait for them.
    pub deleted_pods: Vec<String>,
    /// Number of pods that stay on another revision.
    pub staying_pods: usize,
    /// File with a copy of the set, and the command that creates it before the first stage.
    pub copy: Option<(String, String)>,
    /// True if the update strategy of the stages is kept, because the old one could hold back pods.
    pub keeps_strategy: bool,
}

/// The outcome of a rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayBackEnd {
    /// The set is restored.
    Back,
    /// The rollback does not complete.
    Stops(PlanResult),
}

/// The reason that there is no rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum NoWayBack {
    /// The set is unchanged.
    Unchanged,
    /// There was no set before the first stage.
    NotStored,
    /// The API server refuses the old set, both as an update and as a new set.
    Refused,
}

serialized!(by_name: NoWayBack);

/// Returns the file name of a set's copy.
fn copy_of(set: &str) -> String {
    format!("{set}-before.yaml")
}

/// Returns the rollback from the end of a plan.
pub(super) fn way_back(
    first: Option<&Snapshot>,
    plan: &Plan,
    around: &Around<'_>,
) -> Result<WayBack, NoWayBack> {
    let first = first.ok_or(NoWayBack::NotStored)?;
    let old = first.set.object.open();
    let conditions = conditions(plan);
    let copy = copy_of(&first.set.meta.name);
    let recreated = |delete| {
        let manifest = creatable(&old);
        let conditions = Conditions {
            manifest: Some(Arc::from(&*copy)),
            ..conditions.clone()
        };
        let change = Change {
            manifest: Some(Manifest {
                value: &manifest,
                request: ManifestRequest::Create,
                verdict: None,
            }),
            delete,
            validation: FieldValidation::Ignore,
            ..Change::default()
        };
        let stored = delete.map(|_| plan.predicted().objects());
        tried(stored, &change, &conditions, around)
            .map(|plan| (explain::change_commands(&change, &plan, stored), plan))
    };
    let gone = plan.progression.world.set_is_gone();
    let updated = match gone {
        true => None,
        false => updated(first, plan, &conditions, around)?,
    };
    let (commands, back, deleted_pods, keeps_strategy, is_anew) = match updated {
        Some(it) => (it.commands, it.plan, it.deleted, it.keeps_strategy, false),
        None => {
            let (commands, back) =
                recreated((!gone).then_some(Cascade::Orphan)).ok_or(NoWayBack::Refused)?;
            (commands, back, Vec::new(), false, true)
        }
    };
    Ok(WayBack {
        copy: is_anew.then(|| {
            let command = explain::copy_command(first, &copy);
            (copy, command)
        }),
        commands,
        summary: ReportTakes::of(&back),
        end: match back.outcome.result() {
            PlanResult::Complete => WayBackEnd::Back,
            result => WayBackEnd::Stops(result),
        },
        staying_pods: staying_pods(first, &back),
        deleted_pods,
        keeps_strategy,
    })
}

/// Counts the pods whose revision at the end of a rollback differs from that before the first stage.
fn staying_pods(first: &Snapshot, back: &Plan) -> usize {
    let end = &back.progression.world.snapshot().pods;
    let before = pods_of(first).filter(|pod| !pod.revision.is_empty());
    let stays = before.filter(|pod| {
        let after = end.get(&pod.meta.name);
        after.is_some_and(|after| after.revision != pod.revision)
    });
    stays.count()
}

/// Returns the conditions at the end of a plan.
fn conditions(plan: &Plan) -> Conditions {
    let world = &plan.progression.world;
    let mut conditions = plan.conditions.at(world.now());
    conditions.under_way = match plan.outcome {
        // The change was not made.
        Outcome::Rejected(_) => plan.conditions.under_way.clone(),
        _ => Some(Arc::new(world.under_way())),
    };
    conditions.has_sequel = true;
    for assumption in conditions.assumptions.values_mut() {
        assumption.fails_now = false;
    }
    conditions
}

/// A rollback by an update of the set.
struct Update {
    plan: Plan,
    commands: Vec<String>,
    deleted: Vec<String>,
    keeps_strategy: bool,
}

/// Returns the rollback by an update; `None` if the API server refuses it.
fn updated(
    first: &Snapshot,
    plan: &Plan,
    conditions: &Conditions,
    around: &Around<'_>,
) -> Result<Option<Update>, NoWayBack> {
    let end = plan.predicted().objects();
    let (old, now) = (first.set.object.open(), end.set.object.open());
    let Some(edit) = set_spec(&old["spec"]) else {
        return Ok(None);
    };
    let changes = changed(&now, &edit, conditions);
    if changes.is_empty() {
        return Err(NoWayBack::Unchanged);
    }
    let is_in = |change: &FieldChange, field: &str| change.path.starts_with(field);
    let rolls_back = changes.iter().any(|it| is_in(it, "spec.template"));
    let mut wanted = old["spec"].clone();
    let mut keeps_strategy = false;
    // A partition or OnDelete would hold back the updated pods.
    if rolls_back && let Some(spec) = wanted.as_object_mut() {
        keeps_strategy = changes.iter().any(|it| is_in(it, "spec.updateStrategy"));
        spec.insert(
            "updateStrategy".to_owned(),
            now["spec"]["updateStrategy"].clone(),
        );
    }
    let Some(edit) = set_spec(&wanted) else {
        return Ok(None);
    };
    let fields: Vec<&str> = top_level(&changes, keeps_strategy);
    let commands = explain::restore_commands(&wanted, &fields, end, revision(first, plan));
    let change = Change {
        edits: vec![edit.clone()],
        validation: FieldValidation::Ignore,
        ..Change::default()
    };
    let Some(back) = tried(Some(end), &change, conditions, around) else {
        return Ok(None);
    };
    if back.completes() || !rolls_back {
        return Ok(Some(Update {
            plan: back,
            commands,
            deleted: Vec::new(),
            keeps_strategy,
        }));
    }
    // The controller waits for a pod that never becomes ready until it is deleted manually.
    let (deleted, conditions) = without_stuck(plan, conditions);
    let change = Change {
        edits: vec![edit],
        validation: FieldValidation::Ignore,
        deleted_pods: &deleted,
        ..Change::default()
    };
    let forced = tried(Some(end), &change, &conditions, around);
    Ok(Some(match forced {
        Some(forced) if forced.completes() => {
            let mut commands = commands;
            commands.extend(explain::delete_pods(&deleted, end));
            Update {
                plan: forced,
                commands,
                deleted,
                keeps_strategy,
            }
        }
        _ => Update {
            plan: back,
            commands,
            deleted: Vec::new(),
            keeps_strategy,
        },
    }))
}

/// Returns the number of the set's initial revision, if it exists at the end of a plan.
fn revision(first: &Snapshot, plan: &Plan) -> Option<i64> {
    let conditions = &plan.conditions;
    let status = next_sync(first, conditions.now, &conditions.behaviour).status;
    let end = plan.predicted().objects();
    let found = end.revisions.get(&status.update_revision)?;
    Some(found.number)
}

/// Returns the pods that are not ready at the end of a plan, with conditions under which only their revision is broken.
fn without_stuck(plan: &Plan, conditions: &Conditions) -> (Vec<String>, Conditions) {
    let mut conditions = conditions.clone();
    let mut deleted = Vec::new();
    let snapshot = plan.predicted().objects();
    for pod in pods_of(snapshot) {
        let ended = pod.phase.has_ended();
        if pod.is_terminating() || pod.is_running_and_ready() || ended {
            continue;
        }
        let name = pod.meta.name.to_string();
        let assumed = conditions
            .assumptions
            .entry(name.clone())
            .or_insert(Assumption {
                keeps_foreseen: true,
                ..Assumption::default()
            });
        if assumed.start == Start::NeverReady {
            assumed.start = Start::Ready;
        }
        assumed.broken_on = Some(Arc::clone(&pod.revision));
        deleted.push(name);
    }
    (deleted, conditions)
}

/// Returns the plan of a change, if the API server accepts it.
fn tried(
    stored: Option<&Snapshot>,
    change: &Change<'_>,
    conditions: &Conditions,
    around: &Around<'_>,
) -> Option<Plan> {
    let planned = Plan::of_change(stored, change, around, conditions).ok()?;
    let is_accepted = !matches!(planned.plan.outcome, Outcome::Rejected(_));
    is_accepted.then_some(planned.plan)
}

fn set_spec(spec: &Value) -> Option<Edit> {
    let path = "spec".parse().ok()?;
    Some(Edit::Set {
        path,
        value: spec.clone(),
    })
}

/// The fields that an edit changes, as the API server sees them.
fn changed(now: &Value, edit: &Edit, conditions: &Conditions) -> Vec<FieldChange> {
    let request = apply::Request {
        manifest: None,
        edits: vec![edit.clone()],
    };
    let outcome = apply::change(Some(now), &request, &conditions.behaviour);
    outcome.map_or_else(|_| Vec::new(), |outcome| outcome.changes)
}

/// Returns the changed members of the spec.
fn top_level(changes: &[FieldChange], keeps_strategy: bool) -> Vec<&str> {
    let members = changes.iter().filter_map(|change| {
        let rest = change.path.strip_prefix("spec.")?;
        rest.split(['.', '[']).next()
    });
    let mut members: Vec<&str> = members
        .filter(|member| !(keeps_strategy && *member == "updateStrategy"))
        .collect();
    members.dedup();
    members
}

/// Returns a set without the fields that prevent its creation.
pub(crate) fn creatable(old: &Value) -> Value {
    let mut set = old.clone();
    if let Some(set) = set.as_object_mut() {
        set.remove("status");
    }
    if let Some(metadata) = set["metadata"].as_object_mut() {
        for field in [
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "managedFields",
            "selfLink",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
        ] {
            metadata.remove(field);
        }
    }
    if set["metadata"].is_null() {
        set["metadata"] = json!({});
    }
    set
}
