//! Defaults of a pod template. A template gets fewer than a pod: requests are not copied from limits, and
//! `enableServiceLinks` stays unset.

use serde_json::Value;

use super::claim::{default_resources, round_up};
use super::container::default_container;
use super::json_fields::{
    Members, object, object_or_new, objects, set_if_empty, set_if_missing, set_if_zero,
};
use super::volume::default_volume;
use crate::apiserver::schema::CONTAINER_LISTS;
use crate::version::Defaulting;

pub(super) fn default_template(template: &mut Members, rules: &Defaulting) {
    let Some(spec) = object_or_new(template, "spec") else {
        return;
    };
    set_if_empty(spec, "dnsPolicy", "ClusterFirst");
    set_if_empty(spec, "restartPolicy", "Always");
    set_if_missing(spec, "securityContext", Members::new);
    set_if_missing(spec, "terminationGracePeriodSeconds", || 30);
    set_if_empty(spec, "schedulerName", "default-scheduler");
    if rules.host_ports_defaulted && spec.get("hostNetwork") == Some(&Value::Bool(true)) {
        default_host_ports(spec);
    }
    for volume in objects(spec, "volumes") {
        default_volume(volume, rules);
    }
    for list in CONTAINER_LISTS {
        for container in objects(spec, list) {
            default_container(container, rules);
        }
    }
    round_up(spec, "overhead");
    if let Some(resources) = object(spec, "resources") {
        default_resources(resources);
    }
}

/// Ephemeral containers cannot have ports.
fn default_host_ports(spec: &mut Members) {
    for list in ["containers", "initContainers"] {
        for container in objects(spec, list) {
            for port in objects(container, "ports") {
                if let Some(number) = port
                    .get("containerPort")
                    .and_then(Value::as_i64)
                    .filter(|n| *n != 0)
                {
                    set_if_zero(port, "hostPort", number);
                }
            }
        }
    }
}

/// Removes `creationTimestamp: null` from all metadata in the template.
pub(super) fn drop_null_timestamps(template: &mut Members) {
    fn clear(owner: &mut Members) {
        if let Some(metadata) = object(owner, "metadata")
            && metadata.get("creationTimestamp") == Some(&Value::Null)
        {
            metadata.remove("creationTimestamp");
        }
    }
    clear(template);
    if let Some(spec) = object(template, "spec") {
        for volume in objects(spec, "volumes") {
            if let Some(ephemeral) = object(volume, "ephemeral")
                && let Some(claim) = object(ephemeral, "volumeClaimTemplate")
            {
                clear(claim);
            }
        }
    }
}
