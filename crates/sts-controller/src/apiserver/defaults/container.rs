//! Defaults of containers, init containers and ephemeral containers.

use super::claim::default_resources;
use super::image;
use super::json_fields::{
    Members, object, objects, set_if_empty, set_if_missing, set_if_zero, text,
};
use crate::version::Defaulting;

pub(super) fn default_container(container: &mut Members, rules: &Defaulting) {
    if text(container, "imagePullPolicy").is_empty() {
        let policy = image::pull_policy(text(container, "image"), rules);
        set_if_empty(container, "imagePullPolicy", policy);
    }
    set_if_empty(container, "terminationMessagePath", "/dev/termination-log");
    set_if_empty(container, "terminationMessagePolicy", "File");
    for port in objects(container, "ports") {
        set_if_empty(port, "protocol", "TCP");
    }
    for variable in objects(container, "env") {
        if let Some(source) = object(variable, "valueFrom") {
            default_field_ref(source);
        }
    }
    if let Some(resources) = object(container, "resources") {
        default_resources(resources);
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = object(container, probe) {
            default_probe(probe);
        }
    }
    if let Some(lifecycle) = object(container, "lifecycle") {
        for handler in ["postStart", "preStop"] {
            if let Some(handler) = object(lifecycle, handler) {
                default_http_get(handler);
            }
        }
    }
}

/// Defaults `fieldRef` of variables and of files in volumes.
pub(super) fn default_field_ref(source: &mut Members) {
    if let Some(field) = object(source, "fieldRef") {
        set_if_empty(field, "apiVersion", "v1");
    }
}

fn default_probe(probe: &mut Members) {
    set_if_zero(probe, "timeoutSeconds", 1);
    set_if_zero(probe, "periodSeconds", 10);
    set_if_zero(probe, "successThreshold", 1);
    set_if_zero(probe, "failureThreshold", 3);
    default_http_get(probe);
    if let Some(grpc) = object(probe, "grpc") {
        set_if_missing(grpc, "service", || "");
    }
}

fn default_http_get(handler: &mut Members) {
    if let Some(get) = object(handler, "httpGet") {
        set_if_empty(get, "path", "/");
        set_if_empty(get, "scheme", "HTTP");
    }
}
