//! What claim templates ask for: `ValidatePersistentVolumeClaimSpec`.

use serde_json::Value;

use super::refused::Refusals;
use super::{name, resources, selector};

const ACCESS_MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

pub(super) fn check_templates(claims: &Value, out: &mut Refusals<'_>) {
    for (index, claim) in claims.as_array().into_iter().flatten().enumerate() {
        let path = format!("spec.volumeClaimTemplates[{index}].spec");
        check_spec(&claim["spec"], &path, out);
    }
}

fn check_spec(spec: &Value, path: &str, out: &mut Refusals<'_>) {
    let modes: Vec<&str> = spec["accessModes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let modes_path = format!("{path}.accessModes");
    if modes.is_empty() {
        out.required(&modes_path, "at least 1 access mode is required");
    }
    if !spec["selector"].is_null() {
        let path = format!("{path}.selector");
        selector::check_requirements(&spec["selector"], &path, true, out);
    }
    for mode in &modes {
        if !ACCESS_MODES.contains(mode) {
            out.not_supported(&modes_path, mode, &ACCESS_MODES);
        }
    }
    if modes.len() > 1 && modes.contains(&"ReadWriteOncePod") {
        out.forbidden(
            &modes_path,
            "may not use ReadWriteOncePod with other access modes",
        );
    }
    let storage_path = format!("{path}.resources[storage]");
    match &spec["resources"]["requests"]["storage"] {
        Value::Null => out.required(&storage_path, ""),
        amount => {
            if !resources::is_positive(amount) {
                out.invalid(&storage_path, amount.clone(), "must be greater than zero");
            }
        }
    }
    let class = spec["storageClassName"].as_str().unwrap_or_default();
    if !class.is_empty() {
        let complaints = name::dns_subdomain(class, out.rules);
        out.invalid_text(&format!("{path}.storageClassName"), class, &complaints);
    }
    if let Some(mode) = spec["volumeMode"].as_str()
        && !["Block", "Filesystem"].contains(&mode)
    {
        let path = format!("{path}.volumeMode");
        out.not_supported(&path, mode, &["Block", "Filesystem"]);
    }
}
