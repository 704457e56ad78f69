//! The comparison of a plan's prediction with what has happened since it was made.
//!
//! ```text
//! saved plan -> prediction -> lifecycle of every object -> where each is now -> which steps happened -> judgement
//! ```
//!
//! A snapshot has no memory: of what happened in between it holds only what came of it. So every object that the
//! plan speaks of gets its lifecycle, the states that the steps lead it through, and the newer snapshot tells how far
//! along each is. Where an object is in a state that its lifecycle never has, or further along than the controller
//! could have brought it, reality has left the plan, and that is where.
//!
//! Nothing here reads a file or a clock: the newer snapshot and its moment are arguments.

mod comparison;
mod difference;
mod lifecycle;
mod matcher;
mod observe;
mod observed;
mod order;
mod prediction;
pub(crate) mod specification;

pub use comparison::{
    Comparison, Now, ObjectChange, Overdue, Stale, StaleKind, StepState, Verdict, compare,
};
pub use observe::Stage;
pub use prediction::{
    Kind, PredictedEvent, PredictedStep, PredictedWrite, Prediction, ReadObject, StartPod,
};
