//! Predicts what the StatefulSet controller of a given Kubernetes version will do.

pub mod args;
pub mod check;
pub mod controller;
pub mod exit;
pub mod explain;
pub mod load;
pub mod plan;
pub mod quantity;
pub mod render;
pub mod report;
pub mod run;
pub mod simulate;
pub mod snapshot;
pub mod versions;
