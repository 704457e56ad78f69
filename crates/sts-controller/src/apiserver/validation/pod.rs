//! The pod template: labels and annotations in every version, the rest from 1.34 on.

use serde_json::Value;

use super::refused::Refusals;
use super::{container, meta, name, volume};

/// `ValidatePodTemplateSpecForStatefulSet`, but for the selector.
pub(super) fn check_template(spec: &Value, in_full: bool, out: &mut Refusals<'_>) {
    let template = &spec["template"];
    let metadata = &template["metadata"];
    // The server leaves `metadata` out of these paths.
    let before = out.len();
    meta::check_labels(&metadata["labels"], "spec.template.labels", out);
    out.blame(before, "spec.template.metadata.labels");
    let before = out.len();
    let annotations = &metadata["annotations"];
    meta::check_annotations(annotations, "spec.template.annotations", out);
    out.blame(before, "spec.template.metadata.annotations");
    if in_full {
        check_pod(&template["spec"], &spec["volumeClaimTemplates"], out);
    }
}

/// `ValidatePodSpec`. Host name and subdomain are not looked at, since the controller overwrites them; and the
/// volumes are those that pods will have, claims included.
fn check_pod(pod: &Value, claims: &Value, out: &mut Refusals<'_>) {
    let at = |member: &str| format!("spec.template.spec.{member}");
    let volumes = volume::check_all(&pod["volumes"], claims, out);
    container::check_all(pod, &volumes, out);
    match pod["dnsPolicy"].as_str().unwrap_or_default() {
        "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None" => {}
        "" => out.required(&at("dnsPolicy"), ""),
        other => out.not_supported(
            &at("dnsPolicy"),
            other,
            &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
        ),
    }
    meta::check_labels(&pod["nodeSelector"], &at("nodeSelector"), out);
    for member in [
        "serviceAccountName",
        "nodeName",
        "priorityClassName",
        "runtimeClassName",
    ] {
        let text = pod[member].as_str().unwrap_or_default();
        if !text.is_empty() || (member == "runtimeClassName" && pod[member].is_string()) {
            let complaints = name::dns_subdomain(text, out.rules);
            out.invalid_text(&at(member), text, &complaints);
        }
    }
    let given = |member: &str| pod[member].as_array().is_some_and(|list| !list.is_empty());
    if given("ephemeralContainers") {
        out.forbidden(
            &at("ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}
