//! Defaults of volumes, by source.

use super::claim::default_claim_spec;
use super::container::default_field_ref;
use super::image;
use super::json_fields::{
    Members, object, object_or_new, objects, set_if_empty, set_if_missing, text,
};
use crate::version::Defaulting;

/// `0644`, the mode of files from other objects.
const FILE_MODE: i32 = 420;

pub(super) fn default_volume(volume: &mut Members, rules: &Defaulting) {
    // A source that only a later minor knows is a source, too.
    if !volume
        .iter()
        .any(|(name, value)| name != "name" && !value.is_null())
    {
        set_if_missing(volume, "emptyDir", Members::new);
        return;
    }
    for (name, source) in volume.iter_mut() {
        let Some(source) = source.as_object_mut() else {
            continue;
        };
        match name.as_str() {
            "hostPath" => set_if_missing(source, "type", || ""),
            "secret" | "configMap" => set_if_missing(source, "defaultMode", || FILE_MODE),
            "downwardAPI" => {
                set_if_missing(source, "defaultMode", || FILE_MODE);
                default_downward_files(source);
            }
            "projected" => default_projected(source),
            "ephemeral" => default_ephemeral(source),
            "image" if rules.image_volumes_defaulted => default_image(source, rules),
            "iscsi" => set_if_empty(source, "iscsiInterface", "default"),
            "rbd" => {
                set_if_empty(source, "pool", "rbd");
                set_if_empty(source, "user", "admin");
                set_if_empty(source, "keyring", "/etc/ceph/keyring");
            }
            "azureDisk" => {
                set_if_missing(source, "cachingMode", || "ReadWrite");
                set_if_missing(source, "kind", || "Shared");
                set_if_missing(source, "fsType", || "ext4");
                set_if_missing(source, "readOnly", || false);
            }
            "scaleIO" => {
                set_if_empty(source, "storageMode", "ThinProvisioned");
                set_if_empty(source, "fsType", "xfs");
            }
            _ => {}
        }
    }
}

fn default_downward_files(source: &mut Members) {
    for file in objects(source, "items") {
        default_field_ref(file);
    }
}

fn default_projected(projected: &mut Members) {
    set_if_missing(projected, "defaultMode", || FILE_MODE);
    for source in objects(projected, "sources") {
        if let Some(downward) = object(source, "downwardAPI") {
            default_downward_files(downward);
        }
        if let Some(token) = object(source, "serviceAccountToken") {
            set_if_missing(token, "expirationSeconds", || 3600);
        }
    }
}

fn default_ephemeral(ephemeral: &mut Members) {
    if let Some(claim) = object(ephemeral, "volumeClaimTemplate")
        && let Some(spec) = object_or_new(claim, "spec")
    {
        default_claim_spec(spec);
    }
}

fn default_image(source: &mut Members, rules: &Defaulting) {
    if text(source, "pullPolicy").is_empty() {
        let policy = image::pull_policy(text(source, "reference"), rules);
        set_if_empty(source, "pullPolicy", policy);
    }
}
