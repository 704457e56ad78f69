//! Defaults of claims, in `volumeClaimTemplates` and in ephemeral volumes.

use serde_json::Value;

use super::json_fields::{Members, object, object_or_new, set_if_empty, set_if_missing};
use crate::apiserver::quantity::Quantity;

/// Defaults a claim template of the set.
pub(super) fn default_claim(claim: &mut Members) {
    if let Some(status) = object_or_new(claim, "status") {
        set_if_empty(status, "phase", "Pending");
        round_up(status, "capacity");
        round_up(status, "allocatedResources");
    }
    if let Some(spec) = object_or_new(claim, "spec") {
        default_claim_spec(spec);
    }
}

pub(super) fn default_claim_spec(spec: &mut Members) {
    set_if_missing(spec, "volumeMode", || "Filesystem");
    if let Some(resources) = object(spec, "resources") {
        default_resources(resources);
    }
}

/// Defaults limits and requests of claims, containers and pods.
pub(super) fn default_resources(resources: &mut Members) {
    round_up(resources, "limits");
    round_up(resources, "requests");
}

/// Rounds up resource lists, whose resolution is a thousandth.
pub(super) fn round_up(members: &mut Members, list: &str) {
    let Some(list) = object(members, list) else {
        return;
    };
    for amount in list.values_mut() {
        if let Value::String(text) = amount
            // Only these can have a finer resolution, and most amounts are not worth parsing again.
            && text.contains(['.', 'n', 'u', 'e', 'E', 'i'])
            && let Ok(mut quantity) = Quantity::parse(text)
        {
            quantity.round_up_to_milli();
            *text = quantity.canonical();
        }
    }
}
