//! Differences between a failing pod and those of its revision that are ready: its node, and its claims. They often lead to
//! the cause where the message does not.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::catalogue::{Blames, Rank};
use crate::cause::Cause;
use crate::duration::age;
use crate::plan::Plan;
use sts_controller::object::{Node, Pod};

/// Maximum age of a new node or claim when the pod on it was created.
const NEW: SignedDuration = SignedDuration::from_hours(24);
/// The others are at least this many times as old.
const TIMES: i32 = 4;
/// Maximum number of labels and of names to say.
const MOST: usize = 2;

/// Words in the keys of labels that say most about a node, the first one most.
const TELLING: [&str; 6] = [
    "nodegroup",
    "nodepool",
    "pool",
    "instance-type",
    "arch",
    "os",
];
/// Parts of the keys of labels that differ between nodes that work, or repeat another one.
const OWN: [&str; 6] = [
    "beta.kubernetes.io",
    "hostname",
    "topology",
    "failure-domain",
    "zone",
    "region",
];

/// Returns the differences, a clause each; none if the pod's revision, its template or a missing node explains more.
#[must_use]
pub fn contrast(plan: &Plan, cause: &Cause) -> Vec<String> {
    let observed = plan.observed();
    let Some(pod) = observed.pod(&cause.pod) else {
        return Vec::new();
    };
    let ready = observed.ready_on(&pod.revision);
    let ready: Vec<&Arc<Pod>> = ready.filter(|it| it.meta.name != pod.meta.name).collect();
    if ready.is_empty() {
        return Vec::new();
    }
    let case = Case { plan, pod, ready };
    let node = case.node().filter(|_| is_of_node(cause));
    node.into_iter().chain(new_claim(cause)).collect()
}

/// Reports whether the node can have to do with a cause.
fn is_of_node(cause: &Cause) -> bool {
    use Blames::{Dependency, Network, Node, Registry, Storage, Template, Unknown};
    let blamed = [
        Dependency, Network, Node, Registry, Storage, Template, Unknown,
    ];
    let entry = cause.entry().filter(|entry| entry.rank != Rank::Generic);
    entry.is_none_or(|entry| blamed.contains(&entry.blames))
}

/// Names a claim of the pod that is new, if its data can have to do with a cause whose words do not name it.
fn new_claim(cause: &Cause) -> Option<String> {
    let claim = cause.facts.neighbors.new_claim.as_ref()?;
    let is_open = cause.entry().is_none_or(|entry| match entry.rank {
        Rank::Generic => true,
        _ => entry.blames == Blames::Volume && !entry.helps.contains("{newclaim}"),
    });
    (claim.pod == cause.pod && is_open).then(|| claim.told.clone())
}

/// A failing pod, and the ready ones of its revision.
struct Case<'p> {
    plan: &'p Plan,
    pod: &'p Pod,
    ready: Vec<&'p Arc<Pod>>,
}

impl<'p> Case<'p> {
    /// Names the node of the pod, if it is new or of another kind than those of the ready pods.
    fn node(&self) -> Option<String> {
        let related = &self.plan.related;
        let own = related.node(self.pod.node()?)?;
        let others: Option<Vec<&'p Arc<Node>>> = self
            .ready
            .iter()
            .map(|pod| related.node(pod.node()?))
            .collect();
        let others = others?;
        let created = others.iter().map(|node| node.meta.created);
        let since = self.is_new(own.meta.created, created);
        let labels = self.labels(own, &others).join(", ");
        let joined = since.map(|since| format!("joined {since} ago"));
        let has = (!labels.is_empty()).then(|| format!("has {labels}"));
        let told: Vec<String> = joined.into_iter().chain(has).collect();
        (!told.is_empty()).then(|| format!("node {} {}", own.meta.name, told.join(" and ")))
    }

    /// Returns the labels whose value only the node of the pod has: `pool=gpu (the others: pool=cpu)`.
    fn labels(&self, own: &Node, others: &[&Arc<Node>]) -> Vec<String> {
        let Some((first, rest)) = others.split_first() else {
            return Vec::new();
        };
        let is_common = |key: &str, value: &str| {
            let of_value =
                |node: &&Arc<Node>| node.meta.labels.get(key).is_some_and(|it| **it == *value);
            // The value of one node alone may be its own.
            let mut nodes = self.plan.related.nodes().filter(of_value);
            rest.iter().all(of_value) && nodes.nth(1).is_some()
        };
        let mut found: Vec<(usize, &str, String)> = Vec::new();
        for (key, theirs) in first.meta.labels.iter() {
            let is_own = OWN.iter().any(|part| key.contains(part));
            let ours = own.meta.labels.get(key).filter(|ours| *ours != theirs);
            let Some(ours) = ours.filter(|_| !is_own && is_common(key, theirs)) else {
                continue;
            };
            let rank = TELLING.iter().position(|part| key.contains(part));
            let text = format!("{key}={ours} (ready pods: {theirs})");
            found.push((rank.unwrap_or(TELLING.len()), key, text));
        }
        found.sort();
        found
            .into_iter()
            .take(MOST)
            .map(|(.., text)| text)
            .collect()
    }

    /// Returns the age of an object of the pod, if it is new and those of the ready pods are much older.
    fn is_new(
        &self,
        own: Option<Timestamp>,
        others: impl Iterator<Item = Option<Timestamp>>,
    ) -> Option<String> {
        let now = self.plan.observed().at();
        let (own, of_pod) = (own?, self.pod.meta.created?);
        let others: Option<Vec<Timestamp>> = others.collect();
        let youngest = others?.into_iter().max()?;
        let ours = now.duration_since(own);
        let is_new = of_pod.duration_since(own) <= NEW && ours >= SignedDuration::ZERO;
        let is_older = now.duration_since(youngest) >= ours.saturating_mul(TIMES);
        (is_new && is_older).then(|| age(ours))
    }
}
