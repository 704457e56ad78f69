//! Predicts what the StatefulSet controller of a given Kubernetes version will do.

pub mod load;
pub mod quantity;
