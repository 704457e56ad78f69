//! Nodes for pods of other owners that leave theirs, by the same filters as for a set's pods.

use sts_controller::object::Pod;

use super::landing::has_landing;
use crate::conditions::Conditions;

/// Reports whether a node accepts a pod that replaces this one, as far as its own fields, its bound volumes and the pods
/// that stay show. True if the nodes are unknown.
pub(crate) fn finds_node(pod: &Pod, conditions: &Conditions) -> bool {
    has_landing(pod, conditions).unwrap_or(true)
}
