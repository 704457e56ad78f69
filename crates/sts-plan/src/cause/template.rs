//! What differs between the template of a stuck pod and the one to go back to.

use std::sync::Arc;

use serde_json::Value;

use crate::members::fallback;
use crate::plan::Plan;
use sts_controller::controller::ordinal_of;
use sts_controller::object::Pod;

/// What differs between two templates, as far as it decides what helps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateDifference {
    /// The containers whose images differ.
    pub images: Vec<String>,
    /// Whether anything that the scheduler reads differs.
    pub scheduling: bool,
    /// What differs, a clause each: `image of app reg/web:1 -> reg/web:2`.
    pub changes: Vec<String>,
    /// Whether nothing but the time of a restart by hand differs.
    pub only_restarted: bool,
}

/// The members of a pod's specification that the scheduler reads, besides the requests of containers.
const SCHEDULED_BY: [&str; 10] = [
    "affinity",
    "hostNetwork",
    "nodeName",
    "nodeSelector",
    "overhead",
    "priorityClassName",
    "resourceClaims",
    "schedulerName",
    "tolerations",
    "topologySpreadConstraints",
];

/// What differs between the template that a pod is of and the one to go back to; nothing where there is none.
pub(super) fn difference(plan: &Plan, pod: &Pod) -> TemplateDifference {
    let end = plan.progression.world.snapshot();
    let of_pod = end.revisions.get(&pod.revision);
    // A pod that would come back on another revision is compared with that one.
    let next = comes_back_on(plan, pod);
    let other = match &next {
        Some(next) => end.revisions.get(next),
        None => fallback(end, &plan.conditions.behaviour),
    };
    let (Some(now), Some(before)) = (
        of_pod.and_then(|revision| revision.template().cloned()),
        other.and_then(|revision| revision.template().cloned()),
    ) else {
        return TemplateDifference::default();
    };
    let only_restarted = now != before && {
        let (mut now, mut before) = ((*now).clone(), (*before).clone());
        for template in [&mut now, &mut before] {
            if let Some(annotations) = template["metadata"]["annotations"].as_object_mut() {
                annotations.remove(RESTARTED_AT);
            }
        }
        let annotations = |template: &Value| {
            let annotations = template["metadata"]["annotations"].as_object();
            annotations.cloned().unwrap_or_default()
        };
        now["spec"] == before["spec"]
            && now["metadata"]["labels"] == before["metadata"]["labels"]
            && annotations(&now) == annotations(&before)
    };
    let (now, before) = (&now["spec"], &before["spec"]);
    let changes = changes(before, now);
    let images = containers(now)
        .filter(|container| {
            let same = containers(before).find(|other| other["name"] == container["name"]);
            same.is_none_or(|other| other["image"] != container["image"])
        })
        .filter_map(|container| container["name"].as_str().map(str::to_owned))
        .collect();
    let requests = |spec: &Value| -> Vec<Value> {
        containers(spec)
            .map(|container| {
                let resources = &container["resources"];
                // Requests default to the limits.
                let hosts: Vec<Value> = container["ports"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|port| port["hostPort"].clone())
                    .collect();
                Value::from(vec![
                    resources["requests"].clone(),
                    resources["limits"].clone(),
                    Value::from(hosts),
                ])
            })
            .collect()
    };
    let differs = |member: &str| now[member] != before[member];
    TemplateDifference {
        images,
        changes,
        only_restarted,
        scheduling: SCHEDULED_BY.iter().any(|member| differs(member))
            || requests(now) != requests(before),
    }
}

/// The annotation that `kubectl rollout restart` writes.
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";
/// How many differences are named.
const MOST: usize = 4;

/// The revision that a pod would come back on if it were deleted, where that is not its own.
pub(super) fn comes_back_on(plan: &Plan, pod: &Pod) -> Option<Arc<str>> {
    let end = plan.progression.world.snapshot();
    let behaviour = &plan.conditions.behaviour;
    let slot = behaviour.slot(&end.set, ordinal_of(&pod.meta.name))?;
    let partition = usize::try_from(end.set.strategy.partition()).unwrap_or(0);
    let next = match slot < partition {
        true => &end.status.current_revision,
        false => &plan.last.status.update_revision,
    };
    (!next.is_empty() && !pod.revision.is_empty() && **next != *pod.revision)
        .then(|| Arc::clone(next))
}

/// What tells two specifications apart, in the order of containers: images first, then the members that differ.
fn changes(before: &Value, now: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for container in containers(now) {
        let Some(old) = containers(before).find(|other| other["name"] == container["name"]) else {
            continue;
        };
        let name = container["name"].as_str().unwrap_or_default();
        if let (Some(from), Some(to)) = (old["image"].as_str(), container["image"].as_str())
            && from != to
        {
            out.push(format!("image of {name} {from} -> {to}"));
        }
        let members = container.as_object().into_iter().flatten();
        let differing =
            members.filter(|(key, value)| *key != "image" && old[key.as_str()] != **value);
        out.extend(differing.map(|(key, _)| format!("{key} of {name}")));
    }
    let members = now.as_object().into_iter().flatten();
    let plain = members.filter(|(key, value)| {
        !matches!(key.as_str(), "containers" | "initContainers") && before[key.as_str()] != **value
    });
    out.extend(plain.map(|(key, _)| key.clone()));
    out.truncate(MOST);
    out
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| spec[list].as_array().into_iter().flatten())
}
