//! Fields that a pod must not have on its operating system.

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each_container, flag, is_given, list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};

const NOT_WINDOWS: Check = Check::Forbidden("cannot be set for a windows pod");

/// `validateWindows`, in the server's order. The fields of the pod itself follow below.
static POD_CONTEXT: [(&str, bool); 15] = [
    ("appArmorProfile", true),
    ("seLinuxOptions", true),
    ("hostUsers", false),
    ("hostPID", false),
    ("hostIPC", false),
    ("seccompProfile", true),
    ("fsGroup", true),
    ("fsGroupChangePolicy", true),
    ("sysctls", true),
    ("shareProcessNamespace", false),
    ("runAsUser", true),
    ("runAsGroup", true),
    ("supplementalGroups", true),
    ("supplementalGroupsPolicy", true),
    ("seLinuxChangePolicy", true),
];

static CONTAINER_CONTEXT: [Rule; 10] = [
    rule("appArmorProfile", NOT_WINDOWS),
    rule("seLinuxOptions", NOT_WINDOWS),
    rule("seccompProfile", NOT_WINDOWS),
    rule("capabilities", NOT_WINDOWS),
    rule("readOnlyRootFilesystem", NOT_WINDOWS),
    rule("privileged", NOT_WINDOWS),
    rule("allowPrivilegeEscalation", NOT_WINDOWS),
    rule("procMount", NOT_WINDOWS),
    rule("runAsUser", NOT_WINDOWS),
    rule("runAsGroup", NOT_WINDOWS),
];

static NOT_LINUX: [Rule; 1] = [rule(
    "windowsOptions",
    Check::Forbidden("windows options cannot be set for a linux pod"),
)];

pub(super) fn check(spec: &Value, given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let os = &spec["os"];
    if os.is_null() {
        return;
    }
    let at_os = at.member("os");
    match text(os, "name") {
        "" => out.required(at_os.member("name"), ""),
        "linux" => check_contexts(spec, at, &NOT_LINUX, &NOT_LINUX, out),
        "windows" => {
            check_windows_pod(spec, given, at, out);
            check_contexts(spec, at, &[], &CONTAINER_CONTEXT, out);
        }
        other => out.not_supported(at_os, other, &["linux", "windows"]),
    }
}

fn check_contexts(
    spec: &Value,
    at: &Path<'_>,
    of_pod: &[Rule],
    of_containers: &[Rule],
    out: &mut Refusals<'_>,
) {
    check_rules(
        &spec["securityContext"],
        &at.member("securityContext"),
        of_pod,
        out,
    );
    each_container(spec, at, |container, at| {
        let at = at.member("securityContext");
        check_rules(&container["securityContext"], &at, of_containers, out);
    });
}

fn check_windows_pod(spec: &Value, given: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at_context = at.member("securityContext");
    for (member, in_context) in POD_CONTEXT {
        let (owner, sent, at) = if in_context {
            (
                &spec["securityContext"],
                &given["securityContext"],
                &at_context,
            )
        } else {
            (spec, given, at)
        };
        let set = match member {
            "hostPID" | "hostIPC" => flag(owner, member),
            "sysctls" => !list(owner, member).is_empty(),
            // An empty list counts too.
            "supplementalGroups" => is_given(owner, member) || is_given(sent, member),
            _ => is_given(owner, member),
        };
        if set {
            out.forbidden(at.member(member), "cannot be set for a windows pod");
        }
    }
}
