//! Kubernetes versions, their feature gates, and how each behaves.

mod behaviour;
mod defaulting;
mod gates;
mod history;
mod validation;

pub use behaviour::{
    ClaimOwners, Completion, FinishedPods, MaxUnavailable, OwnedBy, PassStyle, Requeue,
    RevisionEquality, Rules, StatusOnError, UpdateDelete, UpdateWaitsFor,
};
pub use defaulting::ApiRules;
pub use gates::{GATES, Gate, Gates, NEWEST_MINOR, OLDEST_MINOR, Stage, Version, VersionError};
pub use history::{minors, turning_points};
pub use validation::{Updatable, ValidationRules};
