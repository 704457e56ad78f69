//! Service that a process calls by a name which does not resolve, and which its namespace does not have.

use std::fmt;
use std::sync::Arc;

use crate::catalogue::{CauseTrait, Recognized};
use crate::cause::template::command;
use crate::plan::Plan;
use sts_controller::controller::is_member;
use sts_controller::object::Pod;

/// A Service that does not exist, beside those of its namespace that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingService {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The Services of that namespace in the input.
    pub others: Vec<Arc<str>>,
    /// True if it is the one of spec.serviceName, which gives the pods of the set their names.
    pub is_governing: bool,
}

/// Commands that ask a host at a port, which follows its name.
const ASKING: [&str; 4] = ["nc", "ncat", "netcat", "telnet"];

impl MissingService {
    /// Reads the host in the message of a cause that names one. The input has other Services of the namespace, so that it
    /// would have this one.
    pub(super) fn of(plan: &Plan, pod: &Pod, found: &Recognized) -> Option<Self> {
        if !found.entry.has(CauseTrait::NamesHost) {
            return None;
        }
        if let Some(governing) = Self::governing(plan, pod, &found.message) {
            return Some(governing);
        }
        let host = found.entry.name_in(&found.message)?;
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        let parts: Vec<&str> = host.trim_end_matches('.').split('.').collect();
        let (name, namespace) = match parts.as_slice() {
            [name] => (*name, &*pod.meta.namespace),
            [name, namespace, "svc", ..] | [_, name, namespace, "svc", ..] => (*name, *namespace),
            _ => return None,
        };
        Self::named(plan, name, namespace)
    }

    /// Reads the command of an init container that waits: `until nc -z db 5432`, or `wait-for-it db.prod.svc:5432`.
    pub(super) fn waited_for(plan: &Plan, pod: &Pod, container: &str) -> Option<Self> {
        let given = pod.given()?;
        let mut containers = given["spec"]["initContainers"].as_array()?.iter();
        let container = containers.find(|it| it["name"] == container)?;
        let text = command(container).collect::<Vec<&str>>().join(" ");
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-.:".contains(c);
        let words: Vec<&str> = text
            .split(|c| !is_part(c))
            .filter(|it| !it.is_empty())
            .collect();
        let is_port = |word: &str| word.parse::<u16>().is_ok_and(|it| it > 0);
        let hosts = words.iter().enumerate().filter_map(|(at, word)| {
            let (host, port) = word.split_once(':').unwrap_or((word, ""));
            let next = words.get(at + 1).copied().unwrap_or_default();
            // `nc -z db 5432`, and not `sleep 2`.
            let is_asked = words[..at]
                .iter()
                .rev()
                .take(3)
                .any(|it| ASKING.contains(it));
            let has_port = is_port(port) || (port.is_empty() && is_asked && is_port(next));
            let is_name = host.starts_with(|c: char| c.is_ascii_lowercase()) && host.len() > 1;
            (is_name && (has_port || host.contains(".svc"))).then_some(host)
        });
        let mut found = hosts.filter_map(|host| {
            let parts: Vec<&str> = host.trim_end_matches('.').split('.').collect();
            let (name, namespace) = match parts.as_slice() {
                ["localhost"] => return None,
                [name] => (*name, &*pod.meta.namespace),
                [name, namespace, "svc", ..] => (*name, *namespace),
                _ => return None,
            };
            Self::named(plan, name, namespace)
        });
        found.next()
    }

    /// Returns the Service that gives the pods of the set their names, if the message has a name below it.
    fn governing(plan: &Plan, pod: &Pod, message: &str) -> Option<Self> {
        let set = &plan.snapshot.set;
        let namespace = &*pod.meta.namespace;
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
        let is_below = |host: &str| {
            let parts: Vec<&str> = host.trim_matches('.').split('.').collect();
            let (service, of) = match parts.as_slice() {
                [name, "svc", ..] => (*name, namespace),
                [name, of, "svc", ..] | [_, name, of, "svc", ..] => (*name, *of),
                [pod, name] if is_member(set, pod) => (*name, namespace),
                [pod, name, of] if is_member(set, pod) => (*name, *of),
                _ => return false,
            };
            service == &*set.service_name && of == namespace
        };
        let mut hosts = message.split(|c| !is_part(c));
        let is_named = !set.service_name.is_empty() && hosts.any(is_below);
        let missing = Self::named(plan, &set.service_name, namespace).filter(|_| is_named)?;
        Some(MissingService {
            is_governing: true,
            ..missing
        })
    }

    /// Returns the Service of this name, if its namespace has others only.
    fn named(plan: &Plan, name: &str, namespace: &str) -> Option<Self> {
        let services = plan.related.services(namespace);
        let others: Vec<Arc<str>> = services.map(|it| Arc::clone(&it.meta.name)).collect();
        let is_missing = !others.is_empty() && !others.iter().any(|it| **it == *name);
        is_missing.then(|| MissingService {
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            others,
            is_governing: false,
        })
    }
}

impl fmt::Display for MissingService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of namespace {}", self.name, self.namespace)
    }
}
