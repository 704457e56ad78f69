//! Everything that follows, step by step.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::name;
use crate::plan::Plan;
pub use sts_controller::controller::DeleteReason;
use sts_controller::controller::{Refusal, RefusalReason, Resource, Verb};
use sts_controller::name::UnknownName;
use sts_controller::simulate::{Actor, ObjectEvent, PodEvent, Step, StepAction, StepWrite};

/// One thing that happens.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportStep {
    /// Whole seconds since the beginning.
    pub at: i64,
    /// `controller`, `kubelet`, `clock` or `garbage-collector`; `user` for what the change itself deletes or
    /// creates, `eviction-api` for a drain, `node-lifecycle` for a node that does not answer, and `api-server` for the
    /// end of a set that nothing keeps.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub actor: Actor,
    /// The event that happens to an object by another hand than the controller's: `PodRemoved`, `PodReady`,
    /// `PodFailed`, `PodAvailable` or `ClaimRemoved`; with a deletion also `PodDeleted` (it begins to terminate), `PodNotReady` (its node does not answer),
    /// `ClaimDeleted` (it stays as long as a pod uses it), `RevisionRemoved`, `SetDeleted`, `SetRemoved` and
    /// `SetCreated`, and `PodOrphaned`, `ClaimOrphaned` and `RevisionOrphaned` for what loses its reference to the set
    /// and stays; `ClaimResizing` (it asks for more storage) and `ClaimResized` (it has it).
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub event: Option<StepEvent>,
    /// To which object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// True if the writes run concurrently in reality; absent when they do not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// The writes of a sync of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<ReportWrite>>,
}

/// An event that happens to an object by another hand than the controller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEvent {
    /// To a pod, by itself.
    Pod(PodEvent),
    /// A claim goes with its last owner.
    ClaimRemoved,
    /// To an object, by a request or the garbage collector.
    Object(ObjectEvent),
}

impl fmt::Display for StepEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepEvent::Pod(event) => event.fmt(out),
            StepEvent::ClaimRemoved => out.write_str("ClaimRemoved"),
            StepEvent::Object(event) => event.fmt(out),
        }
    }
}

/// One request, as a step has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportWrite {
    /// `create`, `update`, `patch` or `delete`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["create", "update", "patch", "delete"])))]
    pub verb: Verb,
    /// `pods`, `persistentvolumeclaims`, `controllerrevisions` or `statefulsets/status`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub resource: Resource,
    /// The object's name.
    pub name: Arc<str>,
    /// The revision of a pod that is created or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Arc<str>>,
    /// The reason that the API server refuses it, where it does.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub error: Option<RefusalReason>,
    /// The reason that the controller deletes it, for formats that tell it in words.
    #[serde(skip)]
    pub reason: Option<DeleteReason>,
}

impl FromStr for StepEvent {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        if name == StepEvent::ClaimRemoved.to_string() {
            return Ok(StepEvent::ClaimRemoved);
        }
        let of_pod = name.parse().map(StepEvent::Pod);
        of_pod.or_else(|_| name.parse().map(StepEvent::Object))
    }
}

pub(super) fn report_step(plan: &Plan, step: &Step, concurrent: bool) -> ReportStep {
    let blank = ReportStep {
        at: step.at.duration_since(plan.conditions.now).as_secs(),
        actor: step.action.actor(),
        event: None,
        name: None,
        concurrent: false,
        writes: None,
    };
    match &step.action {
        StepAction::Controller(writes) => ReportStep {
            concurrent: concurrent && writes.len() > 1,
            writes: Some(writes.iter().map(report_write).collect()),
            ..blank
        },
        StepAction::Pod(event, pod) => ReportStep {
            event: Some(StepEvent::Pod(*event)),
            name: Some(Arc::clone(pod)),
            ..blank
        },
        StepAction::ClaimRemoved(claim) => ReportStep {
            event: Some(StepEvent::ClaimRemoved),
            name: Some(Arc::clone(claim)),
            ..blank
        },
        StepAction::Object(_, event, name) => ReportStep {
            event: Some(StepEvent::Object(*event)),
            name: Some(Arc::clone(name)),
            ..blank
        },
    }
}

fn report_write(write: &StepWrite) -> ReportWrite {
    ReportWrite {
        verb: write.verb,
        resource: write.resource,
        name: Arc::clone(&write.name),
        revision: write.revision.clone(),
        error: write.refused.as_ref().map(Refusal::reason),
        reason: write.reason,
    }
}
