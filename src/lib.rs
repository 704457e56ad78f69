//! Predicts what the StatefulSet controller of a given Kubernetes version will do.

pub mod controller;
pub mod explain;
pub mod load;
pub mod plan;
pub mod quantity;
pub mod render;
pub mod report;
pub mod simulate;
pub mod snapshot;
