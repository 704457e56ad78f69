//! Validation of the specs of claim templates: `ValidatePersistentVolumeClaimSpec`.

use serde_json::Value;

use super::read::{is_given, list, text, texts};
use super::refusals::Refusals;
use super::rule::{Check, Rule, check as check_rules, rule};
use super::{name, resources, selector};
use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::Path;

const ACCESS_MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

static CLASS: [Rule; 2] = [
    rule("storageClassName", Check::Subdomain),
    rule("volumeMode", Check::OneOf(&["Block", "Filesystem"])),
];

pub(super) fn check_templates(claims: &[Value], out: &mut Refusals<'_>) {
    let at = Path::Root.member("spec.volumeClaimTemplates");
    for (at, claim) in at.items(claims) {
        check_spec(&claim["spec"], &at.member("spec"), out);
    }
}

pub(super) fn check_spec(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at_modes = at.member("accessModes");
    if list(spec, "accessModes").is_empty() {
        out.required(at_modes, "at least 1 access mode is required");
    }
    selector::check_requirements(&spec["selector"], &at.member("selector"), true, out);
    let (mut alone, mut others) = (false, false);
    for mode in texts(spec, "accessModes") {
        if !ACCESS_MODES.contains(&mode) {
            out.not_supported(at_modes, mode, &ACCESS_MODES);
        } else if mode == "ReadWriteOncePod" {
            alone = true;
        } else {
            others = true;
        }
    }
    if alone && others {
        let detail = "may not use ReadWriteOncePod with other access modes";
        out.forbidden(at_modes, detail);
    }
    check_storage(spec, at, out);
    check_rules(spec, at, &CLASS, out);
    for member in ["dataSource", "dataSourceRef"] {
        if is_given(spec, member) {
            check_source(&spec[member], &at.member(member), out);
        }
    }
    check_sources_agree(spec, at, out);
    let class = text(spec, "volumeAttributesClassName");
    if !class.is_empty() && out.rules.pod.volume_attributes_class {
        let complaints = name::dns_subdomain(class);
        out.invalid_text(at.member("volumeAttributesClassName"), class, &complaints);
    }
}

fn check_storage(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("resources");
    let at = at.key("storage");
    let amount = spec["resources"]["requests"]["storage"].as_str();
    let Some(storage) = amount.and_then(|text| Quantity::parse(text).ok()) else {
        out.required(at, "");
        return;
    };
    if storage.is_zero() || storage.is_negative() {
        out.invalid(at, storage.canonical(), "must be greater than zero");
    } else {
        resources::check_value("storage", &storage, &at, out);
    }
}

/// `validateDataSource` and `validateDataSourceRef`.
fn check_source(source: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    static NAMED: [Rule; 2] = [
        rule("name", Check::Required("")),
        rule("kind", Check::Required("")),
    ];
    static NAMESPACE: [Rule; 1] = [rule("namespace", Check::Label)];
    check_rules(source, at, &NAMED, out);
    let (group, kind) = (text(source, "apiGroup"), text(source, "kind"));
    if group.is_empty() {
        if kind != "PersistentVolumeClaim" {
            let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
            out.invalid(at, kind, detail);
        }
    } else if out.rules.source_groups_checked {
        let complaints = name::dns_subdomain(group);
        out.invalid_text(at.member("apiGroup"), group, &complaints);
    }
    check_rules(source, at, &NAMESPACE, out);
}

/// The server shows the path as the invalid value, which JSON does not contain.
fn check_sources_agree(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let (old, new) = (&spec["dataSource"], &spec["dataSourceRef"]);
    if old.is_null() || new.is_null() {
        return;
    }
    let same = ["apiGroup", "kind", "name"]
        .iter()
        .all(|member| old[*member] == new[*member]);
    let detail = if !text(new, "namespace").is_empty() {
        "may not be specified when dataSourceRef.namespace is specified"
    } else if !same {
        "must match dataSourceRef"
    } else {
        return;
    };
    let go = format!("{}.dataSource", at);
    out.invalid_object(at, old, "{}", &go, detail);
}
