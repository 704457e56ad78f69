//! Evidence from objects that are read only for a cause: quota usage, volume attachments, node leases and webhooks.

use std::sync::Arc;

use crate::catalogue::{CauseEntry, CauseTrait, wanted_device};
use crate::cause::{Cause, cause_of_event};
use crate::command::named;
use crate::down_nodes::OUT_OF_SERVICE;
use crate::duration::{span, spell};
use crate::plan::Plan;
use crate::remedy::FORCED_DETACH;
use sts_controller::object::{Attachment, Quantities, RelatedKind, Webhook};

/// Maximum number of lines of one kind.
const MOST: usize = 5;

/// Returns the evidence for a cause from these objects; empty if they are not in the input.
#[must_use]
pub fn cause_facts(plan: &Plan, cause: &Cause) -> Vec<String> {
    // The entry of a refused deletion is generic: its message names the actual cause.
    let refused = plan.evidence.undeletable.get(&cause.pod);
    let entry = refused.and_then(|event| cause_of_event(plan.conditions.catalogue, event));
    let read = entry.or(cause.entry()).into_iter();
    match read.flat_map(CauseEntry::kinds_to_read).next() {
        Some(RelatedKind::Quota) => quota(plan, cause).into_iter().collect(),
        Some(RelatedKind::Lease) => lease(plan, cause).into_iter().collect(),
        Some(RelatedKind::LimitRange) => limits(plan),
        Some(RelatedKind::Attachment) => attachments(plan, cause),
        Some(RelatedKind::ValidatingWebhooks) => webhook(plan, cause.message()),
        Some(RelatedKind::Policy) => policy(plan, cause.message()),
        _ => Vec::new(),
    }
}

/// `quota compute: memory 10Gi of 12Gi used`.
fn quota(plan: &Plan, cause: &Cause) -> Option<String> {
    let (name, amounts) = (&cause.facts.quota, &cause.facts.amounts);
    let quota = (plan.related).quota(&plan.snapshot.set.meta.namespace, name)?;
    let resources = quota.hard.iter().filter(|(resource, _)| {
        amounts.contains(&format!("{resource}="))
            || amounts.contains(&format!("requests.{resource}="))
    });
    let used = resources.map(|(resource, hard)| {
        let used = quota.used.get(resource).map_or("0", |used| used);
        format!("{resource} {used} of {hard}")
    });
    let used: Vec<String> = used.take(MOST).collect();
    let used = used.join(", ");
    Some(format!("quota {}: {used} used", quota.meta.name))
}

/// `the kubelet on node n-1 last renewed its lease 2m ago`.
fn lease(plan: &Plan, cause: &Cause) -> Option<String> {
    let node = cause.facts.node.as_ref()?;
    let renewed = plan.related.node_lease(node)?.renewed?;
    let ago = plan.conditions.now.duration_since(renewed);
    (!ago.is_negative()).then(|| {
        let ago = span(ago);
        format!("the kubelet on node {node} last renewed its lease {ago} ago")
    })
}

/// Names the nodes that have devices which they cannot allocate.
pub(super) fn devices(plan: &Plan, cause: &Cause) -> Vec<String> {
    let wants_device = cause
        .entry()
        .is_some_and(|entry| entry.has(CauseTrait::WantsDevice));
    let Some(device) = wanted_device(cause.message()).filter(|_| wants_device) else {
        return Vec::new();
    };
    let amount = |of: &Quantities| of.get(device).map_or("0", |amount| amount).to_owned();
    let unhealthy = plan.related.nodes().filter_map(|node| {
        let (all, usable) = (amount(&node.capacity), amount(&node.allocatable));
        (all != usable).then(|| {
            let name = &node.meta.name;
            format!("node {name} has {all} {device}, of which {usable} can be allocated: the others are unhealthy")
        })
    });
    unhealthy.take(MOST).collect()
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
                    "LimitRange {} ({}): {}",
                    range.meta.name,
                    limit.of,
                    bounds.join(", ")
                )
            })
        })
    });
    limits.take(MOST).collect()
}

/// Names the nodes that the volumes of a pod are still attached to.
pub(super) fn still_attached(plan: &Plan, cause: &Cause) -> Vec<String> {
    let elsewhere = attached_elsewhere(plan, cause).into_iter();
    let told = elsewhere.filter(|it| it.is_attached).map(|it| {
        let (volume, node, name) = (&it.volume, &it.node, &it.meta.name);
        let error = match &*it.detach_error {
            "" => String::new(),
            error => format!(": {error}"),
        };
        match plan.related.node(node) {
            None if plan.related.has_nodes() && it.meta.is_terminating() => format!(
                "volume {volume} is still attached to node {node}, which no longer exists{error}; its VolumeAttachment is \
                 being deleted, and waits for the storage driver to detach it: check the driver's controller. If the volume is \
                 attached to no machine at its provider, remove the finalizers: kubectl patch volumeattachment {} \
                 --type=merge -p '{{\"metadata\":{{\"finalizers\":null}}}}'",
                named(name)
            ),
            None if plan.related.has_nodes() => format!(
                "volume {volume} is still attached to node {node}, which no longer exists{error}; if its machine is off \
                 for good: kubectl delete volumeattachment {}",
                named(name)
            ),
            Some(known) if known.is_down() && it.meta.is_terminating() => format!(
                "volume {volume} is still attached to node {node}, which does not respond{error}; its VolumeAttachment {name} is \
                 being deleted, and waits for the storage driver to detach it: check the driver's controller"
            ),
            Some(known) if known.is_down() => format!(
                "volume {volume} is still attached to node {node} (VolumeAttachment {name}), which does not respond: it is \
                 detached {} after its last pod there was removed, or at once if node {node} is shut down and has the taint \
                 {OUT_OF_SERVICE}=nodeshutdown:NoExecute{error}",
                spell(FORCED_DETACH)
            ),
            _ => format!(
                "volume {volume} is still attached to node {node} (VolumeAttachment {name}), and no pod of the input \
                 uses it there{error}"
            ),
        }
    });
    told.take(MOST).collect()
}

/// Returns the attachments of a pod's volumes to other nodes.
fn attached_elsewhere<'p>(plan: &'p Plan, cause: &Cause) -> Vec<&'p Attachment> {
    let Some(pod) = plan.snapshot.pods.get(&cause.pod) else {
        return Vec::new();
    };
    let volumes: Vec<Arc<str>> = pod
        .claims()
        .filter_map(|claim| {
            let given = plan.snapshot.claims.get(claim)?.given()?;
            given["spec"]["volumeName"].as_str().map(Arc::from)
        })
        .collect();
    let elsewhere = plan.related.attachments().filter(|it| {
        volumes.contains(&it.volume) && pod.node().is_none_or(|node| *it.node != *node)
    });
    elsewhere.map(|it| &**it).collect()
}

fn attachments(plan: &Plan, cause: &Cause) -> Vec<String> {
    let elsewhere = attached_elsewhere(plan, cause).into_iter();
    let attached = elsewhere.map(|it| {
        let state = if it.is_attached {
            "is attached"
        } else {
            "is being attached"
        };
        let error = match &*it.detach_error {
            "" => String::new(),
            error => format!("; detach error: {error}"),
        };
        format!(
            "volume {} {state} to node {} (VolumeAttachment {}){error}",
            it.volume, it.node, it.meta.name
        )
    });
    attached.take(MOST).collect()
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
        Some((namespace, service)) => format!("service {namespace}/{service}"),
        None => "called by URL".to_owned(),
    };
    let policy = match &**failure_policy {
        "" => String::new(),
        policy => format!(", failurePolicy {policy}"),
    };
    vec![format!(
        "webhook {name} ({} {}): {service}{policy}",
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
        format!("binding {}: {}", binding.meta.name, actions.join(", "))
    }));
    facts
}
