//! Objects of kinds that plans know only as far as all kinds are alike.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use crate::object::field::{FieldError, Fields};
use crate::object::{Meta, without_credentials};

/// An object beside the sets, such as a Certificate or a Job: its status, and not the values of its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Bystander {
    /// Metadata.
    pub meta: Meta,
    /// API group; empty for the core.
    pub group: Arc<str>,
    /// Kind.
    pub kind: Arc<str>,
    /// `metadata.annotations`.
    pub annotations: Value,
    /// `metadata.generation`.
    pub generation: Option<i64>,
    /// The last time that somebody wrote it, its status aside; its creation if nothing says.
    pub written: Option<Timestamp>,
    /// The manager that did so, of `metadata.managedFields`; empty if unknown.
    pub writer: Arc<str>,
    /// `spec`.
    pub spec: Value,
    /// `status`.
    pub status: Value,
    /// The members beside `spec` and `status` in which some kinds report their state.
    pub beside: Value,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// The keys of `data`, `binaryData` and `stringData`, sorted.
    pub keys: Vec<Arc<str>>,
    /// `data` of a ConfigMap; null for any other kind.
    pub texts: Value,
}

/// A condition in the form that all kinds share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Type, such as `Ready`.
    pub kind: Arc<str>,
    /// True if its status is `True`, false if it is `False`; `None` if it is unknown.
    pub is_true: Option<bool>,
    /// Reason.
    pub reason: Arc<str>,
    /// The message in one line.
    pub message: Arc<str>,
}

/// Members beside `spec` and `status` by which some kinds tell their state, such as the free storage of a CSIStorageCapacity.
const BESIDE: [&str; 6] = [
    "state",
    "stateReason",
    "storageClassName",
    "capacity",
    "maximumVolumeSize",
    "nodeTopology",
];

fn beside(object: &Value) -> Value {
    let told = BESIDE.iter().filter(|name| !object[**name].is_null());
    told.map(|name| ((*name).to_owned(), object[*name].clone()))
        .collect()
}

impl Bystander {
    /// Reads an object from its JSON form.
    ///
    /// # Errors
    /// When a field of the metadata has a value of the wrong type.
    pub fn from_json(object: &Value) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let group = fields.text("apiVersion")?.split_once('/');
        let conditions = object["status"]["conditions"].as_array();
        let data = ["data", "binaryData", "stringData"];
        let data = data.iter().filter_map(|name| object[*name].as_object());
        let mut keys: Vec<Arc<str>> = data
            .flat_map(|data| data.keys().map(|key| Arc::from(key.as_str())))
            .collect();
        keys.sort();
        keys.dedup();
        let meta = Meta::read(&fields)?;
        let (written, writer) = written(object).unzip();
        Ok(Bystander {
            annotations: annotations(object),
            generation: object["metadata"]["generation"].as_i64(),
            written: written.max(meta.created),
            writer: Arc::from(writer.unwrap_or_default()),
            meta,
            group: Arc::from(group.map_or("", |(group, _)| group)),
            texts: match object["kind"].as_str() {
                Some("ConfigMap") => object["data"].clone(),
                _ => Value::Null,
            },
            kind: fields.shared_text("kind")?,
            spec: object["spec"].clone(),
            status: object["status"].clone(),
            beside: beside(object),
            conditions: conditions.into_iter().flatten().map(condition).collect(),
            keys,
        })
    }

    /// Returns the condition that says best why the object is not ready, if one fails. `Ready` only sums up the others.
    #[must_use]
    pub fn failing(&self) -> Option<&Condition> {
        let mut failing = self.conditions.iter().filter(|it| it.fails());
        let first = failing.clone().next();
        failing
            .find(|it| &*it.kind != "Ready" && !it.message.is_empty())
            .or(first)
    }

    /// Reports whether a condition of this type is true.
    #[must_use]
    pub fn is(&self, kind: &str) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|it| *it.kind == *kind && it.is_true == Some(true))
    }
}

impl Condition {
    /// Reports whether it says that something is wrong: a positive one that is not true, or `Failed`.
    fn fails(&self) -> bool {
        const NEGATIVE: [&str; 5] = [
            "Failed",
            "FailureTarget",
            "Stalled",
            "Degraded",
            "Suspended",
        ];
        let is_negative = NEGATIVE.contains(&&*self.kind);
        match self.is_true {
            Some(is_true) => is_true == is_negative,
            None => !is_negative && !self.message.is_empty(),
        }
    }
}

/// Returns the annotations, without the copy of the whole object, which has the values of its data.
fn annotations(object: &Value) -> Value {
    let mut annotations = object["metadata"]["annotations"].clone();
    if let Some(all) = annotations.as_object_mut() {
        all.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    annotations
}

/// Returns the last time in `metadata.managedFields` at which the object itself was written, and the manager.
fn written(object: &Value) -> Option<(Timestamp, &str)> {
    let entries = object["metadata"]["managedFields"].as_array()?.iter();
    let of_object = entries.filter(|entry| entry["subresource"].as_str().unwrap_or("").is_empty());
    let times = of_object.filter_map(|entry| {
        let at = entry["time"].as_str()?.parse().ok()?;
        Some((at, entry["manager"].as_str().unwrap_or_default()))
    });
    times.max_by_key(|(at, _)| *at)
}

fn condition(value: &Value) -> Condition {
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let message = without_credentials(text("message"));
    let message: Vec<&str> = message.split_whitespace().collect();
    Condition {
        kind: Arc::from(text("type")),
        is_true: match text("status") {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        },
        reason: Arc::from(text("reason")),
        message: Arc::from(message.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Bystander;

    #[test]
    fn the_failing_condition_is_the_one_that_ready_sums_up() {
        let object = json!({
            "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"name": "tls"},
            "status": {"conditions": [
                {"type": "Ready", "status": "False", "reason": "DoesNotExist", "message": "Secret does not exist"},
                {"type": "Issuing", "status": "False", "reason": "Failed", "message": "order is\ninvalid"},
            ]},
        });
        let read = Bystander::from_json(&object).unwrap();
        assert_eq!(
            (&*read.group, &*read.kind),
            ("cert-manager.io", "Certificate")
        );
        assert_eq!(&*read.failing().unwrap().message, "order is invalid");
    }

    #[test]
    fn a_job_that_is_complete_does_not_fail() {
        let job = |kind: &str| {
            let object = json!({
                "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "init"},
                "status": {"conditions": [{"type": kind, "status": "True", "reason": "BackoffLimitExceeded"}]},
            });
            Bystander::from_json(&object).unwrap()
        };
        assert!(job("Complete").failing().is_none());
        assert_eq!(
            &*job("Failed").failing().unwrap().reason,
            "BackoffLimitExceeded"
        );
    }

    #[test]
    fn the_values_of_a_secret_are_not_kept() {
        let object = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tls"},
            "data": {"tls.key": "c2VjcmV0", "tls.crt": "Y2VydA=="},
        });
        let read = Bystander::from_json(&object).unwrap();
        let keys: Vec<&str> = read.keys.iter().map(|key| &**key).collect();
        assert_eq!(keys, ["tls.crt", "tls.key"]);
        assert!(!format!("{read:?}").contains("c2VjcmV0"));
    }
}
