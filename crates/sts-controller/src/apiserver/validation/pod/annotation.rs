//! Pod annotations with a meaning: `ValidatePodSpecificAnnotations`.

use serde_json::Value;

use super::toleration;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each_container, entries, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::word;

const MIRROR: &str = "kubernetes.io/config.mirror";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_OF: &str = "container.apparmor.security.beta.kubernetes.io/";

pub(super) fn check(metadata: &Value, spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let value = |key: &str| metadata["annotations"][key].as_str();
    if let Some(mirror) = value(MIRROR)
        && text(spec, "nodeName").is_empty()
    {
        let detail = "must set spec.nodeName if mirror pod annotation is set";
        out.invalid(at.key(MIRROR), mirror, detail);
    }
    if let Some(tolerations) = value(TOLERATIONS).filter(|text| !text.is_empty()) {
        match serde_json::from_str::<Vec<Value>>(tolerations) {
            Ok(list) => toleration::check_all(&list, &at.member(TOLERATIONS), out),
            Err(error) => out.invalid(at, TOLERATIONS, &error.to_string()),
        }
    }
    if let Some(cost) = value(DELETION_COST)
        && !out.ratcheting.deletion_cost
        && out.rules.pod.deletion_costs
        && !is_deletion_cost(cost)
    {
        out.invalid(at.key(DELETION_COST), cost, "must be a 32bit integer");
    }
    if let Some(profile) = value(SECCOMP) {
        check_seccomp(profile, &at.member(SECCOMP), out);
    }
    for (key, profile) in entries(metadata, "annotations") {
        let profile = profile.as_str().unwrap_or_default();
        if key.starts_with(SECCOMP_OF) {
            check_seccomp(profile, &at.member(key), out);
        }
        if let Some(container) = key.strip_prefix(APP_ARMOR_OF) {
            let mut found = false;
            each_container(spec, at, |other, _| {
                found |= text(other, "name") == container
            });
            if !found {
                out.invalid(at.key(key), container, "container not found");
            }
            let known = ["", "runtime/default", "unconfined"].contains(&profile);
            if !known && !profile.starts_with("localhost/") {
                let detail = format!("invalid AppArmor profile name: {profile:?}");
                out.invalid(at.key(key), profile, &detail);
            }
        }
    }
}

/// Reports whether a text is a deletion cost: a 32-bit number without a plus sign or leading zeros.
pub(in crate::apiserver::validation) fn is_deletion_cost(text: &str) -> bool {
    let first = text == "0"
        || text.starts_with('-')
        || text
            .bytes()
            .next()
            .is_some_and(|byte| (b'1'..=b'9').contains(&byte));
    first && text.parse::<i32>().is_ok()
}

/// `ValidateSeccompProfile`.
fn check_seccomp(profile: &str, at: &Path<'_>, out: &mut Refusals<'_>) {
    match profile.strip_prefix("localhost/") {
        Some(path) => out.invalid_text(at, path, &word::inner_path(path)),
        None if ["runtime/default", "docker/default", "unconfined"].contains(&profile) => {}
        None => out.invalid(at, profile, "must be a valid seccomp profile"),
    }
}

/// `validateSeccompAnnotationsAndFields` and `validateAppArmorAnnotationsAndFieldsMatchOnCreate`: an annotation must
/// match the corresponding field.
pub(super) fn check_profiles(
    metadata: &Value,
    spec: &Value,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    if metadata["annotations"].is_null() {
        return;
    }
    let annotation =
        |prefix: &str, name: &str| metadata["annotations"][format!("{prefix}{name}")].as_str();
    if let Some(value) = annotation(SECCOMP, "") {
        let at = at.member("securityContext");
        let profile = &spec["securityContext"]["seccompProfile"];
        compare(value, profile, "seccomp", &at.member("seccompProfile"), out);
    }
    each_container(spec, at, |container, at| {
        if let Some(value) = annotation(SECCOMP_OF, text(container, "name")) {
            let at = at.member("securityContext");
            let profile = &container["securityContext"]["seccompProfile"];
            compare(value, profile, "seccomp", &at.member("seccompProfile"), out);
        }
    });
    if spec["os"]["name"] == "windows" || !out.rules.pod.app_armor_fields {
        return;
    }
    each_container(spec, at, |container, at| {
        let Some(value) = annotation(APP_ARMOR_OF, text(container, "name")) else {
            return;
        };
        let own = &container["securityContext"]["appArmorProfile"];
        let profile = if own.is_null() {
            &spec["securityContext"]["appArmorProfile"]
        } else {
            own
        };
        let at = at.member("securityContext");
        compare(
            value,
            profile,
            "apparmor",
            &at.member("appArmorProfile"),
            out,
        );
    });
}

fn compare(annotation: &str, profile: &Value, what: &str, at: &Path<'_>, out: &mut Refusals<'_>) {
    let same_type = match text(profile, "type") {
        "Unconfined" => annotation == "unconfined",
        "RuntimeDefault" => {
            annotation == "runtime/default" || (what == "seccomp" && annotation == "docker/default")
        }
        "Localhost" => annotation.starts_with("localhost/"),
        _ => return,
    };
    if !same_type {
        let detail = format!("{what} type in annotation and field must match");
        out.forbidden(at.member("type"), &detail);
    } else if let Some(path) = annotation.strip_prefix("localhost/")
        && profile["localhostProfile"].as_str() != Some(path)
    {
        let detail = format!("{what} profile in annotation and field must match");
        out.forbidden(at.member("localhostProfile"), &detail);
    }
}
