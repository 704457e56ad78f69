//! Ports that hide each other.

use serde_json::Value;

use super::list::Warnings;
use crate::apiserver::schema::{CONTAINER_LISTS, Path};
use crate::apiserver::validation::go::quoted;
use crate::apiserver::validation::read::{each, each_container, list, number, text};

struct Seen<'v> {
    field: String,
    port: &'v Value,
}

pub(super) fn of_pod(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let mut seen: Vec<Seen<'_>> = Vec::new();
    for member in CONTAINER_LISTS {
        let at = at.member(member);
        for (index, container) in list(spec, member).iter().enumerate() {
            let at = at.index(index);
            for (at, port) in each(container, "ports", &at) {
                compare(port, &seen, at, out);
                seen.push(Seen {
                    field: at.to_string(),
                    port,
                });
            }
        }
    }
    if out.since(33) {
        names(spec, at, out);
    }
}

fn compare(port: &Value, seen: &[Seen<'_>], at: Path<'_>, out: &mut Warnings<'_>) {
    let (ip, host) = (text(port, "hostIP"), number(port, "hostPort"));
    if !ip.is_empty() && host == 0 {
        let shown = format!(
            "hostIP set without hostPort: {{Name:{} HostPort:{host} ContainerPort:{} Protocol:{} HostIP:{ip}}}",
            text(port, "name"),
            number(port, "containerPort"),
            text(port, "protocol"),
        );
        out.warn(at, &shown);
    }
    let same = |other: &Value| {
        number(other, "containerPort") == number(port, "containerPort")
            && text(other, "protocol") == text(port, "protocol")
    };
    for other in seen.iter().filter(|other| same(other.port)) {
        let (other_ip, other_host) = (text(other.port, "hostIP"), number(other.port, "hostPort"));
        let what = if ip == other_ip && host == other_host {
            "duplicate"
        } else if host == 0 || other_host == 0 {
            "overlapping"
        } else if host == other_host && ip.is_empty() != other_ip.is_empty() {
            "dangerously ambiguous"
        } else {
            continue;
        };
        out.warn(at, &format!("{what} port definition with {}", other.field));
    }
}

/// Warns about repeated names, which refer to the first port.
fn names(spec: &Value, at: &Path<'_>, out: &mut Warnings<'_>) {
    let mut seen: Vec<(String, String)> = Vec::new();
    each_container(spec, at, |container, at| {
        let at = at.member("ports");
        for (index, port) in list(container, "ports").iter().enumerate() {
            let name = text(port, "name");
            if name.is_empty() {
                continue;
            }
            let at = at.index(index);
            if let Some((_, first)) = seen.iter().find(|(other, _)| other == name) {
                let what = format!(
                    "duplicate port name {} with {first}, services and probes that select ports by name will use {first}",
                    quoted(name)
                );
                out.warn(at, &what);
            } else {
                seen.push((name.to_owned(), at.to_string()));
            }
        }
    });
}
