//! Volumes of the template, and those that claim templates become.

use std::collections::BTreeMap;

use serde_json::Value;

use super::name;
use super::refused::Refusals;

/// Volumes that mounts may refer to, by name; whether each is a claim, as block devices need.
pub(super) type Volumes = BTreeMap<String, bool>;

/// Where a volume may come from, in the order in which the server asks, each with the member that it cannot
/// do without.
const SOURCES: [(&str, &str); 30] = [
    ("emptyDir", ""),
    ("hostPath", "path"),
    ("gitRepo", "repository"),
    ("gcePersistentDisk", "pdName"),
    ("awsElasticBlockStore", "volumeID"),
    ("secret", "secretName"),
    ("nfs", "server"),
    ("iscsi", "targetPortal"),
    ("glusterfs", "endpoints"),
    ("flocker", ""),
    ("persistentVolumeClaim", "claimName"),
    ("rbd", "image"),
    ("cinder", "volumeID"),
    ("cephfs", ""),
    ("quobyte", "registry"),
    ("downwardAPI", ""),
    ("fc", ""),
    ("flexVolume", "driver"),
    ("configMap", "name"),
    ("azureFile", "secretName"),
    ("vsphereVolume", "volumePath"),
    ("photonPersistentDisk", "pdID"),
    ("portworxVolume", "volumeID"),
    ("azureDisk", "diskName"),
    ("storageos", ""),
    ("projected", ""),
    ("scaleIO", "gateway"),
    ("csi", "driver"),
    ("ephemeral", "volumeClaimTemplate"),
    ("image", ""),
];

/// `ValidateVolumes`. A volume of the template that has the name of a claim template is not looked at, since
/// pods get the claim in its place.
pub(super) fn check_all(volumes: &Value, claims: &Value, out: &mut Refusals<'_>) -> Volumes {
    let mut known = Volumes::new();
    let listed = volumes.as_array().map_or(0, Vec::len);
    for (index, claim) in claims.as_array().into_iter().flatten().enumerate() {
        // The server puts the claims to the template's volumes and then finds fault with those.
        let field = format!("spec.template.spec.volumes[{}].name", listed + index);
        let name = claim["metadata"]["name"].as_str().unwrap_or_default();
        let before = out.len();
        check_name(name, &field, out);
        if out.len() == before {
            known.insert(name.to_owned(), true);
        }
        let path = format!("spec.volumeClaimTemplates[{index}].metadata.name");
        out.blame(before, &path);
    }
    let templates = known.clone();
    for (index, volume) in volumes.as_array().into_iter().flatten().enumerate() {
        let name = volume["name"].as_str().unwrap_or_default();
        if templates.contains_key(name) {
            continue;
        }
        let path = format!("spec.template.spec.volumes[{index}]");
        let before = out.len();
        check_source(volume, &path, out);
        let at = format!("{path}.name");
        check_name(name, &at, out);
        if known.contains_key(name) {
            out.duplicate(&at, name);
        }
        // One that is wrong is not there for mounts.
        if out.len() == before {
            let claim = ["persistentVolumeClaim", "ephemeral"]
                .iter()
                .any(|source| !volume[source].is_null());
            known.insert(name.to_owned(), claim);
        }
    }
    known
}

fn check_name(name: &str, path: &str, out: &mut Refusals<'_>) {
    if name.is_empty() {
        out.required(path, "");
    } else {
        let complaints = name::dns_label(name, out.rules);
        out.invalid_text(path, name, &complaints);
    }
}

fn check_source(volume: &Value, path: &str, out: &mut Refusals<'_>) {
    let mut found = false;
    for (source, needed) in SOURCES {
        let given = &volume[source];
        if given.is_null() {
            continue;
        }
        if found {
            out.forbidden(
                &format!("{path}.{source}"),
                "may not specify more than 1 volume type",
            );
            continue;
        }
        found = true;
        let missing = match &given[needed] {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        };
        if !needed.is_empty() && missing {
            out.required(&format!("{path}.{source}.{needed}"), "");
        }
    }
    if !found {
        out.required(path, "must specify a volume type");
    }
}
