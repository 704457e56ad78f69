//! What is read of a plan's JSON form to compare it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::availability::Availability;
use crate::report::API_VERSION;

/// A plan, as far as it is compared.
#[derive(Debug, Clone)]
pub struct SavedPlan {
    /// The set's namespace.
    pub namespace: String,
    /// The set's name.
    pub name: String,
    /// The plan in one line.
    pub summary: String,
    /// `complete`, `blocked`, `rejected` or `livelock`.
    pub(super) result: String,
    /// Why it does not complete; empty where it does.
    pub(super) why: String,
    /// Seconds to the end.
    pub(super) at: i64,
    pub(super) replicas: i64,
    pub(super) availability: Availability,
    /// What is done to each pod: `replace`, `create`, `delete`.
    pub(super) pods: BTreeMap<String, &'static str>,
    /// The claims that go.
    pub(super) lost: BTreeSet<String>,
    /// Whether each requirement holds.
    pub(super) requirements: BTreeMap<String, bool>,
    /// Severity and message of each finding, by id and object.
    pub(super) findings: BTreeMap<(String, String), (String, String)>,
    /// Old and new value of each changed field.
    pub(super) changes: BTreeMap<String, (Value, Value)>,
    pub(super) version: String,
    pub(super) gates: BTreeMap<String, Value>,
    pub(super) assumptions: BTreeSet<String>,
}

impl SavedPlan {
    /// Reads a plan from its JSON form.
    ///
    /// # Errors
    /// When it is none of this version, in words.
    pub fn from_json(plan: &Value) -> Result<Self, String> {
        if plan["apiVersion"] != API_VERSION || plan["kind"] != "Plan" {
            return Err(format!(
                "is not a Plan of {API_VERSION}: make one with --save PATH or -o json"
            ));
        }
        let text = |pointer: &str| -> Result<String, String> {
            let found = plan.pointer(pointer).and_then(Value::as_str);
            let missing = || format!("has no text in {}", pointer[1..].replace('/', "."));
            found.map(str::to_owned).ok_or_else(missing)
        };
        let number = |pointer: &str| -> Result<i64, String> {
            let found = plan.pointer(pointer).and_then(Value::as_i64);
            found.ok_or_else(|| format!("has no number in {}", pointer[1..].replace('/', ".")))
        };
        let list = |pointer: &str| {
            let found = plan.pointer(pointer).and_then(Value::as_array);
            found.into_iter().flatten()
        };
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let at = number("/outcome/at")?;
        let replicas = number("/set/replicas")?;
        let blocked = list("/outcome/blockedBy").next();
        Ok(SavedPlan {
            namespace: text("/metadata/namespace")?,
            name: text("/metadata/name")?,
            summary: text("/summary")?,
            result: text("/outcome/result")?,
            why: blocked.map_or(String::new(), |first| words(&first["message"])),
            at,
            replicas,
            availability: Availability::of(plan, at),
            pods: pods(plan),
            lost: lost(plan),
            requirements: list("/requirements")
                .map(|it| (words(&it["text"]), it["brokenAt"].is_null()))
                .collect(),
            findings: list("/findings")
                .map(|it| {
                    let key = (words(&it["id"]), words(&it["object"]));
                    (key, (words(&it["severity"]), words(&it["message"])))
                })
                .collect(),
            changes: list("/change")
                .map(|it| (words(&it["path"]), (it["old"].clone(), it["new"].clone())))
                .collect(),
            version: text("/kubernetes/version")?,
            gates: match plan.pointer("/kubernetes/featureGates") {
                Some(Value::Object(gates)) => gates.clone().into_iter().collect(),
                _ => BTreeMap::new(),
            },
            assumptions: list("/assumptions").map(words).collect(),
        })
    }
}

/// What is done to each pod over the whole plan.
fn pods(plan: &Value) -> BTreeMap<String, &'static str> {
    let names = |pointer: &str| -> BTreeSet<&str> {
        let pods = plan.pointer(pointer).and_then(Value::as_array);
        let pods = pods.into_iter().flatten();
        pods.filter_map(|pod| pod["name"].as_str()).collect()
    };
    let (before, after) = (names("/set/pods"), names("/outcome/pods"));
    let mut touched: BTreeSet<&str> = BTreeSet::new();
    let steps = plan["steps"].as_array().into_iter().flatten();
    for step in steps {
        let writes = step["writes"].as_array().into_iter().flatten();
        let writes = writes.filter(|it| it["resource"] == "pods" && it["error"].is_null());
        let writes = writes.filter(|it| it["verb"] == "create" || it["verb"] == "delete");
        touched.extend(writes.filter_map(|write| write["name"].as_str()));
        if step["event"] == "PodDeleted" {
            touched.extend(step["name"].as_str());
        }
    }
    let done = |pod: &str| match (before.contains(pod), after.contains(pod)) {
        (true, true) => "replace",
        (true, false) => "delete",
        (false, _) => "create",
    };
    let touched = touched.into_iter();
    touched.map(|pod| (pod.to_owned(), done(pod))).collect()
}

/// The claims that go, and what they hold with them.
fn lost(plan: &Value) -> BTreeSet<String> {
    let steps = plan["steps"].as_array().into_iter().flatten();
    let gone = steps.filter(|step| step["event"] == "ClaimRemoved");
    let gone = gone.filter_map(|step| step["name"].as_str());
    gone.map(str::to_owned).collect()
}
