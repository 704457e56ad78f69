//! Pods that leave their nodes and are refused by a quota when they are created again: its use is above its limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::members::{owns, pods_of};
use crate::requests;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Quota, Snapshot};

/// Returns the pods that a quota refuses, each with the API server's message. Upstream: `checkRequest` in
/// `staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go`. Pods of other owners are taken to use
/// what they use now. A quota with scopes is not checked.
pub(crate) fn refused_by_quota(
    snapshot: &Snapshot,
    conditions: &Conditions,
) -> BTreeMap<Arc<str>, Arc<str>> {
    let mut refused = BTreeMap::new();
    let drains = !conditions.outage.leaving.is_empty();
    let set = &snapshot.set;
    let quotas = conditions.related.quotas(&set.meta.namespace);
    for quota in quotas.filter(|quota| drains && !quota.is_scoped) {
        let leaving = pods_of(snapshot).filter(|pod| {
            owns(snapshot, pod) && conditions.outage.moves(pod) && !pod.is_terminating()
        });
        // Pods that leave free their share, and take it again one by one.
        let mut freed: BTreeMap<&str, i128> = BTreeMap::new();
        let mut waiting = Vec::new();
        for pod in leaving {
            let Some(given) = pod.given() else { continue };
            let wanted = match pod.revision == snapshot.status.update_revision {
                true => shares(quota, &given["spec"]),
                false => shares(quota, &set.template["spec"]),
            };
            for (resource, amount) in shares(quota, &given["spec"]) {
                *freed.entry(resource).or_default() += amount;
            }
            waiting.push((Arc::clone(&pod.meta.name), wanted));
        }
        for (name, wanted) in waiting {
            let exceeds = |resource: &str, amount: i128| {
                let (used, hard) = (quota.used.get(resource)?, quota.hard.get(resource)?);
                let freed = freed.get(resource).copied().unwrap_or(0);
                let used = billionths(used)? - freed;
                (used + amount > billionths(hard)?).then_some(used)
            };
            let lacking = wanted.iter().find_map(|(resource, amount)| {
                Some((*resource, *amount, exceeds(resource, *amount)?))
            });
            match lacking {
                Some((resource, amount, used)) => {
                    let limit = quota.hard.get(resource).map_or("", |limit| limit);
                    let message = format!(
                        "pods \"{name}\" is forbidden: exceeded quota: {}, requested: {resource}={}, used: {resource}={}, \
                         limited: {resource}={limit}",
                        quota.meta.name,
                        written(amount),
                        written(used),
                    );
                    refused.entry(name).or_insert_with(|| Arc::from(message));
                }
                None => {
                    for (resource, amount) in wanted {
                        *freed.entry(resource).or_default() -= amount;
                    }
                }
            }
        }
    }
    refused
}

/// Returns what a pod with this spec takes of each resource of a quota, in billionths.
fn shares<'q>(quota: &'q Quota, spec: &Value) -> Vec<(&'q str, i128)> {
    let (requests, limits) = (requests::of_spec(spec), requests::limits_of_spec(spec));
    let of = |resource: &str| match resource {
        "pods" | "count/pods" => Some(1_000_000_000),
        resource => {
            let amount = match resource.split_once('.') {
                Some(("requests", resource)) => requests.get(resource),
                Some(("limits", resource)) => limits.get(resource),
                _ => requests.get(resource),
            };
            amount.and_then(Quantity::billionths)
        }
    };
    let resources = quota.hard.keys();
    resources
        .filter_map(|resource| Some((&**resource, of(resource).filter(|amount| *amount > 0)?)))
        .collect()
}

fn billionths(amount: &str) -> Option<i128> {
    Quantity::parse(amount).ok()?.billionths()
}

/// Returns an amount as the API server writes it, in thousandths if it is not whole.
fn written(billionths: i128) -> String {
    match billionths % 1_000_000_000 {
        0 => (billionths / 1_000_000_000).to_string(),
        _ => format!("{}m", billionths / 1_000_000),
    }
}
