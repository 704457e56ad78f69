//! Creations that the API server refuses, as far as LimitRanges and quotas of the input show it.

use super::creations::creations;
use super::limit_range::refused_by_limit_range;
use super::quota::refused_by_quota;
use crate::conditions::Conditions;
use crate::grant::Grant;
use sts_controller::object::Snapshot;
use sts_controller::simulate::Forbidden;

/// Returns the pods and claims of a set that are refused when the controller creates them, each with the API server's
/// message. Quotas are asked last, as in the API server.
pub(crate) fn refused(snapshot: &Snapshot, conditions: &Conditions, grants: &[Grant]) -> Forbidden {
    let (related, meta) = (&conditions.related, &snapshot.set.meta);
    let is_limited = related.limit_ranges(&meta.namespace).next().is_some()
        || related.quotas(&meta.namespace).next().is_some();
    if !is_limited || meta.is_terminating() {
        return Forbidden::default();
    }
    let creations = creations(snapshot, conditions);
    let mut refused = refused_by_limit_range(&creations, snapshot, conditions);
    refused.add(refused_by_quota(&creations, snapshot, conditions, grants));
    refused
}
