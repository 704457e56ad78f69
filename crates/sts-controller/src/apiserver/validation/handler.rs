//! Probes and lifecycle hooks: their numbers, and that each does exactly one thing.

use serde_json::Value;

use super::name;
use super::refused::Refusals;

/// The probes and hooks of a container, in the order in which the server looks at them.
pub(super) fn check_all(container: &Value, path: &str, out: &mut Refusals<'_>) {
    let lifecycle = &container["lifecycle"];
    for hook in ["postStart", "preStop"] {
        if !lifecycle[hook].is_null() {
            let path = format!("{path}.lifecycle.{hook}");
            check_action(
                &lifecycle[hook],
                &path,
                &["exec", "httpGet", "tcpSocket", "sleep"],
                out,
            );
        }
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let given = &container[probe];
        if given.is_null() {
            continue;
        }
        let path = format!("{path}.{probe}");
        check_probe(given, &path, out);
        let grace = &given["terminationGracePeriodSeconds"];
        let at = format!("{path}.terminationGracePeriodSeconds");
        if probe == "readinessProbe" {
            if !grace.is_null() {
                out.invalid(&at, grace.clone(), "must not be set for readinessProbes");
            }
        } else {
            let successes = given["successThreshold"].as_i64().unwrap_or(0);
            if successes != 1 {
                out.invalid(&format!("{path}.successThreshold"), successes, "must be 1");
            }
        }
    }
}

fn check_probe(probe: &Value, path: &str, out: &mut Refusals<'_>) {
    check_action(probe, path, &["exec", "httpGet", "tcpSocket", "grpc"], out);
    for member in [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ] {
        let number = probe[member].as_i64().unwrap_or(0);
        out.negative(&format!("{path}.{member}"), number);
    }
    let grace = probe["terminationGracePeriodSeconds"].as_i64();
    if let Some(grace) = grace.filter(|grace| *grace <= 0) {
        let at = format!("{path}.terminationGracePeriodSeconds");
        out.invalid(&at, grace, "must be greater than 0");
    }
}

/// `validateHandler`.
fn check_action(handler: &Value, path: &str, actions: &[&str], out: &mut Refusals<'_>) {
    let mut found = false;
    for action in actions {
        let given = &handler[action];
        if given.is_null() {
            continue;
        }
        let path = format!("{path}.{action}");
        if found {
            out.forbidden(&path, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match *action {
            "exec" if given["command"].as_array().is_none_or(Vec::is_empty) => {
                out.required(&format!("{path}.command"), "");
            }
            "httpGet" => {
                if given["path"].as_str().unwrap_or_default().is_empty() {
                    out.required(&format!("{path}.path"), "");
                }
                check_port(&given["port"], &format!("{path}.port"), out);
                let scheme = given["scheme"].as_str().unwrap_or_default();
                if !["HTTP", "HTTPS"].contains(&scheme) {
                    out.not_supported(&format!("{path}.scheme"), scheme, &["HTTP", "HTTPS"]);
                }
            }
            "tcpSocket" | "grpc" => check_port(&given["port"], &format!("{path}.port"), out),
            _ => {}
        }
    }
    if !found {
        out.required(path, "must specify a handler type");
    }
}

/// A port by number, or by the name that a port of the container has.
fn check_port(port: &Value, path: &str, out: &mut Refusals<'_>) {
    match port {
        Value::String(text) => {
            let complaints = name::port_name(text, out.rules);
            out.invalid_text(path, text, &complaints);
        }
        number => check_port_number(number.as_i64().unwrap_or(0), path, out),
    }
}

pub(super) fn check_port_number(number: i64, path: &str, out: &mut Refusals<'_>) {
    if !(1..=65_535).contains(&number) {
        out.invalid(path, number, "must be between 1 and 65535, inclusive");
    }
}
