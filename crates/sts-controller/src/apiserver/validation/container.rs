//! Containers and init containers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::refused::Refusals;
use super::volume::Volumes;
use super::{handler, mount, name, resources};

pub(super) fn check_all(pod: &Value, volumes: &Volumes, out: &mut Refusals<'_>) {
    let path = "spec.template.spec.containers";
    let containers = pod["containers"].as_array().map_or(&[][..], Vec::as_slice);
    if containers.is_empty() {
        out.required(path, "");
    }
    let mut names = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let path = format!("{path}[{index}]");
        check(container, volumes, &path, out);
        check_unique(container, &mut names, &path, out);
        handler::check_all(container, &path, out);
        if !out.rules.container_restart_policies && !container["restartPolicy"].is_null() {
            let path = format!("{path}.restartPolicy");
            out.forbidden(&path, "may not be set for non-init containers");
        }
    }
    check_host_ports(containers, path, out);
    let path = "spec.template.spec.initContainers";
    let containers = pod["initContainers"].as_array();
    for (index, container) in containers.into_iter().flatten().enumerate() {
        let path = format!("{path}[{index}]");
        check(container, volumes, &path, out);
        check_unique(container, &mut names, &path, out);
        check_init(container, &path, out);
    }
}

/// Names are unique among all containers of a pod.
fn check_unique<'v>(
    container: &'v Value,
    names: &mut BTreeSet<&'v str>,
    path: &str,
    out: &mut Refusals<'_>,
) {
    let name = container["name"].as_str().unwrap_or_default();
    if !names.insert(name) {
        out.duplicate(&format!("{path}.name"), name);
    }
}

/// One that goes on running beside the others may have probes and hooks, one that ends may not.
fn check_init(container: &Value, path: &str, out: &mut Refusals<'_>) {
    let policy = container["restartPolicy"].as_str();
    if let Some(other) = policy.filter(|policy| *policy != "Always")
        && !out.rules.container_restart_policies
    {
        out.not_supported(&format!("{path}.restartPolicy"), other, &["Always"]);
    }
    if policy == Some("Always") {
        handler::check_all(container, path, out);
        return;
    }
    for member in [
        "lifecycle",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
    ] {
        if !container[member].is_null() {
            out.forbidden(
                &format!("{path}.{member}"),
                "may not be set for init containers without restartPolicy=Always",
            );
        }
    }
}

/// `validateContainerCommon`.
fn check(container: &Value, volumes: &Volumes, path: &str, out: &mut Refusals<'_>) {
    let text = |member: &str| container[member].as_str().unwrap_or_default();
    let at = |member: &str| format!("{path}.{member}");
    if text("name").is_empty() {
        out.required(&at("name"), "");
    } else {
        let complaints = name::dns_label(text("name"), out.rules);
        out.invalid_text(&at("name"), text("name"), &complaints);
    }
    if text("image").is_empty() {
        out.required(&at("image"), "");
    }
    match text("terminationMessagePolicy") {
        "File" | "FallbackToLogsOnError" => {}
        "" => out.required(&at("terminationMessagePolicy"), ""),
        other => out.not_supported(
            &at("terminationMessagePolicy"),
            other,
            &["FallbackToLogsOnError", "File"],
        ),
    }
    check_ports(&container["ports"], &at("ports"), out);
    check_variables(&container["env"], &at("env"), out);
    check_variable_sources(&container["envFrom"], &at("envFrom"), out);
    mount::check_mounts(container, volumes, path, out);
    mount::check_devices(container, volumes, path, out);
    match text("imagePullPolicy") {
        "Always" | "IfNotPresent" | "Never" => {}
        "" => out.required(&at("imagePullPolicy"), ""),
        other => out.not_supported(
            &at("imagePullPolicy"),
            other,
            &["Always", "IfNotPresent", "Never"],
        ),
    }
    resources::check(&container["resources"], &at("resources"), out);
}

fn check_ports(ports: &Value, path: &str, out: &mut Refusals<'_>) {
    let mut names = BTreeSet::new();
    for (index, port) in ports.as_array().into_iter().flatten().enumerate() {
        let at = |member: &str| format!("{path}[{index}].{member}");
        let name = port["name"].as_str().unwrap_or_default();
        if !name.is_empty() {
            let complaints = name::port_name(name, out.rules);
            out.invalid_text(&at("name"), name, &complaints);
            if complaints.is_empty() && !names.insert(name) {
                out.duplicate(&at("name"), name);
            }
        }
        match port["containerPort"].as_i64().unwrap_or(0) {
            0 => out.required(&at("containerPort"), ""),
            number => handler::check_port_number(number, &at("containerPort"), out),
        }
        let host = port["hostPort"].as_i64().unwrap_or(0);
        if host != 0 {
            handler::check_port_number(host, &at("hostPort"), out);
        }
        match port["protocol"].as_str().unwrap_or_default() {
            "TCP" | "UDP" | "SCTP" => {}
            "" => out.required(&at("protocol"), ""),
            other => out.not_supported(&at("protocol"), other, &["SCTP", "TCP", "UDP"]),
        }
    }
}

/// Two containers cannot have the same port of the node.
fn check_host_ports(containers: &[Value], path: &str, out: &mut Refusals<'_>) {
    let mut taken = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let ports = container["ports"].as_array();
        for (port_index, port) in ports.into_iter().flatten().enumerate() {
            let number = port["hostPort"].as_i64().unwrap_or(0);
            if number == 0 {
                continue;
            }
            let text = |member: &str| port[member].as_str().unwrap_or_default();
            let claim = format!("{}/{}/{number}", text("protocol"), text("hostIP"));
            if taken.contains(&claim) {
                let path = format!("{path}[{index}].ports[{port_index}].hostPort");
                out.duplicate(&path, claim);
            } else {
                taken.insert(claim);
            }
        }
    }
}

fn check_variables(variables: &Value, path: &str, out: &mut Refusals<'_>) {
    const SOURCES: [&str; 5] = [
        "fieldRef",
        "resourceFieldRef",
        "configMapKeyRef",
        "secretKeyRef",
        "fileKeyRef",
    ];
    for (index, variable) in variables.as_array().into_iter().flatten().enumerate() {
        let name = variable["name"].as_str().unwrap_or_default();
        let at = format!("{path}[{index}].name");
        if name.is_empty() {
            out.required(&at, "");
        } else {
            out.invalid_text(&at, name, &name::variable(name));
        }
        let source = &variable["valueFrom"];
        if source.is_null() {
            continue;
        }
        let at = format!("{path}[{index}].valueFrom");
        for reference in ["configMapKeyRef", "secretKeyRef"] {
            if !source[reference].is_null() {
                for member in ["name", "key"] {
                    require(
                        &source[reference],
                        &format!("{at}.{reference}"),
                        member,
                        out,
                    );
                }
            }
        }
        let count = SOURCES
            .iter()
            .filter(|kind| !source[**kind].is_null())
            .count();
        let value = variable["value"].as_str().unwrap_or_default();
        if count == 0 {
            out.invalid(
                &at,
                "",
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
            );
        } else if !value.is_empty() {
            out.invalid(&at, "", "may not be specified when `value` is not empty");
        } else if count > 1 {
            out.invalid(
                &at,
                "",
                "may not have more than one field specified at a time",
            );
        }
    }
}

fn check_variable_sources(sources: &Value, path: &str, out: &mut Refusals<'_>) {
    for (index, source) in sources.as_array().into_iter().flatten().enumerate() {
        let prefix = source["prefix"].as_str().unwrap_or_default();
        let at = format!("{path}[{index}].prefix");
        out.invalid_text(&at, prefix, &name::variable(prefix));
        let mut count = 0;
        for reference in ["configMapRef", "secretRef"] {
            if !source[reference].is_null() {
                count += 1;
                let path = format!("{path}[{index}].{reference}");
                require(&source[reference], &path, "name", out);
            }
        }
        match count {
            0 => out.invalid(
                path,
                "",
                "must specify one of: `configMapRef` or `secretRef`",
            ),
            1 => {}
            _ => out.invalid(
                path,
                "",
                "may not have more than one field specified at a time",
            ),
        }
    }
}

fn require(owner: &Value, path: &str, member: &str, out: &mut Refusals<'_>) {
    if owner[member].as_str().unwrap_or_default().is_empty() {
        out.required(&format!("{path}.{member}"), "");
    }
}
