//! The facts about a cause that objects tell which no plan reads without one: a quota's use, who holds a volume, a node's
//! heartbeat, what a webhook is of.

use std::sync::Arc;

use crate::cause::{Cause, CauseKind, cause_of_event};
use crate::duration::span;
use crate::plan::Plan;
use sts_controller::object::{Quantities, Quota, Webhook};

/// Maximum number of facts of one kind.
const MOST: usize = 5;

/// Tells what the objects around a cause say of it; nothing where they are not in the input.
#[must_use]
pub fn cause_facts(plan: &Plan, cause: &Cause) -> Vec<String> {
    let related = &plan.related;
    let namespace = &plan.snapshot.set.meta.namespace;
    if let CauseKind::Quota { name, amounts, .. } = &cause.kind {
        let quota = related.quota(namespace, name);
        return quota.map_or_else(Vec::new, |quota| vec![quota_fact(quota, amounts)]);
    }
    if let CauseKind::NodeLost { node, .. } = &cause.kind {
        let renewed = related.node_lease(node).and_then(|lease| lease.renewed);
        let ago = renewed.map(|renewed| plan.conditions.now.duration_since(renewed));
        let ago = ago.filter(|ago| !ago.is_negative());
        let told = ago.map(|ago| {
            format!(
                "the kubelet of node {node} renewed its lease {} ago",
                span(ago)
            )
        });
        return told.into_iter().collect();
    }
    // A refused deletion has an entry of its own, and the words of what refuses.
    let refused = plan.evidence.undeletable.get(&cause.pod);
    let id = match refused.and_then(|event| cause_of_event(event)) {
        Some(entry) => Some(entry.id),
        None => cause.id(),
    };
    match id {
        Some("limit-range") => limits(plan),
        Some("multi-attach") => attachments(plan, cause),
        Some("webhook-down" | "webhook-denied") => webhook(plan, cause.message()),
        Some("policy-denied") => policy(plan, cause.message()),
        _ => Vec::new(),
    }
}

/// `quota compute has 10Gi of 12Gi memory in use`.
fn quota_fact(quota: &Quota, amounts: &str) -> String {
    let resources = quota.hard.iter().filter(|(resource, _)| {
        amounts.contains(&format!("{resource}="))
            || amounts.contains(&format!("requests.{resource}="))
    });
    let used = resources.map(|(resource, hard)| {
        let used = quota.used.get(resource).map_or("0", |used| used);
        format!("{resource} {used} of {hard}")
    });
    let used: Vec<String> = used.take(MOST).collect();
    format!(
        "quota {} in use as it was read: {}",
        quota.meta.name,
        used.join(", ")
    )
}

fn limits(plan: &Plan) -> Vec<String> {
    let bounds = |word: &str, of: &Quantities| {
        let bounds = of
            .iter()
            .map(|(resource, amount)| format!("{word} {resource} {amount}"));
        bounds.collect::<Vec<String>>()
    };
    let ranges = plan.related.limit_ranges(&plan.snapshot.set.meta.namespace);
    let limits = ranges.flat_map(|range| {
        range.limits.iter().filter_map(move |limit| {
            let bounds = [bounds("min", &limit.min), bounds("max", &limit.max)].concat();
            (!bounds.is_empty()).then(|| {
                format!(
                    "LimitRange {}, a {}: {}",
                    range.meta.name,
                    limit.of,
                    bounds.join(", ")
                )
            })
        })
    });
    limits.take(MOST).collect()
}

fn attachments(plan: &Plan, cause: &Cause) -> Vec<String> {
    let Some(pod) = plan.snapshot.pods.get(&cause.pod) else {
        return Vec::new();
    };
    let claims = pod
        .volumes
        .iter()
        .filter_map(|volume| volume.claim.as_ref());
    let volumes: Vec<Arc<str>> = claims
        .filter_map(|claim| {
            let given = plan.snapshot.claims.get(claim)?.given()?;
            given["spec"]["volumeName"].as_str().map(Arc::from)
        })
        .collect();
    let elsewhere = plan.related.attachments().filter(|it| {
        volumes.contains(&it.volume) && pod.node().is_none_or(|node| *it.node != *node)
    });
    let told = elsewhere.map(|it| {
        let state = if it.is_attached {
            "is attached"
        } else {
            "is to be attached"
        };
        let error = match &*it.detach_error {
            "" => String::new(),
            error => format!("; it does not detach: {error}"),
        };
        format!(
            "volume {} {state} to node {} (VolumeAttachment {}){error}",
            it.volume, it.node, it.meta.name
        )
    });
    told.take(MOST).collect()
}

fn webhook(plan: &Plan, message: &str) -> Vec<String> {
    // `failed calling webhook "x": ...`, `admission webhook "x" denied the request: ...`
    let named = message
        .split_once("webhook \"")
        .and_then(|(_, rest)| rest.split_once('"'));
    let found = named.and_then(|(name, _)| plan.related.webhook(name));
    let Some((hooks, hook)) = found else {
        return Vec::new();
    };
    let Webhook {
        name,
        service,
        failure_policy,
    } = hook;
    let service = match service {
        Some((namespace, service)) => format!(", service {service} in namespace {namespace}"),
        None => ", called by its address".to_owned(),
    };
    let policy = match &**failure_policy {
        "" => String::new(),
        policy => format!(", failurePolicy {policy}"),
    };
    vec![format!(
        "webhook {name} is of {} {}{service}{policy}",
        hooks.kind(),
        hooks.meta.name
    )]
}

fn policy(plan: &Plan, message: &str) -> Vec<String> {
    // `ValidatingAdmissionPolicy 'x' with binding 'y' denied request: ...`
    let named = message
        .split_once("ValidatingAdmissionPolicy '")
        .and_then(|(_, rest)| rest.split_once('\''));
    let found = named.and_then(|(name, _)| plan.related.policy(name));
    let Some((policy, bindings)) = found else {
        return Vec::new();
    };
    let failure = match &*policy.failure_policy {
        "" => String::new(),
        failure => format!(": failurePolicy {failure}"),
    };
    let mut facts = vec![format!(
        "ValidatingAdmissionPolicy {}{failure}",
        policy.meta.name
    )];
    facts.extend(bindings.into_iter().take(MOST).map(|binding| {
        let actions: Vec<&str> = binding.actions.iter().map(|action| &**action).collect();
        format!("its binding {}: {}", binding.meta.name, actions.join(", "))
    }));
    facts
}
