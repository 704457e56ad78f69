//! Host settings: namespaces shared with the node, and host aliases.

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{
    each, each_container, flag, list, number, text, texts, uses_host_network,
};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::{address, name};

/// `validatePodHostNetworkDeps`.
pub(super) fn check_ports(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    if !uses_host_network(spec) {
        return;
    }
    let at = at.member("containers");
    for (index, container) in list(spec, "containers").iter().enumerate() {
        let at = at.index(index);
        for (at, port) in each(container, "ports", &at) {
            let (host, own) = (number(port, "hostPort"), number(port, "containerPort"));
            // A template may leave it to the server's defaulting.
            if (out.of_pod || host != 0) && host != own {
                let detail = "must match `containerPort` when `hostNetwork` is true";
                out.invalid(at.member("hostPort"), host, detail);
            }
        }
    }
}

/// `validateHostUsers`. The server capitalizes two of these paths.
pub(super) fn check_users(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    if spec["hostUsers"] != Value::Bool(false) {
        return;
    }
    let detail = "when `hostUsers` is false";
    if uses_host_network(spec) && !out.ratcheting.host_network_users {
        out.forbidden(at.member("hostNetwork"), detail);
    }
    for (member, shown) in [("hostPID", "HostPID"), ("hostIPC", "HostIPC")] {
        if flag(spec, member) {
            let before = out.len();
            out.forbidden(at.member(shown), detail);
            out.blame(before, at.member(member));
        }
    }
    if out.rules.pod.no_devices_in_user_namespaces && !out.ratcheting.user_devices {
        each_container(spec, at, |container, at| {
            if !list(container, "volumeDevices").is_empty() {
                out.forbidden(at.member("volumeDevices"), detail);
            }
        });
    }
}

/// `validatePodHostName`.
pub(super) fn check_name_override(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    const MAX: usize = 64;
    let Some(name) = spec["hostnameOverride"].as_str() else {
        return;
    };
    let at = at.member("hostnameOverride");
    if flag(spec, "setHostnameAsFQDN") {
        out.forbidden(at, "may not be specified when setHostnameAsFQDN is true");
    }
    if uses_host_network(spec) {
        out.forbidden(at, "may not be specified when hostNetwork is true");
    }
    if name.len() > MAX {
        out.too_long(at, MAX);
    }
    out.invalid_text(at, name, &name::dns_subdomain(name));
}

/// `ValidateHostAliases`.
pub(super) fn check_aliases(spec: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("hostAliases");
    for (index, alias) in list(spec, "hostAliases").iter().enumerate() {
        let at = at.index(index);
        address::check(text(alias, "ip"), &at.member("ip"), out);
        let at = at.member("hostnames");
        for (index, host) in texts(alias, "hostnames").enumerate() {
            let complaints = name::dns_subdomain(host);
            out.invalid_text(at.index(index), host, &complaints);
        }
    }
}
