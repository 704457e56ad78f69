//! Service that a process calls by a name which does not resolve, and which its namespace does not have.

use std::fmt;
use std::sync::Arc;

use crate::catalogue::{CauseTrait, Recognized};
use crate::plan::Plan;
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
}

impl MissingService {
    /// Reads the host in the message of a cause that names one. The input has other Services of the namespace, so that it
    /// would have this one.
    pub(super) fn of(plan: &Plan, pod: &Pod, found: &Recognized) -> Option<Self> {
        if !found.entry.has(CauseTrait::NamesHost) {
            return None;
        }
        let host = found.entry.name_in(&found.message)?;
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        let parts: Vec<&str> = host.trim_end_matches('.').split('.').collect();
        let (name, namespace) = match parts.as_slice() {
            [name] => (*name, &*pod.meta.namespace),
            [name, namespace, "svc", ..] | [_, name, namespace, "svc", ..] => (*name, *namespace),
            _ => return None,
        };
        let services = plan.related.services(namespace);
        let others: Vec<Arc<str>> = services.map(|it| Arc::clone(&it.meta.name)).collect();
        let is_missing = !others.is_empty() && !others.iter().any(|it| **it == *name);
        is_missing.then(|| MissingService {
            name: name.to_owned(),
            namespace: namespace.to_owned(),
            others,
        })
    }
}

impl fmt::Display for MissingService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of namespace {}", self.name, self.namespace)
    }
}
