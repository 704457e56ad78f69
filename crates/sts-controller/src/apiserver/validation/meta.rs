//! Metadata of the set, and labels and annotations wherever they are.

use serde_json::Value;

use super::name;
use super::refused::Refusals;

/// What all annotations of an object may have together, keys and values.
const ANNOTATIONS_SIZE: usize = 256 * 1024;
/// Finalizers that need no domain in front.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// `ValidateObjectMeta`. The server fills in a namespace and generates a name before it validates, so that
/// it is no fault if there is no namespace, or a `generateName` alone.
pub(super) fn check_new(metadata: &Value, out: &mut Refusals<'_>) {
    let text = |member: &str| metadata[member].as_str().unwrap_or_default();
    let (prefix, own) = (text("generateName"), text("name"));
    if !prefix.is_empty() {
        let complaints = name::set_name(prefix, true, out.rules);
        out.invalid_text("metadata.generateName", prefix, &complaints);
    }
    if !own.is_empty() {
        let complaints = name::set_name(own, false, out.rules);
        out.invalid_text("metadata.name", own, &complaints);
    } else if prefix.is_empty() {
        out.required("metadata.name", "name or generateName is required");
    }
    let namespace = text("namespace");
    if !namespace.is_empty() {
        let complaints = name::dns_label(namespace, out.rules);
        out.invalid_text("metadata.namespace", namespace, &complaints);
    }
    out.negative(
        "metadata.generation",
        metadata["generation"].as_i64().unwrap_or(0),
    );
    check_labels_and_owners(metadata, out);
    check_finalizers(&metadata["finalizers"], out);
}

/// `ValidateObjectMetaUpdate`. What the server itself fills in from the stored object is not compared.
pub(super) fn check_update(old: &Value, new: &Value, out: &mut Refusals<'_>) {
    let finalizers = |metadata: &Value| -> Vec<String> { texts(&metadata["finalizers"]) };
    if !old["deletionTimestamp"].is_null() {
        let known = finalizers(old);
        let mut added = finalizers(new);
        added.retain(|name| !known.contains(name));
        added.sort();
        added.dedup();
        if !added.is_empty() {
            let quoted: Vec<String> = added.iter().map(|name| format!("{name:?}")).collect();
            out.forbidden(
                "metadata.finalizers",
                &format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    quoted.join(", ")
                ),
            );
        }
    }
    for member in ["name", "namespace"] {
        let text = |metadata: &'_ Value| metadata[member].as_str().unwrap_or_default().to_owned();
        if text(old) != text(new) {
            out.invalid(
                &format!("metadata.{member}"),
                text(new),
                "field is immutable",
            );
        }
    }
    check_labels_and_owners(new, out);
}

fn check_labels_and_owners(metadata: &Value, out: &mut Refusals<'_>) {
    check_labels(&metadata["labels"], "metadata.labels", out);
    check_annotations(&metadata["annotations"], "metadata.annotations", out);
    check_owners(&metadata["ownerReferences"], out);
}

/// `ValidateLabels`: the server does not say which key a value belongs to.
pub(super) fn check_labels(labels: &Value, path: &str, out: &mut Refusals<'_>) {
    for (key, value) in labels.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        let complaints = name::qualified(key, out.rules);
        out.invalid_text(path, key, &complaints);
        let complaints = name::label_value(value, out.rules);
        out.invalid_text(path, value, &complaints);
    }
}

/// `ValidateAnnotations`.
pub(super) fn check_annotations(annotations: &Value, path: &str, out: &mut Refusals<'_>) {
    let mut size = 0;
    for (key, value) in annotations.as_object().into_iter().flatten() {
        let complaints = name::qualified(&key.to_lowercase(), out.rules);
        out.invalid_text(path, key, &complaints);
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > ANNOTATIONS_SIZE {
        out.too_long(path, ANNOTATIONS_SIZE);
    }
}

fn check_owners(owners: &Value, out: &mut Refusals<'_>) {
    let mut managing = String::new();
    for owner in owners.as_array().into_iter().flatten() {
        let text = |member: &str| owner[member].as_str().unwrap_or_default();
        for (member, value, what) in [
            (
                "apiVersion",
                // The group alone is not enough.
                text("apiVersion").rsplit('/').next().unwrap_or_default(),
                "version",
            ),
            ("kind", text("kind"), "kind"),
            ("name", text("name"), "name"),
            ("uid", text("uid"), "uid"),
        ] {
            if value.is_empty() {
                out.invalid(
                    &format!("metadata.ownerReferences.{member}"),
                    text(member),
                    &format!("{what} must not be empty"),
                );
            }
        }
        if owner["controller"] == Value::Bool(true) {
            if managing.is_empty() {
                text("name").clone_into(&mut managing);
            } else {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {managing} and {}",
                    text("name")
                );
                out.invalid("metadata.ownerReferences", owners.clone(), &detail);
            }
        }
    }
}

fn check_finalizers(finalizers: &Value, out: &mut Refusals<'_>) {
    let finalizers = texts(finalizers);
    for finalizer in &finalizers {
        let complaints = name::qualified(finalizer, out.rules);
        out.invalid_text("metadata.finalizers", finalizer, &complaints);
    }
    for finalizer in &finalizers {
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.as_str()) {
            out.invalid(
                "metadata.finalizers",
                finalizer.as_str(),
                "name is neither a standard finalizer name nor is it fully qualified",
            );
        }
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
