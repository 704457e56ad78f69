//! Trouble that an object of any kind reports about itself.

use serde_json::{Map, Value};

use super::bystander::bystander_kind;
use super::bystander_entry::{BystanderEntry, TroubleEntry};
use super::paused::paused;
use crate::words::without_middle;
use sts_controller::object::{Bystander, Condition, without_credentials};

/// Maximum number of details of a trouble.
const MOST_DETAILS: usize = 3;
/// Maximum number of characters of a report.
const LONGEST_REPORT: usize = 300;
/// Maximum number of characters of the start of a report that is longer.
const LONGEST_START: usize = 120;

/// Trouble of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// The end of the sentence about the object: `is faulted`, `reports: no such pool`.
    pub(crate) says: String,
    /// The cure; empty if unknown.
    pub(crate) cure: String,
}

/// Fields of `status` with the last error of an object.
const ERRORS: [&str; 8] = [
    "ipam.operator-status.error",
    "lastSyncError",
    "error.message",
    "errorMessage",
    "failureMessage",
    "lastError",
    "error",
    "lastErrorMessage",
];
/// Fields of `status` that say of a copy that it is complete: its last error is over then.
const COMPLETE: &str = "readyToUse";
/// Fields of `status` with the state of an object.
const STATES: [&str; 6] = [
    "phase",
    "state",
    "status",
    "health",
    "health.status",
    "currentState",
];
/// Values of these fields that are bad, in lower case.
const BAD: [&str; 12] = [
    "critical",
    "degraded",
    "error",
    "failed",
    "failure",
    "faulted",
    "invalid",
    "lost",
    "notready",
    "offline",
    "unhealthy",
    "unrecoverable",
];
/// Ends of the types of conditions that are good if they are true, in lower case.
const GOOD_TYPES: [&str; 16] = [
    "accepted",
    "available",
    "creation",
    "established",
    "health",
    "healthy",
    "launched",
    "provisioned",
    "ready",
    "reconciled",
    "registered",
    "scheduled",
    "success",
    "succeeded",
    "synced",
    "valid",
];
/// Ends of the types of conditions that are bad if they are true, in lower case.
const BAD_TYPES: [&str; 6] = [
    "degraded",
    "error",
    "failed",
    "failure",
    "stalled",
    "unhealthy",
];
/// Statuses of conditions that are neither true nor false, and bad, in lower case.
const BAD_STATUSES: [&str; 5] = ["degraded", "failed", "notready", "offline", "error"];

/// Reports whether an object is kept: its kind is declared, or it reports something that can explain a failure.
#[must_use]
pub fn keeps(object: &Bystander) -> bool {
    bystander_kind(&object.kind, &object.group).is_some()
        || trouble_of(object).is_some()
        || paused(object).is_some()
}

/// Returns the trouble that an object reports about itself.
pub(crate) fn trouble_of(object: &Bystander) -> Option<Trouble> {
    let entry = bystander_kind(&object.kind, &object.group);
    let declared = entry.and_then(|entry| declared(object, entry));
    declared.or_else(|| {
        Some(Trouble {
            says: reported(object)?,
            cure: entry.map_or_else(String::new, |entry| entry.cure.clone()),
        })
    })
}

/// Returns the declared trouble of an object of a kind.
fn declared(object: &Bystander, entry: &BystanderEntry) -> Option<Trouble> {
    let mut troubles = entry.troubles.iter();
    let found = troubles.find(|it| {
        let has_value = field(object, &it.at).is_some_and(|is| it.is.contains(&is));
        let members = at(object, &it.at).as_object();
        let has_member =
            |members: &Map<String, Value>| it.is.iter().any(|name| members.contains_key(name));
        has_value || members.is_some_and(has_member)
    })?;
    let TroubleEntry { says, cure, .. } = found;
    let details = match &*found.details {
        "" => Vec::new(),
        path => details(at(object, path)),
    };
    Some(Trouble {
        says: match details.is_empty() {
            true => says.clone(),
            false => format!("{says} ({})", details.join(", ")),
        },
        cure: cure.clone(),
    })
}

/// Returns what the fields that many kinds have say of an object.
fn reported(object: &Bystander) -> Option<String> {
    if object.status[COMPLETE] == true {
        return None;
    }
    let known = |path: &&str| field(object, &format!("status.{path}")).filter(|it| !it.is_empty());
    let error = ERRORS.iter().find_map(known);
    let error = error.map(|error| reports(&error));
    error
        .or_else(|| by_condition(object))
        .or_else(|| by_state(object))
}

/// Returns what the conditions with a message report that is wrong, one after the other.
pub(crate) fn reports_of(object: &Bystander) -> impl Iterator<Item = Trouble> {
    let entry = bystander_kind(&object.kind, &object.group);
    let told = bad_conditions(object).into_iter();
    let told = told.filter(|it| !it.message.is_empty());
    told.map(move |it| Trouble {
        says: reports(&it.message),
        cure: entry.map_or_else(String::new, |entry| entry.cure.clone()),
    })
}

/// Returns the message of the condition that says best why an object is in trouble.
fn by_condition(object: &Bystander) -> Option<String> {
    let told = bad_conditions(object);
    let best = told.iter().find(|it| !it.message.is_empty());
    let best = best.or_else(|| told.iter().find(|it| !it.reason.is_empty()))?;
    Some(match &*best.message {
        "" => format!("reports {} ({})", best.kind, best.reason),
        message => reports(message),
    })
}

/// Returns the conditions that say that something is wrong. `Ready` only sums up the others, and is the last.
fn bad_conditions(object: &Bystander) -> Vec<&Condition> {
    let list = object.status["conditions"].as_array();
    let texts = list
        .into_iter()
        .flatten()
        .map(|it| it["status"].as_str().unwrap_or_default());
    let all = object.conditions.iter().zip(texts);
    let bad = all
        .filter(|(condition, status)| is_bad(condition, status))
        .map(|(it, _)| it);
    let (sums, details): (Vec<_>, Vec<_>) = bad.partition(|it| &*it.kind == "Ready");
    details.into_iter().chain(sums).collect()
}

/// Reports whether a condition with this status says that something is wrong.
fn is_bad(condition: &Condition, status: &str) -> bool {
    let kind = condition.kind.to_ascii_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| kind.ends_with(end));
    match condition.is_true {
        Some(true) => ends(&BAD_TYPES),
        // An action that has failed is no longer under way.
        Some(false) => ends(&GOOD_TYPES) || &*condition.reason == "Failed",
        None => BAD_STATUSES.contains(&&*status.to_ascii_lowercase()),
    }
}

/// Returns the bad state of an object, with its message.
fn by_state(object: &Bystander) -> Option<String> {
    let mut states = STATES
        .iter()
        .filter_map(|path| field(object, &format!("status.{path}")));
    let bad = states.find(|state| BAD.contains(&&*state.to_ascii_lowercase()))?;
    let message = field(object, "status.message").filter(|it| !it.is_empty());
    Some(match message {
        Some(message) => format!("is {bad}: {}", in_brief(&message)),
        None => format!("is {bad}"),
    })
}

/// Formats a report as the end of a sentence about its object.
fn reports(report: &str) -> String {
    format!("reports: {}", in_brief(report))
}

/// Returns a report in one line, without credentials; a long one without its middle.
fn in_brief(report: &str) -> String {
    let report = without_credentials(report);
    let words: Vec<&str> = report.split_whitespace().collect();
    let words = words.join(" ");
    let words = without_middle(&words, LONGEST_REPORT, LONGEST_START);
    words.trim_end_matches('.').to_owned()
}

/// Returns the messages of a field: itself, or those of its members.
fn details(value: &Value) -> Vec<String> {
    let message = |it: &Value| it["message"].as_str().or(it.as_str()).map(str::to_owned);
    match value {
        Value::Object(members) if members.get("message").is_none() => {
            let told = members
                .iter()
                .filter_map(|(name, it)| Some(format!("{name}: {}", message(it)?)));
            told.take(MOST_DETAILS).collect()
        }
        // The results of a sync of Argo CD.
        Value::Array(results) => {
            let failed = results
                .iter()
                .filter(|it| it["status"].as_str().is_some_and(|it| it.contains("Fail")));
            let told = failed.filter_map(|it| {
                let text = |name: &str| it[name].as_str().unwrap_or_default();
                let object = format!("{} {}", text("kind"), text("name"));
                Some(format!("{}: {}", object.trim(), in_brief(&message(it)?)))
            });
            told.take(MOST_DETAILS).collect()
        }
        it => message(it).into_iter().collect(),
    }
}

/// Returns a field of an object as a text, if it is a text, a number or a truth value. `path` has dots.
pub(crate) fn field(object: &Bystander, path: &str) -> Option<String> {
    match at(object, path) {
        Value::String(text) => Some(text.clone()),
        it @ (Value::Bool(_) | Value::Number(_)) => Some(it.to_string()),
        _ => None,
    }
}

/// Returns the value of a field. `path` has dots.
fn at<'o>(object: &'o Bystander, path: &str) -> &'o Value {
    let (root, rest) = match path.split_once('.') {
        Some(("spec", rest)) => (&object.spec, rest),
        Some(("status", rest)) => (&object.status, rest),
        _ => (&object.beside, path),
    };
    rest.split('.').fold(root, |value, step| &value[step])
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sts_controller::object::Bystander;

    use super::trouble_of;

    fn told(api_version: &str, kind: &str, spec: Value, status: Value) -> Option<String> {
        let object = json!({
            "apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": spec, "status": status,
        });
        let read = Bystander::from_json(&object).unwrap();
        trouble_of(&read).map(|it| it.says)
    }

    #[test]
    fn an_object_of_any_kind_tells_its_trouble() {
        let volume = told(
            "longhorn.io/v1beta2",
            "Volume",
            json!({}),
            json!({"robustness": "faulted", "state": "detached"}),
        );
        assert_eq!(volume.unwrap(), "is faulted: all its replicas have failed");
        let unknown = told(
            "example.com/v1",
            "Thing",
            json!({}),
            json!({"conditions": [
                {"type": "Ready", "status": "False", "message": "not ready"},
                {"type": "DiskHealthy", "status": "False", "message": "disk sdb\nhas failed."},
            ]}),
        );
        assert_eq!(unknown.unwrap(), "reports: disk sdb has failed");
        let state = told(
            "example.com/v1",
            "Thing",
            json!({}),
            json!({"phase": "Failed"}),
        );
        assert_eq!(state.unwrap(), "is Failed");
        let snapshot = json!({"readyToUse": false, "error": {"message": "quota exceeded"}});
        let snapshot = told(
            "snapshot.storage.k8s.io/v1",
            "VolumeSnapshot",
            json!({}),
            snapshot,
        );
        assert_eq!(snapshot.unwrap(), "reports: quota exceeded");
    }

    #[test]
    fn an_object_that_works_tells_no_trouble() {
        let fine = [
            json!({"conditions": [{"type": "Ready", "status": "True"}, {"type": "TooManySnapshots", "status": "False"}]}),
            json!({"phase": "Ready", "message": "Cluster created successfully"}),
            json!({"readyToUse": true, "error": {"message": "the last try failed"}}),
            json!({"robustness": "degraded", "state": "attached"}),
            json!({"conditions": [{"type": "Ready", "status": "Unknown", "message": "not yet"}]}),
        ];
        for status in fine {
            assert_eq!(
                told("longhorn.io/v1beta2", "Volume", json!({}), status),
                None
            );
        }
    }
}
