//! The facts about a pod that rules for its containers need.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::apiserver::validation::volume::Volumes;

pub(super) struct PodContext<'v> {
    pub(super) spec: &'v Value,
    /// The spec as sent, in which an empty list differs from a missing one.
    pub(super) given: &'v Value,
    pub(super) volumes: Volumes,
    /// Names of `resourceClaims`.
    pub(super) claims: BTreeSet<&'v str>,
    /// True if the pod shares the node's user namespace.
    pub(super) host_users: bool,
    pub(super) grace: Option<i64>,
}
