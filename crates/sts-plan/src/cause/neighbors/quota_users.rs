//! The pods of others that use most of a quota.

use serde_json::Value;

use crate::plan::Plan;
use crate::requests::{Amounts, limits_of_spec, of_spec};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::Pod;

/// Minimum part of the limit of a quota that makes a pod worth a name.
const PART: i128 = 10;
/// Maximum number of pods to name.
const MOST: usize = 2;

/// A function that sums the requests or the limits of a pod.
type Sum = fn(&Value) -> Amounts;

/// Returns the pods of others that use most of the resource that a quota lacks, with their amounts and owners: `backfill-x2k
/// (18Gi, Job backfill)`; none for a quota with scopes, which counts only some pods.
pub(super) fn quota_users(plan: &Plan, quota: &str, amounts: &str) -> Vec<String> {
    let set = &plan.snapshot.set;
    let namespace = &set.meta.namespace;
    let mut quotas = plan.related.quotas(namespace);
    let found = quotas.find(|it| *it.meta.name == *quota && it.scopes.is_empty());
    let requested = amounts.strip_prefix("requested: ").unwrap_or_default();
    let requested = requested.split(", used: ").next().unwrap_or_default();
    let resources = requested.split(',').filter_map(|it| it.split_once('='));
    let mut measured = resources.filter_map(|(resource, _)| Some((resource, measure(resource)?)));
    let (Some(found), Some((resource, (of, sum)))) = (found, measured.next()) else {
        return Vec::new();
    };
    let hard = found.hard.get(resource).and_then(|it| billionths(it));
    let least = hard.map_or(i128::MAX, |hard| hard / PART);
    let all = plan.related.all_pods();
    let others = all.filter(|it| {
        let owner = it.meta.controller();
        let is_own = owner.is_some_and(|owner| *owner.uid == *set.meta.uid);
        it.meta.namespace == *namespace && !is_own && !it.phase.has_ended()
    });
    let used = others.filter_map(|pod| {
        let amount = sum(&pod.given()?["spec"]).remove(of)?;
        let units = amount.billionths().filter(|it| *it >= least)?;
        Some((units, told(pod, &amount)))
    });
    let mut used: Vec<(i128, String)> = used.collect();
    used.sort_by(|(one, name), (other, other_name)| other.cmp(one).then(name.cmp(other_name)));
    used.into_iter().take(MOST).map(|(_, told)| told).collect()
}

fn told(pod: &Pod, amount: &Quantity) -> String {
    let owner = pod.meta.controller();
    let owner = owner.filter(|owner| *owner.kind != *"ReplicaSet");
    let owner = owner.map_or_else(String::new, |it| format!(", {} {}", it.kind, it.name));
    format!("{} ({}{owner})", pod.meta.name, amount.canonical())
}

/// Returns the resource of a pod that a quota counts, and how pods sum it; `None` for what pods do not sum.
fn measure(resource: &str) -> Option<(&str, Sum)> {
    match resource {
        "memory" | "cpu" => Some((resource, of_spec)),
        _ => match resource.split_once('.')? {
            ("requests", "storage") => None,
            ("requests", of) => Some((of, of_spec)),
            ("limits", of) => Some((of, limits_of_spec)),
            _ => None,
        },
    }
}

fn billionths(amount: &str) -> Option<i128> {
    Quantity::parse(amount).ok()?.billionths()
}
