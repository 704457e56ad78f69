//! Metadata of the set, and all labels and annotations.

use serde_json::Value;

use super::read::{flag, text};
use super::refusals::Refusals;
use super::{go, name};
use crate::apiserver::schema::Path;

/// Maximum total size of an object's annotations, keys and values, in bytes.
const ANNOTATIONS_SIZE: usize = 256 * 1024;
/// Finalizers that need no domain prefix.
const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// `ValidateObjectMeta`. The server sets the namespace and generates a name before it validates, so a missing namespace
/// or a lone `generateName` is not an error.
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
        let complaints = name::dns_label(namespace);
        out.invalid_text("metadata.namespace", namespace, &complaints);
    }
    out.negative(
        "metadata.generation",
        metadata["generation"].as_i64().unwrap_or(0),
    );
    check_labels_and_owners(metadata, out);
    check_finalizers(&metadata["finalizers"], out);
}

/// `ValidateObjectMetaUpdate`. Fields that the server copies from the stored object are not compared.
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
                format!("metadata.{member}"),
                text(new),
                "field is immutable",
            );
        }
    }
    check_identity(old, new, out);
    check_labels_and_owners(new, out);
    check_finalizers(&new["finalizers"], out);
}

/// Checks the other metadata that a client may send only unchanged.
fn check_identity(old: &Value, new: &Value, out: &mut Refusals<'_>) {
    const IMMUTABLE: &str = "field is immutable";
    let changed = |member: &str| old[member] != new[member];
    if changed("uid") {
        out.invalid("metadata.uid", text(new, "uid"), IMMUTABLE);
    }
    if changed("deletionTimestamp") {
        // In Go's format of a time.
        let time = text(new, "deletionTimestamp");
        let shown = format!("{} +0000 UTC", time.trim_end_matches('Z').replace('T', " "));
        out.invalid_name("metadata.deletionTimestamp", &shown, IMMUTABLE);
    }
    let grace = "deletionGracePeriodSeconds";
    if changed(grace) {
        let seconds = new[grace].as_i64().unwrap_or(0);
        out.invalid(format!("metadata.{grace}"), seconds, IMMUTABLE);
    }
}

fn check_labels_and_owners(metadata: &Value, out: &mut Refusals<'_>) {
    let at = Path::Root.member("metadata");
    check_labels(&metadata["labels"], &at.member("labels"), out);
    check_annotations(&metadata["annotations"], &at.member("annotations"), out);
    check_owners(&metadata["ownerReferences"], out);
}

/// `ValidateLabels`. The server does not report the key of a value.
pub(super) fn check_labels(labels: &Value, path: &Path<'_>, out: &mut Refusals<'_>) {
    for (key, value) in labels.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        let complaints = name::qualified(key, out.rules);
        out.invalid_text(path, key, &complaints);
        let complaints = name::label_value(value, out.rules);
        out.invalid_text(path, value, &complaints);
    }
}

/// `ValidateAnnotations`.
pub(super) fn check_annotations(annotations: &Value, path: &Path<'_>, out: &mut Refusals<'_>) {
    for (key, _) in annotations.as_object().into_iter().flatten() {
        let complaints = name::qualified(&key.to_lowercase(), out.rules);
        out.invalid_text(path, key, &complaints);
    }
    check_annotations_size(annotations, path, out);
}

pub(super) fn check_annotations_size(annotations: &Value, path: &Path<'_>, out: &mut Refusals<'_>) {
    let members = annotations.as_object().into_iter().flatten();
    let size: usize = members
        .map(|(key, value)| key.len() + value.as_str().map_or(0, str::len))
        .sum();
    if size > ANNOTATIONS_SIZE {
        out.too_long(path, ANNOTATIONS_SIZE);
    }
}

/// `ValidateOwnerReferences`. The server omits their indices.
fn check_owners(owners: &Value, out: &mut Refusals<'_>) {
    let at = Path::Root.member("metadata");
    let at = at.member("ownerReferences");
    let mut managing: Option<String> = None;
    for owner in owners.as_array().into_iter().flatten() {
        let version = version_of(text(owner, "apiVersion"));
        for (member, value, what) in [
            ("apiVersion", version, "version "),
            ("kind", text(owner, "kind"), ""),
            ("name", text(owner, "name"), ""),
            ("uid", text(owner, "uid"), ""),
        ] {
            if value.is_empty() {
                // The uid has a type of its own.
                let detail = match (what, out.rules.owner_members_named) {
                    ("", true) => format!("{member} must not be empty"),
                    _ => format!("{what}must not be empty"),
                };
                out.invalid(at.member(member), text(owner, member), &detail);
            }
        }
        if text(owner, "apiVersion") == "v1" && text(owner, "kind") == "Event" {
            let (json, literal) = (
                go::owner_reference(owner),
                go::owner_reference_literal(owner),
            );
            let detail = "/v1, Kind=Event is disallowed from being an owner";
            out.invalid_object(at, owner, &json, &literal, detail);
        }
        if flag(owner, "controller") {
            let name = if out.rules.owner_kinds_shown {
                format!("{}/{}", text(owner, "kind"), text(owner, "name"))
            } else {
                text(owner, "name").to_owned()
            };
            match &managing {
                None => managing = Some(name).filter(|name| !name.is_empty()),
                Some(first) => {
                    let detail = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                    );
                    let json = go::owner_references(owners);
                    let literal = go::owner_references_literal(owners);
                    out.invalid_object(at, owners, &json, &literal, &detail);
                }
            }
        }
    }
}

/// Returns the version of an API version; empty if the text has more than one slash.
fn version_of(group_version: &str) -> &str {
    match group_version.split_once('/') {
        None => group_version,
        Some((_, version)) if !version.contains('/') => version,
        Some(_) => "",
    }
}

/// `ValidateFinalizers`, for a new object.
fn check_finalizer_names(finalizers: &Value, out: &mut Refusals<'_>) {
    const BOTH: [&str; 2] = ["orphan", "foregroundDeletion"];
    let at = Path::Root.member("metadata");
    let at = at.member("finalizers");
    let names = texts(finalizers);
    for finalizer in &names {
        let complaints = name::qualified(finalizer, out.rules);
        out.invalid_text(at, finalizer, &complaints);
    }
    if BOTH
        .iter()
        .all(|name| names.iter().any(|other| other == name))
    {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        out.invalid_texts(at, finalizers, detail);
    }
}

/// `validateKubeFinalizerName`, for new and changed objects.
fn check_finalizer_domains(finalizers: &Value, out: &mut Refusals<'_>) {
    let at = Path::Root.member("metadata");
    for (at, finalizer) in at.member("finalizers").items(&texts(finalizers)) {
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer.as_str()) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            out.invalid(at, finalizer.as_str(), detail);
        }
    }
}

/// Checks all rules for the finalizers of a new object.
pub(super) fn check_finalizers(finalizers: &Value, out: &mut Refusals<'_>) {
    check_finalizer_names(finalizers, out);
    check_finalizer_domains(finalizers, out);
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
