//! Objects around a set at rest that wait for it, or that keep it as it is.

use jiff::SignedDuration;
use serde_json::Value;

use crate::catalogue::events_of_node;
use crate::cause::{is_going, owner_report};
use crate::duration::age;
use crate::plan::{Plan, owns, pods_of};
use sts_controller::object::{Node, Pod};

/// Reasons of events of a node whose pods are being evicted.
const DRAINING: [&str; 3] = ["FailedDraining", "DrainFailed", "Draining"];
/// Maximum age of such an event.
const RECENT: SignedDuration = SignedDuration::from_mins(30);
/// Maximum age of the end of a process that is told of a set at rest.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(3);
/// Number of restarts from which they are told as such.
const OFTEN: i64 = 5;
/// Annotations with which KEDA stops to scale.
const PAUSES: [&str; 2] = [
    "autoscaling.keda.sh/paused-replicas",
    "autoscaling.keda.sh/paused",
];

/// Points out the trouble of the owner, which may keep a change from the set, the first drain that waits for a pod of the
/// set, an autoscaler that is paused while the set has no replicas, a pod that was killed hours ago, and a cordoned node.
pub(super) fn surroundings(plan: &Plan) -> String {
    let drain = drain(plan).map_or_else(String::new, |drain| format!("; {drain}"));
    let pause = pause(plan).map_or_else(String::new, |pause| format!("; {pause}"));
    let killed = killed(plan).map_or_else(String::new, |killed| format!("; {killed}"));
    let cordoned = cordoned(plan).filter(|_| drain.is_empty());
    let cordoned = cordoned.map_or_else(String::new, |cordoned| format!("; {cordoned}"));
    let owner = owner_report(plan).map_or_else(String::new, |owner| format!("; {owner}"));
    format!("{owner}{drain}{pause}{killed}{cordoned}")
}

/// Returns the ready pod that was killed last for its use of memory, unless it is long ago or it restarts often.
fn killed(plan: &Plan) -> Option<String> {
    let now = plan.conditions.now;
    let pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    let ends = pods.flat_map(|pod| {
        let statuses = pod.containers().into_iter();
        statuses.filter_map(move |it| {
            let ended = it.ended.filter(|_| it.restarts < OFTEN)?;
            let at = ended.at.filter(|_| ended.reason == "OOMKilled")?;
            Some((at, &pod.meta.name, it.name))
        })
    });
    let (at, pod, container) = ends.max_by_key(|(at, ..)| *at)?;
    let ago = now.duration_since(at);
    let is_recent = (SignedDuration::ZERO..=REMEMBERED).contains(&ago);
    is_recent.then(|| format!("{pod} was OOMKilled {} ago ({container})", age(ago)))
}

/// Returns the first pod of the set on a cordoned node.
fn cordoned(plan: &Plan) -> Option<String> {
    let mut pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    pods.find_map(|pod| {
        let node = plan.related.node(pod.node()?)?;
        let (pod, node) = (
            &pod.meta.name,
            node.unschedulable.then_some(&node.meta.name)?,
        );
        Some(format!("{pod} is on node {node}, which is cordoned"))
    })
}

/// Returns the first drain that a budget keeps from the eviction of a pod.
fn drain(plan: &Plan) -> Option<String> {
    if !plan.conditions.outage.leaving.is_empty() || plan.deletion().is_some() {
        return None;
    }
    let mut pods = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    pods.find_map(|pod| {
        let node = plan.related.node(pod.node()?)?;
        if node.is_down() || !is_drained(plan, node) {
            return None;
        }
        let budget = refusing(plan, pod)?;
        Some(format!(
            "PodDisruptionBudget {budget} keeps {} from the drain of its node",
            pod.meta.name
        ))
    })
}

/// Reports whether the pods of a node are being evicted.
fn is_drained(plan: &Plan, node: &Node) -> bool {
    let now = plan.conditions.now;
    let mut events = events_of_node(&node.meta.name, &plan.related);
    let is_recent = |at| now.duration_since(at) <= RECENT;
    let is_reported =
        events.any(|event| DRAINING.contains(&&*event.reason) && event.last.is_some_and(is_recent));
    is_reported || is_going(node)
}

/// Returns the budget of a pod that allows no disruption.
fn refusing<'p>(plan: &'p Plan, pod: &Pod) -> Option<&'p str> {
    let mut budgets = plan.related.budgets(&pod.meta.namespace);
    let found = budgets
        .find(|budget| budget.disruptions_allowed == Some(0) && budget.covers(&pod.meta.labels))?;
    Some(&found.meta.name)
}

/// Returns the paused autoscaler of a set without replicas.
fn pause(plan: &Plan) -> Option<String> {
    let set = &plan.snapshot.set;
    if set.replicas != 0 {
        return None;
    }
    let mut objects = plan.related.bystanders(&set.meta.namespace);
    let found = objects.find_map(|object| {
        let target = &object.spec["scaleTargetRef"];
        let is_of_set = &*object.kind == "ScaledObject"
            && target["kind"] == "StatefulSet"
            && target["name"] == *set.meta.name;
        let is_set = |key: &&str| !matches!(&object.annotations[*key], Value::Null);
        let mark = PAUSES.into_iter().find(is_set).filter(|_| is_of_set)?;
        let least = object.spec["minReplicaCount"].as_i64().unwrap_or(0);
        Some((object, mark, least))
    });
    let (object, mark, least) = found?;
    let name = &object.meta.name;
    let wants = match least {
        0 => String::new(),
        least => format!(" and would scale to {least} or more"),
    };
    Some(format!(
        "ScaledObject {name} is paused (annotation {mark}){wants}"
    ))
}
