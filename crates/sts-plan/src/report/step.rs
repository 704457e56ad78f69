//! Steps of a plan.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::plan::Plan;
pub use sts_controller::controller::DeleteReason;
use sts_controller::controller::{Refusal, RefusalReason, Resource, Verb};
use sts_controller::name::UnknownName;
use sts_controller::simulate::{Actor, ObjectEvent, PodEvent, Step, StepAction, StepWrite};

/// Step of a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportStep {
    /// Whole seconds since the start.
    pub at: i64,
    /// `controller`, `kubelet`, `clock` or `garbage-collector`; `user` for objects that the change itself
    /// deletes or creates; `eviction-api` for a drain; `node-lifecycle` for an unresponsive node; `api-server`
    /// for the removal of a set without finalizers.
    #[cfg_attr(test, schemars(with = "String"))]
    pub actor: Actor,
    /// Event on an object that the controller does not cause: `PodRemoved`, `PodReady`, `PodFailed`,
    /// `PodAvailable` or `ClaimRemoved`. Deletions add `PodDeleted` (termination begins), `ClaimDeleted` (the
    /// claim remains while a pod uses it), `RevisionRemoved`, `SetDeleted`, `SetRemoved` and `SetCreated`.
    /// Objects that lose their reference to the set and remain have `PodOrphaned`, `ClaimOrphaned` and
    /// `RevisionOrphaned`. An unresponsive node causes `PodNotReady`. Resizing adds `ClaimResizing` (more
    /// storage is requested) and `ClaimResized` (the resize is complete).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<StepEvent>,
    /// Object of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// True if the real controller sends the writes concurrently; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub concurrent: bool,
    /// Writes of a sync.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<ReportWrite>>,
}

/// Event on an object that the controller does not cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEvent {
    /// Event on a pod without a request.
    Pod(PodEvent),
    /// Removal of a claim with its last owner.
    ClaimRemoved,
    /// Event on an object caused by a request or the garbage collector.
    Object(ObjectEvent),
}

serialized!(serde_by_text: StepEvent);

impl fmt::Display for StepEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepEvent::Pod(event) => event.fmt(out),
            StepEvent::ClaimRemoved => out.write_str("ClaimRemoved"),
            StepEvent::Object(event) => event.fmt(out),
        }
    }
}

/// Request of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportWrite {
    /// `create`, `update`, `patch` or `delete`.
    #[cfg_attr(test, schemars(with = "String", extend("enum" = ["create", "update", "patch", "delete"])))]
    pub verb: Verb,
    /// `pods`, `persistentvolumeclaims`, `controllerrevisions` or `statefulsets/status`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub resource: Resource,
    /// Object name.
    pub name: Arc<str>,
    /// Revision of the created or deleted pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Arc<str>>,
    /// Reason for the API server's refusal; absent when it accepts the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub error: Option<RefusalReason>,
    /// Reason for the deletion, for formats that describe it.
    #[serde(skip)]
    pub reason: Option<DeleteReason>,
}

impl ReportWrite {
    /// Reports whether the API server refuses the request.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.error.is_some()
    }
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
