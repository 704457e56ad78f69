//! Kubernetes versions, their feature gates, and their behavior.
//!
//! [`Behaviour::new`] is the entry point. A version and its gates determine the behavior of the controller, the API
//! server's defaults ([`Defaulting`]) and its validation ([`Validation`]).

mod behaviour;
mod defaulting;
mod difference;
mod gate;
mod gates;
mod history;
mod kubernetes;
mod matrix;
mod nodes;
mod pod_rules;
mod shown;
mod switch;
mod upgrade;
mod validation;

pub use behaviour::Behaviour;
pub use defaulting::Defaulting;
pub use difference::{Area, Row};
pub use gate::{Gate, Stage};
pub use gates::Gates;
pub use history::{minors, turning_points};
pub use kubernetes::{NEWEST_MINOR, OLDEST_MINOR, Version, VersionError};
pub use matrix::{GateChange, ROWS, RowChange, changed_gates, changed_rows};
pub use pod_rules::{PodRules, SearchLimits};
pub use shown::{ShownBy, oldest_shown};
pub use switch::{
    ClaimOwners, Completion, FinishedPods, MaxUnavailable, OwnedBy, PassStyle, Recreate, Requeue,
    RevisionEquality, StatusOnError, UpdateDelete, UpdateWaitsFor,
};
pub use upgrade::{PatchRange, UpgradeError, UpgradePath, UpgradeStop};
pub use validation::{Updatable, Validation};
