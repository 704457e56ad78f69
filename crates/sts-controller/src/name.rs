//! Enums that are displayed and parsed by the names of their values.

use std::fmt;
use std::str::FromStr;

use strum::IntoEnumIterator;
use thiserror::Error;

use crate::apiserver::apply::Effect;
use crate::apiserver::validation::{RefusedKind, Rejection};
use crate::controller::{EventReason, EventType, HoldReason, RefusalReason, Resource, Verb};
use crate::object::{Phase, PodManagement};
use crate::simulate::{Actor, Fault, ObjectEvent, PodEvent};
use crate::version::{Area, Gate, Stage};

/// A name that matches no value of the type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not known to this version of the program")]
pub struct UnknownName(pub String);

/// Finds the value that displays as `name`.
///
/// # Errors
/// When no value of the type has that name.
pub fn value_named<T: IntoEnumIterator + fmt::Display>(name: &str) -> Result<T, UnknownName> {
    let found = T::iter().find(|value| value.to_string() == name);
    found.ok_or_else(|| UnknownName(name.to_owned()))
}

/// Displays the values of these types by their `name`, and parses them from it.
macro_rules! by_name {
    ($($named:ty),+ $(,)?) => {
        $(
            impl fmt::Display for $named {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str(self.name())
                }
            }

            impl FromStr for $named {
                type Err = UnknownName;

                fn from_str(name: &str) -> Result<Self, UnknownName> {
                    value_named(name)
                }
            }
        )+
    };
}

by_name!(
    Actor,
    Area,
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
    Stage,
    Verb,
);
