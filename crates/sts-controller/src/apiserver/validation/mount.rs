//! Mounts and block devices of a container.

use std::collections::BTreeSet;

use serde_json::Value;

use super::refused::Refusals;
use super::volume::Volumes;

/// The members of that name in a list of objects.
fn all<'v>(list: &'v Value, member: &str) -> BTreeSet<&'v str> {
    let elements = list.as_array().into_iter().flatten();
    elements
        .filter_map(|element| element[member].as_str())
        .collect()
}

/// `ValidateVolumeMounts`.
pub(super) fn check_mounts(
    container: &Value,
    volumes: &Volumes,
    path: &str,
    out: &mut Refusals<'_>,
) {
    let devices = &container["volumeDevices"];
    let (device_names, device_paths) = (all(devices, "name"), all(devices, "devicePath"));
    let mut seen = BTreeSet::new();
    let mounts = container["volumeMounts"].as_array();
    for (index, mount) in mounts.into_iter().flatten().enumerate() {
        let text = |member: &str| mount[member].as_str().unwrap_or_default();
        let at = |member: &str| format!("{path}.volumeMounts[{index}].{member}");
        let (name, place) = (text("name"), text("mountPath"));
        if name.is_empty() {
            out.required(&at("name"), "");
        }
        if !volumes.contains_key(name) {
            out.not_found(&at("name"), name);
        }
        if place.is_empty() {
            out.required(&at("mountPath"), "");
        }
        if !seen.insert(place) {
            out.invalid(&at("mountPath"), place, "must be unique");
        }
        if device_names.contains(name) {
            let detail = "must not already exist in volumeDevices";
            out.invalid(&at("name"), name, detail);
        }
        if device_paths.contains(place) {
            let detail = "must not already exist as a path in volumeDevices";
            out.invalid(&at("mountPath"), place, detail);
        }
        if !text("subPath").is_empty() && !text("subPathExpr").is_empty() {
            let detail = "subPathExpr and subPath are mutually exclusive";
            out.invalid(&at("subPathExpr"), text("subPathExpr"), detail);
        }
        // The server leaves the index out of these two paths.
        for member in ["subPath", "subPathExpr"] {
            let path = format!("{path}.volumeMounts.{member}");
            check_inner_path(text(member), &path, out);
        }
    }
}

/// `validateLocalDescendingPath`.
fn check_inner_path(inner: &str, path: &str, out: &mut Refusals<'_>) {
    if inner.starts_with('/') {
        out.invalid(path, inner, "must be a relative path");
    }
    if inner.split('/').any(|part| part == "..") {
        out.invalid(path, inner, "must not contain '..'");
    }
}

/// `ValidateVolumeDevices`.
pub(super) fn check_devices(
    container: &Value,
    volumes: &Volumes,
    path: &str,
    out: &mut Refusals<'_>,
) {
    let mounts = &container["volumeMounts"];
    let (mount_names, mount_paths) = (all(mounts, "name"), all(mounts, "mountPath"));
    let (mut names, mut places) = (BTreeSet::new(), BTreeSet::new());
    let devices = container["volumeDevices"].as_array();
    for (index, device) in devices.into_iter().flatten().enumerate() {
        let text = |member: &str| device[member].as_str().unwrap_or_default();
        let at = |member: &str| format!("{path}.volumeDevices[{index}].{member}");
        let (name, place) = (text("name"), text("devicePath"));
        if name.is_empty() {
            out.required(&at("name"), "");
        }
        if !name.is_empty() && !names.insert(name) {
            out.invalid(&at("name"), name, "must be unique");
        }
        match volumes.get(name) {
            Some(true) => {}
            Some(false) => out.invalid(
                &at("name"),
                name,
                "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
            None => out.not_found(&at("name"), name),
        }
        if place.is_empty() {
            out.required(&at("devicePath"), "");
        }
        if !places.insert(place) {
            out.invalid(&at("devicePath"), place, "must be unique");
        }
        if mount_names.contains(name) {
            let detail = "must not already exist in volumeMounts";
            out.invalid(&at("name"), name, detail);
        }
        if mount_paths.contains(place) {
            let detail = "must not already exist as a path in volumeMounts";
            out.invalid(&at("devicePath"), place, detail);
        }
    }
}
