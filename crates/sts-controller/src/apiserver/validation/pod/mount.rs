//! Mounts and block devices of a container.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{flag, list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, one};
use crate::apiserver::validation::volume::Volumes;
use crate::apiserver::validation::word;

/// Returns paths by name. If a name repeats, the last one counts.
fn places<'v>(container: &'v Value, member: &str, place: &str) -> BTreeMap<&'v str, &'v str> {
    let elements = list(container, member).iter();
    elements
        .map(|element| (text(element, "name"), text(element, place)))
        .collect()
}

/// `ValidateVolumeMounts`.
pub(super) fn check_mounts(
    container: &Value,
    volumes: &Volumes,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let at_all = at.member("volumeMounts");
    let devices = places(container, "volumeDevices", "devicePath");
    let mut seen = BTreeSet::new();
    for (index, mount) in list(container, "volumeMounts").iter().enumerate() {
        let at = at_all.index(index);
        let (at_name, at_path) = (at.member("name"), at.member("mountPath"));
        let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
        if name.is_empty() {
            out.required(at_name, "");
        }
        if !volumes.contains_key(name) {
            out.not_found(at_name, name, "");
        }
        if place.is_empty() {
            out.required(at_path, "");
        }
        if !seen.insert(place) {
            out.invalid(at_path, place, "must be unique");
        }
        if devices.contains_key(name) {
            out.invalid(at_name, name, "must not already exist in volumeDevices");
        }
        if devices.values().any(|device| *device == place) {
            let detail = "must not already exist as a path in volumeDevices";
            out.invalid(at_path, place, detail);
        }
        let (inner, expanded) = (text(mount, "subPath"), text(mount, "subPathExpr"));
        if !inner.is_empty() && !expanded.is_empty() {
            let detail = "subPathExpr and subPath are mutually exclusive";
            out.invalid(at.member("subPathExpr"), expanded, detail);
        }
        // The server omits the index in the other paths.
        for (member, path) in [("subPath", inner), ("subPathExpr", expanded)] {
            let before = out.len();
            out.invalid_text(at_all.member(member), path, &word::inner_path(path));
            out.blame(before, at.member(member));
        }
        let before = out.len();
        check_propagation(mount, container, &at_all.member("mountPropagation"), out);
        out.blame(before, at.member("mountPropagation"));
        let before = out.len();
        check_recursion(mount, &at_all.member("recursiveReadOnly"), out);
        out.blame(before, at.member("recursiveReadOnly"));
    }
}

/// `validateMountPropagation`.
fn check_propagation(mount: &Value, container: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MODES: Check = Check::OneOf(&["Bidirectional", "HostToContainer", "None"]);
    one(&mount["mountPropagation"], at, MODES, out);
    let privileged = flag(&container["securityContext"], "privileged");
    if text(mount, "mountPropagation") == "Bidirectional" && !privileged {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        out.forbidden(at, detail);
    }
}

/// `validateMountRecursiveReadOnly`.
fn check_recursion(mount: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    match mount["recursiveReadOnly"].as_str() {
        None | Some("Disabled") => {}
        Some("Enabled" | "IfPossible") => {
            if !flag(mount, "readOnly") {
                out.forbidden(at, "may only be specified when readOnly is true");
            }
            if mount["mountPropagation"]
                .as_str()
                .is_some_and(|mode| mode != "None")
            {
                let detail = "may only be specified when mountPropagation is None or not specified";
                out.forbidden(at, detail);
            }
        }
        Some(other) => out.not_supported(at, other, &["Disabled", "Enabled", "IfPossible"]),
    }
}

/// `ValidateVolumeDevices`.
pub(super) fn check_devices(
    container: &Value,
    volumes: &Volumes,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let at = at.member("volumeDevices");
    let mounts = places(container, "volumeMounts", "mountPath");
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for (at, device) in at.items(list(container, "volumeDevices")) {
        let (at_name, at_path) = (at.member("name"), at.member("devicePath"));
        let (name, place) = (text(device, "name"), text(device, "devicePath"));
        if name.is_empty() {
            out.required(at_name, "");
        }
        if !name.is_empty() && !names.insert(name) {
            out.invalid(at_name, name, "must be unique");
        }
        match volumes.get(name) {
            Some(true) => {}
            Some(false) => out.invalid(
                at_name,
                name,
                "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
            None => out.not_found(at_name, name, ""),
        }
        if place.is_empty() {
            out.required(at_path, "");
        }
        if paths.contains(place) {
            out.invalid(at_path, place, "must be unique");
        }
        if word::no_backsteps(place).is_empty() {
            paths.insert(place);
        } else {
            out.invalid(at_path, place, "can not contain backsteps ('..')");
        }
        if mounts.contains_key(name) {
            out.invalid(at_name, name, "must not already exist in volumeMounts");
        }
        if mounts.values().any(|mount| *mount == place) {
            let detail = "must not already exist as a path in volumeMounts";
            out.invalid(at_path, place, detail);
        }
    }
}
