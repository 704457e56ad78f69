//! Requests and limits: `ValidateResourceRequirements`.

use std::cmp::Ordering;

use serde_json::Value;

use super::name;
use super::refused::Refusals;
use crate::apiserver::quantity::Quantity;

pub(super) fn check(resources: &Value, path: &str, out: &mut Refusals<'_>) {
    let limits = resources["limits"].as_object();
    let requests = resources["requests"].as_object();
    for (resource, amount) in limits.into_iter().flatten() {
        check_amount(resource, amount, &format!("{path}.limits[{resource}]"), out);
    }
    for (resource, amount) in requests.into_iter().flatten() {
        let at = format!("{path}.requests[{resource}]");
        check_amount(resource, amount, &at, out);
        check_against_limit(
            resource,
            amount,
            limits.and_then(|limits| limits.get(resource)),
            path,
            out,
        );
    }
    let any = |wanted: fn(&str) -> bool| {
        let names = limits.into_iter().chain(requests).flatten();
        names.into_iter().any(|(resource, _)| wanted(resource))
    };
    if any(is_huge_page) && !any(|resource| resource == "cpu" || resource == "memory") {
        out.forbidden(path, "HugePages require cpu or memory");
    }
}

fn check_amount(resource: &str, amount: &Value, path: &str, out: &mut Refusals<'_>) {
    let complaints = name::qualified(resource, out.rules);
    out.invalid_text(path, resource, &complaints);
    let standard = ["cpu", "memory", "ephemeral-storage"].contains(&resource);
    if !resource.contains('/') && !standard && !is_huge_page(resource) {
        out.invalid(path, resource, "must be a standard resource for containers");
    }
    if sign(amount) == Ordering::Less {
        let detail = "must be greater than or equal to 0";
        out.invalid(path, amount.clone(), detail);
    }
}

fn check_against_limit(
    resource: &str,
    amount: &Value,
    limit: Option<&Value>,
    path: &str,
    out: &mut Refusals<'_>,
) {
    // Nodes hand out more than they have of what can be taken back: cpu and memory, not devices.
    let native = !resource.contains('/') || resource.contains("kubernetes.io/");
    let overcommitted = native && !is_huge_page(resource);
    let requests = format!("{path}.requests");
    let Some(limit) = limit else {
        if !overcommitted {
            let detail = "Limit must be set for non overcommitable resources";
            out.required(&format!("{path}.limits"), detail);
        }
        return;
    };
    let (Some(request), Some(most)) = (read(amount), read(limit)) else {
        return;
    };
    let most = (request.cmp(&most), most.canonical());
    match most {
        (Ordering::Equal, _) => {}
        (_, limit) if !overcommitted => {
            let detail = format!("must be equal to {resource} limit of {limit}");
            out.invalid(&requests, request.canonical(), &detail);
        }
        (Ordering::Greater, limit) => {
            let detail = format!("must be less than or equal to {resource} limit of {limit}");
            out.invalid(&requests, request.canonical(), &detail);
        }
        (Ordering::Less, _) => {}
    }
}

fn is_huge_page(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

/// Whether a quantity is more than nothing.
pub(super) fn is_positive(amount: &Value) -> bool {
    sign(amount) == Ordering::Greater
}

fn sign(amount: &Value) -> Ordering {
    match (read(amount), Quantity::parse("0")) {
        (Some(amount), Ok(zero)) => amount.cmp(&zero),
        _ => Ordering::Equal,
    }
}

fn read(amount: &Value) -> Option<Quantity> {
    Quantity::parse(amount.as_str()?).ok()
}
