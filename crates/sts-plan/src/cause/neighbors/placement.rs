//! Labels and domains that a pod asks for and no node has, and the workload that a queue has not admitted.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{MOST, Witness};
use crate::catalogue::about_nodes;
use crate::foresight::{Demand, taint_text};
use crate::plan::Plan;
use crate::words::list;
use sts_controller::object::{Node, Pod, Taint};

/// The label of a pod with the name of its Kueue Workload.
const POD_GROUP: &str = "kueue.x-k8s.io/pod-group-name";

/// Constraints of a pod that no node of the cluster can satisfy. Each is empty if some can, or the input lacks nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Unmet {
    /// The labels that the pod selects, of which no node has this value: `disk=nvme`.
    pub(super) labels: String,
    /// The domains that a spread asks for: `minDomains is 3, and 2 values of topology.kubernetes.io/zone have nodes`.
    pub(super) domains: String,
    /// The nodes that lack the label of a spread which others have: `nodes n-3, n-4 lack the label rack`.
    pub(super) unspread: String,
    /// The pods that its required affinity wants on the same node or in the same zone: `app=api in namespace web`.
    pub(super) near: String,
    /// The toleration that differs a little from a taint of a node, with both.
    pub(super) toleration: String,
}

impl Unmet {
    /// Compares a pod with all nodes that the scheduler has counted.
    pub(super) fn of(plan: &Plan, pod: &Pod, message: &str) -> Self {
        let nodes: Vec<&Node> = plan.related.nodes().map(|node| &**node).collect();
        let given = pod.given();
        let near = given.as_ref().and_then(|it| near(&it["spec"]));
        let near = near.unwrap_or_default();
        let is_of_taints = message.contains(" taint");
        let mistaken = given.as_ref().filter(|_| is_of_taints);
        let mistaken = mistaken.and_then(|it| mistaken_toleration(&it["spec"], &nodes));
        let toleration = mistaken.unwrap_or_default();
        let Some(given) = given.filter(|_| are_all(nodes.len(), message)) else {
            return Unmet {
                near,
                toleration,
                ..Unmet::default()
            };
        };
        Unmet {
            near,
            toleration,
            labels: list(&missing_labels(&given["spec"], &nodes), MOST),
            domains: missing_domains(&given["spec"], &nodes).unwrap_or_default(),
            unspread: match message.contains("(missing required label)") {
                true => without_label(&given["spec"], &nodes).unwrap_or_default(),
                false => String::new(),
            },
        }
    }
}

/// Maximum number of letters by which a mistyped key or value differs.
const TYPO: usize = 2;

/// Returns the toleration that was probably meant for a taint of a node, and does not fit it: its key, value or effect differs
/// a little.
fn mistaken_toleration(spec: &Value, nodes: &[&Node]) -> Option<String> {
    let tolerations = spec["tolerations"].as_array()?;
    let demand = Demand::of_spec(spec);
    let taints = nodes.iter().flat_map(|node| &node.taints);
    let repels =
        |it: &&Taint| matches!(&*it.effect, "NoSchedule" | "NoExecute") && !demand.tolerates(it);
    taints.filter(repels).find_map(|taint| {
        let is_meant = |it: &&Value| {
            let key = it["key"].as_str().unwrap_or_default();
            !key.is_empty() && strsim::osa_distance(key, &taint.key) <= TYPO
        };
        let meant = tolerations.iter().find(is_meant)?;
        let text = |field: &str| meant[field].as_str().unwrap_or_default();
        let meant = taint_text(text("key"), text("value"), text("effect"));
        let taint = taint_text(&taint.key, &taint.value, &taint.effect);
        Some(format!("it is for {meant}, and the taint is {taint}"))
    })
}

/// Returns the pods that the first term of a required pod affinity selects, in kubectl's notation.
fn near(spec: &Value) -> Option<String> {
    let terms = &spec["affinity"]["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    let term = terms.as_array()?.first()?;
    let labels = term["labelSelector"]["matchLabels"].as_object()?;
    let pairs = labels.iter().map(|(key, value)| {
        let value = value.as_str().unwrap_or_default();
        format!("{key}={value}")
    });
    Some(pairs.collect::<Vec<_>>().join(",")).filter(|it| !it.is_empty())
}

/// Reports whether a scheduler's message is about exactly this number of nodes: `0/4 nodes are available: ...`.
pub(super) fn are_all(nodes: usize, message: &str) -> bool {
    let counted = about_nodes(message).split_once(" nodes are available");
    let counted = counted.and_then(|(start, _)| start.rsplit('/').next()?.parse().ok());
    counted == Some(nodes) && nodes > 0
}

/// Returns the labels that a pod requires and no node has: those of its nodeSelector, and of the only term of its required
/// affinity.
fn missing_labels(spec: &Value, nodes: &[&Node]) -> Vec<String> {
    let has = |key: &str, value: &str| {
        let mut values = nodes.iter().filter_map(|node| node.meta.labels.get(key));
        values.any(|it| **it == *value)
    };
    // The values that the nodes have instead, unless each has one of its own.
    let instead = |key: &str| {
        let values: BTreeSet<&str> = nodes
            .iter()
            .filter_map(|node| node.meta.labels.get(key).map(|value| &**value))
            .collect();
        let values: Vec<&str> = values.into_iter().collect();
        match (1..=MOST).contains(&values.len()) {
            true => format!(" (they have {})", values.join(", ")),
            false => String::new(),
        }
    };
    let required = required_labels(spec).into_iter();
    let missing = required.filter(|(key, values)| values.iter().all(|value| !has(key, value)));
    let told = missing.map(|(key, values)| match values.as_slice() {
        [value] => format!("{key}={value}{}", instead(key)),
        values => format!("{key} in ({}){}", list(values, MOST), instead(key)),
    });
    told.collect()
}

/// Returns the labels that a pod requires, each with the values that are enough: those of its nodeSelector, and of the only
/// term of its required affinity.
pub(super) fn required_labels(spec: &Value) -> Vec<(&str, Vec<&str>)> {
    let pairs = spec["nodeSelector"].as_object().into_iter().flatten();
    let pairs = pairs.map(|(key, value)| (key.as_str(), vec![value.as_str().unwrap_or_default()]));
    let required =
        &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    // One of several terms is enough.
    let term = match required["nodeSelectorTerms"].as_array().map(Vec::as_slice) {
        Some([term]) => term,
        _ => &Value::Null,
    };
    let expressions = term["matchExpressions"].as_array().into_iter().flatten();
    let only_in = expressions.filter(|it| it["operator"] == "In");
    let of_term = only_in.filter_map(|it| {
        let values = it["values"].as_array()?.iter();
        Some((
            it["key"].as_str()?,
            values.filter_map(Value::as_str).collect(),
        ))
    });
    pairs.chain(of_term).collect()
}

/// Returns the first spread that asks for more domains than the nodes have.
fn missing_domains(spec: &Value, nodes: &[&Node]) -> Option<String> {
    let spreads = spec["topologySpreadConstraints"].as_array()?;
    let mut hard = spreads
        .iter()
        .filter(|it| it["whenUnsatisfiable"] != "ScheduleAnyway");
    hard.find_map(|it| {
        let (least, key) = (it["minDomains"].as_u64()?, it["topologyKey"].as_str()?);
        let values: BTreeSet<&str> = nodes
            .iter()
            .filter_map(|node| node.meta.labels.get(key).map(|value| &**value))
            .collect();
        let number = values.len();
        let is_missing = u64::try_from(number).is_ok_and(|number| number < least);
        is_missing
            .then(|| format!("minDomains is {least}, and {number} values of {key} have nodes"))
    })
}

/// Returns the nodes that lack the label of a hard spread, while others have it.
fn without_label(spec: &Value, nodes: &[&Node]) -> Option<String> {
    let spreads = spec["topologySpreadConstraints"].as_array()?;
    let hard = spreads
        .iter()
        .filter(|it| it["whenUnsatisfiable"] != "ScheduleAnyway");
    let mut keys = hard.filter_map(|it| it["topologyKey"].as_str());
    keys.find_map(|key| {
        let lacks = |node: &&&Node| node.meta.labels.get(key).is_none();
        let names: Vec<&str> = nodes
            .iter()
            .filter(lacks)
            .map(|node| &*node.meta.name)
            .collect();
        let some = !names.is_empty() && names.len() < nodes.len();
        let words = match names.len() {
            1 => ("node", "lacks"),
            _ => ("nodes", "lack"),
        };
        some.then(|| {
            format!(
                "{} {} {} the label {key}",
                words.0,
                list(&names, MOST),
                words.1
            )
        })
    })
}

/// Returns the Kueue Workload of a pod, if the input has it.
pub(super) fn queued(plan: &Plan, pod: &Pod) -> Option<Witness> {
    let group = pod.meta.labels.get(POD_GROUP);
    let mut objects = plan.related.bystanders(&pod.meta.namespace);
    let found = objects.find(|object| {
        let is_of_pod = || {
            let mut owners = object.meta.owner_references.iter();
            owners.any(|owner| owner.uid == pod.meta.uid)
        };
        &*object.kind == "Workload"
            && (group.is_some_and(|group| *group == object.meta.name) || is_of_pod())
    })?;
    Some(Witness::of(plan, found))
}
