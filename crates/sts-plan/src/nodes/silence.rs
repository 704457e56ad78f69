//! Nodes whose kubelets have fallen silent, before the node lifecycle controller marks them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;

use super::ReportAdvice;
use crate::duration::spell;
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::RelatedObjects;

/// Duration of a node's lease, which its kubelet renews every ten seconds.
const LEASE: SignedDuration = SignedDuration::from_secs(40);
/// Maximum number of listed names.
const SHOWN: usize = 3;

/// Returns a warning for each node with pods of the sets that is ready by its status, and whose lease has expired.
pub(super) fn warnings(plans: &[Plan], related: &RelatedObjects) -> Vec<ReportAdvice> {
    let Some(conditions) = plans.first().map(|plan| &plan.conditions) else {
        return Vec::new();
    };
    let ages: BTreeMap<Arc<str>, SignedDuration> = related
        .nodes()
        .filter_map(|node| {
            let renewed = related.node_lease(&node.meta.name)?.renewed?;
            let age = conditions.now.duration_since(renewed);
            Some((Arc::clone(&node.meta.name), age))
        })
        .collect();
    // If no lease is fresh, the input is older than the time of the plan.
    if ages.values().all(|age| *age > LEASE) {
        return Vec::new();
    }
    let expired = ages.iter().filter(|(node, age)| {
        let is_ready = related.node(node).is_some_and(|node| !node.is_down());
        **age > LEASE && is_ready && !conditions.outage.lost.contains(*node)
    });
    let warnings = expired.filter_map(|(node, age)| {
        let pods = plans.iter().flat_map(|plan| plan.observed().ready());
        let pods = pods.filter(|pod| pod.node.as_ref() == Some(node));
        let names: Vec<String> = pods
            .map(|pod| format!("{}/{}", pod.meta.namespace, pod.meta.name))
            .collect();
        (!names.is_empty()).then(|| ReportAdvice {
            when: format!(
                "node {node} is ready by its status, but has not renewed its lease for {}: {} may be down already",
                spell(*age),
                list(&names, SHOWN)
            ),
            ..ReportAdvice::default()
        })
    });
    warnings.collect()
}
