//! Predicts what the StatefulSet controller of a given Kubernetes version will do.

pub mod change;
pub mod controller;
pub mod load;
pub mod quantity;
pub mod simulate;
pub mod snapshot;
pub mod validate;
