//! Containers, and the rules common to all kinds of them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::context::PodContext;
use super::{handler, mount, port, restart, security, variable};
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::resources::{self, ResourceOwner};
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};

/// `validateContainers`.
pub(super) fn check_all(pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("containers");
    let containers = list(pod.spec, "containers");
    if containers.is_empty() {
        out.required(at, "");
        return;
    }
    let mut names = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let at = at.index(index);
        check(container, &pod.given["containers"][index], pod, &at, out);
        let name = text(container, "name");
        if !names.insert(name) {
            out.duplicate(at.member("name"), name);
        }
        handler::check_all(container, pod, &at, out);
        if out.rules.pod.container_restart_policies {
            restart::check(container, &at, out);
        } else if !container["restartPolicy"].is_null() {
            let detail = "may not be set for non-init containers";
            out.forbidden(at.member("restartPolicy"), detail);
        }
    }
    port::check_conflicts(containers, &at, out);
}

static NAMED: [Rule; 3] = [
    rule("name", Check::RequiredLabel),
    rule("image", Check::Required("")),
    rule(
        "terminationMessagePolicy",
        Check::Chosen(&["File", "FallbackToLogsOnError"]),
    ),
];

static PULLED: [Rule; 1] = [rule(
    "imagePullPolicy",
    Check::Chosen(&["Always", "IfNotPresent", "Never"]),
)];

/// `validateContainerCommon`. `given` is the container as it was sent.
pub(super) fn check(
    container: &Value,
    given: &Value,
    pod: &PodContext<'_>,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    check_rules(container, at, &NAMED, out);
    port::check_all(container, at, out);
    variable::check_all(container, at, out);
    variable::check_sources(container, at, out);
    mount::check_mounts(container, &pod.volumes, at, out);
    mount::check_devices(container, &pod.volumes, at, out);
    check_rules(container, at, &PULLED, out);
    resources::check(
        &container["resources"],
        ResourceOwner::Container,
        &pod.claims,
        &at.member("resources"),
        out,
    );
    check_resize_policy(container, pod, &at.member("resizePolicy"), out);
    let context = &container["securityContext"];
    let given = &given["securityContext"];
    let at = at.member("securityContext");
    security::check_container(context, given, pod.host_users, &at, out);
}

/// `validateResizePolicy`. The server omits the index in most of these paths.
fn check_resize_policy(
    container: &Value,
    pod: &PodContext<'_>,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    const RESOURCE: Check = Check::Chosen(&["cpu", "memory"]);
    const POLICY: Check = Check::Chosen(&["NotRequired", "RestartContainer"]);
    let mut seen = BTreeSet::new();
    for (index, policy) in list(container, "resizePolicy").iter().enumerate() {
        let resource = text(policy, "resourceName");
        if !seen.insert(resource) {
            out.duplicate(at.index(index), resource);
        }
        let before = out.len();
        for (member, check) in [("resourceName", RESOURCE), ("restartPolicy", POLICY)] {
            crate::apiserver::validation::rule::one(&policy[member], at, check, out);
        }
        let restart = text(policy, "restartPolicy");
        if text(pod.spec, "restartPolicy") == "Never" && restart != "NotRequired" {
            let detail = if out.rules.pod.pod_restart_policy_named {
                "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            } else {
                "must be 'NotRequired' when `restartPolicy` is 'Never'"
            };
            out.invalid_name(at, restart, detail);
        }
        out.blame(before, at.index(index));
    }
}

/// Checks for blanks around an image, which are invalid in pods only.
pub(super) fn check_image_blanks(container: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let image = text(container, "image");
    if image.trim() != image {
        let detail = "must not have leading or trailing whitespace";
        out.invalid(at.member("image"), image, detail);
    }
}
