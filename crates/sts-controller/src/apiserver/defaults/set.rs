//! Defaults of the set itself: `SetDefaults_StatefulSet` of `apps/v1`.

use super::json_fields::{
    Members, has, object, object_or_new, objects, set_if_empty, set_if_missing, text,
};
use super::{claim, pod};
use crate::version::Defaulting;

pub(super) fn default_set(set: &mut Members, rules: &Defaulting) {
    let Some(spec) = object_or_new(set, "spec") else {
        return;
    };
    set_if_empty(spec, "podManagementPolicy", "OrderedReady");
    if let Some(strategy) = object_or_new(spec, "updateStrategy") {
        default_strategy(strategy, rules);
    }
    if rules.retention_policy_defaulted
        && let Some(policy) = object_or_new(spec, "persistentVolumeClaimRetentionPolicy")
    {
        set_if_empty(policy, "whenDeleted", "Retain");
        set_if_empty(policy, "whenScaled", "Retain");
    }
    set_if_missing(spec, "replicas", || 1);
    set_if_missing(spec, "revisionHistoryLimit", || 10);
    if let Some(template) = object_or_new(spec, "template") {
        pod::default_template(template, rules);
    }
    for claim in objects(spec, "volumeClaimTemplates") {
        claim::default_claim(claim);
    }
}

/// Defaults the strategy. One with a type but without `rollingUpdate` gets none, and so no partition.
fn default_strategy(strategy: &mut Members, rules: &Defaulting) {
    if text(strategy, "type").is_empty() {
        set_if_empty(strategy, "type", "RollingUpdate");
        if !has(strategy, "rollingUpdate") {
            set_if_missing(strategy, "rollingUpdate", Members::new);
        }
    }
    if text(strategy, "type") == "RollingUpdate"
        && let Some(rolling) = object(strategy, "rollingUpdate")
    {
        set_if_missing(rolling, "partition", || 0);
        if rules.max_unavailable_defaulted {
            set_if_missing(rolling, "maxUnavailable", || 1);
        }
    }
}
