//! Requests of a sync, and the interface of the API server that answers them.

use std::sync::Arc;

use serde_json::{Value, json};
use thiserror::Error;

use crate::object::{Claim, OwnerReference, Phase, Pod, Revision, Status};

/// One request of the controller.
#[derive(Debug, Clone)]
pub struct Write {
    /// The verb.
    pub verb: Verb,
    /// The resource of the object.
    pub resource: Resource,
    /// The object's name.
    pub name: Arc<str>,
    /// The body.
    pub body: Body,
    /// Reason for a delete; `None` for every other verb.
    pub reason: Option<DeleteReason>,
    /// The pod that a claim is created for; `None` for every other request.
    pub claimed_by: Option<Arc<Pod>>,
    /// Refusal by the API server, if any.
    pub refused: Option<Refusal>,
}

/// Reason that the controller deletes an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
pub enum DeleteReason {
    /// The pod's ordinal is out of range.
    ScaledDown,
    /// The pod does not have the update revision.
    Outdated,
    /// The pod is in phase `Failed`, and is recreated.
    Failed,
    /// The pod is in phase `Succeeded`, and is recreated.
    Succeeded,
    /// The revision is unused, and beyond `spec.revisionHistoryLimit`.
    HistoryLimit,
}

impl DeleteReason {
    /// Returns the reason for a finished pod that is recreated.
    pub(super) fn of_finished(pod: &Pod) -> Self {
        match pod.phase {
            Phase::Succeeded => DeleteReason::Succeeded,
            _ => DeleteReason::Failed,
        }
    }
}

/// Verb of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "they are the API's own verbs")]
pub enum Verb {
    Create,
    Update,
    Patch,
    Delete,
}

/// The resource of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[expect(missing_docs, reason = "they are the API's own resources")]
pub enum Resource {
    Pods,
    #[strum(serialize = "persistentvolumeclaims")]
    Claims,
    #[strum(serialize = "controllerrevisions")]
    Revisions,
    #[strum(serialize = "statefulsets/status")]
    Status,
}

/// Body of a request.
#[derive(Debug, Clone)]
pub enum Body {
    /// A whole pod; for a delete, the pod as cached.
    Pod(Arc<Pod>),
    /// A whole claim.
    Claim(Arc<Claim>),
    /// A whole revision.
    Revision(Arc<Revision>),
    /// A whole status, and whether it has `availableReplicas`.
    Status(Arc<Status>, bool),
    /// A change of owner references, with the uid of the intended object.
    Owners {
        /// The uid of the object, as a precondition.
        uid: Arc<str>,
        /// The change of the owner references.
        change: OwnerChange,
    },
}

/// A change of owner references.
#[derive(Debug, Clone)]
pub enum OwnerChange {
    /// Adds this owner.
    Adopt(OwnerReference),
    /// Removes the owner with this uid.
    Release(Arc<str>),
}

/// Reason that the API server refuses a request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// An object of that name already exists.
    #[error("{resource} {name:?} already exists")]
    AlreadyExists {
        /// The kind of object.
        resource: &'static str,
        /// Name.
        name: Arc<str>,
    },
    /// No object of that name exists.
    #[error("{resource} {name:?} not found")]
    NotFound {
        /// The kind of object.
        resource: &'static str,
        /// Name.
        name: Arc<str>,
    },
    /// The object has changed since the controller read it. Updates are retried.
    #[error(
        "Operation cannot be fulfilled on {resource} {name:?}: the object has been modified; please apply your \
         changes to the latest version and try again"
    )]
    Conflict {
        /// The kind of object.
        resource: &'static str,
        /// Name.
        name: Arc<str>,
    },
    /// The sent object is invalid, or the change is not allowed.
    #[error("{0}")]
    Invalid(String),
    /// Forbidden by a quota, an admission webhook or a policy.
    #[error("{0}")]
    Forbidden(Arc<str>),
    /// Any other error of the API server, such as a timeout.
    #[error("{message}")]
    Other {
        /// The reason.
        reason: RefusalReason,
        /// The message.
        message: Arc<str>,
    },
}

impl Refusal {
    /// Returns the reason.
    #[must_use]
    pub fn reason(&self) -> RefusalReason {
        match self {
            Refusal::AlreadyExists { .. } => RefusalReason::AlreadyExists,
            Refusal::NotFound { .. } => RefusalReason::NotFound,
            Refusal::Conflict { .. } => RefusalReason::Conflict,
            Refusal::Invalid(_) => RefusalReason::Invalid,
            Refusal::Forbidden(_) => RefusalReason::Forbidden,
            Refusal::Other { reason, .. } => *reason,
        }
    }
}

/// The reason of a refusal: `reason` of the API's `Status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[expect(missing_docs, reason = "they are the API's own reasons")]
pub enum RefusalReason {
    AlreadyExists,
    NotFound,
    Conflict,
    Invalid,
    Forbidden,
    Timeout,
    TooManyRequests,
    InternalError,
    Unknown,
}

/// The server behind the recorder. The algorithm branches on its answers.
pub trait ApiServer {
    /// Accepts or refuses a request. Accepted requests show in later answers of the same sync.
    ///
    /// # Errors
    /// Returns the refusal that a server in this state would send.
    fn submit(&mut self, write: &Write) -> Result<(), Refusal>;

    /// Returns the stored revision of that name, read past every cache.
    fn revision(&self, name: &str) -> Option<Arc<Revision>>;

    /// Reports whether the controller's cache shows a claim to the sync that wrote it. In the recordings, the cache
    /// does not change during a sync.
    fn shows_written_claims(&self) -> bool {
        false
    }
}

impl Write {
    /// Returns the revision of the pod that is created or deleted.
    #[must_use]
    pub fn pod_revision(&self) -> Option<&Arc<str>> {
        match (&self.body, self.verb) {
            (Body::Pod(pod), Verb::Create | Verb::Delete) => Some(&pod.revision),
            _ => None,
        }
    }

    /// Reports whether a whole object is sent. Deletes and patches send none.
    #[must_use]
    pub fn sends_object(&self) -> bool {
        self.verb != Verb::Delete && !matches!(self.body, Body::Owners { .. })
    }

    /// Returns the whole object that is sent, if there is one.
    #[must_use]
    pub fn object(&self) -> Option<Value> {
        if !self.sends_object() {
            return None;
        }
        match &self.body {
            Body::Pod(pod) => Some(pod.to_json()),
            Body::Claim(claim) => Some(claim.to_json()),
            Body::Revision(revision) => Some(revision.to_json()),
            Body::Status(status, available) => Some(status.to_json(*available)),
            Body::Owners { .. } => None,
        }
    }

    /// Returns the body of a patch; `None` for everything else.
    #[must_use]
    pub fn patch(&self) -> Option<Value> {
        let Body::Owners { uid, change } = &self.body else {
            return None;
        };
        let owner = match change {
            OwnerChange::Adopt(owner) => owner.to_json(),
            OwnerChange::Release(owner) => json!({"$patch": "delete", "uid": &**owner}),
        };
        Some(json!({"metadata": {"ownerReferences": [owner], "uid": &**uid}}))
    }
}
