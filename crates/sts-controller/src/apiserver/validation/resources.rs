//! Requests and limits: `validateResourceRequirements`.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use super::name;
use super::read::{entries, list, object, text};
use super::refusals::Refusals;
use super::rule::{Check, one};
use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::Path;

/// The owner of the resources, which determines the valid names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResourceOwner {
    Container,
    Pod,
}

/// Known names without a domain: some are valid only for quotas and claims.
const STANDARD: [&str; 20] = [
    "configmaps",
    "cpu",
    "ephemeral-storage",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "memory",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
    "requests.storage",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
    "storage",
];
const STANDARD_OF_CONTAINERS: [&str; 3] = ["cpu", "ephemeral-storage", "memory"];
/// Resources that are counted in whole units.
const COUNTED: [&str; 9] = [
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
];

pub(super) fn check(
    resources: &Value,
    of: ResourceOwner,
    claims: &BTreeSet<&str>,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    let (at_limits, at_requests) = (at.member("limits"), at.member("requests"));
    for (resource, amount) in entries(resources, "limits") {
        check_amount(resource, amount, of, &at_limits.key(resource), out);
    }
    for (resource, amount) in entries(resources, "requests") {
        check_amount(resource, amount, of, &at_requests.key(resource), out);
        let limit = resources["limits"].get(resource);
        check_against_limit(resource, amount, limit, at, out);
    }
    let any = |wanted: fn(&str) -> bool| {
        ["limits", "requests"]
            .iter()
            .any(|member| entries(resources, member).any(|(resource, _)| wanted(resource)))
    };
    if any(is_huge_page) && !any(|resource| resource == "cpu" || resource == "memory") {
        out.forbidden(at, "HugePages require cpu or memory");
    }
    if object(resources, "claims").is_none() {
        check_claims(resources, claims, &at.member("claims"), out);
    }
}

fn check_amount(
    resource: &str,
    amount: &Value,
    of: ResourceOwner,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    check_name(resource, of, at, out);
    let Some(quantity) = read(amount) else {
        return;
    };
    check_value(resource, &quantity, at, out);
    let asked = out.rules.pod.whole_huge_pages && !out.ratcheting.huge_pages;
    if asked && is_huge_page(resource) && !is_whole_pages(resource, &quantity) {
        let shown = quantity.canonical();
        let detail = format!("{shown} is not positive integer multiple of {resource}");
        out.invalid(at, shown, &detail);
    }
}

/// `ValidateResourceQuantityValue`.
pub(super) fn check_value(
    resource: &str,
    quantity: &Quantity,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    if quantity.is_negative() {
        let detail = "must be greater than or equal to 0";
        out.invalid(at, quantity.canonical(), detail);
    }
    if (COUNTED.contains(&resource) || is_extended(resource)) && !quantity.is_integer() {
        out.invalid(at, quantity.canonical(), "must be an integer");
    }
}

/// `validateContainerResourceName` and `validatePodResourceName`.
fn check_name(resource: &str, of: ResourceOwner, at: &Path<'_>, out: &mut Refusals<'_>) {
    let before = out.len();
    let complaints = name::qualified(resource, out.rules);
    out.invalid_text(at, resource, &complaints);
    let plain = !resource.contains('/');
    let known = STANDARD.contains(&resource) || is_huge_page_of_any(resource);
    if complaints.is_empty() && plain && !known {
        let detail = "must be a standard resource type or fully qualified";
        out.invalid_name(at, resource, detail);
    }
    match of {
        ResourceOwner::Pod => {
            let supported = ["cpu", "memory"].contains(&resource) || is_huge_page(resource);
            if out.len() == before && !supported {
                out.not_supported(at, resource, &["cpu", "hugepages-", "memory"]);
            }
        }
        ResourceOwner::Container if plain => {
            if !STANDARD_OF_CONTAINERS.contains(&resource) && !is_huge_page(resource) {
                out.invalid_name(at, resource, "must be a standard resource for containers");
            }
        }
        ResourceOwner::Container => {
            if !is_native(resource) && !is_extended(resource) {
                let detail = "doesn't follow extended resource name standard";
                out.invalid_name(at, resource, detail);
            }
        }
    }
}

fn check_against_limit(
    resource: &str,
    amount: &Value,
    limit: Option<&Value>,
    at: &Path<'_>,
    out: &mut Refusals<'_>,
) {
    // CPU and memory can be overcommitted, devices and huge pages cannot.
    let overcommitted = is_native(resource) && !is_huge_page(resource);
    let at_requests = at.member("requests");
    let Some(limit) = limit else {
        if !overcommitted {
            let detail = "Limit must be set for non overcommitable resources";
            out.required(at.member("limits"), detail);
        }
        return;
    };
    let (Some(request), Some(limit)) = (read(amount), read(limit)) else {
        return;
    };
    let relation = match request.cmp(&limit) {
        Ordering::Equal => return,
        _ if !overcommitted => "equal to",
        Ordering::Greater => "less than or equal to",
        Ordering::Less => return,
    };
    let mut detail = format!("must be {relation} {resource} limit");
    if out.rules.pod.limits_shown {
        detail.push_str(" of ");
        detail.push_str(&limit.canonical());
    }
    let before = out.len();
    out.invalid(at_requests, request.canonical(), &detail);
    // The server attributes it to all requests.
    out.blame(before, at_requests.key(resource));
}

/// `validateResourceClaimNames`.
fn check_claims(resources: &Value, known: &BTreeSet<&str>, at: &Path<'_>, out: &mut Refusals<'_>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (at, claim) in at.items(list(resources, "claims")) {
        let (name, request) = (text(claim, "name"), text(claim, "request"));
        if name.is_empty() {
            out.required(at, "");
            continue;
        }
        if seen.contains(name) {
            out.duplicate(at, name);
        } else {
            let mut key = name.to_owned();
            if !request.is_empty() {
                one(&claim["request"], &at.member("request"), Check::Label, out);
                key = format!("{name}/{request}");
            }
            if seen.contains(&key) {
                out.duplicate(at, key.as_str());
            } else if request.is_empty() {
                let requests = seen.iter().filter_map(|key| key.split_once('/'));
                for _ in requests.filter(|(owner, _)| *owner == name) {
                    out.duplicate(at, name);
                }
            }
            seen.insert(key);
        }
        if !known.contains(name) {
            let names: Vec<&str> = known.iter().copied().collect();
            let rest = if names.is_empty() {
                " which is empty".to_owned()
            } else {
                format!(": {}", names.join(", "))
            };
            let detail = format!("must be one of the names in pod.spec.resourceClaims{rest}");
            out.not_found(at, name, &detail);
        }
    }
}

pub(super) fn is_huge_page(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

fn is_huge_page_of_any(resource: &str) -> bool {
    is_huge_page(resource) || resource.starts_with("requests.hugepages-")
}

/// Reports whether a resource belongs to Kubernetes itself: its name has no domain, or that of Kubernetes.
fn is_native(resource: &str) -> bool {
    !resource.contains('/') || resource.contains("kubernetes.io/")
}

/// Reports whether a resource is an extended one, such as a device, which a quota counts with the prefix `requests.`.
fn is_extended(resource: &str) -> bool {
    const MAX: usize = name::DNS_SUBDOMAIN_LENGTH;
    const PREFIX: &str = "requests.";
    if is_native(resource) || resource.starts_with(PREFIX) {
        return false;
    }
    let domain = resource.split('/').next().unwrap_or_default();
    name::is_qualified_name(&format!("{PREFIX}{resource}")) && domain.len() + PREFIX.len() <= MAX
}

/// Reports whether an amount of huge pages is a multiple of the page size.
pub(super) fn is_whole_pages(resource: &str, quantity: &Quantity) -> bool {
    let size = resource.strip_prefix("hugepages-").unwrap_or_default();
    let Ok(size) = Quantity::parse(size) else {
        return false;
    };
    if size.is_zero() || size.is_negative() || !size.is_integer() {
        return false;
    }
    match (quantity.rounded(), size.rounded()) {
        (Some(amount), Some(size)) => amount % size == 0,
        _ => false,
    }
}

pub(super) fn read(amount: &Value) -> Option<Quantity> {
    Quantity::parse(amount.as_str()?).ok()
}
