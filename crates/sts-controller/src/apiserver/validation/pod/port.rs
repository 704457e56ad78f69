//! Container ports and host ports.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::apiserver::schema::Path;
use crate::apiserver::validation::name;
use crate::apiserver::validation::read::{list, number, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::rule::{Check, Rule, check as check_rules, rule};

static PROTOCOL: [Rule; 1] = [rule("protocol", Check::Chosen(&["SCTP", "TCP", "UDP"]))];

/// `validateContainerPorts`.
pub(super) fn check_all(container: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at = at.member("ports");
    let mut names = BTreeSet::new();
    for (at, port) in at.items(list(container, "ports")) {
        let name = text(port, "name");
        if !name.is_empty() {
            let complaints = name::port_name(name);
            out.invalid_text(at.member("name"), name, &complaints);
            if complaints.is_empty() && !names.insert(name) {
                out.duplicate(at.member("name"), name);
            }
        }
        match number(port, "containerPort") {
            0 => out.required(at.member("containerPort"), ""),
            number => check_number(number, &at.member("containerPort"), out),
        }
        let host = number(port, "hostPort");
        if host != 0 {
            check_number(host, &at.member("hostPort"), out);
        }
        check_rules(port, &at, &PROTOCOL, out);
    }
}

/// `checkHostPortConflicts`: two containers cannot have the same host port.
pub(super) fn check_conflicts(containers: &[Value], at: &Path<'_>, out: &mut Refusals<'_>) {
    let mut taken = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        for (port_index, port) in list(container, "ports").iter().enumerate() {
            let number = number(port, "hostPort");
            if number == 0 {
                continue;
            }
            let claim = format!(
                "{}/{}/{number}",
                text(port, "protocol"),
                text(port, "hostIP")
            );
            if taken.contains(&claim) {
                let at = at.index(index);
                let at = at.member("ports");
                out.duplicate(at.index(port_index).member("hostPort"), claim);
            } else {
                taken.insert(claim);
            }
        }
    }
}

/// Checks a port reference: a number, or the name of a container port.
pub(super) fn check_reference(port: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    match port {
        Value::String(text) => {
            let complaints = name::port_name(text);
            out.invalid_text(at, text, &complaints);
        }
        number => check_number(number.as_i64().unwrap_or(0), at, out),
    }
}

fn check_number(number: i64, at: &Path<'_>, out: &mut Refusals<'_>) {
    if !(1..=65_535).contains(&number) {
        out.invalid(at, number, "must be between 1 and 65535, inclusive");
    }
}
