//! Comparison of a plan's prediction with subsequent events.
//!
//! ```text
//! saved plan -> prediction -> lifecycle of every object -> current positions -> completed steps -> verdict
//! ```
//!
//! A snapshot has no history, only the results of past events. Each object in the plan therefore has a lifecycle:
//! the states that the steps lead it through. The newer snapshot shows each object's position on it. The plan has
//! diverged at an object whose state is not on its lifecycle, or whose position is beyond what the controller could
//! have reached.
//!
//! This module reads no files and no clock: the newer snapshot and its time are arguments.

mod comparison;
mod difference;
mod lateness;
mod lifecycle;
mod matcher;
mod observe;
mod observed;
mod order;
mod pod_times;
mod predicted_timeline;
mod prediction;
mod saved_plan;
mod specification;
mod stale_report;
mod update;
mod verification;
mod verified_pod;
mod verified_stage;

pub use comparison::{
    Comparison, Now, ObjectChange, Overdue, Stale, StaleKind, StepState, Verdict, compare,
};
pub use observe::Stage;
pub use pod_times::PodTimes;
use pod_times::times_since;
pub use prediction::{Kind, PredictedEvent, PredictedStep, Prediction, StartPod};
pub use stale_report::{StaleField, StaleReason};
pub use update::Update;
pub use verification::{
    ChangedObject, Difference, Late, Verification, VerificationList, VerifiedPlan, VerifiedStep,
};
pub use verified_pod::VerifiedPod;
pub use verified_stage::{NextStage, SavedStages, StageComparison, VerifiedStage};
