//! Secret or ConfigMap that lacks a key.

use std::sync::Arc;

use serde_json::Value;

use sts_controller::object::{Pod, RelatedObjects};

/// A Secret or ConfigMap that lacks a key which a volume of a pod references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LackingKey {
    /// `Secret` or `ConfigMap`.
    pub kind: &'static str,
    /// Name of the object.
    pub name: String,
    /// The keys that it has; empty if the input does not have it.
    pub keys: Vec<Arc<str>>,
}

impl LackingKey {
    /// Reads the report of the kubelet, which names the volume of the pod.
    pub(super) fn of(report: &str, pod: &Pod, related: &RelatedObjects) -> Option<Self> {
        let (kind, name) = in_volume(report, pod)?;
        let mut objects = related.bystanders(&pod.meta.namespace);
        let found = objects.find(|it| *it.kind == *kind && *it.meta.name == *name);
        Some(LackingKey {
            keys: found.map_or_else(Vec::new, |found| found.keys.clone()),
            kind,
            name,
        })
    }
}

/// Reads `MountVolume.SetUp failed for volume "tls" : references non-existent secret key: ca.crt`.
fn in_volume(report: &str, pod: &Pod) -> Option<(&'static str, String)> {
    let (_, key) = report.split_once("references non-existent ")?;
    let (kind, key) = key.split_once(" key: ")?;
    let (kind, member, named) = match kind {
        "secret" => ("Secret", "secret", "secretName"),
        "config" => ("ConfigMap", "configMap", "name"),
        _ => return None,
    };
    let key = key.split_whitespace().next()?;
    let (_, volume) = report.split_once("for volume \"")?;
    let (volume, _) = volume.split_once('"')?;
    let given = pod.given()?;
    let mut volumes = given["spec"]["volumes"].as_array()?.iter();
    let volume = volumes.find(|it| it["name"] == volume)?;
    let projected = || {
        let sources = volume["projected"]["sources"].as_array()?;
        let has_key = |source: &Value| {
            let items = source[member]["items"].as_array();
            items.into_iter().flatten().any(|item| item["key"] == key)
        };
        let source = sources.iter().find(|it| has_key(it))?;
        source[member]["name"].as_str()
    };
    let name = volume[member][named].as_str().or_else(projected)?;
    Some((kind, name.to_owned()))
}
