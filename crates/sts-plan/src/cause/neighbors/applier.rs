//! The object that owns or deploys the set, if it is paused or fails: what is changed there does not reach the set.

use serde_json::Value;

use super::super::{Facts, Symptom};
use super::Witness;
use super::chain::{deepest, path};
use crate::catalogue::{Trouble, paused, reports_of, trouble_of};
use crate::plan::{Plan, mark};
use crate::words::names_in;
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::Bystander;

/// Labels and annotations of a set with the name and the namespace of the object that deploys it, and its kind.
const DEPLOYERS: [(&str, &str, &str); 4] = [
    (
        "helm.toolkit.fluxcd.io/name",
        "helm.toolkit.fluxcd.io/namespace",
        "HelmRelease",
    ),
    (
        "kustomize.toolkit.fluxcd.io/name",
        "kustomize.toolkit.fluxcd.io/namespace",
        "Kustomization",
    ),
    ("argocd.argoproj.io/tracking-id", "", "Application"),
    ("argocd.argoproj.io/instance", "", "Application"),
];

/// Words of reports that only say that pods are not ready, in lower case.
const CONSEQUENCES: [&str; 11] = [
    "attempt(s)",
    "retries exhausted",
    "health check failed",
    "timeout waiting",
    "timed out waiting",
    "inprogress",
    "deadline exceeded",
    "not ready",
    "pods ready",
    "not available",
    "crash loop",
];

/// The object that owns or deploys the set, and does not act on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applier {
    /// The object.
    pub object: Witness,
    /// The field or mark that pauses it; empty if it is not paused.
    pub paused: String,
    /// Its own report; empty if it is in no trouble.
    pub trouble: String,
    /// The cure of its trouble; empty if unknown.
    pub cure: String,
    /// The repair that its specification already has, after `already`: `has a memory limit of 8Gi`; empty if none is found.
    pub repair: String,
    /// True if it has a change that it has not applied.
    pub is_behind: bool,
}

impl Applier {
    /// Finds the owner of the set, or else what deploys it, if it is paused or in trouble.
    pub(super) fn of(plan: &Plan, symptom: Symptom, facts: &Facts) -> Option<Self> {
        let found = owner(plan).or_else(|| deployer(plan))?;
        let paused = paused(found).unwrap_or_default();
        let own = trouble_of(found).filter(|_| paused.is_empty());
        let (object, trouble) = match own {
            // A pod that is not ready is the trouble of its owner: it says nothing new, unless another condition does.
            Some(trouble) if names_pods(&trouble, plan) => {
                let mut others = reports_of(found);
                (found, others.find(|it| !names_pods(it, plan)))
            }
            Some(trouble) => {
                let (object, trouble) = deepest(plan, found, trouble);
                (object, Some(trouble))
            }
            None => (found, None),
        };
        if paused.is_empty() && trouble.is_none() {
            return None;
        }
        let observed = found.status["observedGeneration"].as_i64();
        let (says, cure) = trouble.map_or_else(Default::default, |it| (it.says, it.cure));
        Some(Applier {
            object: Witness {
                trouble: String::new(),
                ..Witness::of(plan, object)
            },
            repair: repair(&found.spec, symptom, facts).unwrap_or_default(),
            is_behind: observed.is_some_and(|seen| found.generation.is_some_and(|it| it > seen)),
            paused,
            trouble: says,
            cure,
        })
    }
}

/// Words of reports that the API server refuses a change of the set.
const REFUSED: [&str; 4] = ["cannot patch", "is invalid", "Forbidden", "immutable"];

/// Returns the own trouble of the object that owns a set, unless it is only that of its pods: `Prometheus k8s reports: no such
/// key`.
pub(crate) fn owner_report(plan: &Plan) -> Option<String> {
    let own = owner(plan).and_then(|found| {
        let trouble = trouble_of(found).filter(|it| !names_pods(it, plan))?;
        Some((found, trouble))
    });
    // It may deploy many objects: it is told only if it is this set that it cannot change.
    let name = &plan.snapshot.set.meta.name;
    let deployed = || {
        let found = deployer(plan)?;
        let trouble = trouble_of(found).filter(|it| {
            let is_of_set = names_in(&it.says).any(|word| word == &**name);
            is_of_set && REFUSED.iter().any(|words| it.says.contains(words))
        })?;
        Some((found, trouble))
    };
    let (found, trouble) = own.or_else(deployed)?;
    if paused(found).is_some() {
        return None;
    }
    let (object, trouble) = deepest(plan, found, trouble);
    Some(format!("{} {}", path(plan, object), trouble.says))
}

/// Returns why the owner of a set, an Elasticsearch, does not restart its next pod yet: `its health is yellow, and es-2 waits
/// (only_restart_healthy_node_if_green_or_yellow)`.
pub(crate) fn pending_upgrade(plan: &Plan) -> Option<String> {
    let status = &owner(plan)?.status;
    let nodes = status["inProgressOperations"]["upgrade"]["nodes"].as_array();
    let mut nodes = nodes.into_iter().flatten().filter_map(|node| {
        let why = node["predicate"].as_str().or(node["message"].as_str())?;
        Some((node["name"].as_str()?, why))
    });
    let (name, why) = nodes.next()?;
    let health = status["health"].as_str().unwrap_or("unknown");
    Some(format!("its health is {health}, and {name} waits ({why})"))
}

/// Reports whether a trouble is only that of the pods of the set.
fn names_pods(trouble: &Trouble, plan: &Plan) -> bool {
    let mut pods = plan.observed().owned();
    let says = trouble.says.to_ascii_lowercase();
    // A state alone, such as `is Failed`, may be that of the pods too.
    let has_message = says.contains(": ") || says.contains('(');
    let is_of_others = says.contains("dependency");
    !has_message
        || pods.any(|pod| trouble.says.contains(&*pod.meta.name))
        || !is_of_others && CONSEQUENCES.iter().any(|words| says.contains(words))
}

/// Returns the object that owns the set, by its reference or by the labels of its operator.
fn owner(plan: &Plan) -> Option<&Bystander> {
    let set = &plan.snapshot.set;
    let operator = plan.operator()?;
    let (kind, name) = operator.split_once(' ')?;
    let mut objects = plan.related.bystanders(&set.meta.namespace);
    let found = objects.find(|it| *it.kind == *kind && *it.meta.name == *name)?;
    Some(found)
}

/// Returns the object that deploys the set.
fn deployer(plan: &Plan) -> Option<&Bystander> {
    let set = &plan.snapshot.set;
    DEPLOYERS.iter().find_map(|(name, namespace, kind)| {
        let name = mark(set, name)?;
        let name = name.split([':', '_']).next().unwrap_or(name);
        let namespace = mark(set, namespace);
        let mut all = plan.related.all_bystanders();
        let found = all.find(|it| {
            *it.kind == **kind
                && *it.meta.name == *name
                && namespace.is_none_or(|namespace| *it.meta.namespace == *namespace)
        })?;
        Some(&**found)
    })
}

/// Returns the repair of a cause in a specification: a higher memory limit for a container that lacks memory. If it has
/// several limits, nothing tells which is that of the container.
fn repair(spec: &Value, symptom: Symptom, facts: &Facts) -> Option<String> {
    if !matches!(
        symptom,
        Symptom::OutOfMemory | Symptom::PodOutOfMemory | Symptom::CheckFails | Symptom::CrashLoop
    ) {
        return None;
    }
    let now = facts.failure.as_ref()?.memory_limit.as_ref()?;
    let now = Quantity::parse(now).ok()?;
    let mut limits = Vec::new();
    memory_limits(spec, &mut limits);
    let parsed: Option<Vec<_>> = limits.iter().map(|it| Quantity::parse(it).ok()).collect();
    let is_higher = parsed?.iter().all(|it| *it > now);
    let (first, rest) = limits.split_first()?;
    (is_higher && rest.iter().all(|it| it == first))
        .then(|| format!("has a memory limit of {first}"))
}

/// Collects the memory limits in a specification.
fn memory_limits<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                match value["memory"].as_str().filter(|_| key == "limits") {
                    Some(limit) => found.push(limit),
                    None => memory_limits(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| memory_limits(item, found)),
        _ => {}
    }
}
