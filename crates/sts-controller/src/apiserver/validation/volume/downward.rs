//! Pod fields exposed to containers as variables or files.

use serde_json::Value;

use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::name;
use crate::apiserver::validation::read::{is_given, list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};

/// Fields for files, in the order of the messages.
const FILE_FIELDS: [&str; 5] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];

/// All known fields.
const KNOWN_FIELDS: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
const HUGE_PAGES: [&str; 2] = ["limits.hugepages-", "requests.hugepages-"];

/// Checks the files of a volume. The server omits `items` and the index in their paths.
pub(super) fn check_items(volume: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    for (index, file) in list(volume, "items").iter().enumerate() {
        let before = out.len();
        check_file(file, at, out);
        out.blame_under(before, at, at.member("items").index(index));
    }
}

/// `validateDownwardAPIVolumeFile`.
pub(super) fn check_file(file: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    static PATH: [Rule; 2] = [
        rule("path", Check::Required("")),
        rule("path", Check::OwnPath),
    ];
    static MODE: [Rule; 1] = [rule("mode", Check::FileMode)];
    check_rules(file, at, &PATH, out);
    if is_given(file, "fieldRef") {
        check_field_reference(&file["fieldRef"], &FILE_FIELDS, &at.member("fieldRef"), out);
        if is_given(file, "resourceFieldRef") {
            let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
            out.invalid(at, "resource", detail);
        }
    } else if is_given(file, "resourceFieldRef") {
        let at = at.member("resourceFieldRef");
        check_resource_reference(&file["resourceFieldRef"], true, &at, out);
    } else {
        out.required(at, "one of fieldRef and resourceFieldRef is required");
    }
    check_rules(file, at, &MODE, out);
}

/// `validateObjectFieldSelector`.
pub(in crate::apiserver::validation) fn check_field_reference(
    reference: &Value,
    known: &[&str],
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let version = text(reference, "apiVersion");
    if version.is_empty() {
        out.required(at.member("apiVersion"), "");
        return;
    }
    let path = text(reference, "fieldPath");
    if path.is_empty() {
        out.required(at.member("fieldPath"), "");
        return;
    }
    let mut refuse = |why: &str| {
        let detail = format!("error converting fieldPath: {why}");
        out.invalid(at.member("fieldPath"), path, &detail);
    };
    if version != "v1" {
        refuse(&format!("unsupported pod version: {version}"));
        return;
    }
    if let Some((outer, key)) = subscripted(path) {
        let key = match outer {
            "metadata.annotations" => key.to_lowercase(),
            "metadata.labels" => key.to_owned(),
            _ => {
                refuse(&format!("field label does not support subscript: {path}"));
                return;
            }
        };
        out.invalid_text(at, &key, &name::qualified(&key, out.rules));
        return;
    }
    let path = match path {
        // The name that old clients used.
        "spec.host" => "spec.nodeName",
        _ if KNOWN_FIELDS.contains(&path) => path,
        _ => {
            refuse(&format!("field label not supported: {path}"));
            return;
        }
    };
    if !known.contains(&path) {
        out.not_supported_text(at.member("fieldPath"), path, known);
    }
}

/// Splits `metadata.labels['a']` into `metadata.labels` and `a`.
fn subscripted(path: &str) -> Option<(&str, &str)> {
    let (outer, key) = path.strip_suffix("']")?.split_once("['")?;
    (!outer.is_empty()).then_some((outer, key))
}

/// `validateContainerResourceFieldSelector`. A volume must name the container.
pub(in crate::apiserver::validation) fn check_resource_reference(
    reference: &Value,
    in_volume: bool,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let resource = text(reference, "resource");
    if in_volume && text(reference, "containerName").is_empty() {
        out.required(at.member("containerName"), "");
    } else if resource.is_empty() {
        out.required(at.member("resource"), "");
    } else if !RESOURCES.contains(&resource) && !is_huge_page(resource) {
        out.not_supported_text(at.member("resource"), resource, &RESOURCES);
    }
    check_divisor(resource, text(reference, "divisor"), at, out);
}

fn is_huge_page(resource: &str) -> bool {
    HUGE_PAGES.iter().any(|prefix| resource.starts_with(prefix))
}

fn check_divisor(resource: &str, divisor: &str, at: &Path<'_>, out: &mut Refusals<'_>) {
    const CORES: [&str; 2] = ["1m", "1"];
    const BYTES: [&str; 13] = [
        "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
    ];
    if Quantity::parse(divisor).is_ok_and(|divisor| divisor.is_zero()) || divisor.is_empty() {
        return;
    }
    let (known, what): (&[&str], &str) = match resource {
        "limits.cpu" | "requests.cpu" => {
            if !CORES.contains(&divisor) {
                out.invalid(
                    at.member("divisor"),
                    resource,
                    "only divisor's values 1m and 1 are supported with the cpu resource",
                );
            }
            return;
        }
        "limits.memory" | "requests.memory" => (&BYTES, "memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => {
            (&BYTES, "local ephemeral storage")
        }
        _ if is_huge_page(resource) => (&BYTES, "hugepages"),
        _ => return,
    };
    if !known.contains(&divisor) {
        let detail = format!(
            "only divisor's values {} are supported with the {what} resource",
            known.join(", ")
        );
        out.invalid(at.member("divisor"), resource, &detail);
    }
}
