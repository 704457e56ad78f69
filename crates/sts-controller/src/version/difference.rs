//! The table of differences between versions: for each, its value in a version, and the statements about it.

use super::Behaviour;
use crate::object::Set;

/// The part of Kubernetes that differs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Area {
    /// The controller: order of creates and deletes, status, revisions.
    Controller,
    /// Values that the API server defaults.
    Defaults,
    /// Values that the API server rejects.
    Refusals,
    /// The wording of the API server's errors and warnings.
    Words,
}

/// One difference between versions.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The part of Kubernetes.
    pub area: Area,
    /// The behavior of the versions in which the row holds.
    pub what: &'static str,
    /// The source file of Kubernetes or Go with the decision.
    pub source: &'static str,
    pub(super) holds: fn(&Behaviour) -> bool,
    /// Condition for the sets that the row concerns; `None` for all sets.
    pub(super) concerns: Option<fn(&Set) -> bool>,
}

/// Declares a struct of differences. Each field has its value in a version, and rows for `versions --diff`: the area,
/// the source, and the statement, which is also its documentation. A row of a `bool` holds if the field is true.
macro_rules! differences {
    (
        $(#[$about:meta])*
        $name:ident($($argument:ident: $argument_type:ty),*) in $part:expr;
        $(
            $(#[$doc:meta])*
            $field:ident: $type:ty = $value:expr
            $(=> $area:ident in $source:ident: $what:literal $(if $holds:expr)? $(, of $concerns:expr)?)*;
        )*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name {
            $(
                $(#[doc = $what])*
                $(#[$doc])*
                pub $field: $type,
            )*
        }

        impl $name {
            /// The statements about the differences.
            pub(super) const ROWS: &[$crate::version::Row] = &[$($($crate::version::Row {
                area: $crate::version::Area::$area,
                what: $what,
                source: $source,
                holds: |behaviour| {
                    let part: fn(&$crate::version::Behaviour) -> &$name = $part;
                    let holds: fn(&$name) -> bool = differences!(@holds $field $($holds)?);
                    holds(part(behaviour))
                },
                concerns: differences!(@concerns $($concerns)?),
            },)*)*];

            fn with($($argument: $argument_type),*) -> Self {
                $name { $($field: $value,)* }
            }
        }
    };
    (@holds $field:ident) => { |it| it.$field };
    (@holds $field:ident $holds:expr) => { $holds };
    (@concerns) => { None };
    (@concerns $concerns:expr) => { Some($concerns) };
}

pub(super) use differences;

impl Row {
    /// Reports whether the row concerns this set in particular: the set has the field in question.
    #[must_use]
    pub fn concerns(&self, set: &Set) -> bool {
        self.concerns.is_some_and(|concerns| concerns(set))
    }

    /// Reports whether the row concerns all sets.
    #[must_use]
    pub fn is_general(&self) -> bool {
        self.concerns.is_none()
    }

    /// Reports whether the row holds for a version and its gates.
    #[must_use]
    pub fn holds(&self, behaviour: &Behaviour) -> bool {
        (self.holds)(behaviour)
    }
}
