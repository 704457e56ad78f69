//! Pod-level resources: `validatePodResources`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::context::PodContext;
use crate::apiserver::quantity::Quantity;
use crate::apiserver::schema::Path;
use crate::apiserver::validation::read::{each, entries, is_given, list, text};
use crate::apiserver::validation::refusals::Refusals;
use crate::apiserver::validation::resources::{self, ResourceOwner, is_huge_page, read};

type Amounts<'v> = BTreeMap<&'v str, Quantity>;

pub(super) fn check(pod: &PodContext<'_>, at: &Path<'_>, out: &mut Refusals<'_>) {
    let own = &pod.spec["resources"];
    if own.is_null() {
        return;
    }
    let at = at.member("resources");
    if pod.spec["os"]["name"] == "windows" {
        out.forbidden(at, "may not be set for a windows pod");
        return;
    }
    if is_given(own, "claims") || is_given(&pod.given["resources"], "claims") {
        let detail = "claims may not be set for Resources at pod-level";
        out.forbidden(at.member("claims"), detail);
    }
    resources::check(own, ResourceOwner::Pod, &pod.claims, &at, out);
    check_consistency(pod.spec, own, &at, out);
}

/// `validatePodResourceConsistency`: compares pod-level resources with those of the containers.
fn check_consistency(spec: &Value, own: &Value, at: &Path<'_>, out: &mut Refusals<'_>) {
    let at_requests = at.member("requests");
    for (resource, all) in aggregate(spec, "requests") {
        if let Some(request) = read(&own["requests"][resource])
            && all > request
        {
            let detail = format!(
                "must be greater than or equal to aggregate container requests of {}",
                all.canonical()
            );
            out.invalid(at_requests.key(resource), request.canonical(), &detail);
        }
    }
    let at_limits = at.member("limits");
    for (resource, all) in aggregate(spec, "limits") {
        if let Some(limit) = read(&own["limits"][resource])
            && is_huge_page(resource)
            && all > limit
        {
            let detail = format!(
                "must be greater than or equal to aggregate container limits of {}",
                all.canonical()
            );
            out.invalid(at_limits.key(resource), limit.canonical(), &detail);
        }
    }
    for (at, container) in each(spec, "containers", at) {
        for (resource, limit) in entries(&container["resources"], "limits") {
            if let (Some(limit), Some(most)) = (read(limit), read(&own["limits"][resource]))
                && limit > most
            {
                let detail = format!(
                    "must be less than or equal to pod limits of {}",
                    most.canonical()
                );
                let at = at.key(resource);
                out.invalid(at.member("limits"), limit.canonical(), &detail);
            }
        }
    }
}

/// Returns the resources that all containers need at the same time: the sum over running containers, or the need while
/// an init container runs, whichever is more.
fn aggregate<'v>(spec: &'v Value, member: &str) -> Amounts<'v> {
    let mut together = Amounts::new();
    for container in list(spec, "containers") {
        add(&mut together, &amounts(container, member));
    }
    let mut sidecars = Amounts::new();
    let mut most = Amounts::new();
    for init in list(spec, "initContainers") {
        let own = amounts(init, member);
        let needed = if text(init, "restartPolicy") == "Always" {
            add(&mut together, &own);
            add(&mut sidecars, &own);
            sidecars.clone()
        } else {
            let mut needed = own;
            add(&mut needed, &sidecars);
            needed
        };
        raise(&mut most, needed);
    }
    raise(&mut together, most);
    together
}

fn amounts<'v>(container: &'v Value, member: &str) -> Amounts<'v> {
    entries(&container["resources"], member)
        .filter_map(|(resource, amount)| Some((resource, read(amount)?)))
        .collect()
}

fn add<'v>(sum: &mut Amounts<'v>, more: &Amounts<'v>) {
    for (resource, amount) in more {
        let total = match sum.get(resource) {
            None => Some(amount.clone()),
            Some(before) => before.plus(amount),
        };
        if let Some(total) = total {
            sum.insert(resource, total);
        }
    }
}

fn raise<'v>(most: &mut Amounts<'v>, other: Amounts<'v>) {
    for (resource, amount) in other {
        if most.get(resource).is_none_or(|before| amount > *before) {
            most.insert(resource, amount);
        }
    }
}
