//! LimitRanges of a namespace: the amounts that they give containers, and the pods and claims that they refuse. Upstream:
//! `plugin/pkg/admission/limitranger/admission.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::creations::Creation;
use crate::conditions::Conditions;
use crate::requests::{self, Amounts};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Limit, Quantities, RelatedObjects, Snapshot};
use sts_controller::simulate::Forbidden;

const LISTS: [&str; 2] = ["initContainers", "containers"];

/// Returns the limits of a namespace for one type of object.
fn limits<'v>(
    related: &'v RelatedObjects,
    namespace: &str,
    of: &'static str,
) -> impl Iterator<Item = &'v Limit> {
    let ranges = related.limit_ranges(namespace);
    let all = ranges.flat_map(|range| &range.limits);
    all.filter(move |limit| &*limit.of == of)
}

/// Returns the spec of a pod with the amounts that LimitRanges give its containers; `None` if they give none.
pub(crate) fn with_defaults(
    spec: &Value,
    related: &RelatedObjects,
    namespace: &str,
) -> Option<Value> {
    let limits: Vec<&Limit> = limits(related, namespace, "Container").collect();
    if limits.is_empty() {
        return None;
    }
    let mut changed = spec.clone();
    for list in LISTS {
        for container in changed[list].as_array_mut().into_iter().flatten() {
            // The API server fills in requests by limits first.
            let own = container["resources"]["limits"].clone();
            for (resource, amount) in own.as_object().into_iter().flatten() {
                give(container, "requests", resource, amount);
            }
            for limit in &limits {
                for (resource, amount) in &limit.default_request {
                    give(container, "requests", resource, &json!(**amount));
                }
                for (resource, amount) in &limit.default {
                    give(container, "limits", resource, &json!(**amount));
                }
            }
        }
    }
    (changed != *spec).then_some(changed)
}

/// Gives a container an amount, unless it has its own.
fn give(container: &mut Value, list: &str, resource: &str, amount: &Value) {
    let Some(container) = container.as_object_mut() else {
        return;
    };
    let resources = container.entry("resources").or_insert_with(|| json!({}));
    let Some(resources) = resources.as_object_mut() else {
        return;
    };
    let amounts = resources.entry(list).or_insert_with(|| json!({}));
    if let Some(amounts) = amounts.as_object_mut()
        && !amounts.contains_key(resource)
    {
        amounts.insert(resource.to_owned(), amount.clone());
    }
}

/// Returns the creations that a LimitRange refuses, each with the API server's message.
pub(super) fn refused_by_limit_range(
    creations: &[Creation<'_>],
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> Forbidden {
    let mut forbidden = Forbidden::default();
    let (related, namespace) = (&conditions.related, &snapshot.set.meta.namespace);
    for creation in creations {
        let pod = &creation.pod;
        if conditions.assumptions.contains_key(&**pod) {
            continue;
        }
        for claim in &creation.claims {
            let asked = &claim.template.object["spec"]["resources"]["requests"];
            let asked = requests::amounts(asked);
            let of_claim = limits(related, namespace, "PersistentVolumeClaim");
            let wrong: Vec<String> = of_claim
                .flat_map(|limit| violations(limit, &asked, None))
                .collect();
            if let Some(message) = message("persistentvolumeclaims", &claim.name, &wrong) {
                let name = Arc::clone(&claim.name);
                forbidden.claims.entry(name).or_insert(message);
            }
        }
        let own = &creation.object["spec"];
        let spec = with_defaults(own, related, namespace);
        let spec = spec.as_ref().unwrap_or(own);
        let wrong = of_pod(spec, related, namespace);
        if let Some(message) = message("pods", pod, &wrong) {
            forbidden.pods.insert(Arc::clone(pod), message);
        }
    }
    forbidden
}

/// Returns what LimitRanges find wrong with a pod.
fn of_pod(spec: &Value, related: &RelatedObjects, namespace: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let containers = LISTS.into_iter();
    let containers = containers.flat_map(|list| spec[list].as_array().into_iter().flatten());
    for container in containers {
        let resources = &container["resources"];
        let asked = requests::amounts(&resources["requests"]);
        let bounds = requests::amounts(&resources["limits"]);
        for limit in limits(related, namespace, "Container") {
            wrong.extend(violations(limit, &asked, Some(&bounds)));
        }
    }
    let (asked, bounds) = (requests::of_spec(spec), requests::limits_of_spec(spec));
    for limit in limits(related, namespace, "Pod") {
        wrong.extend(violations(limit, &asked, Some(&bounds)));
    }
    wrong
}

/// Returns the violations of one limit, in the API server's words. A claim has no limits.
fn violations(limit: &Limit, asked: &Amounts, bounds: Option<&Amounts>) -> Vec<String> {
    let of = &limit.of;
    let least = parsed(&limit.min).into_iter().filter_map(|(name, least)| {
        let is = format!("minimum {name} usage per {of} is {}", least.canonical());
        let bound = bounds.and_then(|bounds| bounds.get(name));
        match asked.get(name) {
            None => Some(format!("{is}.  No request is specified")),
            Some(asked) if *asked < least => {
                Some(format!("{is}, but request is {}", asked.canonical()))
            }
            Some(_) => (bound.filter(|bound| **bound < least))
                .map(|bound| format!("{is}, but limit is {}", bound.canonical())),
        }
    });
    let most = parsed(&limit.max).into_iter().filter_map(|(name, most)| {
        let is = format!("maximum {name} usage per {of} is {}", most.canonical());
        let asked = asked.get(name).filter(|asked| **asked > most);
        let bound = bounds.map(|bounds| bounds.get(name));
        match bound {
            Some(None) => Some(format!("{is}.  No limit is specified")),
            Some(Some(bound)) if *bound > most => {
                Some(format!("{is}, but limit is {}", bound.canonical()))
            }
            _ => asked.map(|asked| format!("{is}, but request is {}", asked.canonical())),
        }
    });
    let ratios = parsed(&limit.max_limit_request_ratio);
    let ratios = ratios.into_iter().filter_map(|(name, most)| {
        let is = format!(
            "{name} max limit to request ratio per {of} is {}",
            most.canonical()
        );
        let asked = asked.get(name).filter(|asked| !asked.is_zero());
        let bound = bounds.and_then(|bounds| bounds.get(name));
        let (Some(asked), Some(bound)) = (asked, bound) else {
            return bounds.map(|_| format!("{is}, but no request or limit is specified"));
        };
        let ratio = as_number(bound)? / as_number(asked)?;
        (ratio > as_number(&most)?).then(|| format!("{is}, but provided ratio is {ratio:.6}"))
    });
    least.chain(most).chain(ratios).collect()
}

/// Returns the amounts that are valid.
fn parsed(of: &Quantities) -> BTreeMap<&str, Quantity> {
    let amounts = of.iter();
    amounts
        .filter_map(|(resource, amount)| Some((&**resource, Quantity::parse(amount).ok()?)))
        .collect()
}

/// Returns an amount for a ratio, which needs no more precision.
#[allow(clippy::cast_precision_loss)]
fn as_number(amount: &Quantity) -> Option<f64> {
    amount.billionths().map(|billionths| billionths as f64)
}

/// Returns the server's message about an object; `None` if nothing is wrong.
fn message(resource: &str, name: &str, wrong: &[String]) -> Option<Arc<str>> {
    let words = match wrong {
        [] => return None,
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    Some(Arc::from(format!(
        "{resource} \"{name}\" is forbidden: {words}"
    )))
}
