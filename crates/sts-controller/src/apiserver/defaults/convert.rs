//! Conversion through the server's internal types, which synchronizes old and new field names.

use serde_json::Value;

use super::json_fields::{Members, object, objects, set_if_missing, text};

/// Annotations that held init containers before there was a field for them. Never stored.
const INIT_CONTAINER_ANNOTATIONS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];

pub(super) fn convert_set(set: &mut Members) {
    let Some(spec) = object(set, "spec") else {
        return;
    };
    // The internal partition is a plain number, so it comes back as zero under any strategy.
    if let Some(strategy) = object(spec, "updateStrategy")
        && let Some(rolling) = object(strategy, "rollingUpdate")
    {
        set_if_missing(rolling, "partition", || 0);
    }
    for claim in objects(spec, "volumeClaimTemplates") {
        claim.insert("apiVersion".to_owned(), "v1".into());
        claim.insert("kind".to_owned(), "PersistentVolumeClaim".into());
    }
    if let Some(template) = object(spec, "template") {
        convert_template(template);
    }
}

fn convert_template(template: &mut Members) {
    if let Some(metadata) = object(template, "metadata")
        && let Some(annotations) = object(metadata, "annotations")
    {
        for name in INIT_CONTAINER_ANNOTATIONS {
            annotations.remove(name);
        }
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
    if let Some(spec) = object(template, "spec") {
        let account = match text(spec, "serviceAccountName") {
            "" => text(spec, "serviceAccount"),
            name => name,
        };
        if !account.is_empty() {
            let account = Value::from(account);
            spec.insert("serviceAccount".to_owned(), account.clone());
            spec.insert("serviceAccountName".to_owned(), account);
        }
    }
}
