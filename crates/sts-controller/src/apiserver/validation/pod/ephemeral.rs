//! Ephemeral containers. No template may have them, but their errors are reported anyway.

use std::collections::BTreeSet;

use serde_json::Value;

use super::container;
use super::context::PodContext;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each, is_given, list, text};
use crate::apiserver::validation::refusals::Refusals;

/// Fields that ephemeral containers must not have, in the order of the server's type.
const NOT_ALLOWED: [&str; 9] = [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

/// `validateEphemeralContainers`.
pub(super) fn check_all(pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("ephemeralContainers");
    let named = |member: &str| list(pod.spec, member).iter();
    let others: BTreeSet<&str> = named("containers")
        .chain(named("initContainers"))
        .map(|container| text(container, "name"))
        .collect();
    let mut names = others.clone();
    for (index, ephemeral) in list(pod.spec, "ephemeralContainers").iter().enumerate() {
        let at = at.index(index);
        let given = &pod.given["ephemeralContainers"][index];
        container::check(ephemeral, given, pod, &at, out);
        container::check_image_blanks(ephemeral, &at, out);
        let name = text(ephemeral, "name");
        if !names.insert(name) {
            out.duplicate(at.member("name"), name);
        }
        let target = text(ephemeral, "targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            out.not_found(at.member("targetContainerName"), target, "");
        }
        for member in NOT_ALLOWED {
            let set = match member {
                // An empty list counts too.
                "ports" | "resizePolicy" => is_given(ephemeral, member) || is_given(given, member),
                // A disabled gate removes the field entirely.
                "restartPolicyRules" => {
                    is_given(ephemeral, member)
                        || (out.rules.pod.container_restart_policies && is_given(given, member))
                }
                "resources" => has_members(&ephemeral[member]) || has_members(&given[member]),
                _ => is_given(ephemeral, member),
            };
            if set {
                let detail = "cannot be set for an Ephemeral Container";
                out.forbidden(at.member(member), detail);
            }
        }
        for (at, mount) in each(ephemeral, "volumeMounts", &at) {
            for member in ["subPath", "subPathExpr"] {
                if !text(mount, member).is_empty() {
                    let detail = "cannot be set for an Ephemeral Container";
                    out.forbidden(at.member(member), detail);
                }
            }
        }
    }
}

/// Reports whether an object has a member, even an empty one.
fn has_members(value: &Value) -> bool {
    let members = value.as_object().into_iter().flatten();
    members.into_iter().any(|(_, member)| !member.is_null())
}
