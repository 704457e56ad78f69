//! Security contexts of pods and containers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::windows;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{
    each, flag, is_given, list, text, texts, uses_host_network,
};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, one, rule};
use crate::apiserver::validation::{go, word};

/// Range of user and group ids.
const ID: Check = Check::Within(0, i32::MAX as i64);

static IDS: [Rule; 3] = [
    rule("fsGroup", ID),
    rule("runAsUser", ID),
    rule("runAsGroup", ID),
];

/// `validatePodSpecSecurityContext`.
pub(super) fn check_pod(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let context = &spec["securityContext"];
    let at = at.member("securityContext");
    check_rules(context, &at, &IDS, out);
    for (at, group) in each(context, "supplementalGroups", &at) {
        one(group, &at, ID, out);
    }
    // A field of the pod, which the server keeps in its security context.
    if flag(spec, "shareProcessNamespace") && flag(spec, "hostPID") {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        out.invalid(at.member("shareProcessNamespace"), true, detail);
    }
    check_sysctls(spec, &at.member("sysctls"), out);
    let change = rule(
        "fsGroupChangePolicy",
        Check::OneOf(&["Always", "OnRootMismatch"]),
    );
    check_rules(context, &at, &[change], out);
    check_seccomp(context, &at, out);
    windows::check_options(context, &at, out);
    check_app_armor(context, &at, out);
    let groups = rule(
        "supplementalGroupsPolicy",
        Check::OneOf(&["Merge", "Strict"]),
    );
    check_rules(context, &at, &[groups], out);
    // With SELinuxMount, which is off in every minor so far, all policies are allowed.
    let policies: &[&str] = if out.ratcheting.selinux_policies {
        &["MountOption", "Recursive"]
    } else {
        &["Recursive"]
    };
    if let Some(policy) = context["seLinuxChangePolicy"].as_str()
        && !policies.contains(&policy)
    {
        out.not_supported(at.member("seLinuxChangePolicy"), policy, policies);
    }
}

/// Returns a context with the capability lists that were sent empty, which the server shows but does not store.
fn with_empty_lists(context: &Value, given: &Value) -> Value {
    let mut shown = context.clone();
    if let Some(capabilities) = shown.get_mut("capabilities").and_then(Value::as_object_mut) {
        for member in ["add", "drop"] {
            let sent = &given["capabilities"][member];
            if sent.is_array() && !capabilities.contains_key(member) {
                capabilities.insert(member.to_owned(), sent.clone());
            }
        }
    }
    shown
}

/// `ValidateSecurityContext`. `given` is the context as sent.
pub(super) fn check_container(
    context: &Value,
    given: &Value,
    host_users: bool,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    if context.is_null() {
        return;
    }
    static IDS: [Rule; 3] = [
        rule("runAsUser", ID),
        rule("runAsGroup", ID),
        rule("procMount", Check::OneOf(&["Default", "Unmasked"])),
    ];
    check_rules(context, at, &IDS, out);
    let unmasked = text(context, "procMount") == "Unmasked";
    if host_users && unmasked && out.rules.pod.unmasked_needs_own_users {
        let detail = "`hostUsers` must be false to use `Unmasked`";
        out.invalid_name(at.member("procMount"), "Unmasked", detail);
    }
    check_seccomp(context, at, out);
    if context["allowPrivilegeEscalation"] == Value::Bool(false) {
        let json = go::internal(&with_empty_lists(context, given), go::SECURITY_CONTEXT);
        let mut refuse = |what: &str| {
            let detail = format!("cannot set `allowPrivilegeEscalation` to false and {what}");
            out.invalid_object(at, context, &json, &json, &detail);
        };
        if flag(context, "privileged") {
            refuse("`privileged` to true");
        }
        for capability in texts(&context["capabilities"], "add") {
            if capability == "CAP_SYS_ADMIN" {
                refuse("`capabilities.Add` CAP_SYS_ADMIN");
            }
        }
    }
    windows::check_options(context, at, out);
    check_app_armor(context, at, out);
}

/// `validateSeccompProfileField`.
fn check_seccomp(context: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let profile = &context["seccompProfile"];
    let at = at.member("seccompProfile");
    if profile.is_null() {
        return;
    }
    let kind = text(profile, "type");
    match kind {
        "Localhost" | "RuntimeDefault" | "Unconfined" => {}
        "" => out.required(
            at.member("type"),
            "type is required when seccompProfile is set",
        ),
        other => out.not_supported(
            at.member("type"),
            other,
            &["Localhost", "RuntimeDefault", "Unconfined"],
        ),
    }
    let at = at.member("localhostProfile");
    match (kind == "Localhost", profile["localhostProfile"].as_str()) {
        (true, None) => out.required(at, "must be set when seccomp type is Localhost"),
        (true, Some(path)) => out.invalid_text(at, path, &word::inner_path(path)),
        (false, None) => {}
        (false, Some(_)) => {
            let json = go::internal(profile, go::PROFILE);
            let detail = "can only be set when seccomp type is Localhost";
            out.invalid_object(at, profile, &json, &json, detail);
        }
    }
}

/// `ValidateAppArmorProfileField`.
fn check_app_armor(context: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX: usize = 4095;
    let profile = &context["appArmorProfile"];
    let at = at.member("appArmorProfile");
    if profile.is_null() {
        return;
    }
    let path = profile["localhostProfile"].as_str();
    let (at_type, at) = (at.member("type"), at.member("localhostProfile"));
    match (text(profile, "type"), path) {
        ("Localhost", None) => out.required(at, "must be set when AppArmor type is Localhost"),
        ("Localhost", Some(path)) => {
            if path.trim() != path {
                out.invalid(at, path, "must not be padded with whitespace");
            } else if path.is_empty() {
                out.required(at, "must be set when AppArmor type is Localhost");
            }
            if path.len() > MAX {
                out.too_long(at, MAX);
            }
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("RuntimeDefault" | "Unconfined", Some(path)) => {
            out.invalid_name(at, path, "can only be set when AppArmor type is Localhost");
        }
        ("", _) => out.required(at_type, "type is required when appArmorProfile is set"),
        (other, _) => out.not_supported(
            at_type,
            other,
            &["Localhost", "RuntimeDefault", "Unconfined"],
        ),
    }
}

/// `validateSysctls`.
fn check_sysctls(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let mut seen = BTreeSet::new();
    for (at, sysctl) in at.items(list(&spec["securityContext"], "sysctls")) {
        let at = at.member("name");
        let name = text(sysctl, "name");
        if name.is_empty() {
            out.required(at, "");
        } else if !word::is_sysctl(name) {
            let detail = r"must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
            out.invalid(at, name, detail);
        } else if seen.contains(name) {
            out.duplicate(at, name);
        }
        if out.rules.pod.host_sysctls
            && !out.ratcheting.host_sysctls
            && let Some(member) = shared_with_host(name, spec)
        {
            let detail = format!("may not be specified when '{member}' is true");
            out.invalid(at, name, &detail);
        }
        seen.insert(name);
    }
}

/// Reports whether a pod sets a sysctl of the node's namespace.
pub(in crate::apiserver::validation) fn has_host_sysctl(spec: &Value) -> bool {
    list(&spec["securityContext"], "sysctls")
        .iter()
        .any(|sysctl| shared_with_host(text(sysctl, "name"), spec).is_some())
}

/// Returns the member by which a pod shares the namespace of a sysctl with its node.
fn shared_with_host(name: &str, spec: &Value) -> Option<&'static str> {
    const IPC_SYSCTLS: [&str; 10] = [
        "kernel.sem",
        "kernel.shmall",
        "kernel.shmmax",
        "kernel.shmmni",
        "kernel.shm_rmid_forced",
        "kernel.shm",
        "kernel.msgmax",
        "kernel.msgmnb",
        "kernel.msgmni",
        "kernel.msg",
    ];
    let name = word::dotted_sysctl(name);
    let name = name.split('*').next().unwrap_or_default();
    if name.starts_with("net.") && uses_host_network(spec) {
        return Some("hostNetwork");
    }
    let ipc = IPC_SYSCTLS.contains(&name) || name.starts_with("fs.mqueue.");
    (ipc && is_given(spec, "hostIPC") && flag(spec, "hostIPC")).then_some("hostIPC")
}
