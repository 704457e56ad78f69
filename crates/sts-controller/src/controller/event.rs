//! Events on the set, word for word: docs/semantics.md, appendix B.

use std::fmt;

use crate::object::{Meta, Set};
use crate::version::Behaviour;

/// An event that the controller records on the set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Whether it is of type `Warning`.
    pub warning: bool,
    /// Its reason, such as `SuccessfulCreate`.
    pub reason: &'static str,
    /// Its message.
    pub message: String,
}

impl Event {
    /// `Normal` or `Warning`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.warning { "Warning" } else { "Normal" }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.kind(), self.reason, self.message)
    }
}

/// What an event is about.
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

    fn reason(self, failed: bool) -> &'static str {
        match (self, failed) {
            (Action::Create, false) => "SuccessfulCreate",
            (Action::Create, true) => "FailedCreate",
            (Action::Update, false) => "SuccessfulUpdate",
            (Action::Update, true) => "FailedUpdate",
            (Action::Delete, false) => "SuccessfulDelete",
            (Action::Delete, true) => "FailedDelete",
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

/// Where the feature gate of the strategy `Recreate` is off.
pub(super) fn of_refused_recreate(set: &Set) -> Event {
    let (namespace, name) = (&set.meta.namespace, &set.meta.name);
    Event {
        warning: true,
        reason: "UnknownStrategy",
        message: format!(
            "statefulset {namespace}/{name} uses Recreate strategy but feature gate \
             StatefulSetRecreateStrategy is disabled"
        ),
    }
}

/// Before a finished pod is deleted to be recreated in the same sync.
pub(super) fn of_recreation(set: &Set, pod: &Meta, failed: bool) -> Event {
    let (namespace, set, pod) = (&set.meta.namespace, &set.meta.name, &pod.name);
    if failed {
        Event {
            warning: true,
            reason: "RecreatingFailedPod",
            message: format!("StatefulSet {namespace}/{set} is recreating failed Pod {pod}"),
        }
    } else {
        Event {
            warning: false,
            reason: "RecreatingTerminatedPod",
            message: format!("StatefulSet {namespace}/{set} is recreating terminated Pod {pod}"),
        }
    }
}

/// When somebody else manages a claim that the retention policy would be applied to.
pub(super) fn of_conflict(claim: &str) -> Event {
    Event {
        warning: true,
        reason: "ConflictingController",
        message: format!(
            "PersistentVolumeClaim {claim} has a conflicting OwnerReference that acts as a manging \
             controller, the retention policy is ignored for this claim"
        ),
    }
}
