//! What differs between the template of a stuck pod and the one to go back to.

use serde_json::Value;

use crate::members::fallback;
use crate::plan::Plan;
use sts_controller::object::Pod;

/// What differs between two templates, as far as it decides what helps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateDifference {
    /// The containers whose images differ.
    pub images: Vec<String>,
    /// Whether anything that the scheduler reads differs.
    pub scheduling: bool,
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
    let other = fallback(end, &plan.conditions.behaviour);
    let (Some(now), Some(before)) = (
        of_pod.and_then(|revision| revision.template().cloned()),
        other.and_then(|revision| revision.template().cloned()),
    ) else {
        return TemplateDifference::default();
    };
    let (now, before) = (&now["spec"], &before["spec"]);
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
        scheduling: SCHEDULED_BY.iter().any(|member| differs(member))
            || requests(now) != requests(before),
    }
}

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    ["containers", "initContainers"]
        .into_iter()
        .flat_map(|list| spec[list].as_array().into_iter().flatten())
}
