//! Disks and file systems: checks beyond their tables.

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{entries, flag, is_given, number, text, texts};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};
use crate::apiserver::validation::word;

/// Range of logical unit numbers.
const UNIT: Check = Check::Within(0, 255);

pub(super) fn check_iscsi(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let target = text(given, "iqn");
    if !target.is_empty()
        && let Some(detail) = word::iscsi_name(target)
    {
        out.invalid(at.member("iqn"), target, detail);
    }
    static LUN: [Rule; 1] = [rule("lun", UNIT)];
    check_rules(given, at, &LUN, out);
    let authenticated = flag(given, "chapAuthDiscovery") || flag(given, "chapAuthSession");
    if authenticated && !is_given(given, "secretRef") {
        out.required(at.member("secretRef"), "");
    }
    if let Some(initiator) = given["initiatorName"].as_str()
        && let Some(detail) = word::iscsi_name(initiator)
    {
        out.invalid(at.member("initiatorname"), initiator, detail);
    }
}

pub(super) fn check_flocker(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let (dataset, uuid) = (text(given, "datasetName"), text(given, "datasetUUID"));
    if dataset.is_empty() && uuid.is_empty() {
        out.required(at, "one of datasetName and datasetUUID is required");
    }
    if !dataset.is_empty() && !uuid.is_empty() {
        let detail = "datasetName and datasetUUID can not be specified simultaneously";
        out.invalid(at, "resource", detail);
    }
    if dataset.contains('/') {
        out.invalid(at.member("datasetName"), dataset, "must not contain '/'");
    }
}

pub(super) fn check_quobyte(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX_TENANT_LENGTH: usize = 64;
    let detail = "must be a host:port pair or multiple pairs separated by commas";
    let registry = text(given, "registry");
    if registry.is_empty() {
        out.required(at.member("registry"), detail);
    } else if text(given, "tenant").len() > MAX_TENANT_LENGTH {
        let detail = "must be a UUID and may not exceed a length of 64 characters";
        out.required(at.member("tenant"), detail);
    } else {
        for pair in registry.split(',') {
            if !is_host_and_port(pair) {
                out.invalid(at.member("registry"), registry, detail);
            }
        }
    }
    if text(given, "volume").is_empty() {
        out.required(at.member("volume"), "");
    }
}

/// Reports whether Go can split host and port: one colon outside of brackets.
fn is_host_and_port(pair: &str) -> bool {
    let Some((host, port)) = pair.rsplit_once(':') else {
        return false;
    };
    let plain = match host.strip_prefix('[') {
        Some(inner) => inner
            .strip_suffix(']')
            .is_some_and(|inner| !inner.contains(['[', ']'])),
        None => !host.contains([':', '[', ']']),
    };
    plain && !port.contains(['[', ']'])
}

pub(super) fn check_fibre_channel(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at_targets = at.member("targetWWNs");
    let targets = texts(given, "targetWWNs").count();
    let ids = texts(given, "wwids").count();
    if targets == 0 && ids == 0 {
        let detail = "must specify either targetWWNs or wwids, but not both";
        out.required(at_targets, detail);
    }
    if targets != 0 && ids != 0 {
        let detail = "targetWWNs and wwids can not be specified simultaneously";
        out.invalid_texts(at_targets, &given["targetWWNs"], detail);
    }
    if targets != 0 {
        static LUN: [Rule; 1] = [rule("lun", UNIT)];
        if is_given(given, "lun") {
            check_rules(given, at, &LUN, out);
        } else {
            let detail = "lun is required if targetWWNs is specified";
            out.required(at.member("lun"), detail);
        }
    }
}

pub(super) fn check_flex_options(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    for (key, _) in entries(given, "options") {
        let namespace = key.split_once('/').map_or(key, |(namespace, _)| namespace);
        let domain = format!(".{}", namespace.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            let detail = "kubernetes.io and k8s.io namespaces are reserved";
            out.invalid(at.member("options").key(key), key, detail);
        }
    }
}

pub(super) fn check_azure_disk(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let uri = text(given, "diskURI");
    let Some(kind) = given["kind"].as_str() else {
        return;
    };
    let at = at.member("diskURI");
    if kind == "Managed" && !uri.starts_with("/subscriptions/") {
        out.not_supported_text(
            at,
            uri,
            &["/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"],
        );
    } else if kind != "Managed" && !uri.starts_with("https://") {
        out.not_supported_text(
            at,
            uri,
            &["https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"],
        );
    }
}

pub(super) fn check_absolute(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let path = text(given, "path");
    if !path.starts_with('/') {
        out.invalid(at.member("path"), path, "must be an absolute path");
    }
}

/// Checks the partition of a disk: from 1 on, with 0 for none. The server's message says otherwise.
pub(super) fn check_partition(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let partition = number(given, "partition");
    if !(0..=255).contains(&partition) {
        let detail = "must be between 1 and 255, inclusive";
        out.invalid(at.member("partition"), partition, detail);
    }
}

pub(super) fn check_secret_reference(given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    if is_given(given, "secretRef") && text(&given["secretRef"], "name").is_empty() {
        out.required(at.member("secretRef.name"), "");
    }
}
