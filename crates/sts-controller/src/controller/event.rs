//! Events on the set, word for word: docs/semantics.md, appendix B.

use std::fmt;

use crate::object::{Meta, Set};
use crate::version::Behaviour;

/// An event that the controller records on the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// True if it is of type `Warning`.
    pub warning: bool,
    /// Reason.
    pub reason: EventReason,
    /// Message.
    pub message: String,
}

impl Event {
    /// Returns the type.
    #[must_use]
    pub fn kind(&self) -> EventType {
        if self.warning {
            EventType::Warning
        } else {
            EventType::Normal
        }
    }
}

/// The type of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[expect(missing_docs, reason = "they are the API's own types")]
pub enum EventType {
    Normal,
    Warning,
}

/// The reason of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[expect(missing_docs, reason = "they are the controller's own reasons")]
pub enum EventReason {
    SuccessfulCreate,
    FailedCreate,
    SuccessfulUpdate,
    FailedUpdate,
    SuccessfulDelete,
    FailedDelete,
    RecreatingFailedPod,
    RecreatingTerminatedPod,
    ConflictingController,
    UnknownStrategy,
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.kind(), self.reason, self.message)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    Create,
    Update,
    Delete,
}

impl Action {
    fn verb(self, behaviour: &Behaviour) -> &'static str {
        match (self, behaviour.capital_verbs) {
            (Action::Create, true) => "Create",
            (Action::Create, false) => "create",
            (Action::Update, true) => "Update",
            (Action::Update, false) => "update",
            (Action::Delete, true) => "Delete",
            (Action::Delete, false) => "delete",
        }
    }

    fn reason(self, failed: bool) -> EventReason {
        match (self, failed) {
            (Action::Create, false) => EventReason::SuccessfulCreate,
            (Action::Create, true) => EventReason::FailedCreate,
            (Action::Update, false) => EventReason::SuccessfulUpdate,
            (Action::Update, true) => EventReason::FailedUpdate,
            (Action::Delete, false) => EventReason::SuccessfulDelete,
            (Action::Delete, true) => EventReason::FailedDelete,
        }
    }
}

/// `recordPodEvent`.
pub(super) fn of_pod(
    action: Action,
    set: &Set,
    pod: &Meta,
    error: Option<&str>,
    behaviour: &Behaviour,
) -> Event {
    let what = format!(
        "{} Pod {} in StatefulSet {}",
        action.verb(behaviour),
        pod.name,
        set.meta.name
    );
    Event {
        warning: error.is_some(),
        reason: action.reason(error.is_some()),
        message: match error {
            None => format!("{what} successful"),
            Some(error) => format!("{what} failed error: {error}"),
        },
    }
}

/// `recordClaimEvent`.
pub(super) fn of_claim(
    set: &Set,
    pod: &Meta,
    claim: &str,
    error: Option<&str>,
    behaviour: &Behaviour,
) -> Event {
    let (verb, name, set) = (Action::Create.verb(behaviour), &pod.name, &set.meta.name);
    Event {
        warning: error.is_some(),
        reason: Action::Create.reason(error.is_some()),
        message: match error {
            None => format!("{verb} Claim {claim} Pod {name} in StatefulSet {set} success"),
            Some(error) => format!(
                "{verb} Claim {claim} for Pod {name} in StatefulSet {set} failed error: {error}"
            ),
        },
    }
}

/// Returns the event for a set with the strategy `Recreate` while its feature gate is off.
pub(super) fn of_refused_recreate(set: &Set) -> Event {
    let (namespace, name) = (&set.meta.namespace, &set.meta.name);
    Event {
        warning: true,
        reason: EventReason::UnknownStrategy,
        message: format!(
            "statefulset {namespace}/{name} uses Recreate strategy but feature gate \
             StatefulSetRecreateStrategy is disabled"
        ),
    }
}

/// Returns the event before a finished pod is deleted to be recreated in the same sync.
pub(super) fn of_recreation(set: &Set, pod: &Meta, failed: bool) -> Event {
    let (namespace, set, pod) = (&set.meta.namespace, &set.meta.name, &pod.name);
    if failed {
        Event {
            warning: true,
            reason: EventReason::RecreatingFailedPod,
            message: format!("StatefulSet {namespace}/{set} is recreating failed Pod {pod}"),
        }
    } else {
        Event {
            warning: false,
            reason: EventReason::RecreatingTerminatedPod,
            message: format!("StatefulSet {namespace}/{set} is recreating terminated Pod {pod}"),
        }
    }
}

/// Returns the event for a claim under the retention policy that another controller manages.
pub(super) fn of_conflict(claim: &str) -> Event {
    Event {
        warning: true,
        reason: EventReason::ConflictingController,
        message: format!(
            "PersistentVolumeClaim {claim} has a conflicting OwnerReference that acts as a manging \
             controller, the retention policy is ignored for this claim"
        ),
    }
}
