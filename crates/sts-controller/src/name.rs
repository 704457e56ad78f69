//! Enums that are displayed, parsed and serialized by the names of their values.

use std::fmt;

use strum::IntoEnumIterator;
use thiserror::Error;

use crate::apiserver::apply::Effect;
use crate::apiserver::validation::{RefusedKind, Rejection};
use crate::controller::{
    DeleteReason, EventReason, EventType, HoldReason, RefusalReason, Resource, Verb,
};
use crate::object::{Phase, PodManagement, RelatedKind};
use crate::simulate::{Actor, End, Fault, ObjectEvent, PodEvent};
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

/// Adds the method `name` to enums whose names strum knows.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($($named:ty),+ $(,)?) => {$(
        impl $named {
            /// Returns the name in the output or the API.
            #[must_use]
            pub fn name(self) -> &'static str {
                self.into()
            }
        }
    )+};
}

/// Displays, parses and serializes the values of enums by the names that strum knows.
#[doc(hidden)]
#[macro_export]
macro_rules! by_name {
    ($($named:ty),+ $(,)?) => {
        $crate::named!($($named),+);
        $crate::text_by_name!($($named),+);
    };
}

/// Displays, parses and serializes the values of enums by their method `name`.
#[doc(hidden)]
#[macro_export]
macro_rules! text_by_name {
    ($($named:ty),+ $(,)?) => {
        $(
            impl std::fmt::Display for $named {
                fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    out.write_str(self.name())
                }
            }

            impl std::str::FromStr for $named {
                type Err = $crate::name::UnknownName;

                fn from_str(name: &str) -> Result<Self, Self::Err> {
                    $crate::name::value_named(name)
                }
            }
        )+
        $crate::serde_by_text!($($named),+);
    };
}

by_name!(
    Actor,
    Area,
    DeleteReason,
    Effect,
    End,
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
    RelatedKind,
    Resource,
    Stage,
    Verb,
);
