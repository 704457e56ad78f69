//! What a plan looks like to a program: contract section 6. The only structs that are serialized for output;
//! every format is made from them.

mod set;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::change::FieldChange;
use crate::check;
use crate::controller::{Event, Hold, Sync, Write, has_available_replicas};
use crate::explain;
use crate::plan::{Obstacle, Outcome, Plan};
use crate::simulate::{Action, Step, StepWrite};
use crate::snapshot::{PodManagement, Snapshot};
use crate::validate::Refused;

pub use set::{Fate, ReportSet, SetPod};

/// The version of the output.
pub const API_VERSION: &str = "sts-plan/v1";

/// One plan.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// `sts-plan/v1`.
    pub api_version: &'static str,
    /// `Plan`.
    pub kind: &'static str,
    /// Which set it is of.
    pub metadata: Metadata,
    /// The set as it is at the beginning.
    pub set: ReportSet,
    /// Which controller it is of.
    pub kubernetes: Kubernetes,
    /// When it begins, RFC 3339.
    pub now: String,
    /// What is changed, and what each change leads to.
    pub change: Vec<Change>,
    /// The very next sync.
    pub next: NextSync,
    /// Everything that follows, in order.
    pub steps: Vec<ReportStep>,
    /// How it ends.
    pub outcome: ReportOutcome,
    /// What is worth knowing besides.
    pub findings: Vec<Finding>,
    /// What was assumed, in sentences.
    pub assumptions: Vec<String>,
    /// The whole in one line.
    pub summary: String,
}

/// Several plans.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportList<'r> {
    /// `sts-plan/v1`.
    pub api_version: &'static str,
    /// `PlanList`.
    pub kind: &'static str,
    /// The plans, by namespace and name.
    pub items: &'r [Report],
}

impl<'r> ReportList<'r> {
    /// A list of plans.
    #[must_use]
    pub fn new(items: &'r [Report]) -> Self {
        ReportList {
            api_version: API_VERSION,
            kind: "PlanList",
            items,
        }
    }
}

/// Which set a plan is of.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The set's namespace.
    pub namespace: String,
    /// The set's name.
    pub name: String,
    /// The set's uid; absent when the set was never stored.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The resourceVersion that was read; absent when the set was never stored.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
}

/// Which controller a plan is of.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Kubernetes {
    /// `1.36`, or a patch of it.
    pub version: String,
    /// `flag`, `server` or `default`.
    pub source: &'static str,
    /// The gates that StatefulSet code consults in that version, with their values.
    pub feature_gates: BTreeMap<&'static str, bool>,
    /// Those of them that were set by hand; absent when none was.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub feature_gates_set: BTreeMap<&'static str, bool>,
}

/// One changed field.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Where: `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The value before; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Value>,
    /// The value after; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
    /// `rollout`, `scale`, `none` or `rejected`.
    pub effect: &'static str,
}

/// One sync in full.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextSync {
    /// What happens next in one sentence, or why nothing does.
    pub summary: String,
    /// Whether the writes run concurrently in reality; absent when they do not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// The requests, in order.
    pub writes: Vec<NextWrite>,
    /// The events on the set, in order.
    pub events: Vec<ReportEvent>,
    /// Where and why the sync stops or skips.
    pub holds: Vec<ReportHold>,
    /// The error that it ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// After how many seconds the controller wants to look again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requeue_after_seconds: Option<i64>,
    /// The set's status after it.
    pub status: Value,
}

/// One request in full.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextWrite {
    /// `create`, `update`, `patch` or `delete`.
    pub verb: &'static str,
    /// `pods`, `persistentvolumeclaims`, `controllerrevisions` or `statefulsets/status`.
    pub resource: &'static str,
    /// The object's name.
    pub name: String,
    /// The whole object that a create or update sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Value>,
    /// The body that a patch sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<Value>,
    /// Why the API server refuses, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
}

/// An event that the controller records.
#[derive(Debug, Clone, Serialize)]
pub struct ReportEvent {
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Such as `SuccessfulCreate`.
    pub reason: &'static str,
    /// The message, word for word.
    pub message: String,
}

/// Where and why a sync stops or skips.
#[derive(Debug, Clone, Serialize)]
pub struct ReportHold {
    /// One of the contract's reasons.
    pub reason: &'static str,
    /// The pod that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// One sentence.
    pub message: String,
}

/// One thing that happens.
#[derive(Debug, Clone, Serialize)]
pub struct ReportStep {
    /// Whole seconds since the beginning.
    pub at: i64,
    /// `controller`, `kubelet`, `clock` or `garbage-collector`.
    pub actor: &'static str,
    /// What happens to a pod or claim by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<&'static str>,
    /// To which pod or claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the writes run concurrently in reality; absent when they do not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// What a sync of the controller writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<ReportWrite>>,
}

/// One request, as a step has it.
#[derive(Debug, Clone, Serialize)]
pub struct ReportWrite {
    /// `create`, `update`, `patch` or `delete`.
    pub verb: &'static str,
    /// `pods`, `persistentvolumeclaims`, `controllerrevisions` or `statefulsets/status`.
    pub resource: &'static str,
    /// The object's name.
    pub name: String,
    /// The revision of a pod that is created or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Why the API server refuses, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
}

/// How a plan ends.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportOutcome {
    /// `complete`, `blocked`, `rejected` or `livelock`.
    pub result: &'static str,
    /// Whole seconds from the beginning to the end.
    pub at: i64,
    /// How many syncs there are, those that change nothing included.
    pub syncs: usize,
    /// What keeps the set from getting where it should; empty unless blocked or rejected.
    pub blocked_by: Vec<ReportObstacle>,
    /// The set's status at the end.
    pub status: Value,
    /// The set's pods at the end, by name.
    pub pods: Vec<ReportPod>,
    /// The names of the set's claims at the end.
    pub claims: Vec<String>,
}

/// What keeps a set from getting where it should.
#[derive(Debug, Clone, Serialize)]
pub struct ReportObstacle {
    /// One of the contract's reasons for a hold, or `Error`.
    pub reason: &'static str,
    /// The pod that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// One sentence.
    pub message: String,
    /// Commands that help, the smallest first.
    pub remedy: Vec<String>,
}

/// A pod at the end.
#[derive(Debug, Clone, Serialize)]
pub struct ReportPod {
    /// Its name.
    pub name: String,
    /// Its revision; empty when it carries none.
    pub revision: String,
    /// Whether it is running and ready.
    pub ready: bool,
}

/// Something worth knowing.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Its stable id, such as `STS001`.
    pub id: &'static str,
    /// `info`, `warning` or `error`.
    pub severity: &'static str,
    /// One line.
    pub message: String,
    /// The object that it is about.
    pub object: String,
    /// Where to read on.
    pub docs: String,
}

impl Report {
    /// The report of a plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Report::build(plan, next_write)
    }

    /// The report of a plan for a format that shows no objects: without those of the next sync, which are most
    /// of a report when many pods are made at once.
    #[must_use]
    pub fn without_objects(plan: &Plan) -> Self {
        Report::build(plan, bare_write)
    }

    fn build(plan: &Plan, next_write: fn(&Write) -> NextWrite) -> Self {
        let set = &plan.snapshot.set;
        let conditions = &plan.conditions;
        let concurrent = set.pod_management == PodManagement::Parallel;
        Report {
            api_version: API_VERSION,
            kind: "Plan",
            metadata: Metadata {
                namespace: set.meta.namespace.to_string(),
                name: set.meta.name.to_string(),
                uid: set.meta.uid.to_string(),
                resource_version: set.meta.resource_version.to_string(),
            },
            set: ReportSet::new(plan),
            kubernetes: Kubernetes {
                version: conditions.rules.version.to_string(),
                source: conditions.version_source.name(),
                feature_gates: conditions.gates.values().clone(),
                feature_gates_set: conditions
                    .gates
                    .values()
                    .iter()
                    .filter(|(name, _)| conditions.gates.overridden(name).is_some())
                    .map(|(name, value)| (*name, *value))
                    .collect(),
            },
            now: conditions.now.to_string(),
            change: plan.change.iter().map(report_change).collect(),
            next: next_sync(plan, &plan.next, concurrent, next_write),
            steps: plan
                .progression
                .steps
                .iter()
                .map(|step| report_step(plan, step, concurrent))
                .collect(),
            outcome: outcome(plan),
            findings: check::findings(plan).into_iter().map(finding).collect(),
            assumptions: plan.assumptions.clone(),
            summary: explain::summary(plan),
        }
    }
}

fn finding(found: check::Finding) -> Finding {
    Finding {
        id: found.id,
        severity: found.severity.name(),
        message: found.message,
        object: found.object,
        docs: found.docs.to_owned(),
    }
}

fn next_sync(
    plan: &Plan,
    sync: &Sync,
    concurrent: bool,
    next_write: fn(&Write) -> NextWrite,
) -> NextSync {
    let status = &sync.status;
    NextSync {
        summary: explain::headline(plan),
        concurrent: concurrent && sync.writes.len() > 1,
        writes: sync.writes.iter().map(next_write).collect(),
        events: sync.events.iter().map(report_event).collect(),
        holds: sync
            .holds
            .iter()
            .map(|hold| report_hold(plan, hold))
            .collect(),
        error: sync.error.as_ref().map(ToString::to_string),
        requeue_after_seconds: sync.requeue_after,
        status: status.to_json(has_available_replicas(status, &plan.conditions.rules)),
    }
}

fn next_write(write: &Write) -> NextWrite {
    NextWrite {
        object: write.object(),
        ..bare_write(write)
    }
}

/// A request without its object.
fn bare_write(write: &Write) -> NextWrite {
    NextWrite {
        verb: write.verb.name(),
        resource: write.resource.name(),
        name: write.name.to_string(),
        object: None,
        patch: write.patch(),
        error: write.refused.as_ref().map(|refusal| refusal.name()),
    }
}

fn report_event(event: &Event) -> ReportEvent {
    ReportEvent {
        kind: event.kind(),
        reason: event.reason,
        message: event.message.clone(),
    }
}

fn report_hold(plan: &Plan, hold: &Hold) -> ReportHold {
    ReportHold {
        reason: hold.reason(),
        pod: hold.pod().map(|pod| pod.meta.name.to_string()),
        message: explain::hold(hold, &plan.snapshot),
    }
}

fn report_step(plan: &Plan, step: &Step, concurrent: bool) -> ReportStep {
    let blank = ReportStep {
        at: step.at.duration_since(plan.conditions.now).as_secs(),
        actor: step.action.actor(),
        event: None,
        name: None,
        concurrent: false,
        writes: None,
    };
    match &step.action {
        Action::Controller(writes) => ReportStep {
            concurrent: concurrent && writes.len() > 1,
            writes: Some(writes.iter().map(report_write).collect()),
            ..blank
        },
        Action::Pod(event, pod) => ReportStep {
            event: Some(event.name()),
            name: Some(pod.to_string()),
            ..blank
        },
        Action::ClaimRemoved(claim) => ReportStep {
            event: Some("ClaimRemoved"),
            name: Some(claim.to_string()),
            ..blank
        },
    }
}

fn report_write(write: &StepWrite) -> ReportWrite {
    ReportWrite {
        verb: write.verb.name(),
        resource: write.resource.name(),
        name: write.name.to_string(),
        revision: write.revision.as_ref().map(ToString::to_string),
        error: write.refused.as_ref().map(|refusal| refusal.name()),
    }
}

fn outcome(plan: &Plan) -> ReportOutcome {
    let end = plan.progression.world.snapshot();
    let blocked_by = match &plan.outcome {
        Outcome::Blocked(obstacles) => obstacles
            .iter()
            .map(|obstacle| report_obstacle(obstacle, end))
            .collect(),
        Outcome::Rejected(refused) => {
            let mut told = BTreeSet::new();
            let reports = refused
                .iter()
                .map(|refused| report_refusal(refused, end, &mut told));
            reports.collect()
        }
        Outcome::Complete | Outcome::Livelock => Vec::new(),
    };
    let status = &end.status;
    ReportOutcome {
        result: plan.outcome.name(),
        at: plan.duration().as_secs(),
        syncs: plan.progression.syncs,
        blocked_by,
        status: status.to_json(has_available_replicas(status, &plan.conditions.rules)),
        pods: plan
            .final_pods()
            .map(|pod| ReportPod {
                name: pod.meta.name.to_string(),
                revision: pod.revision.to_string(),
                ready: pod.is_running_and_ready(),
            })
            .collect(),
        claims: end.claims.keys().map(ToString::to_string).collect(),
    }
}

fn report_obstacle(obstacle: &Obstacle, end: &Snapshot) -> ReportObstacle {
    let (reason, pod, message) = explain::obstacle(obstacle, end);
    ReportObstacle {
        reason,
        pod: pod.map(|pod| pod.to_string()),
        message,
        remedy: explain::look_into(obstacle, end),
    }
}

/// A refusal; commands that an earlier one tells already are not told again.
fn report_refusal(
    refused: &Refused,
    end: &Snapshot,
    told: &mut BTreeSet<String>,
) -> ReportObstacle {
    let remedy = explain::way_round(refused, end);
    ReportObstacle {
        reason: refused.kind.name(),
        pod: None,
        message: explain::refusal(refused),
        remedy: remedy
            .into_iter()
            .filter(|command| told.insert(command.clone()))
            .collect(),
    }
}

fn report_change(change: &FieldChange) -> Change {
    Change {
        path: change.path.clone(),
        old: change.old.clone(),
        new: change.new.clone(),
        effect: change.effect.name(),
    }
}
