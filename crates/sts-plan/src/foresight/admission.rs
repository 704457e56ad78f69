//! Creations that the API server refuses, as far as LimitRanges and quotas of the input show it.

use super::limit_range::refused_by_limit_range;
use super::quota::refused_by_quota;
use crate::conditions::Conditions;
use crate::grant::Grant;
use sts_controller::object::Snapshot;
use sts_controller::simulate::Forbidden;

/// Returns the pods and claims of a set that are refused when the controller creates them, each with the API server's
/// message. Quotas are asked last, as in the API server.
pub(crate) fn refused(snapshot: &Snapshot, conditions: &Conditions, grants: &[Grant]) -> Forbidden {
    let mut refused = refused_by_limit_range(snapshot, conditions);
    refused.add(refused_by_quota(snapshot, conditions, grants));
    refused
}
