//! NetworkPolicies that keep a pod from what it calls.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::Value;

use crate::catalogue::Trouble;
use crate::duration::age;
use crate::plan::Plan;
use sts_controller::object::{Bystander, Pod};

/// Names of ports of the DNS of a cluster.
const DNS_PORTS: [&str; 2] = ["dns", "dns-tcp"];
/// Words of reports on names that do not resolve, in lower case.
const OF_NAMES: [&str; 7] = [
    "lookup",
    "resolv",
    "getaddrinfo",
    "eai_again",
    "unknownhost",
    "unknown host",
    "name or service",
];

/// Returns what a policy says about the connections of a pod, if it is newer than the ready pods, which shows that it can be the
/// reason, and no policy allows what the report misses: DNS, or anything at all.
pub(super) fn trouble(plan: &Plan, pod: &Pod, policy: &Bystander, report: &str) -> Option<Trouble> {
    if !selects(policy, pod) || !is_new(plan, pod, policy) {
        return None;
    }
    let all = plan.related.bystanders(&pod.meta.namespace);
    let others: Vec<&Arc<Bystander>> = all
        .filter(|it| it.kind == policy.kind && selects(it, pod))
        .collect();
    let mut rules = others
        .iter()
        .flat_map(|it| it.spec["egress"].as_array().into_iter().flatten());
    let report = report.to_ascii_lowercase();
    let is_of_names = OF_NAMES.iter().any(|word| report.contains(word));
    let misses = if rules.clone().next().is_none() {
        "no egress at all, DNS included"
    } else if is_of_names && !rules.any(allows_dns) {
        "no DNS (port 53)"
    } else {
        return None;
    };
    let written = policy.written?;
    let ago = age(plan.conditions.now.duration_since(written));
    Some(Trouble {
        says: format!(
            "allows {} {misses}; it was last written {ago} ago",
            pod.meta.name
        ),
        cure: format!(
            "Allow egress to port 53 of the cluster's DNS, and to what {} calls",
            pod.meta.name
        ),
    })
}

/// Reports whether a policy restricts the connections that a pod makes.
fn selects(policy: &Bystander, pod: &Pod) -> bool {
    let types = policy.spec["policyTypes"].as_array();
    let is_of_egress = match types {
        Some(types) => types.iter().any(|it| it == "Egress"),
        None => policy.spec["egress"].is_array(),
    };
    let selector = &policy.spec["podSelector"];
    let labels = selector["matchLabels"].as_object();
    let mut labels = labels.into_iter().flatten();
    is_of_egress
        && selector["matchExpressions"]
            .as_array()
            .is_none_or(Vec::is_empty)
        && labels.all(|(key, value)| {
            let own = pod.meta.labels.get(key.as_str());
            own.is_some_and(|own| *value == **own)
        })
}

/// Reports whether no ready pod of the set has become ready since somebody wrote the policy.
fn is_new(plan: &Plan, pod: &Pod, policy: &Bystander) -> bool {
    let Some(written) = policy.written else {
        return false;
    };
    let mut others = plan.observed().ready();
    others.all(|other| {
        let since = other.ready.as_ref().and_then(|ready| ready.since);
        other.meta.name == pod.meta.name || since.is_some_and(|since| since < written)
    })
}

/// Maximum age of a policy when a pod is created that stops on it and does not say why it waits.
const RECENT: SignedDuration = SignedDuration::from_hours(24);

/// Reports whether a policy is new for a pod: it was written within a day before the pod was created, or after that.
pub(super) fn is_recent(pod: &Pod, policy: &Bystander) -> bool {
    let (Some(written), Some(created)) = (policy.written, pod.meta.created) else {
        return false;
    };
    created.duration_since(written) <= RECENT
}

/// Reports whether a rule allows connections to port 53.
fn allows_dns(rule: &Value) -> bool {
    let ports = rule["ports"].as_array().filter(|ports| !ports.is_empty());
    let Some(ports) = ports else {
        return true;
    };
    ports.iter().any(|it| {
        let (port, end) = (&it["port"], it["endPort"].as_u64());
        let is_in = |first: u64| first <= 53 && end.unwrap_or(first) >= 53;
        port.is_null()
            || port.as_u64().is_some_and(is_in)
            || port.as_str().is_some_and(|name| DNS_PORTS.contains(&name))
    })
}
