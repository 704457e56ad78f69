//! Enums that are shown by the names of their values.

/// Shows the values of these types by what their `name` says.
macro_rules! display_by_name {
    ($($named:ty),+ $(,)?) => {
        $(
            impl std::fmt::Display for $named {
                fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    out.write_str(self.name())
                }
            }
        )+
    };
}

use crate::apiserver::apply::Effect;
use crate::apiserver::validation::{RefusedKind, Rejection};
use crate::controller::{EventReason, EventType, HoldReason, RefusalReason, Resource, Verb};
use crate::object::{Phase, PodManagement};
use crate::simulate::{Actor, Fault, ObjectEvent, PodEvent};
use crate::version::Gate;

display_by_name!(
    Actor,
    Effect,
    EventReason,
    EventType,
    Fault,
    Gate,
    HoldReason,
    ObjectEvent,
    Phase,
    PodEvent,
    PodManagement,
    RefusalReason,
    RefusedKind,
    Rejection,
    Resource,
    Verb,
);
