//! Shares of pods and claims in the resources of a quota.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::requests;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{ClaimTemplate, Quota};

/// Resources whose quota requires that each container asks for them. Upstream: `validationSet` in
/// `pkg/quota/v1/evaluator/core/pods.go`.
const REQUIRED: [&str; 6] = [
    "cpu",
    "memory",
    "requests.cpu",
    "requests.memory",
    "limits.cpu",
    "limits.memory",
];

/// Shares of the resources of a quota, in billionths.
pub(super) type Shares = BTreeMap<Arc<str>, i128>;

/// Reports whether a pod is in all scopes of the quota. An unknown scope counts no pod.
fn counts(quota: &Quota, spec: &Value) -> bool {
    let mut scopes = quota.scopes.iter();
    scopes.all(|scope| scope.admits(spec) == Some(true))
}

/// Returns the amounts that a quota counts and a container does not ask for: `limits.cpu for: app`. Upstream:
/// `podEvaluator.Constraints`.
pub(super) fn unspecified(quota: &Quota, spec: &Value) -> Option<String> {
    if !counts(quota, spec) {
        return None;
    }
    // Amounts of the whole pod may stand for those of its containers.
    if !spec["resources"].is_null() {
        return None;
    }
    let list = |name: &str| spec[name].as_array().into_iter().flatten();
    let counted = quota.hard.keys().filter(|key| REQUIRED.contains(&&***key));
    let missing = counted.filter_map(|key| {
        let lacks = |container: &&Value| {
            let resources = &container["resources"];
            let limit = |name: &str| !resources["limits"][name].is_null();
            match key.split_once('.') {
                Some(("limits", name)) => !limit(name),
                Some((_, name)) => resources["requests"][name].is_null() && !limit(name),
                None => resources["requests"][&**key].is_null() && !limit(key),
            }
        };
        let containers = list("containers")
            .chain(list("initContainers"))
            .filter(lacks);
        let names: Vec<&str> = containers.filter_map(|it| it["name"].as_str()).collect();
        (!names.is_empty()).then(|| format!("{key} for: {}", names.join(",")))
    });
    let missing: Vec<String> = missing.collect();
    (!missing.is_empty()).then(|| missing.join("; "))
}

/// Returns what a pod with this spec takes of each resource of a quota.
pub(super) fn pod_shares(quota: &Quota, spec: &Value) -> Shares {
    if !counts(quota, spec) {
        return Shares::new();
    }
    let (requests, limits) = (requests::of_spec(spec), requests::limits_of_spec(spec));
    shares(quota, |resource| match resource {
        "pods" | "count/pods" => Some(ONE),
        resource => {
            let amount = match resource.split_once('.') {
                Some(("requests", "storage")) => None,
                Some(("requests", resource)) => requests.get(resource),
                Some(("limits", resource)) => limits.get(resource),
                _ => requests.get(resource),
            };
            amount.and_then(Quantity::billionths)
        }
    })
}

/// Returns what a claim of this template takes of each resource of a quota. The scopes are about pods.
pub(super) fn claim_shares(
    quota: &Quota,
    template: &ClaimTemplate,
    conditions: &Conditions,
) -> Shares {
    if !quota.scopes.is_empty() {
        return Shares::new();
    }
    let spec = &template.object["spec"];
    let storage = spec["resources"]["requests"]["storage"].as_str();
    let storage = storage.and_then(billionths);
    let default = || {
        conditions
            .related
            .default_storage_class()
            .map(|it| &*it.meta.name)
    };
    let class = match &spec["storageClassName"] {
        Value::String(class) => Some(class.as_str()),
        _ => default(),
    };
    shares(quota, |resource| {
        let of_class = resource.split_once(".storageclass.storage.k8s.io/");
        let counted = match of_class {
            Some((name, counted)) if Some(name) == class => counted,
            Some(_) => return None,
            None => resource,
        };
        match counted {
            "persistentvolumeclaims" | "count/persistentvolumeclaims" => Some(ONE),
            "requests.storage" => storage,
            _ => None,
        }
    })
}

/// A count of one, in billionths.
const ONE: i128 = 1_000_000_000;

/// Returns the positive shares of the resources of a quota.
fn shares(quota: &Quota, of: impl Fn(&str) -> Option<i128>) -> Shares {
    let resources = quota.hard.keys();
    let positive = |resource: &Arc<str>| of(resource).filter(|amount| *amount > 0);
    resources
        .filter_map(|resource| Some((Arc::clone(resource), positive(resource)?)))
        .collect()
}

pub(super) fn add(to: &mut Shares, more: &Shares) {
    for (resource, amount) in more {
        *to.entry(Arc::clone(resource)).or_default() += amount;
    }
}

pub(super) fn subtract(from: &mut Shares, less: &Shares) {
    for (resource, amount) in less {
        if let Some(left) = from.get_mut(resource) {
            *left -= amount;
        }
    }
}

pub(super) fn amounts(quantities: &BTreeMap<Arc<str>, Arc<str>>) -> Shares {
    let amounts = quantities.iter();
    amounts
        .filter_map(|(resource, amount)| Some((Arc::clone(resource), billionths(amount)?)))
        .collect()
}

fn billionths(amount: &str) -> Option<i128> {
    Quantity::parse(amount).ok()?.billionths()
}

/// Returns an amount as the API server writes it: bytes with a binary suffix, others in thousandths if not whole.
pub(super) fn written(resource: &str, billionths: i128) -> String {
    let is_bytes = resource.ends_with("memory") || resource.ends_with("storage");
    let units = billionths / ONE;
    if billionths % ONE != 0 {
        return format!("{}m", billionths / 1_000_000);
    }
    let suffixes = [("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
    let binary = suffixes
        .into_iter()
        .find(|(_, bits)| is_bytes && units != 0 && units % (1_i128 << bits) == 0);
    match binary {
        Some((suffix, bits)) => format!("{}{suffix}", units >> bits),
        None => units.to_string(),
    }
}
