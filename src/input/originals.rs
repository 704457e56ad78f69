//! Objects in their original form, for `dump`.

use std::collections::BTreeMap;

use serde_json::Value;

/// Kinds in a dump, in this order. Secrets and ConfigMaps are never read.
pub(super) const KINDS: [&str; 19] = [
    "StatefulSet",
    "Pod",
    "PersistentVolumeClaim",
    "ControllerRevision",
    "PodDisruptionBudget",
    "Service",
    "HorizontalPodAutoscaler",
    "StorageClass",
    "PersistentVolume",
    "Node",
    "Lease",
    "VolumeAttachment",
    "ResourceQuota",
    "LimitRange",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "Event",
];
/// Number of kinds that are kept whole: a controller writes them, or a plan compares them byte by byte.
const WHOLE: usize = 4;
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Objects by kind, namespace and name.
#[derive(Debug, Default)]
pub struct Originals(BTreeMap<(usize, String, String), Value>);

impl Originals {
    /// Adds an object, if plans use its kind. A duplicate is ignored.
    pub fn insert(&mut self, mut object: Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let Some(kind) = KINDS.iter().position(|kind| object["kind"] == *kind) else {
            return;
        };
        let metadata = &object["metadata"];
        let (namespace, name) = (text(&metadata["namespace"]), text(&metadata["name"]));
        strip(&mut object, kind);
        self.0.insert((kind, namespace, name), object);
    }

    /// Adds all objects of `others`.
    pub fn extend(&mut self, others: Originals) {
        self.0.extend(others.0);
    }

    /// Removes objects of other namespaces.
    pub fn keep_namespace(&mut self, namespace: &str) {
        self.0
            .retain(|(_, of, _), _| of.is_empty() || of == namespace);
    }

    /// Removes the pods, claims, revisions and events that have nothing to do with these sets, as when reading a
    /// cluster.
    pub fn keep_about(&mut self, names: &[String]) {
        let uids: Vec<String> = self
            .0
            .iter()
            .filter(|((kind, _, name), _)| KINDS[*kind] == "StatefulSet" && names.contains(name))
            .filter_map(|(_, set)| set["metadata"]["uid"].as_str().map(str::to_owned))
            .collect();
        let named = |text: &str| names.iter().any(|name| text.contains(name.as_str()));
        self.0.retain(|(kind, _, name), object| match KINDS[*kind] {
            "Pod" | "PersistentVolumeClaim" | "ControllerRevision" => {
                let owners = object["metadata"]["ownerReferences"].as_array();
                let controller = owners
                    .into_iter()
                    .flatten()
                    .find(|owner| owner["controller"] == true)
                    .map(|owner| owner["uid"].as_str().unwrap_or_default());
                controller.is_none_or(|uid| uids.iter().any(|known| known == uid)) || named(name)
            }
            "Event" => ["involvedObject", "regarding"]
                .iter()
                .filter_map(|about| object[about]["name"].as_str())
                .any(named),
            _ => true,
        });
    }

    /// Keeps only these objects, by kind, namespace and name.
    pub fn keep_only(&mut self, kept: impl Iterator<Item = (&'static str, String, String)>) {
        let kept: std::collections::BTreeSet<(usize, String, String)> = kept
            .filter_map(|(kind, namespace, name)| {
                let kind = KINDS.iter().position(|known| *known == kind)?;
                Some((kind, namespace, name))
            })
            .collect();
        self.0.retain(|key, _| kept.contains(key));
    }

    /// Returns the objects, kind by kind.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.values()
    }
}

/// Removes what no plan reads: managed fields (except of sets) and, of related objects, last applied configurations,
/// images of nodes and certificates of webhooks.
fn strip(object: &mut Value, kind: usize) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        if KINDS[kind] != "StatefulSet" {
            metadata.remove("managedFields");
        }
        let annotations = metadata
            .get_mut("annotations")
            .and_then(Value::as_object_mut);
        if let (Some(annotations), true) = (annotations, kind >= WHOLE) {
            annotations.remove(LAST_APPLIED);
        }
    }
    for webhook in object
        .get_mut("webhooks")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(client) = webhook
            .get_mut("clientConfig")
            .and_then(Value::as_object_mut)
        {
            client.remove("caBundle");
        }
    }
    if object["kind"] == "Node"
        && let Some(status) = object.get_mut("status").and_then(Value::as_object_mut)
    {
        status.remove("images");
    }
}
